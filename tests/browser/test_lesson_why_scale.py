"""Why scale, walked by a person: the slider, the experiments, the prediction, the panels, the link, what is taken."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage, Screenshot
from tests.browser.reading import becomes, copied, link_of, taken, wait_for_link
from tests.browser.test_looks import looks
from tests.browser.watching import no_traceback

TRAINED = "?v=1&scale_panel=trained&text=The+keys+to+the+cabinet+are+on+the+table&query=6"


@pytest.fixture
def lesson(open_page: OpenPage) -> OpenPage:
    """Opens the lesson with a link's parameters and waits for its first view."""

    def go(link: str = "", **options: Any) -> Page:
        page = open_page(f"/scale{link}", **options)
        expect(charts(page).nth(1)).to_be_visible()
        return page

    return go


def charts(page: Page) -> Locator:
    """The Altair pictures, in the order of the page."""
    return page.locator("[data-testid=stVegaLiteChart] :is(canvas, svg.marks)")


def numbers(page: Page, beginning: str) -> list[str]:
    """The bold numbers of the sentence that begins so."""
    words = page.locator("[data-testid=stMarkdownContainer] p", has_text=re.compile(f"^{re.escape(beginning)}"))
    return words.locator("strong").all_inner_texts()


def row(page: Page) -> list[str]:
    return numbers(page, "The dots of this row")


def test_it_opens_finished_and_the_slider_moves_everything(lesson) -> None:
    page = lesson()
    expect(page.get_by_role("heading", level=1)).to_have_text("Why scale")
    assert link_of(page) == {}
    expect(charts(page)).to_have_count(5)
    plain, scaled, plain_gradient, scaled_gradient = map(float, row(page))
    assert plain > 0.9 > 0.4 > scaled
    assert plain_gradient < 0.2 < 0.7 < scaled_gradient
    page.get_by_role("slider").press("ArrowRight")
    wait_for_link(page, d_k="128")
    expect(page.get_by_text("At d_k = 128")).to_have_count(3)
    expect(page.get_by_text("The row in numbers, d_k = 128")).to_be_visible()
    before = row(page)
    page.get_by_role("button", name="Draw again").click()
    wait_for_link(page, scale_seed="57")
    becomes(page, lambda: row(page) != before, True)
    no_traceback(page)


def test_the_experiments(lesson) -> None:
    page = lesson()
    page.get_by_role("button", name="d_k = 1024 without the scale").click()
    wait_for_link(page, d_k="1024")
    becomes(page, lambda: row(page)[:1], ["1.00"])
    assert float(row(page)[2]) < 0.02
    page.get_by_role("button", name="d_k = 1", exact=True).click()
    wait_for_link(page, d_k="1")
    expect(page.get_by_text("With one component there is nothing to divide")).to_be_visible()
    page.get_by_role("button", name="A trained head without its scale").click()
    wait_for_link(page, scale_panel="trained", model="english-masked", layer="1", query="6")
    expect(page.get_by_text("“are” has 11 keys.")).to_be_visible()
    plain, scaled, *_ = map(float, numbers(page, "“are” has 11 keys."))
    assert plain > 0.99 > 0.7 > scaled
    expect(page.locator(".stPlotlyChart .main-svg").first).to_be_visible()
    no_traceback(page)


def test_the_prediction_is_answered_from_the_samples(lesson) -> None:
    page = lesson()
    page.get_by_text("16 times", exact=True).click()
    expect(page.get_by_text("No: 4 times.")).to_be_visible()
    page.get_by_text("4 times", exact=True).click()
    expect(page.get_by_text("Yes.", exact=True)).to_be_visible()
    factor = float(page.locator("p", has_text="In the samples").locator("strong").last.inner_text())
    assert factor == pytest.approx(4, rel=0.02)


def test_the_recorded_training(lesson) -> None:
    page = lesson("?v=1&scale_panel=training")
    expect(charts(page)).to_have_count(4)
    expect(page.get_by_text("On show: recorded runs")).to_be_visible()
    expect(page.get_by_role("button", name="Train them now")).to_be_enabled()
    page.get_by_role("button", name="As a table").last.click()
    expect(page.get_by_role("dialog").get_by_text("Every look at the held-out letters")).to_be_visible()


def test_the_copied_link_shows_the_same_page(lesson, new_page) -> None:
    page = lesson(TRAINED, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("slider").press("ArrowLeft")
    wait_for_link(page, d_k="32")
    page.get_by_role("radio", name="Gradient").click()
    wait_for_link(page, scale_measure="gradient")
    other = copied(page, new_page)
    expect(charts(other)).to_have_count(3)
    assert link_of(other) == link_of(page)
    words = "[data-testid=stMarkdownContainer] p"
    becomes(other, lambda: other.locator(words).all_inner_texts(), page.locator(words).all_inner_texts())


def test_what_can_be_taken_away(lesson) -> None:
    page = lesson()
    expect(charts(page)).to_have_count(5)
    for menu, start, n in (
        ("dots", "d_k,seed,q·k,q·k / √d_k", 20_001),
        ("row", "d_k,seed,key,q·k", 9),
        ("widths", "d_k,seed,keys", 12),
    ):
        text = taken(page, menu, "CSV numbers")[1].decode()
        assert text.startswith(start)
        assert len(text.splitlines()) == n
    page.get_by_role("button", name="As a table").last.click()
    expect(page.get_by_role("dialog").get_by_text("Variance, with 64 keys")).to_be_visible()


@pytest.mark.parametrize(("link", "scheme", "width"), [("", "light", 1440), ("?v=1&d_k=1024", "dark", 1024)])
def test_how_it_looks(lesson, screenshot: Screenshot, link: str, scheme: str, width: int) -> None:
    looks(lesson(link, width=width, scheme=scheme), screenshot, "lesson-why-scale", scheme, width, ".glass-table td")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_how_it_looks_on_a_phone(lesson, screenshot: Screenshot, scheme: str) -> None:
    looks(lesson(TRAINED, width=360, scheme=scheme), screenshot, "lesson-why-scale", scheme, 360, ".glass-table td")
