"""Positions, walked by a person: clocks that follow the slider, the turn, the longer texts, and words in two orders."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Screenshot
from tests.browser.reading import becomes, copied, link_of, taken, wait_for_link
from tests.browser.test_looks import looks
from tests.browser.watching import no_traceback

PARTS = ("picture", "properties", "further", "order")
CLOCKS = ".glass-clocks"


@pytest.fixture
def lesson(open_page: OpenPage) -> OpenPage:
    """Opens the lesson with a link's parameters."""

    def go(link: str = "", **options: Any) -> Page:
        page = open_page(f"/positions{link}", **options)
        expect(page.get_by_role("heading", level=1)).to_have_text("Positions")
        return page

    return go


def dials(page: Page) -> list[str]:
    """What the clocks say to who does not see them."""
    return page.locator(f"{CLOCKS} .dial").evaluate_all("dials => dials.map((dial) => dial.getAttribute('aria-label'))")


def test_it_opens_finished_and_the_slider_moves_picture_and_clocks(lesson) -> None:
    page = lesson()
    assert link_of(page) == {}
    expect(page.locator(".js-plotly-plot .heatmaplayer image")).to_be_visible()
    becomes(page, lambda: dials(page)[:1], ["pair 0: sine 0.913, cosine 0.408"])
    frame = page.locator(".js-plotly-plot .shapelayer path").last
    before = frame.get_attribute("d")
    page.get_by_role("slider", name="Position").press("ArrowRight")
    wait_for_link(page, pe_position="21")
    becomes(page, lambda: dials(page)[:1], ["pair 0: sine 0.837, cosine -0.548"])
    becomes(page, lambda: frame.get_attribute("d") != before, True)
    no_traceback(page)


@pytest.mark.parametrize(
    ("label", "link", "says"),
    [
        ("One clock alone", {"pe_width": "2", "pe_offset": "44"}, "the two nearest to each other are 4 and 48"),
        ("An odd width", {"pe_width": "7"}, "column 6 is a sine without its cosine"),
        ("Who sees whom?", {"positions_part": "order", "model": "english-masked"}, "cannot know who came first"),
    ],
)
def test_an_experiment_sets_the_controls(lesson, label: str, link: dict[str, str], says: str) -> None:
    page = lesson()
    page.get_by_role("button", name=label).click()
    wait_for_link(page, **link)
    expect(page.get_by_text(says)).to_be_visible()
    no_traceback(page)


def test_words_in_another_order_are_typed_and_the_prediction_is_answered(lesson) -> None:
    page = lesson("?v=1&positions_part=order")
    page.get_by_label("Second order", exact=True).fill("sat dog cat")
    wait_for_link(page, order_second="sat dog cat")
    numbers = page.get_by_test_id("stMetricValue")
    expect(numbers).to_have_count(2)
    becomes(page, lambda: float(numbers.nth(1).inner_text()) < 1e-5 < float(numbers.nth(0).inner_text()), True)
    page.get_by_text("they change places with their words", exact=True).click()
    expect(page.get_by_text("No: they come out different.")).to_be_visible()
    answer = page.get_by_text("Under the mask alone").inner_text()
    page.get_by_role("radio", name="The model's own mask").click()
    wait_for_link(page, order_mask="own")
    becomes(page, lambda: f"differ by up to {numbers.nth(1).inner_text()} " in answer, True)
    page.get_by_label("Second order", exact=True).fill("sat dog")
    expect(page.get_by_text("they differ in “cat”")).to_be_visible()
    no_traceback(page)


def test_the_copied_link_shows_the_same_page(lesson, new_page) -> None:
    link = "?v=1&positions_part=properties&pe_width=9&pe_offset=3&pe_pair=1&pe_position=30"
    page = lesson(link, permissions=["clipboard-read", "clipboard-write"])
    expect(page.get_by_role("heading", name="From position 30 to 33: a turn")).to_be_visible()
    other = copied(page, new_page)
    assert link_of(other) == link_of(page)
    becomes(other, lambda: dials(other), dials(page))
    expect(other.get_by_role("heading", name="From position 30 to 33: a turn")).to_be_visible()


def test_what_can_be_taken_away(lesson) -> None:
    page = lesson("?v=1&positions_part=further")
    expect(page.get_by_text("For position 32 there is no vector")).to_be_visible()
    lines = taken(page, "loss-by-position", "CSV numbers")[1].decode().splitlines()
    assert lines[0] == "position,sinusoidal,learned,rotary,ALiBi,none"
    assert len(lines) == 127
    assert re.fullmatch(r"127,[\d.]+,,[\d.]+,[\d.]+,[\d.]+", lines[-1])
    page.get_by_role("button", name="As a table").first.click()
    expect(page.get_by_role("dialog").get_by_text("Loss by position, nats a letter")).to_be_visible()
    no_traceback(page)


def test_the_runs_are_trained_live_and_measured(lesson) -> None:
    page = lesson("?v=1&positions_part=further")
    page.get_by_role("button", name="Train them now").click()
    expect(page.get_by_text("your own runs, training")).to_be_visible()
    expect(page.get_by_text("The loss by position is measured when a run has come to its end.")).to_be_visible()
    expect(page.get_by_text("On show: your own runs.")).to_be_visible(timeout=400_000)
    expect(page.get_by_text("For position 32 there is no vector")).to_be_visible()
    page.get_by_role("button", name="Back to the recorded runs").click()
    expect(page.get_by_text("On show: recorded runs, seed 0.")).to_be_visible()
    no_traceback(page)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1024), ("dark", 360)])
def test_how_it_looks(lesson, screenshot: Screenshot, part: str, scheme: str, width: int) -> None:
    page = lesson(f"?v=1&positions_part={part}", width=width, scheme=scheme)
    looks(page, screenshot, f"lesson-positions-{part}", scheme, width)
