"""The workbench looked at more closely: panels, ranges, arcs, hidden tokens, tables, masked words."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

import viz_model as vm
from tests.browser.conftest import OpenPage
from tests.browser.reading import (
    becomes,
    header,
    link_of,
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


@pytest.mark.parametrize(
    ("title", "shows"),
    [
        ("Logit lens", "Who wrote"),
        ("Rollout", "it leaves out values and feed-forward layers"),
        ("Value-weighted", "a large weight on a small value moves little"),
        ("Attribution", "over the keys that may be read"),
        ("Generate", "tokens were written"),
        ("Tokens", "bytes"),
    ],
)
def test_a_panel_opens_and_draws(bench, title: str, shows: str) -> None:
    page = bench()
    page.get_by_role("radio", name=title).click()
    expect(page.get_by_text(shows).first).to_be_visible()
    settled(page)
    no_traceback(page)
    if title in ("Logit lens", "Rollout", "Value-weighted"):
        expect(page.locator(".stPlotlyChart .main-svg").first).to_be_visible()
    if title == "Attribution":
        expect(page.locator(".stVegaLiteChart canvas, .stVegaLiteChart svg").first).to_be_visible()
    assert link_of(page)["panel"] == title.split()[-1].lower().replace("value-weighted", "values")


def test_how_to_look_hides_specials_and_says_what_they_held(bench) -> None:
    page = bench()
    page.get_by_role("button", name="How to look").click()
    page.get_by_text("Hide special tokens").click()
    wait_for_link(page, hide_specials="1")
    weights = vm.run(vm.load("english-causal"), TEXT).blocks[0].attention.weights
    becomes(page, lambda: header(page)["queries"], TEXT.split())
    expect(page.get_by_text("Special tokens are hidden: they hold")).to_be_visible()
    expect(page.get_by_text("Rows sum to what is left.")).to_be_visible()
    page.get_by_text("Visible weights sum to 1").click()
    wait_for_link(page, renormalise="1")
    expect(page.get_by_text("What is visible was scaled to sum to 1.")).to_be_visible()
    page.keyboard.press("Escape")
    page.mouse.move(*point_of_cell(page, 1, 1))
    row = weights[0, 0, 2, 1:]
    expect(page.locator(NUMBER)).to_have_text(f"{float(row[1] / row.sum()):.3f}")


def test_a_range_of_positions_keeps_the_rest_in_one_column(bench) -> None:
    page = bench("?v=1&first=1&last=3")
    expect(page.get_by_text("Positions 1 to 3 are shown; the last column holds the rest.")).to_be_visible()
    assert header(page)["queries"] == ["The", "cat", "sat"]
    assert header(page)["keys"][:3] == ["The", "cat", "sat"]
    assert len(header(page)["keys"]) == 4
    no_traceback(page)


def test_arcs_and_the_share_shown_stay_when_the_text_changes(bench) -> None:
    page = bench()
    page.locator("[data-choice=arcs]").click()
    page.focus("[data-part=share]")
    page.keyboard.press("Home")
    expect(page.locator("[data-part=share-value]")).to_have_text("10%")
    type_sentence(page, "The dogs saw the cat")
    expect(page.locator("[data-choice=arcs]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-part=share-value]")).to_have_text("10%")
    expect(page.locator("[data-part=note]")).to_contain_text("links, mass")


def test_the_numbers_as_a_table(bench) -> None:
    page = bench("?v=1&layer=1&head=2")
    page.get_by_role("button", name="As a table").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Weights of layer 1, head 2")).to_be_visible()
    assert dialog.locator("th").filter(has_text="mat").count() == 2
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_the_prediction_is_answered_by_the_head_on_show(bench) -> None:
    page = bench("?v=1&layer=0&head=0")
    page.get_by_text("no", exact=True).click()
    weights = vm.run(vm.load("english-causal"), TEXT).blocks[0].attention.weights[0, 0]
    hits = sum(int(weights[i].argmax()) == i - 1 for i in range(1, 7))
    said = page.get_by_text(f"In layer 0, head 0, {hits} of 6 words read the one before the most.")
    expect(said).to_contain_text("Yes." if hits <= 3 else "No: yes.")


def test_a_masked_word_is_predicted_where_it_stands(bench) -> None:
    page = bench()
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name="english-masked").click()
    wait_for_link(page, model="english-masked")
    type_sentence(page, "The cat [MASK] on the mat")
    expect(
        page.get_by_text("“[MASK]” was read as the mask token").or_(page.get_by_text("read as the mask"))
    ).to_be_visible()
    tokens = header(page)["queries"]
    shown = predictions(page)
    wanted = answers("The cat [MASK] on the mat", model="english-masked", at=tokens.index("[MASK]"))
    assert shown == {token: pytest.approx(wanted[token], abs=1e-6) for token in shown}
