"""The calculation view in a real Chromium: what a person points at, types, hears and sees."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

pytestmark = pytest.mark.browser
ROOT = Path(__file__).parents[2]
CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    app = ROOT / "tests" / "browser" / "apps" / "calculation_view_app.py"
    options = {
        "server.port": port,
        "server.headless": "true",
        "browser.gatherUsageStats": "false",
        "server.fileWatcherType": "none",
    }
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(app),
        *(f"--{name}={value}" for name, value in options.items()),
    ]
    process = subprocess.Popen(
        command, cwd=ROOT, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"}
    )
    address = f"http://127.0.0.1:{port}"
    until = monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
            break
        except OSError:
            assert process.poll() is None, "the server ended"
            assert monotonic() < until, "the server did not come up"
            sleep(0.1)
    yield address
    process.terminate()
    process.wait(10)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        path = str(CHROMIUM) if CHROMIUM.exists() else None
        instance = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield instance
        instance.close()


@pytest.fixture
def visit(server: str, browser: Browser) -> Iterator[object]:
    pages: list[Page] = []

    def go(case: str, step: str, width: int = 1400, scheme: str = "light", **options: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)  # type: ignore[arg-type]
        page = context.new_page()
        page.failures = []  # type: ignore[attr-defined]
        page.on("pageerror", lambda error: page.failures.append(str(error)))  # type: ignore[attr-defined]
        page.goto(f"{server}/?case={case}&step={step}")
        page.wait_for_selector(".calculation[data-painted]")
        pages.append(page)
        return page

    yield go
    for page in pages:
        assert page.failures == []  # type: ignore[attr-defined]
        page.context.close()


def cells(page: Page, matrix: str) -> Locator:
    return page.locator(f'[data-matrix="{matrix}"] td.cell')


def lit(page: Page, matrix: str) -> list[int]:
    return cells(page, matrix).evaluate_all(
        "cells => cells.flatMap((cell, index) => cell.classList.contains('lit') ? [index] : [])"
    )


def number(locator: Locator) -> float:
    return float(locator.inner_text().replace("−", "-"))


def test_pointing_at_a_result_lights_the_row_and_the_column_that_make_it(visit) -> None:
    page = visit("textbook", "project")
    cells(page, "Q").nth(5).hover()
    assert lit(page, "Q") == [5]
    assert lit(page, "X") == [4, 5, 6, 7]
    assert lit(page, "W_Q") == [1, 5, 9, 13]
    # The arithmetic in the line below adds up to the number in the cell, with the numbers of the cells themselves.
    line = page.locator(".readout").inner_text().replace("−", "-")
    terms = [float(term) for term in re.findall(r"-?\d+\.\d+", line.split("=")[1])]
    assert len(terms) == 8
    total = sum(one * other for one, other in zip(terms[::2], terms[1::2], strict=True))
    assert total == pytest.approx(number(cells(page, "Q").nth(5)), abs=0.006)
    assert terms[::2] == [number(cells(page, "X").nth(index)) for index in (4, 5, 6, 7)]
    page.mouse.move(5, 5)
    assert lit(page, "X") == []


def test_softmax_reads_the_whole_row_and_elementwise_the_same_cell(visit) -> None:
    page = visit("textbook", "softmax")
    cells(page, "weights").nth(4).hover()
    assert lit(page, "scores") == [3, 4, 5]
    assert cells(page, "scores").nth(5).inner_text() == "−∞"
    assert cells(page, "weights").nth(5).inner_text() == "masked"
    page = visit("textbook", "scale")
    cells(page, "scores").nth(7).hover()
    assert lit(page, "dots") == [7]


def test_a_click_tells_python_the_cell(visit) -> None:
    page = visit("textbook", "dots")
    cells(page, "dots").nth(2).click()
    expect(page.get_by_text("cell: {'matrix': 'dots', 'row': 0, 'column': 2}")).to_be_visible()
    expect(cells(page, "dots").nth(2)).to_have_attribute("aria-selected", "true")


def test_an_edit_goes_to_python_and_what_follows_is_computed_anew(visit) -> None:
    page = visit("textbook", "project")
    before = number(cells(page, "Q").nth(0))
    weight = number(cells(page, "W_Q").nth(0))
    old = number(cells(page, "X").nth(0))
    cells(page, "X").nth(0).dblclick()
    page.keyboard.type("2.5")
    page.keyboard.press("Enter")
    expect(page.get_by_text("('X', 0, 0): 2.5")).to_be_visible()
    expect(cells(page, "X").nth(0)).to_have_text("2.5")
    expect(cells(page, "Q").nth(0)).not_to_have_text(f"{before}")
    assert number(cells(page, "Q").nth(0)) == pytest.approx(before + (2.5 - old) * weight, abs=0.006)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("abc", "is not a number"),
        ("1e999", "out of range"),
        ("", "A number is expected"),
        ("0,5", "as a point: 0.5"),
        ("<b>1</b>", "<b>1</b>"),
    ],
)
def test_a_bad_number_stays_and_is_explained(visit, typed: str, says: str) -> None:
    page = visit("textbook", "project")
    before = cells(page, "X").nth(5).inner_text()
    cells(page, "X").nth(5).dblclick()
    editor = page.locator("input.editor")
    editor.fill(typed)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text=says)).to_be_visible()
    expect(editor).to_have_value(typed)
    expect(editor).to_have_attribute("aria-invalid", "true")
    page.locator(".readout").click()
    expect(editor).to_have_value(typed)
    editor.press("Escape")
    expect(editor).to_have_count(0)
    expect(cells(page, "X").nth(5)).to_have_text(before)
    expect(page.get_by_text("edits: {}")).to_be_visible()


def test_keys_move_in_the_grid_type_into_it_and_stay_out_of_the_page(visit) -> None:
    page = visit("textbook", "project")
    page.evaluate("window.seen = []; document.addEventListener('keydown', (event) => window.seen.push(event.key))")
    cells(page, "X").nth(0).focus()
    for key in ("ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    expect(cells(page, "X").nth(5)).to_be_focused()
    expect(page.locator('.calculation [aria-live="polite"]')).to_contain_text("row cat, column d1, 0.4")
    assert page.locator('[data-matrix="X"] td[tabindex="0"]').count() == 1
    page.keyboard.press("End")
    expect(cells(page, "X").nth(7)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(cells(page, "X").nth(7)).to_be_focused()
    page.keyboard.type("-3")
    expect(page.locator("input.editor")).to_have_value("-3")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.get_by_text("('X', 1, 3): -3")).to_be_visible()
    expect(cells(page, "X").nth(7)).to_be_focused()
    assert page.evaluate("window.seen") == []
    cells(page, "X").nth(7).blur()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.seen") == ["ArrowRight"]


def test_large_matrices_are_tinted_and_can_be_read_by_pointer_and_by_keys(visit) -> None:
    page = visit("long", "mix")
    canvas = page.locator('[data-matrix="heads"] canvas')
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 16 * 2.5, box["y"] + box["height"] / 64 * 3.5)
    line = page.locator(".readout")
    expect(line).to_contain_text("heads[the, d2]")
    expect(line).to_contain_text("58 more terms")
    grid = page.get_by_role("grid", name="heads, 64 by 16")
    grid.focus()
    grid.press("ArrowDown")
    grid.press("ArrowRight")
    expect(grid.get_by_role("gridcell")).to_have_attribute("aria-colindex", "3")
    expect(page.locator('.calculation [aria-live="polite"]')).to_contain_text("row word1, column d1,")
    grid.press("Enter")
    expect(page.get_by_text("cell: {'matrix': 'heads', 'row': 1, 'column': 1}")).to_be_visible()


def test_only_the_lit_rows_can_be_shown(visit) -> None:
    page = visit("sentence", "project")
    page.get_by_role("button", name="Show only the lit rows and columns").click()
    expect(page.locator('[data-matrix="Q"] td.cell')).to_have_count(16)
    expect(page.locator('[data-matrix="Q"] .notes')).to_contain_text("showing 1 of 12 rows")
    page.get_by_role("button", name="Show all rows and columns").click()
    expect(page.locator('[data-matrix="Q"] canvas')).to_be_visible()


def test_tokens_are_text_and_rows_without_a_key_are_labelled(visit) -> None:
    page = visit("scripts", "closed")
    heads = page.locator('[data-matrix="scores"] .row-head').all_inner_texts()
    assert heads[:4] == ["שלום", "עולם", "👩‍👩‍👧‍👦", "naïve"]
    assert heads[6] == "<script>"
    long = page.locator('[data-matrix="scores"] .row-head .token').nth(7)
    assert long.get_attribute("title") == "donaudampfschifffahrtsgesellschaft"
    assert long.evaluate("token => getComputedStyle(token).textOverflow") == "ellipsis"
    expect(page.locator('[data-matrix="weights"] .notes')).to_contain_text("no key available: שלום")


CONTRAST = """cells => Math.min(...cells.filter((cell) => !cell.classList.contains('masked')).map((cell) => {
  const style = getComputedStyle(cell);
  const light = (colour) => {
    const linear = (c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
    const [r, g, b] = colour.match(/[\\d.]+/g).map((c) => linear(c / 255));
    return .2126 * r + .7152 * g + .0722 * b + .05;
  };
  const [one, other] = [light(style.color), light(style.backgroundColor)];
  return Math.max(one, other) / Math.min(one, other);
}))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("case", "step"), [("scripts", "closed"), ("textbook", "project"), ("textbook", "mix")])
def test_every_number_stands_out_from_its_tint_lit_or_dimmed(visit, case: str, step: str, scheme: str) -> None:
    page = visit(case, step, scheme=scheme, reduced_motion="reduce")
    assert page.locator("td.cell").evaluate_all(CONTRAST) >= 4.5
    cells(page, {"closed": "weights", "project": "Q", "mix": "heads"}[step]).nth(5).hover()
    assert page.locator("td.cell").evaluate_all(CONTRAST) >= 4.5


