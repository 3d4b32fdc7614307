"""The block, walked by a person: its arrows, its parts, experiments, the prediction, links, and a run of the stacks."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import viz_model as vm
from tests.browser.conftest import OpenPage, Screenshot
from tests.browser.reading import copied, drawn, link_of, taken, wait_for_link
from tests.browser.test_looks import looks
from tests.browser.watching import no_traceback
from viz_model.figures.theme import format_number

DRAWING = ".glass-block svg"
PARTS = {
    "diagram": DRAWING,
    "stream": ".stVegaLiteChart canvas, .stVegaLiteChart svg",
    "norm": ".stPlotlyChart .main-svg",
    "neurons": ".glass-neurons",
    "start": ".stVegaLiteChart canvas, .stVegaLiteChart svg",
    "training": ".stVegaLiteChart canvas, .stVegaLiteChart svg",
}


@pytest.fixture
def lesson(open_page: OpenPage) -> OpenPage:
    """Opens a part of the lesson with a link's parameters and waits for its picture."""

    def go(part: str = "diagram", link: str = "", **options: Any) -> Page:
        page = open_page(f"/block?v=1&block_part={part}{link}", **options)
        expect(page.locator(PARTS[part]).first).to_be_visible()
        drawn(page)
        return page

    return go


def arrow(page: Page, name: str) -> Any:
    return page.locator(f'[data-name="{name}"]')


def test_an_arrow_by_pointer_and_by_keys(lesson) -> None:
    page = lesson()
    expect(page.get_by_role("heading", level=1)).to_have_text("The block")
    assert link_of(page) == {}
    trace = vm.run(vm.load("english-causal"), "The cat sat on the mat").blocks[0]
    expect(arrow(page, "resid_mid")).to_have_attribute("aria-pressed", "true")
    expect(arrow(page, "resid_mid")).to_contain_text(f"norm {format_number(float(trace.resid_mid[0, 2].norm()))}")
    arrow(page, "attention.out").click()
    wait_for_link(page, block_arrow="attention.out")
    expect(page.get_by_text("is what attention found")).to_be_visible()
    expect(arrow(page, "attention.out")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    wait_for_link(page, block_arrow="normed_feed_forward")
    expect(page.get_by_text("is what the feed-forward layer gets to read")).to_be_visible()
    page.get_by_test_id("stButtonGroup").get_by_text("sat", exact=True).click()
    wait_for_link(page, query="3")
    said = f"norm {format_number(float(trace.normed_feed_forward[0, 3].norm()))}"
    expect(arrow(page, "normed_feed_forward")).to_contain_text(said)
    page.get_by_text("post-norm, drawn only").click()
    wait_for_link(page, block_layout="other")
    expect(page.get_by_text("Drawn only.")).to_be_visible()
    expect(page.locator(DRAWING)).to_have_attribute("aria-label", re.compile("post-norm block"))
    no_traceback(page)


@pytest.mark.parametrize(
    ("label", "wanted", "shows"),
    [
        ("Neurons that read context", {"block_part": "neurons", "layer": "2"}, "8 of the 256 neurons of layer 2"),
        (
            "24 layers, neither norm nor residual",
            {"block_part": "start", "block_depth": "24", "block_variants": "pre-norm~neither"},
            r"neither 1\.83e-8",
        ),
        (
            "24 layers that do not start small",
            {"block_part": "start", "block_depth": "24", "block_small": "0"},
            r"no norm 2\.\d\de6",
        ),
    ],
)
def test_an_experiment_sets_the_controls(lesson, label: str, wanted: dict[str, str], shows: str) -> None:
    page = lesson()
    page.get_by_role("button", name=label).click()
    wait_for_link(page, **wanted)
    expect(page.get_by_text(re.compile(shows)).first).to_be_visible()
    no_traceback(page)


def test_the_prediction_is_answered(lesson) -> None:
    page = lesson()
    page.get_by_test_id("stRadio").get_by_text("yes", exact=True).click()
    expect(page.get_by_text("No: no.")).to_be_visible()
    said = page.get_by_text("norms alone get").inner_text()
    without, both = (float(x) for x in re.findall(r"(?:alone get|residual) ([\d.]+)", said))
    assert without < 0.25 < 0.95 < both
    no_traceback(page)


def test_the_copied_link_shows_the_same_page(lesson, new_page) -> None:
    page = lesson("start", "&block_depth=6", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_test_id("stButtonGroup").get_by_text("no norm", exact=True).click()
    wait_for_link(page, block_variants="pre-norm~post-norm~pre-norm, no residual~neither")
    other = copied(page, new_page)
    drawn(other)
    assert link_of(other) == link_of(page)
    said = page.get_by_text("Untrained stacks of 6 layers").inner_text()
    assert "no norm" not in said
    expect(other.get_by_text("Untrained stacks of 6 layers")).to_have_text(said)


def test_what_can_be_taken_away(lesson) -> None:
    page = lesson()
    for name, start in (("SVG drawing", "<svg"), ("CSV numbers", "position,token,resid_pre,normed_attention")):
        assert taken(page, "block", name)[1].decode().startswith(start)
    page.get_by_role("button", name="As a table").first.click()
    expect(page.get_by_role("dialog").get_by_text("Length of every word's vector")).to_be_visible()


def test_the_stacks_train_and_the_recorded_runs_come_back(lesson) -> None:
    page = lesson("training")
    expect(page.get_by_text("On show: recorded runs")).to_be_visible()
    page.get_by_role("button", name="Train them now").click()
    expect(page.get_by_text(re.compile(r"your own runs, training: .*pre-norm [1-9]\d*/150"))).to_be_visible(
        timeout=90_000
    )
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("On show: your own runs.")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Back to the recorded runs").click()
    expect(page.get_by_text("On show: recorded runs")).to_be_visible()
    no_traceback(page)


LOOKS = [*((part, "light", 360) for part in PARTS), ("diagram", "light", 1024), ("norm", "dark", 1440)]


@pytest.mark.parametrize(("part", "scheme", "width"), LOOKS)
def test_how_it_looks(lesson, screenshot: Screenshot, part: str, scheme: str, width: int) -> None:
    page = lesson(part, width=width, scheme=scheme)
    looks(page, screenshot, f"lesson-the-block-{part}", scheme, width, ".glass-table td")
    if part == "diagram":
        assert page.locator(DRAWING).evaluate(
            "svg => svg.getBoundingClientRect().width <= svg.parentElement.clientWidth + 1"
        )
