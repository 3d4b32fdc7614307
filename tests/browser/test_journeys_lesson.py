"""The cat sat, walked by a person: step by step, numbers changed by hand, a sentence of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import viz_model as vm
from tests.browser.conftest import OpenPage
from tests.browser.reading import CALCULATION, cells, drawn, link_of, number, numbers, step_to, wait_for_link
from tests.browser.watching import no_traceback, painted, settled

TITLES = [
    "Tokens",
    "Token ids",
    "Embeddings",
    "Add positions",
    "Query, key, value",
    "Dot products",
    "Scale",
    "Mask",
    "Softmax",
    "Weighted sum of values",
    "Join the heads",
]


@pytest.fixture
def lesson(open_page: OpenPage) -> OpenPage:
    """Opens the lesson with a link's parameters and waits for its picture."""

    def go(link: str = "", **options: Any) -> Page:
        page = open_page(f"/{link}", **options)
        painted(page, CALCULATION)
        drawn(page)
        return page

    return go


def softmax(scores: np.ndarray) -> np.ndarray:
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum()


def test_next_leads_through_every_step_to_the_weights_and_back(lesson) -> None:
    page = lesson()
    heading = page.get_by_role("heading", level=3).first
    back, forward = page.get_by_role("button", name="Back"), page.get_by_role("button", name="Next")
    for i, title in enumerate(TITLES):
        expect(heading).to_have_text(f"{i + 1} / 11 {title}")
        painted(page, CALCULATION)
        no_traceback(page)
        if title == "Dot products":
            assert cells(page, "result").all_inner_texts() == ["0.00", "3.89", "1.39"]
        if title == "Softmax":
            assert cells(page, "result").all_inner_texts() == ["0.100", "0.700", "0.200"]
            expect(page.get_by_text("The row sums to 1.000")).to_be_visible()
        if title == "Weighted sum of values":
            assert cells(page, "result").all_inner_texts() == ["0.100", "0.700", "0.200", "1.00"]
            expect(page.get_by_text("output = 0.100 v(The) + 0.700 v(cat) + 0.200 v(sat)")).to_be_visible()
        if i + 1 < len(TITLES):
            forward.click()
    expect(forward).to_be_disabled()
    step_to(page, "Tokens", "Back")
    expect(back).to_be_disabled()


def test_the_arrow_keys_step_too_and_stay_out_of_the_pictures_own_keys(lesson) -> None:
    page = lesson()
    heading = page.get_by_role("heading", level=3).first
    for title in TITLES[1:9]:
        page.keyboard.press("ArrowRight")
        expect(heading).to_contain_text(title)
    expect(cells(page, "result")).to_have_text(["0.100", "0.700", "0.200"])
    cells(page, "result").nth(0).focus()
    page.keyboard.press("ArrowRight")
    expect(cells(page, "result").nth(1)).to_be_focused()
    expect(heading).to_contain_text("Softmax")
    cells(page, "result").nth(1).blur()
    page.keyboard.press("ArrowLeft")
    expect(heading).to_contain_text("Mask")


def test_a_number_changed_in_place_is_followed_by_all_the_rest(lesson) -> None:
    page = lesson("?v=1&step=dots")
    k = np.array(numbers(cells(page, "Kᵀ"))).reshape(4, 3).T
    q = np.array(numbers(cells(page, "q(cat)")))
    cells(page, "Kᵀ").nth(0).dblclick()
    page.keyboard.type("1.2")
    page.keyboard.press("Enter")
    k[0, 0] = 1.2
    expect(cells(page, "Kᵀ").nth(0)).to_have_text("1.20")
    expect(cells(page, "result").nth(0)).to_have_text("1.00")
    assert numbers(cells(page, "result")) == pytest.approx(k @ q, abs=1e-6)
    assert link_of(page)["changes"] == "K-0-0:1.2"
    step_to(page, "Softmax")
    weights = softmax(k @ q / 2)
    assert numbers(cells(page, "result")) == pytest.approx(weights, abs=1e-6)
    step_to(page, "Weighted sum of values")
    v = np.array(numbers(cells(page, "V"))).reshape(3, 4)
    assert numbers(cells(page, "result")) == pytest.approx(weights @ v, abs=1e-6)

    page.get_by_role("button", name="Reset the numbers").click()
    expect(cells(page, "result")).to_have_text(["0.100", "0.700", "0.200", "1.00"])
    wait_for_link(page, changes=None)
    expect(page.get_by_role("button", name="Reset the numbers")).to_be_disabled()