@pytest.mark.parametrize("case", ["textbook", "sentence", "scripts", "long"])
@pytest.mark.parametrize("step", ["dots", "project", "closed", "mix"])
def test_nothing_scrolls_sideways_on_a_phone_but_inside_a_frame(visit, case: str, step: str) -> None:
    page = visit(case, step, width=360)
    root = page.locator(".calculation")
    assert root.evaluate("root => root.scrollWidth <= root.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    outside = """root => [...root.querySelectorAll('.matrix, .foot, .name')]
        .filter((part) => part.getBoundingClientRect().right > innerWidth).length"""
    assert root.evaluate(outside) == 0


def test_a_new_step_fades_in_and_not_under_reduced_motion(visit) -> None:
    for motion, name in (("no-preference", "arrive"), ("reduce", "none")):
        page = visit("textbook", "dots", reduced_motion=motion)
        page.locator(".calculation").evaluate(
            """root => { window.motions = []; new MutationObserver((records) => records.forEach(({ target }) => {
            if (target.classList.contains('arrives')) window.motions.push(getComputedStyle(target).animationName); }))
            .observe(root, { subtree: true, attributes: true, attributeFilter: ['class'] }); }"""
        )
        page.get_by_role("combobox").click()
        page.get_by_role("option", name="scale").click()
        page.wait_for_function("window.motions.length > 0")
        assert set(page.evaluate("window.motions")) == {name}


def test_a_repaint_of_three_large_matrices_is_quick(visit) -> None:
    page = visit("long", "mix")
    best = page.locator(".calculation").evaluate(
        """root => { const view = root.parentNode.calculationView; return Math.min(...Array.from({ length: 20 }, () => {
        const began = performance.now(); view.paint(); return performance.now() - began; })); }"""
    )
    assert best < 15
