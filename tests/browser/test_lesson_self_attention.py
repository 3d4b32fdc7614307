"""Self-attention on a sentence, walked by a person: examples, relations, heads, predictions and links."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import viz_model as vm
from tests.browser.conftest import OpenPage, Screenshot
from tests.browser.reading import (
    ATTENTION,
    becomes,
    copied,
    header,
    link_of,
    picture_id,
    taken,
    type_sentence,
    wait_for_link,
)
from tests.browser.test_looks import looks
from tests.browser.watching import no_traceback, painted

KEYS = "The keys to the cabinet are on the table"


@pytest.fixture
def lesson(open_page: OpenPage) -> OpenPage:
    """Opens the lesson with a link's parameters and waits for its pictures."""

    def go(link: str = "", **options: Any) -> Page:
        page = open_page(f"/sentence{link}", **options)
        painted(page)
        expect(page.locator(".glass-arcs img")).to_be_visible()
        return page

    return go


def arcs(page: Page) -> str:
    """What the picture of the arcs says to who does not see it."""
    return page.locator(".glass-arcs img").get_attribute("alt") or ""


def chosen(page: Page) -> tuple[int, int]:
    selection = header(page)["selection"]
    return selection["layer"], selection["head"]


def test_it_opens_finished_and_follows_the_relation(lesson) -> None:
    page = lesson()
    expect(page.get_by_role("heading", level=1)).to_have_text("Self-attention on a sentence")
    assert link_of(page) == {}
    weights = vm.run(vm.load("english-causal"), "The cat sat on the mat").blocks[1].attention.weights[0, 3]
    assert f"sat reads cat (subject-verb): {weights[3, 2]:.3f}, its largest." in arcs(page)
    assert page.locator(".glass-arcs img").evaluate("image => image.naturalWidth") > 300
    expect(page.get_by_role("heading", name="subject-verb: no better than an offset")).to_be_visible()
    page.get_by_role("radio", name="determiner-noun").click()
    wait_for_link(page, relation="determiner-noun")
    expect(page.get_by_role("heading", name="determiner-noun: no better than an offset")).to_be_visible()
    becomes(page, lambda: chosen(page), (2, 3))
    page.get_by_role("radio", name="due").click()
    wait_for_link(page, reading="due")
    expect(page.get_by_role("heading", name="determiner-noun: better than any offset")).to_be_visible()
    expect(page.get_by_role("cell", name="no better than an offset").first).to_be_visible()
    no_traceback(page)


def test_a_sentence_by_one_click_or_typed(lesson) -> None:
    page = lesson()
    page.get_by_role("button", name="The government is considering").click()
    wait_for_link(page, text="The government is considering closing schools")
    expect(page.get_by_role("radio", name="auxiliary-verb")).to_be_visible()
    becomes(page, lambda: header(page)["queries"][-1], "schools")
    page.get_by_role("button", name="A sentence of the grammar").click()
    wait_for_link(page, drawn="1")
    first = link_of(page)["text"]
    page.get_by_role("button", name="A sentence of the grammar").click()
    wait_for_link(page, drawn="2")
    assert link_of(page)["text"] != first
    expect(page.get_by_text("Not a sentence of the grammar")).to_have_count(0)
    type_sentence(page, "the mat on cat")
    expect(page.get_by_text("Not a sentence of the grammar")).to_be_visible()
    becomes(page, lambda: header(page)["queries"], ["[BOS]", "the", "mat", "on", "cat"])
    no_traceback(page)


def test_a_head_is_chosen_in_the_map_and_the_best_comes_back(lesson) -> None:
    page = lesson()
    page.locator("[data-part=grid]").scroll_into_view_if_needed()
    tile = page.locator(ATTENTION).evaluate(
        "root => root.view.cache.grid.tiles.find((tile) => tile.layer === 2 && tile.head === 3)"
    )
    page.locator("[data-part=grid]").click(position={"x": tile["x"] + 8, "y": tile["y"] + 8})
    wait_for_link(page, layer="2", head="3", follow="0")
    weights = vm.run(vm.load("english-causal"), "The cat sat on the mat").blocks[2].attention.weights[0, 3]
    becomes(page, lambda: f"sat reads cat (subject-verb): {weights[3, 2]:.3g}." in arcs(page), True)
    expect(page.get_by_text("The head on show, layer 2, head 3")).to_be_visible()
    page.get_by_role("button", name="Jump to the best head").click()
    wait_for_link(page, follow=None)
    becomes(page, lambda: chosen(page), (1, 3))


