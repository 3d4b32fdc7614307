"""Why not RNNs or CNNs, walked by a person: sections, experiments, the steps played, predictions, links."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Screenshot
from tests.browser.reading import becomes, copied, link_of, wait_for_link
from tests.browser.test_looks import looks
from tests.browser.watching import no_traceback

SECTIONS = ("recall", "first", "gradient", "costs", "steps", "field", "bottleneck")
# What each section shows when it stands.
PICTURES = {"steps": ".steps-view[data-tick]", "field": ".glass-field img"}
CHART = "[data-testid=stVegaLiteChart] :is(canvas, svg)"


@pytest.fixture
def lesson(open_page: OpenPage) -> OpenPage:
    """Opens a section of the lesson and waits for its picture."""

    def go(section: str = "recall", link: str = "", **options: Any) -> Page:
        page = open_page(f"/recurrence?v=1&comparison={section}{link}", **options)
        expect(page.locator(PICTURES.get(section, CHART)).first).to_be_visible()
        return page

    return go


def tick(page: Page) -> int:
    return int(page.locator(".steps-view").get_attribute("data-tick") or -1)


def test_it_opens_on_recall_from_its_own_address(open_page: OpenPage) -> None:
    page = open_page("/recurrence")
    expect(page.get_by_role("heading", level=1)).to_have_text("Why not RNNs or CNNs")
    expect(page.locator(CHART).first).to_be_visible()
    expect(page.get_by_text("recorded").first).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("attention.*1.00"))).to_be_visible()
    assert link_of(page) == {}
    no_traceback(page)


def test_every_section_is_a_click_away(lesson) -> None:
    page = lesson()
    for name, section in (("Step by step", "steps"), ("What a CNN sees", "field"), ("What is kept", "bottleneck")):
        page.get_by_role("radio", name=name).click()
        wait_for_link(page, comparison=section)
        expect(page.locator(PICTURES.get(section, CHART)).first).to_be_visible()
    no_traceback(page)


def test_each_experiment_shows_what_it_says(lesson) -> None:
    page = lesson()
    page.get_by_role("button", name="Give the LSTM a forget bias").click()
    wait_for_link(page, comparison="first", forgets="1")
    expect(page.get_by_role("row", name=re.compile("LSTM, forget bias 3.*1.00"))).to_be_visible()
    page.get_by_role("button", name="One step beyond what the CNN sees").click()
    wait_for_link(page, comparison="gradient", far="63")
    expect(page.get_by_text("none (exactly 0)").first).to_be_visible()
    page.get_by_role("button", name="Twice as long").click()
    wait_for_link(page, comparison="steps", stepped="32")
    expect(page.get_by_text("finished after 2 steps")).to_be_visible()
    expect(page.get_by_text("2 of 32 vectors").first).to_be_visible()
    no_traceback(page)


def test_the_steps_are_played_by_hand_by_keys_and_by_themselves(lesson) -> None:
    page = lesson("steps", "&stepped=8&tick=0")
    becomes(page, lambda: tick(page), 0)
    view = page.locator(".steps-view")
    view.get_by_role("button", name="Step").click()
    becomes(page, lambda: tick(page), 1)
    wait_for_link(page, tick="1")
    view.get_by_role("button", name="Step").press("ArrowRight")
    becomes(page, lambda: tick(page), 2)
    expect(page.get_by_text("finished after 2 steps")).to_be_visible()
    expect(page.get_by_text("finished after 8 steps")).to_have_count(0)
    view.get_by_role("button", name="Play").click()
    becomes(page, lambda: tick(page), 8)
    wait_for_link(page, tick="8")
    expect(page.get_by_text("finished after 8 steps")).to_have_count(2)
    view.get_by_role("button", name="Back").click()
    becomes(page, lambda: tick(page), 7)
    # A vector of attention reads every token up to its own.
    view.locator('section:has-text("attention") [data-place="1,3"]').hover()
    expect(view.locator(".cell.read")).to_have_count(4)


def test_the_prediction_is_answered_from_the_curve(lesson) -> None:
    page = lesson()
    page.get_by_text("it learns all of them", exact=True).click()
    expect(page.get_by_text("No: at chance.")).to_be_visible()
    expect(page.get_by_text("After 200 steps it has 0.0430 of the letters right")).to_be_visible()


def test_the_clock_is_read_on_a_press(lesson) -> None:
    page = lesson("costs")
    page.get_by_role("button", name="Measure on this machine").click()
    expect(page.get_by_text("than attention").first).to_be_visible()
    expect(page.get_by_text("does not carry over to a GPU")).to_be_visible()
    no_traceback(page)


def test_the_copied_link_shows_the_same_page(lesson, new_page) -> None:
    page = lesson("field", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("radio", name="1: side by side").click()
    wait_for_link(page, field_dilation="1")
    other = copied(page, new_page)
    assert link_of(other) == link_of(page)
    alt = page.locator(".glass-field img").get_attribute("alt") or ""
    assert "computed from 7 tokens" in alt
    expect(other.locator(".glass-field img")).to_have_attribute("alt", alt)


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize(("scheme", "width"), [("dark", 360)])
def test_how_it_looks(lesson, screenshot: Screenshot, section: str, scheme: str, width: int) -> None:
    page = lesson(section, width=width, scheme=scheme)
    looks(page, screenshot, f"lesson-why-not-rnns-{section}", scheme, width)
