"""The workbench in a person's hands: a sentence typed, a head picked, a cell read, the model changed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

import viz_model as vm
from tests.browser.conftest import OpenPage
from tests.browser.reading import (
    ATTENTION,
    Traffic,
    becomes,
    click_head,
    header,
    link_of,
    number,
    picture_id,
    point_of_cell,
    predictions,
    type_sentence,
    wait_for_link,
)
from tests.browser.watching import no_traceback, painted, settled

TEXT = "The cat sat on the mat"
LINE, NUMBER = "[data-part=line]", "[data-part=number] strong"


@pytest.fixture
def bench(open_page: OpenPage) -> OpenPage:
    """Opens the workbench with a link's parameters and waits for its picture."""

    def go(link: str = "", **options: object) -> Page:
        page = open_page(f"/workbench{link}", **options)
        painted(page)
        return page

    return go


def answers(text: str, *edits: vm.Edit, model: str = "english-causal", at: int = -1) -> dict[str, float]:
    """The model's probabilities of the next token, by name."""
    loaded = vm.load(model)
    shares = vm.run(loaded, text, edits=edits).logits[0, at].softmax(-1)
    return {loaded.tokenizer.token(i): float(share) for i, share in enumerate(shares)}


def test_the_picture_follows_the_typing(bench) -> None:
    page = bench()
    field = page.get_by_label("Sentence", exact=True)
    field.fill("")
    field.press_sequentially("The dogs saw")
    wait_for_link(page, text="The dogs saw")
    expect(page.locator("[data-part=frame]")).to_have_attribute(
        "aria-label",
        "Layer 0 · Head 0. Attention weights of 4 queries over 4 keys, query down the side, key along the "
        "top. Arrow keys move the chosen cell, Enter keeps it.",
    )
    becomes(page, lambda: header(page)["queries"], ["[BOS]", "The", "dogs", "saw"])
    expect(field).to_be_focused()
    expect(field).to_have_value("The dogs saw")
    wanted = answers("The dogs saw")
    best = max(wanted, key=lambda token: wanted[token])
    becomes(page, lambda: predictions(page).get(best), pytest.approx(wanted[best], abs=1e-6))


def test_hovering_reads_the_models_own_numbers_and_asks_the_server_nothing(page) -> None:
    traffic = Traffic(page)
    page.goto("/workbench")
    painted(page)
    settled(page)
    click_head(page, 1, 2)
    weights = vm.run(vm.load("english-causal"), TEXT).blocks[1].attention.weights[0, 2]
    sent = traffic.sent
    assert sent > 0
    for query, key in ((6, 3), (4, 1), (3, 3)):
        page.mouse.move(*point_of_cell(page, query, key))
        expect(page.locator(LINE)).to_contain_text(f"query {query}")
        expect(page.locator(LINE)).to_contain_text(f"reads key {key}")
        full = page.locator("[data-part=number]").inner_text()
        assert any(number(part) == pytest.approx(float(weights[query, key]), rel=6e-3) for part in full.split())
    page.mouse.move(*point_of_cell(page, 2, 5))
    expect(page.locator("[data-part=number]")).to_have_text("masked: may not be read")
    assert traffic.sent == sent
    # A click is one message, and the inspector says the same number.
    page.mouse.click(*point_of_cell(page, 6, 3))
    wait_for_link(page, query="6", key="3")
    inspector = page.get_by_role("region", name="Where does this number come from?")
    expect(inspector).to_contain_text("mat reads sat")
    assert traffic.sent == sent + 1
    assert inspector.locator("strong").inner_text() == page.locator(NUMBER).inner_text()
    shown = float(inspector.locator("strong").get_attribute("title") or "nan")
    assert shown == pytest.approx(float(weights[6, 3]), rel=1e-6)
    rows = dict(row.split("\t")[:2] for row in inspector.locator("table").inner_text().splitlines() if "\t" in row)
    assert number(rows["q · k"]) * number(rows["× scale"]) == pytest.approx(number(rows["score"]), rel=1e-2, abs=5e-3)
    assert number(rows["exp"]) / number(rows["÷ sum"]) == pytest.approx(number(rows["weight"]), rel=1e-2)


def test_a_head_is_picked_by_its_thumbnail_and_kept_when_the_text_changes(bench) -> None:
    page = bench()
    click_head(page, 2, 3)
    wait_for_link(page, layer="2", head="3")
    type_sentence(page, "A girl saw the dogs")
    expect(page.locator("[data-part=name]")).to_have_text("Layer 2 · Head 3")
    becomes(page, lambda: header(page)["queries"][1], "A")
    assert header(page)["selection"]["layer"] == 2


