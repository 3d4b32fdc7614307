"""Heads, walked by a person: picked by mouse and keys, silenced, taken apart; predictions, links and looks."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

import viz_model as vm
from tests.browser.conftest import OpenPage, Screenshot
from tests.browser.reading import ATTENTION, becomes, copied, header, link_of, picture_id, taken, wait_for_link
from tests.browser.test_looks import looks
from tests.browser.watching import no_traceback, painted


@pytest.fixture
def lesson(open_page: OpenPage) -> OpenPage:
    """Opens the lesson with a link's parameters and waits for its pictures."""

    def go(link: str = "", **options: Any) -> Page:
        page = open_page(f"/heads{link}", **options)
        painted(page)
        expect(chosen_cell(page)).to_be_visible()
        return page

    return go


def cell(page: Page, layer: int, head: int) -> Locator:
    return page.locator(f'.head-atlas [data-layer="{layer}"][data-head="{head}"]')


def chosen_cell(page: Page) -> Locator:
    return page.locator(".head-atlas [data-chosen]")


def chosen(page: Page) -> tuple[int, int]:
    selection = header(page)["selection"]
    return selection["layer"], selection["head"]


def test_a_head_is_picked_by_a_click_and_by_keys(lesson) -> None:
    page = lesson()
    assert link_of(page) == {}
    cell(page, 1, 0).click()
    wait_for_link(page, layer="1", head=None)
    becomes(page, lambda: chosen(page), (1, 0))
    expect(page.get_by_text("Layer 1, head 0 is named verb-object (due)")).to_be_visible()
    expect(cell(page, 1, 0)).to_have_attribute("aria-selected", "true")
    cell(page, 1, 0).focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown"):  # below the last row there is none
        page.keyboard.press(key)
    expect(cell(page, 2, 1)).to_be_focused()
    page.keyboard.press("Enter")
    wait_for_link(page, layer="2", head="1")
    becomes(page, lambda: chosen(page), (2, 1))
    expect(cell(page, 2, 1)).to_be_focused()
    expect(page.get_by_text("Layer 2, head 1 is named preposition-noun (due)")).to_be_visible()
    no_traceback(page)


def test_the_lists_and_the_map_choose_too(lesson) -> None:
    page = lesson()
    page.get_by_test_id("stSelectbox").filter(has_text="Layer").locator("input").click()  # the map has a list too
    page.get_by_role("option", name="2", exact=True).click()
    wait_for_link(page, layer="2")
    expect(cell(page, 2, 0)).to_have_attribute("data-chosen", "")
    page.locator("[data-part=grid]").scroll_into_view_if_needed()
    tile = page.locator(ATTENTION).evaluate(
        "root => root.view.cache.grid.tiles.find((tile) => tile.layer === 2 && tile.head === 3)"
    )
    page.locator("[data-part=grid]").click(position={"x": tile["x"] + 8, "y": tile["y"] + 8})
    wait_for_link(page, layer="2", head="3")
    expect(cell(page, 2, 3)).to_have_attribute("data-chosen", "")


@pytest.mark.parametrize(
    ("label", "model", "head", "says"),
    [
        ("The head that agreement needs", None, (2, 2), "For this the model needs the head."),
        ("The head that reads the subject in vain", None, (2, 0), "For this the model can do without the head."),
        ("An induction head", "induction", (1, 0), "Layer 1, head 0 is named induction"),
    ],
)
def test_an_experiment_sets_the_controls(lesson, label: str, model: str | None, head, says: str) -> None:
    page = lesson()
    page.get_by_role("button", name=label).click()
    wait_for_link(page, model=model, layer=str(head[0]))
    becomes(page, lambda: chosen(page), head)
    expect(page.get_by_text(says)).to_be_visible()
    expect(chosen_cell(page)).to_have_attribute("data-layer", str(head[0]))
    no_traceback(page)


def test_the_prediction_is_answered_from_the_table(lesson) -> None:
    page = lesson()
    page.get_by_role("radio", name="layer 2, head 0").locator("xpath=ancestor::label").click()
    expect(page.get_by_text("No: layer 2, head 2.")).to_be_visible()
    said = page.get_by_text(re.compile(r"Without layer 2, head 2 the verb agrees in")).inner_text()
    assert [float(each) for each in re.findall(r"\b[01]\.\d+", said)] == [0.764, 1.0, 1.0]


