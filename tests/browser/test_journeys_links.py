"""Links: the whole page in an address, for a second browser, a reload, a way back, and a class on one server."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

import viz_model as vm
from tests.browser.conftest import OpenPage
from tests.browser.reading import (
    ATTENTION,
    CALCULATION,
    becomes,
    cells,
    click_head,
    header,
    link_of,
    picture_id,
    predictions,
    step_to,
    type_sentence,
    wait_for_link,
)
from tests.browser.serving import ROOT, serving
from tests.browser.watching import no_traceback, painted, settled

STATE = {
    "v": "1",
    "text": "The girls & the dogs <saw> 1984",
    "layer": "2",
    "head": "1",
    "query": "5",
    "key": "3",
    "edits": "ablate_0_3~cut_2_1_5_2_yes",
}


def picture_at(page: Page, name: str) -> None:
    """Waits until the picture of this id is on the canvas."""
    expect(page.locator(ATTENTION)).to_have_attribute("data-painted", name)


@pytest.fixture
def bench(open_page: OpenPage) -> OpenPage:
    def go(link: str = "", **options: object) -> Page:
        page = open_page(f"/workbench{link}", **options)
        painted(page)
        return page

    return go


def test_a_deep_link_on_a_fresh_server_paints_what_another_server_paints(bench, new_page, tmp_path) -> None:
    link = f"/workbench?{urlencode(STATE)}"
    there = picture_id(bench(f"?{urlencode(STATE)}"))
    with serving(ROOT / "app.py", tmp_path / "server.log") as address:
        page = new_page(base_url=address)
        page.goto(link)
        picture_at(page, there)
        settled(page)
        expect(page.get_by_role("heading", level=1)).to_have_text("Workbench")
        expect(page.get_by_role("dialog")).to_have_count(0)
        no_traceback(page)
        assert urlsplit(page.url).path == "/workbench"
        assert link_of(page) == STATE
        page.context.close()


def test_the_copied_link_shows_the_same_picture_in_a_second_browser(bench, new_page, app) -> None:
    page = bench(permissions=["clipboard-read", "clipboard-write"])
    type_sentence(page, STATE["text"])
    click_head(page, 2, 1)
    page.get_by_role("button", name="Silence head").click()
    wait_for_link(page, edits="ablate_2_1")
    page.locator("[data-choice=arcs]").click()
    page.get_by_role("radio", name="Tokens").click()
    wait_for_link(page, panel="tokens")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url
    other = new_page()
    other.goto(copied)
    settled(other)
    assert link_of(other) == link_of(page)
    expect(other.get_by_label("Sentence", exact=True)).to_have_value(STATE["text"])
    expect(other.get_by_text("In force: layer 2, head 1 silenced.")).to_be_visible()
    expect(other.get_by_role("radio", name="Tokens")).to_be_checked()
    picture_at(other, picture_id(page))
    becomes(other, lambda: predictions(other), predictions(page))


def test_what_is_set_in_the_picture_itself_travels_with_the_link(bench, new_page, app) -> None:
    """The kind of picture and the share of links shown are the picture's own controls."""
    page = bench()
    page.locator("[data-choice=arcs]").click()
    page.focus("[data-part=share]")
    page.keyboard.press("Home")
    wait_for_link(page, view="arcs", share="0.1")
    other = new_page()
    other.goto(page.url)
    painted(other)
    expect(other.locator("[data-choice=arcs]")).to_have_attribute("aria-pressed", "true")
    expect(other.locator("[data-part=share-value]")).to_have_text("10%")


def test_a_link_is_shown_to_copy_where_the_clipboard_is_refused(bench) -> None:
    page = bench()
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject() } });"
        "document.execCommand = () => false"
    )
    page.get_by_role("button", name="Copy link").click()
    field = page.get_by_label("Link to this page")
    expect(field).to_have_value(page.url)
    expect(field).to_be_focused()


def test_a_lesson_travels_with_its_changed_numbers(open_page, new_page, app) -> None:
    page = open_page("/?v=1&step=dots")
    cells(page, "Kᵀ").nth(4).dblclick()
    page.keyboard.type("0.25")
    page.keyboard.press("Enter")
    wait_for_link(page, changes="K-1-1:0.25")
    step_to(page, "Softmax")
    other = new_page()
    other.goto(page.url)
    painted(other, CALCULATION)
    expect(other.get_by_role("heading", level=3).first).to_contain_text("Softmax")
    expect(cells(other, "result")).to_have_text(cells(page, "result").all_inner_texts())


@pytest.mark.parametrize("path", ["/workbench", "/"])
def test_a_reload_keeps_the_state(open_page, path: str) -> None:
    state = STATE | ({} if path == "/workbench" else {"mode": "sentence", "step": "softmax"})
    page = open_page(f"{path}?{urlencode(state)}")
    view = ATTENTION if path == "/workbench" else CALCULATION
    painted(page, view)
    before = page.locator(view).get_attribute("data-painted") or ""
    page.reload()
    expect(page.locator(view)).to_have_attribute("data-painted", before)
    settled(page)
    assert link_of(page) == state