def test_a_silenced_head_moves_the_predictions_and_undo_brings_them_back(bench) -> None:
    page = bench()
    first, picture = predictions(page), picture_id(page)
    plain = answers(TEXT)
    assert first == {token: pytest.approx(plain[token], abs=1e-6) for token in first}
    click_head(page, 1, 0)
    whole = picture_id(page)
    page.get_by_role("button", name="Silence head").click()
    wait_for_link(page, edits="ablate_1_0")
    edited = answers(TEXT, vm.AblateHead(layer=1, head=0))
    expect(page.locator(".glass-strip .was-line").first).to_be_visible()
    best = max(edited, key=lambda token: edited[token])
    becomes(page, lambda: predictions(page).get(best), pytest.approx(edited[best], abs=1e-6))
    after = predictions(page)
    assert after == {token: pytest.approx(edited[token], abs=1e-6) for token in after}
    was = page.locator(".glass-strip li").first.locator(".was-line")
    expect(was).to_contain_text("was ")
    moved = [float(title) for title in was.locator("[title]").evaluate_all("all => all.map((one) => one.title)")]
    assert moved == [pytest.approx(plain[best], abs=1e-6), pytest.approx(edited[best] - plain[best], abs=1e-6)]
    assert abs(moved[1]) > 1e-4
    expect(page.get_by_text("In force: layer 1, head 0 silenced.")).to_be_visible()
    expect(page.locator(ATTENTION)).not_to_have_attribute("data-painted", whole)

    click_head(page, 0, 0)
    page.get_by_role("button", name="Make uniform").click()
    wait_for_link(page, edits="ablate_1_0~uniform_0_0")
    page.get_by_role("button", name="Undo").click()
    wait_for_link(page, edits="ablate_1_0")
    becomes(page, lambda: predictions(page), after)
    page.get_by_role("button", name="Clear edits").click()
    wait_for_link(page, edits=None)
    expect(page.locator(".glass-strip .was-line")).to_have_count(0)
    becomes(page, lambda: predictions(page), first)
    assert link_of(page) == {}
    expect(page.locator(ATTENTION)).to_have_attribute("data-painted", picture)


def test_a_cut_link_is_zero_and_its_row_still_sums_to_one(bench) -> None:
    page = bench("?v=1&layer=0&head=1&query=4&key=3")
    page.get_by_role("button", name="Cut link").click()
    wait_for_link(page, edits="cut_0_1_4_3_yes")
    expect(page.get_by_text("In force: on may not read sat in layer 0, head 1.")).to_be_visible()
    inspector = page.get_by_role("region", name="Where does this number come from?")
    expect(inspector).to_contain_text("on reads sat0")
    expect(inspector).to_contain_text("1.000")
    number_shown = page.locator(NUMBER)
    expect(number_shown).to_have_text("0")
    page.locator("[data-choice=before]").click()
    weights = vm.run(vm.load("english-causal"), TEXT).blocks[0].attention.weights[0, 1]
    expect(number_shown).to_have_text(f"{float(weights[4, 3]):.3g}")
    page.locator("[data-choice=difference]").click()
    expect(number_shown).to_have_text(f"−{float(weights[4, 3]):.3g}")


def test_a_weight_is_set_and_a_head_is_taken_from_a_second_sentence(bench) -> None:
    page = bench("?v=1&layer=1&head=1&query=3&key=1&text_b=The+girls+sat+on+the+mat")
    page.get_by_role("button", name="Set weight").click()
    page.get_by_role("button", name="Set it").click()
    wait_for_link(page, edits="set_1_1_3_1_0.5_yes")
    expect(page.locator(NUMBER)).to_have_text("0.500")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Take from second").click()
    wait_for_link(page, edits="set_1_1_3_1_0.5_yes~patch_1_1_heads")
    expect(page.get_by_text("layer 1, head 1 taken from the second sentence.")).to_be_visible()
    no_traceback(page)


def test_a_change_of_page_and_back_keeps_everything(bench) -> None:
    page = bench("?v=1&text=The+girls+saw+a+dog&layer=2&head=1&edits=ablate_0_3&query=4&key=2")
    picture = picture_id(page)
    page.get_by_role("link", name="The cat sat").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The cat sat")
    painted(page, ".calculation")
    settled(page)
    page.get_by_text("Your sentence", exact=True).click()
    wait_for_link(page, mode="sentence")
    expect(page.get_by_label("Sentence", exact=True)).to_have_value("The girls saw a dog")
    expect(page.get_by_role("radio", name="a", exact=True)).to_be_checked()
    page.get_by_role("link", name="Workbench").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Workbench")
    painted(page)
    settled(page)
    expect(page.locator(ATTENTION)).to_have_attribute("data-painted", picture)
    expect(page.get_by_label("Sentence", exact=True)).to_have_value("The girls saw a dog")
    expect(page.get_by_text("In force: layer 0, head 3 silenced.")).to_be_visible()
    assert link_of(page) | {"mode": "sentence"} == {
        "v": "1",
        "text": "The girls saw a dog",
        "layer": "2",
        "head": "1",
        "query": "4",
        "key": "2",
        "edits": "ablate_0_3",
        "mode": "sentence",
    }