@pytest.mark.parametrize(
    ("label", "model", "head", "reads"),
    [
        ("Who is the subject?", None, (2, 2), "cabinet reads keys (subject-verb): 0.9"),
        ("The best head is not always right", None, (2, 0), "cabinet reads keys (subject-verb): 0.1"),
        ("Look ahead", "english-masked", (1, 1), "keys reads are (subject-verb): 0.9"),
    ],
)
def test_an_experiment_sets_the_controls(lesson, label: str, model: str | None, head, reads: str) -> None:
    page = lesson()
    page.get_by_role("button", name=label).click()
    wait_for_link(page, text=KEYS, model=model)
    becomes(page, lambda: chosen(page), head)
    becomes(page, lambda: reads in arcs(page), True)
    no_traceback(page)


def test_the_prediction_is_answered_from_the_table(lesson) -> None:
    page = lesson("?v=1&reading=due")
    page.get_by_text("no more than half the time", exact=True).click()
    expect(page.get_by_text("No: more often than not.")).to_be_visible()
    said = page.get_by_text("It does what counting cannot.").inner_text()
    assert float(re.search(r"right in ([\d.]+)\. ", said)[1]) == pytest.approx(0.791, abs=1e-3)
    # Of another relation it is asked anew.
    page.get_by_role("radio", name="determiner-noun").click()
    wait_for_link(page, relation="determiner-noun")
    expect(page.get_by_text("It does what counting cannot.")).to_have_count(0)
    expect(page.get_by_role("radio", name="more often than not")).not_to_be_checked()


def test_the_copied_link_shows_the_same_page(lesson, new_page, app) -> None:
    page = lesson("?v=1&drawn=7", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Look ahead").click()
    wait_for_link(page, reading="ahead")
    becomes(page, lambda: chosen(page), (1, 1))
    page.get_by_text("The head on show", exact=True).click()
    wait_for_link(page, scored="shown")
    other = copied(page, new_page)
    painted(other)
    assert link_of(other) == link_of(page)
    becomes(other, lambda: picture_id(other), picture_id(page))
    becomes(other, lambda: arcs(other), arcs(page))
    expect(other.get_by_role("radio", name="ahead")).to_be_checked()
    rows = page.locator(".glass-table tbody tr").all_inner_texts()
    expect(other.locator(".glass-table tbody tr")).to_have_text([re.compile(row.split("\t")[0]) for row in rows])


def test_what_can_be_taken_away(lesson) -> None:
    page = lesson()
    for name, start in (("SVG drawing", "<svg"), ("CSV numbers", "reads,is read,relation,layer,head,weight")):
        text = taken(page, "links", name)[1].decode()
        assert text.startswith(start)
        assert "subject-verb" in text
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV").click()
    lines = waiting.value.path().read_text(encoding="utf-8").splitlines()
    assert len(lines) == 12
    assert "english-causal,subject-verb,back,1212,1,3,0.469" in "\n".join(lines)
    page.get_by_role("button", name="As a table").first.click()
    expect(page.get_by_role("dialog").get_by_text("largest of all words")).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), [("dark", 1440), ("light", 1024), ("light", 360)])
def test_how_it_looks(lesson, screenshot: Screenshot, scheme: str, width: int) -> None:
    page = lesson(f"?v=1&text={KEYS.replace(' ', '+')}&reading=due", width=width, scheme=scheme)
    expect(page.locator(".glass-table")).to_be_visible()
    looks(page, screenshot, "lesson-self-attention", scheme, width, ".glass-table td")