def test_back_and_forward_show_what_was(bench) -> None:
    page = bench()
    first = picture_id(page)
    click_head(page, 1, 1)
    wait_for_link(page, layer="1", head="1")
    second = picture_id(page)
    page.get_by_role("button", name="Silence head").click()
    wait_for_link(page, edits="ablate_1_1")
    page.go_back()
    picture_at(page, second)
    settled(page)
    assert link_of(page) == {"v": "1", "layer": "1", "head": "1"}
    expect(page.get_by_text("In force:")).to_have_count(0)
    page.go_back()
    picture_at(page, first)
    settled(page)
    assert link_of(page) == {}
    page.go_forward()
    picture_at(page, second)
    no_traceback(page)


def test_back_leads_to_the_page_before(bench) -> None:
    page = bench("?v=1&layer=1&head=2")
    picture = picture_id(page)
    page.get_by_role("link", name="The cat sat").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The cat sat")
    painted(page, CALCULATION)
    settled(page)
    for _ in range(3):  # the page itself and its parameters may each be an entry
        page.go_back()
        settled(page)
        if urlsplit(page.url).path == "/workbench":
            break
    expect(page.get_by_role("heading", level=1)).to_have_text("Workbench")
    picture_at(page, picture)
    no_traceback(page)


def test_two_visitors_with_other_edits_and_sentences_do_not_touch_each_other(bench) -> None:
    texts = ("The cat sat on the mat", "The girls saw the dogs")
    heads = ((1, 0), (0, 2))
    pages = [bench(), bench()]
    type_sentence(pages[1], texts[1])
    for page, (layer, head) in zip(pages, heads, strict=True):
        click_head(page, layer, head)
    for page in pages:
        page.get_by_role("button", name="Silence head").click()
    loaded = vm.load("english-causal")
    for page, text, (layer, head) in zip(pages, texts, heads, strict=True):
        wait_for_link(page, edits=f"ablate_{layer}_{head}")
        expect(page.get_by_text(f"In force: layer {layer}, head {head} silenced.")).to_be_visible()
        edited = vm.run(loaded, text, edits=(vm.AblateHead(layer=layer, head=head),)).logits[0, -1].softmax(-1)
        wanted = {loaded.tokenizer.token(i): float(share) for i, share in enumerate(edited)}
        best = max(wanted, key=lambda token: wanted[token])
        becomes(page, lambda page=page, best=best: predictions(page).get(best), pytest.approx(wanted[best], abs=1e-6))
        assert header(page)["queries"] == ["[BOS]", *text.split()]
    # What one undoes, the other keeps; a third sees the plain model.
    pages[0].get_by_role("button", name="Clear edits").click()
    wait_for_link(pages[0], edits=None)
    pages[1].reload()
    expect(pages[1].get_by_text("In force: layer 0, head 2 silenced.")).to_be_visible()
    plain = vm.run(loaded, texts[0]).logits[0, -1].softmax(-1)
    third = bench()
    for page in (pages[0], third):
        shown = lambda page=page: predictions(page).get(loaded.tokenizer.token(int(plain.argmax())))  # noqa: E731
        becomes(page, shown, pytest.approx(float(plain.max()), abs=1e-6))


@pytest.mark.parametrize(
    ("path", "link", "said"),
    [
        ("/workbench", "?v=1&layer=7", "7 was asked for, 2 is shown"),
        ("/workbench", "?v=1&layer=x", "layer was not read"),
        ("/workbench", "?v=0&layer=1", "This link is of version"),
        ("/workbench", "?v=1&edits=ablate_9_9~nonsense", "nonsense was left out"),
        ("/workbench", "?v=1&model=gpt-9", "model was not read"),
        ("/", "?v=1&step=nonsense", "The link's step was not read"),
        ("/", "?v=1&changes=K-9-9:1", "A changed number in the link was not read"),
    ],
)
def test_a_bad_link_shows_the_page_with_a_plain_sentence(open_page, path: str, link: str, said: str) -> None:
    page = open_page(path + link)
    expect(page.get_by_text(said)).to_be_visible()
    painted(page, ATTENTION if path == "/workbench" else CALCULATION)
    no_traceback(page)


def test_a_teachers_link_hides_locks_and_enlarges(bench) -> None:
    page = bench("?v=1&present=1&hide=panels~question&lock=text~edits")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_text("Look closer")).to_have_count(0)
    expect(page.get_by_label("Sentence", exact=True)).to_be_disabled()
    expect(page.get_by_role("button", name="Silence head")).to_be_disabled()
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "20px"