def test_a_table_changed_moves_the_vectors_that_it_makes(lesson) -> None:
    page = lesson("?v=1&step=qkv")
    cells(page, "W_V", 2).nth(5).dblclick()
    page.keyboard.type("-2")
    page.keyboard.press("Enter")
    expect(cells(page, "result", 2).nth(5)).to_have_text("−2")
    x, w = (np.array(numbers(cells(page, name, 2))).reshape(-1, 4) for name in ("X", "W_V"))
    assert w[1, 1] == -2
    assert numbers(cells(page, "result", 2)) == pytest.approx((x @ w).ravel(), abs=1e-6)
    step_to(page, "Weighted sum of values")
    expect(cells(page, "result").nth(1)).to_have_text("−1.40")


@pytest.mark.parametrize(
    ("typed", "said"), [("0,5", "Write the decimal sign as a point: 0.5."), ("5000", "5000 is out of range")]
)
def test_a_bad_number_stays_with_a_sentence(lesson, typed: str, said: str) -> None:
    page = lesson("?v=1&step=dots")
    cell = cells(page, "Kᵀ").nth(4)
    cell.dblclick()
    page.keyboard.type(typed)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text(said)
    expect(page.locator("input.editor")).to_have_value(typed)
    assert cells(page, "result").all_inner_texts() == ["0.00", "3.89", "1.39"]
    page.keyboard.press("Escape")
    expect(cell).to_have_text("1.39")
    assert "changes" not in link_of(page)


def test_another_word_reads_with_its_own_query(lesson) -> None:
    page = lesson("?v=1&step=qkv")
    q, k = (np.array(numbers(cells(page, "result", i))).reshape(3, 4) for i in (0, 1))
    page.get_by_role("radio", name="sat").click()
    wait_for_link(page, word="2")
    step_to(page, "Dot products")
    expect(page.locator(f"{CALCULATION} .name").first).to_have_text("q(sat)")
    assert numbers(cells(page, "result")) == pytest.approx(k @ q[2], abs=1e-6)
    step_to(page, "Softmax")
    assert numbers(cells(page, "result")) == pytest.approx(softmax(k @ q[2] / 2), abs=1e-6)


def test_what_if_there_were_a_mask_or_no_scale(lesson) -> None:
    page = lesson("?v=1&step=softmax")
    page.get_by_text("causal mask").click()
    expect(cells(page, "result").nth(2)).to_have_text("masked")
    wait_for_link(page, causal="1")
    shown = [number(text) for text in cells(page, "result").all_inner_texts()[:2]]
    assert shown == pytest.approx(softmax(np.array([0, 1.945])), abs=5e-4)
    page.get_by_text("scaled by 1/√d_k").click()
    wait_for_link(page, scaled="0")
    expect(cells(page, "result").nth(1)).to_have_text("0.980")


def test_the_prediction_is_answered_by_the_numbers_on_show(lesson) -> None:
    page = lesson()
    page.get_by_text("grow", exact=True).click()
    said = page.get_by_text("For “cat” it is 0.700 with the division and 0.907 without.")
    expect(said).to_contain_text("Yes.")
    assert softmax(np.array([0, 3.89, 1.39])).max() == pytest.approx(0.907, abs=5e-4)


def test_an_experiment_sets_the_controls(lesson) -> None:
    page = lesson()
    page.get_by_role("button", name="Make “sat” as findable as “cat”").click()
    wait_for_link(page, step="softmax")
    weights = cells(page, "result").all_inner_texts()
    assert weights[1] == weights[2]


def test_a_sentence_of_ones_own_in_the_chosen_layer_and_head(lesson) -> None:
    page = lesson("?v=1&step=softmax")
    page.get_by_text("Your sentence", exact=True).click()
    wait_for_link(page, mode="sentence")
    text = "The dog saw the girls"
    page.get_by_label("Sentence", exact=True).fill(text)
    wait_for_link(page, text=text)
    for label, value in (("Layer", 1), ("Head", 2)):
        page.get_by_role("combobox", name=label).click()
        page.get_by_role("option", name=f"{label} {value}").click()
        wait_for_link(page, **{label.lower(): str(value)})
    page.get_by_role("radio", name="saw").click()
    wait_for_link(page, query="3")
    painted(page, CALCULATION)
    settled(page)
    attention = vm.run(vm.load("english-causal"), text).blocks[1].attention
    row = cells(page, "result")
    # The future is hatched in the model that writes; what may be read is the model's own number.
    assert (
        row.evaluate_all("cells => cells.map((cell) => cell.classList.contains('masked'))") == [False] * 4 + [True] * 2
    )
    shown = row.evaluate_all("cells => cells.slice(0, 4).map((cell) => Math.fround(Number(cell.title)))")
    assert shown == pytest.approx(attention.weights[0, 2, 3, :4].tolist(), abs=1e-7)
    assert sum(shown) == pytest.approx(1, abs=1e-6)
    expect(page.get_by_role("radio", name="saw")).to_be_checked()
    # Its layer has a step more: the norm before attention.
    expect(page.get_by_role("heading", level=3).first).to_contain_text("/ 12 Softmax")
    no_traceback(page)
