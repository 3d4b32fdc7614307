"""What people type and paste, and people who only have a keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.reading import (
    ATTENTION,
    CALCULATION,
    becomes,
    cells,
    drawn,
    header,
    picture_id,
    predictions,
    type_sentence,
    wait_for_link,
)
from tests.browser.watching import no_traceback, painted, settled

FAMILY = "👩‍👩‍👧‍👦"


@pytest.fixture
def bench(open_page: OpenPage) -> OpenPage:
    def go(link: str = "", **options: object) -> Page:
        page = open_page(f"/workbench{link}", **options)
        painted(page)
        drawn(page)
        return page

    return go


@pytest.mark.parametrize(
    "typed",
    [
        f"a {FAMILY} sat",
        "שלום עולם 1984",
        "مرحبا 2024",
        "猫坐在垫子上",
        "true 1984 1e3",
        "<b>bold</b> :red[x] $y$ **z**",
    ],
)
def test_any_script_is_read_and_comes_back_as_it_was_typed(bench, typed: str) -> None:
    """Bytes are merged to words here, so that the labels are what was typed."""
    page = bench("?v=1&model=untrained&merge_words=1")
    type_sentence(page, typed)
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(typed)
    becomes(page, lambda: "".join(header(page)["queries"][1:]).replace("␣", ""), typed.replace(" ", ""))
    assert predictions(page)
    no_traceback(page)
    page.reload()
    painted(page)
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(typed)


@pytest.mark.parametrize("path", ["/workbench", "/?v=1&mode=sentence"])
def test_script_is_text_and_never_runs(open_page, path: str) -> None:
    page = open_page(path)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    typed = "<script>alert(1)</script> <img src=x onerror=alert(2)> cat"
    field = page.get_by_label("Sentence", exact=True)
    field.fill(typed)
    wait_for_link(page, text=typed)
    painted(page, ATTENTION if path == "/workbench" else CALCULATION)
    expect(page.get_by_text("so read as [UNK]: “<”, “script”, “>”, “alert”")).to_be_visible()
    if path == "/workbench":
        page.get_by_role("radio", name="Tokens").click()
        wait_for_link(page, panel="tokens")
        expect(page.locator(".glass-table").filter(has_text="onerror")).to_be_visible()
    page.reload()
    painted(page, ATTENTION if path == "/workbench" else CALCULATION)
    assert page.locator("img[src=x]").count() == 0
    assert dialogs == []
    no_traceback(page)


@pytest.mark.parametrize("typed", ["", "   "])
def test_no_text_keeps_the_last_picture_and_asks_for_some(bench, typed: str) -> None:
    page = bench()
    type_sentence(page, "The girls saw the dogs")
    picture = picture_id(page)
    field = page.get_by_label("Sentence", exact=True)
    field.fill(typed)
    expect(page.get_by_text("Type a sentence: there is none, so the picture is still of")).to_contain_text(
        "The girls saw the dogs"
    )
    settled(page)
    expect(page.locator(ATTENTION)).to_have_attribute("data-painted", picture)
    field.fill("A cat")
    wait_for_link(page, text="A cat")
    expect(page.get_by_text("Type a sentence: there is none")).to_have_count(0)
    becomes(page, lambda: header(page)["queries"], ["[BOS]", "A", "cat"])


def test_special_tokens_typed_by_hand_say_how_they_were_read(bench) -> None:
    page = bench("?v=1&model=english-masked")
    type_sentence(page, "The cat [MASK] <s> </s>")
    expect(
        page.get_by_text("[MASK]” was read as", exact=False).or_(page.get_by_text("read as the mask"))
    ).to_be_visible()
    assert "[MASK]" in header(page)["queries"]
    no_traceback(page)


def test_five_thousand_words_are_cut_with_a_sentence_and_kept_in_the_field(bench) -> None:
    page = bench()
    words = " ".join(["the cat sat on"] * 1250)
    field = page.get_by_label("Sentence", exact=True)
    field.fill(words)
    expect(page.get_by_text("Long text: showing the first", exact=False)).to_be_visible()
    settled(page)
    painted(page)
    assert len(header(page)["queries"]) <= 512
    expect(field).to_have_value(words)
    no_traceback(page)
    field.fill("The cat sat")
    wait_for_link(page, text="The cat sat")
    becomes(page, lambda: len(header(page)["queries"]), 4)


def test_a_long_word_breaks_nothing(bench) -> None:
    page = bench("?v=1&model=untrained", width=360)
    type_sentence(page, "Donaudampfschifffahrtsgesellschaftskapitänsmütze" * 2)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    no_traceback(page)


# Only a keyboard


def focused(page: Page) -> dict:
    """What has the focus: its name, its part of a picture, whether its focus can be seen."""
    return page.evaluate(
        """() => {
            let at = document.activeElement;
            while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
            // Streamlit draws the focus of a field or a radio round its box.
            const boxes = [at, at.nextElementSibling].filter(Boolean);
            for (let box = at, level = 0; level < 5 && box.parentElement; level++) boxes.push(box = box.parentElement);
            const drawn = boxes.some((box) => {
                const style = getComputedStyle(box);
                const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
                const accent = style.getPropertyValue("border-color").includes("165, 16, 106");
                return outline || style.boxShadow !== "none" || accent;
            });
            return { tag: at.tagName, part: at.dataset.part ?? at.className, drawn,
                name: at.getAttribute("aria-label") ?? at.innerText ?? "", text: at.value ?? "" };
        }"""
    )


def tab_to(page: Page, wanted: str, most: int = 40) -> list[dict]:
    """Presses Tab until the stop of this name or part has the focus; gives every stop on the way."""
    stops = []
    for _ in range(most):
        page.keyboard.press("Tab")
        stops.append(focused(page))
        if wanted in (
            stops[-1]["part"],
            stops[-1]["name"].strip().splitlines()[0] if stops[-1]["name"].strip() else "",
        ):
            return stops
    raise AssertionError(f"no way to {wanted!r} by Tab: {[(stop['part'], stop['name']) for stop in stops]}")


def test_the_workbench_by_keyboard_alone(bench) -> None:
    page = bench()
    stops = tab_to(page, "Sentence")
    page.keyboard.press("Control+a")
    page.keyboard.type("The girls saw the dogs")
    wait_for_link(page, text="The girls saw the dogs")
    stops += tab_to(page, "grid")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_link(page, layer="1", head="1")
    expect(page.locator("[data-part=name]")).to_have_text("Layer 1 · Head 1")
    stops += tab_to(page, "frame")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_link(page, query="3", key="2")
    expect(page.locator("[data-part=line]")).to_have_text("query 3saw reads key 2girls")
    expect(page.get_by_role("region", name="Where does this number come from?")).to_contain_text("saw reads girls")
    # The focus is still in the map, so the next stop follows it.
    stops += tab_to(page, "Silence head")
    page.keyboard.press("Enter")
    wait_for_link(page, edits="ablate_1_1")
    unseen = [(stop["tag"], stop["part"], stop["name"]) for stop in stops if not stop["drawn"]]
    assert unseen == []


def test_the_lesson_by_keyboard_alone(open_page) -> None:
    page = open_page("/")
    painted(page, CALCULATION)
    drawn(page)
    heading = page.get_by_role("heading", level=3).first
    for title in ("Token ids", "Embeddings", "Add positions"):
        page.keyboard.press("ArrowRight")
        expect(heading).to_contain_text(title)
    stops = tab_to(page, "Next")
    page.keyboard.press("Enter")
    expect(heading).to_contain_text("Query, key, value")
    settled(page)
    stops += tab_to(page, "cell")
    first = cells(page, "X").nth(0)
    page.keyboard.press("ArrowRight")
    page.keyboard.type("2")
    expect(page.locator("input.editor")).to_be_focused()
    page.keyboard.press("Enter")
    wait_for_link(page, changes="X-0-1:2.0")
    expect(cells(page, "X").nth(1)).to_have_text("2")
    expect(first).to_have_text("1")
    unseen = [(stop["tag"], stop["part"], stop["name"]) for stop in stops if not stop["drawn"]]
    assert unseen == []


def test_the_download_menu_by_keyboard(bench) -> None:
    page = bench()
    tab_to(page, "save")
    page.keyboard.press("Enter")
    menu: Locator = page.get_by_role("menu")
    expect(menu).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith(".csv")
    expect(menu).to_be_hidden()
    assert focused(page)["part"] == "save"