def test_the_numbers_are_measured_now_and_put_back(lesson) -> None:
    page = lesson("?v=1&model=induction&text=a+b+c+a+b+c&heads_panel=without")
    expect(page.get_by_text("As recorded.")).to_be_visible()
    page.get_by_role("button", name="Measure it now").click()
    wait_for_link(page, measured_now="1")
    expect(page.get_by_text("Measured now")).to_be_visible()
    page.get_by_role("button", name="Back to the recorded numbers").click()
    wait_for_link(page, measured_now=None)
    expect(page.get_by_text("As recorded.")).to_be_visible()
    expect(page.get_by_text("Measured now")).to_have_count(0)


def test_every_panel_opens_and_the_parts_add_up(lesson) -> None:
    page = lesson("?v=1&layer=1")
    page.get_by_role("radio", name="What it adds").click()
    expect(page.get_by_text("The terms add up to the layer's output")).to_be_visible()
    page.get_by_role("radio", name="What heads cost").click()
    expect(page.get_by_role("cell", name="← this model")).to_be_visible()
    expect(page.get_by_text("512 = 8 × 64")).to_be_visible()
    page.get_by_role("radio", name="The model without it").click()
    expect(page.get_by_role("rowheader", name="layer 1, head 0")).to_be_visible()
    no_traceback(page)


def test_the_copied_link_shows_the_same_page(lesson, new_page, app) -> None:
    page = lesson("?v=1&query=4", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="The head that reads the subject in vain").click()
    wait_for_link(page, layer="2", heads_panel="without", query="7")
    becomes(page, lambda: chosen(page), (2, 0))
    page.get_by_role("radio", name="Only one head of its layer").click()
    wait_for_link(page, kept="only")
    other = copied(page, new_page)
    painted(other)
    assert link_of(other) == link_of(page)
    becomes(other, lambda: picture_id(other), picture_id(page))
    expect(other.get_by_role("radio", name="Only one head of its layer")).to_be_checked()
    expect(chosen_cell(other)).to_have_attribute("data-layer", "2")
    rows = page.locator(".glass-table tbody tr").all_inner_texts()
    assert other.locator(".glass-table tbody tr").all_inner_texts() == rows


def test_what_can_be_taken_away(lesson) -> None:
    page = lesson("?v=1&heads_panel=without")
    starts = ("model,layer,head,role,score,chance", "model,kept,layer,head,loss,accuracy,agreement,numbers")
    assert taken(page, "heads", "CSV numbers")[1].decode().startswith(starts[0])
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV").click()
    text = waiting.value.path().read_text(encoding="utf-8")
    assert text.startswith(starts[1])
    assert "english-causal,without,2,2,2.679" in text
    page.get_by_role("button", name="As a table").first.click()
    expect(page.get_by_role("dialog").get_by_role("rowheader", name="a uniform head")).to_be_visible()


def test_a_model_without_an_atlas_has_its_map(open_page) -> None:
    page = open_page("/heads?v=1&model=untrained")
    painted(page)
    expect(page.get_by_text("The atlas and the model without each head were measured for")).to_be_visible()
    expect(page.locator(".head-atlas")).to_have_count(0)
    weights = vm.run(vm.load("untrained"), "The cat sat on the mat").blocks[0].attention.weights[0, 0]
    assert len(header(page)["queries"]) == len(weights)


@pytest.mark.parametrize(("scheme", "width"), [("dark", 1440), ("light", 1024), ("light", 360)])
def test_how_it_looks(lesson, screenshot: Screenshot, scheme: str, width: int) -> None:
    page = lesson(
        "?v=1&text=My+dog+near+the+houses&layer=1&query=5&key=2&heads_panel=without", width=width, scheme=scheme
    )
    expect(page.get_by_role("rowheader", name="the whole model")).to_be_visible()
    looks(page, screenshot, "lesson-heads", scheme, width, ".glass-table td")
