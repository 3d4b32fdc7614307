"""Fine-tuning, walked by a person: how many examples, an experiment, the prediction, the link, and how it looks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Screenshot
from tests.browser.reading import copied, link_of, wait_for_link
from tests.browser.test_looks import looks
from tests.browser.watching import no_traceback
from viz_model.training.studies import FOLDER


@pytest.fixture
def fine_tuning(open_page: OpenPage) -> OpenPage:
    """Opens the page with a link's parameters and waits for its pictures."""

    def go(link: str = "", **options: Any) -> Page:
        page = open_page(f"/fine-tuning{link}", **options)
        expect(page.locator("[data-testid=stVegaLiteChart] :is(canvas, svg.marks)").first).to_be_visible()
        expect(page.locator(".stPlotlyChart .main-svg").first).to_be_visible()
        return page

    return go


def test_a_walk_through_the_page(fine_tuning, new_page) -> None:
    page = fine_tuning(permissions=["clipboard-read", "clipboard-write"])
    expect(page.get_by_role("heading", level=1)).to_have_text("Fine-tuning")
    assert link_of(page) == {}
    page.get_by_role("radio", name="16", exact=True).click()
    wait_for_link(page, tuned_with="16")
    expect(page.get_by_text("With 16 examples the fine-tuned model is right in")).to_be_visible()
    page.get_by_role("button", name="Five hundred and twelve").click()
    wait_for_link(page, tuned_with="512")
    expect(page.get_by_text("With 512 examples the fine-tuned model is right in")).to_be_visible()

    study = json.loads((FOLDER / "fine-tuning.json").read_text(encoding="utf-8"))
    full, scratch = (
        [sum(row) / len(row) for row in curve["accuracy"]]
        for way in ("full", "scratch")
        for curve in study["curves"]
        if curve["way"] == way
    )
    reached = full[study["sizes"].index(64)]
    enough = [n for n, found in zip(study["sizes"], scratch, strict=True) if found >= reached]
    asked = page.locator(".st-key-predict_fine_tuning")
    asked.get_by_text(str(max(enough[0], 64)) if enough else "not even with 512", exact=True).click()
    expect(page.get_by_text("Yes.", exact=True)).to_be_visible()

    page.get_by_role("button", name="As a table").first.click()
    expect(page.get_by_role("dialog").get_by_text("seed 4")).to_be_visible()
    page.keyboard.press("Escape")
    other = copied(page, new_page)
    expect(other.get_by_text("With 512 examples the fine-tuned model is right in")).to_be_visible()
    assert link_of(other) == link_of(page)
    no_traceback(page)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 360)])
def test_its_looks(fine_tuning, screenshot: Screenshot, scheme: str, width: int) -> None:
    looks(fine_tuning(width=width, scheme=scheme), screenshot, "fine-tuning", scheme, width)
