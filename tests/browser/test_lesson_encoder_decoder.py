"""Encoder and decoder, walked by a person: a sentence of their own, words one by one, the beam, links, looks."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Screenshot
from tests.browser.reading import copied, link_of, wait_for_link
from tests.browser.test_looks import looks
from tests.browser.watching import no_traceback

PICTURES = {
    "writing": ".glass-alignment img",
    "beam": ".glass-beam img",
    "forcing": "[data-testid=stVegaLiteChart] :is(canvas, svg)",
    "cheating": "[data-testid=stPlotlyChart]",
    "components": ".glass-parts table",
}


@pytest.fixture
def lesson(open_page: OpenPage) -> OpenPage:
    """Opens a part of the lesson and waits for its picture."""

    def go(part: str = "writing", link: str = "", **options: Any) -> Page:
        page = open_page(f"/translation?v=1&translation_part={part}{link}", **options)
        expect(page.locator(PICTURES[part]).first).to_be_visible()
        return page

    return go


def alt(page: Page, picture: str = "writing") -> Any:
    return expect(page.locator(PICTURES[picture]))


def test_a_sentence_of_ones_own_is_translated_as_it_is_typed(open_page: OpenPage) -> None:
    page = open_page("/translation")
    alt(page).to_have_attribute("alt", re.compile("chat reads cat: .* noir reads black: "))
    assert link_of(page) == {}
    field = page.get_by_label("English sentence", exact=True)
    field.fill("a red flower")
    alt(page).to_have_attribute("alt", re.compile("une reads .* fleur reads flower: .* rouge reads red: "))
    wait_for_link(page, english="a red flower")
    field.fill("a red flowr")
    expect(page.get_by_text("“flowr”").first).to_be_visible()
    page.get_by_role("button", name="flowr → flower", exact=True).click()
    expect(field).to_have_value("a red flower")
    alt(page).to_have_attribute("alt", re.compile("fleur reads flower"))
    field.fill("")
    expect(page.get_by_text("the picture is still of “a red flower”")).to_be_visible()
    alt(page).to_have_attribute("alt", re.compile("fleur reads flower"))
    field.fill("the old cat and " * 50)
    expect(page.get_by_text("The sentence has 200 words: the first 24 are read.")).to_be_visible()
    no_traceback(page)


def test_the_french_grows_word_by_word(lesson) -> None:
    page = lesson()
    page.get_by_role("button", name="Watch the words cross").click()
    wait_for_link(page, by_word="1")
    alt(page).to_have_attribute("alt", re.compile("noir reads black: [0-9.]+$"))
    page.get_by_role("button", name="Next").click()
    alt(page).to_have_attribute("alt", re.compile("voit reads sees: [0-9.]+$"))
    wait_for_link(page, written_to="4")
    expect(page.locator(".glass-strip li").first).to_contain_text("voit")
    page.get_by_role("button", name="Back", exact=True).click()
    alt(page).to_have_attribute("alt", re.compile("noir reads black: [0-9.]+$"))
    no_traceback(page)


def test_beam_and_penalty_change_what_is_best(lesson) -> None:
    page = lesson()
    page.get_by_role("button", name="Where greedy fails").click()
    alt(page, "beam").to_have_attribute("alt", re.compile("Best: la nouvelle robe verte est sous mes beaux lits verts"))
    expect(page.get_by_text("the beam's sentence is the right one")).to_be_visible()
    page.get_by_role("button", name="The likelier one is wrong").click()
    alt(page, "beam").to_have_attribute("alt", re.compile(r"dans le parc \[EOS\]"))
    page.get_by_role("slider", name="Length penalty").press("End")
    wait_for_link(page, beam_penalty="3.0")
    alt(page, "beam").to_have_attribute("alt", re.compile(r"dans le grand parc \[EOS\]"))
    no_traceback(page)


def test_the_prediction_runs_the_model_again(lesson) -> None:
    page = lesson()
    page.get_by_text("yes, word for word", exact=True).click()
    expect(page.get_by_text("Without layer 0, head 0 it")).to_be_visible()


def test_the_copied_link_shows_the_same_page(lesson, new_page) -> None:
    page = lesson("beam", "&english=the+small+dog&beam_width=2", permissions=["clipboard-read", "clipboard-write"])
    other = copied(page, new_page)
    assert link_of(other) == link_of(page)
    said = page.locator(PICTURES["beam"]).get_attribute("alt") or ""
    assert "le petit chien" in said
    alt(other, "beam").to_have_attribute("alt", said)


@pytest.mark.parametrize("part", PICTURES)
@pytest.mark.parametrize(("scheme", "width"), [("dark", 360)])
def test_how_it_looks(lesson, screenshot: Screenshot, part: str, scheme: str, width: int) -> None:
    page = lesson(part, width=width, scheme=scheme)
    looks(page, screenshot, f"lesson-encoder-decoder-{part}", scheme, width)
