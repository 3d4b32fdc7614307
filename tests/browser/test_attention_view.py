"""The attention view in a real Chromium: as a component of a small app, and as the exported page opened from a file."""

from __future__ import annotations

import csv
import io
import itertools
import os
import socket
import subprocess
import sys
import urllib.request
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.apps.attention_cases import CASES, HEBREW, made_up
from viz_model.figures.attention_view import export_html, pack, script, unpack
from viz_model.figures.theme import LIGHT

pytestmark = pytest.mark.browser
ROOT = Path(__file__).parents[2]
CHROMIUM = Path("/usr/bin/chromium")
PAINTED = ".attention-view[data-painted]"
VIEW = "document.querySelector('.attention-view').view"
Opener = Callable[..., Page]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "tests/browser/apps/attention_view_app.py")]
    options = ["--server.headless=true", "--browser.gatherUsageStats=false", "--server.fileWatcherType=none"]
    process = subprocess.Popen(
        [*command, f"--server.port={port}", *options], cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    address, until = f"http://127.0.0.1:{port}", monotonic() + 60
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
def open_page(browser: Browser) -> Iterator[Opener]:
    """Opens an address in a window of its own and waits for the picture; a script error fails the test."""
    contexts, errors = [], []

    def go(address: str, width: int = 1400, **options: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, accept_downloads=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        page.wait_for_selector(PAINTED)
        return page

    yield go
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def open_export(open_page: Opener, tmp_path: Path) -> Opener:
    """Opens the exported page of a payload from a file."""

    def go(payload: bytes, **options: object) -> Page:
        path = tmp_path / "view.html"
        path.write_text(export_html(payload, "A page", "made up"), encoding="utf-8")
        return open_page(path.as_uri(), **options)

    return go


def point_of(page: Page, query: int, key: int) -> tuple[float, float]:
    """Where the middle of a cell is on the screen."""
    layout = page.locator(".attention-view").evaluate("root => root.view.layout")
    box = page.locator("[data-part=pane]").bounding_box()
    assert box is not None
    x = box["x"] + layout["left"] + (key + 0.5) * layout["cell"]["w"]
    return x, box["y"] + layout["top"] + (query + 0.5) * layout["cell"]["h"]


def colour_at(page: Page, query: float, key: float) -> str:
    """The map's colour near the corner of a cell (its number stands in the middle)."""
    return page.locator(".attention-view").evaluate(
        """(root, [query, key]) => {
            const { left, top, cell } = root.view.layout, dpr = devicePixelRatio;
            const x = (left + key * cell.w + 4) * dpr, y = (top + query * cell.h + 4) * dpr;
            const [r, g, b] = root.view.parts.base.getContext("2d").getImageData(x, y, 1, 1).data;
            return "#" + [r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("");
        }""",
        [query, key],
    )


def save(page: Page, kind: str) -> tuple[str, bytes]:
    page.click("[data-part=save]")
    with page.expect_download() as download:
        page.click(f"[role=menuitem]:has-text('{kind}')")
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def test_a_cell_lies_at_its_query_down_and_its_key_across(open_export: Opener) -> None:
    weights = np.zeros((1, 1, 4, 6), np.float32)
    weights[0, 0, 1, 4] = 1
    page = open_export(pack(weights, list("abcd"), list("uvwxyz")))
    assert colour_at(page, 1, 4) == LIGHT.attention[-1]
    for query, key in itertools.product(range(4), range(6)):
        if (query, key) != (1, 4):
            assert colour_at(page, query, key) == LIGHT.attention[0]
    page.mouse.move(*point_of(page, 1, 4))
    expect(page.locator("[data-part=line]")).to_have_text("query 1b reads key 4y")
    expect(page.locator("[data-part=number] strong")).to_have_text("1.00")
    assert page.locator(".attention-view").get_attribute("data-painted")


def test_one_colour_scale_for_every_head(open_export: Opener) -> None:
    weights = np.stack([np.full((2, 2), 1 / 3), np.full((2, 2), 1e-3)]).astype(np.float32)[None]
    weights[0, 1, 0, 0] = 1
    page = open_export(pack(weights, ["a", "b"]))
    third = colour_at(page, 1, 1)
    assert third == LIGHT.attention[3]
    page.focus("[data-part=grid]")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-part=name]")).to_have_text("Layer 0 · Head 1")
    page.wait_for_function(f"{VIEW}.frame === 0")
    assert colour_at(page, 0, 0) == LIGHT.attention[-1]
    assert colour_at(page, 1, 1) not in (third, LIGHT.attention[-1])
    assert page.locator("[data-part=scale]").inner_text().split() == ["0", "0.5", "1"]


def smallest_sets(row: list[float], share: float) -> set[frozenset[int]]:
    """Every set of keys of the least size that reaches the share, by trying all subsets."""
    positive = [key for key, weight in enumerate(row) if weight > 0]
    wanted = share * sum(row) * (1 - 1e-12)
    for size in range(1, len(positive) + 1):
        subsets = itertools.combinations(positive, size)
        if sets := {frozenset(keys) for keys in subsets if sum(row[k] for k in keys) >= wanted}:
            return sets
    return {frozenset()}


def test_the_threshold_keeps_the_smallest_set_that_reaches_the_share_and_its_ties(browser: Browser) -> None:
    page = browser.new_page()
    generator = np.random.default_rng(0)
    cases = []
    for number in range(200):
        # Coarse weights make ties; a zero row and a single link are among them.
        rows = generator.integers(0, 5, (3, 6)) / 16 if number % 2 else generator.random((3, 6)) ** 3
        share = float(generator.choice([0.1, 0.5, 0.75, 0.9, 1]))
        cases.append((rows.astype(np.float32).astype(float).tolist(), share))
    cases.append(([[0.0] * 6] * 3, 0.5))
    kept = page.evaluate(
        """async ([source, cases]) => {
            const module = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
            return cases.map(([rows, share]) => {
                const { keep, count, total, mass } = module.visibleLinks(Float32Array.from(rows.flat()), 3, 6, share);
                return { keep: [...keep], count, total, mass };
            });
        }""",
        [script(), cases],
    )
    page.close()
    for (rows, share), shown in zip(cases, kept, strict=True):
        masses = []
        for query, row in enumerate(rows):
            keys = {key for key in range(6) if shown["keep"][query * 6 + key]}
            least = smallest_sets(row, share)
            weakest = min((row[key] for key in min(least, key=lambda keys: -sum(row[k] for k in keys))), default=2)
            assert keys == {key for key in range(6) if row[key] >= weakest}, (row, share)
            assert any(choice <= keys for choice in least)
            if sum(row):
                masses.append(sum(row[key] for key in keys) / sum(row))
        assert shown["count"] == sum(shown["keep"])
        assert shown["total"] == sum(weight > 0 for row in rows for weight in row)
        assert shown["mass"] == pytest.approx(np.mean(masses) if masses else 0)


def test_the_slider_blanks_links_and_says_what_is_left(open_export: Opener) -> None:
    weights = np.array([[[[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.1, 0.45, 0.45]]]], np.float32)
    page = open_export(pack(weights, list("abc"), share=0.6))
    expect(page.locator("[data-part=note]")).to_have_text("4 of 9 links, mass 0.70")
    transparent = "#000000"
    assert [colour_at(page, 2, key) == transparent for key in range(3)] == [True, False, False]
    page.focus("[data-part=share]")
    page.keyboard.press("End")
    expect(page.locator("[data-part=note]")).to_have_text("all 9 links, mass 1.00")
    assert colour_at(page, 2, 0) != transparent


def test_head_ten_is_not_head_zero(open_export: Opener) -> None:
    weights = np.zeros((1, 12, 2, 2), np.float32)
    weights[0, :, :, 0] = 1
    weights[0, 10] = [[0, 1], [0, 1]]
    page = open_export(pack(weights, ["a", "b"]))
    tiles = page.locator(".attention-view").evaluate(
        """(root) => root.view.cache.grid.tiles.map(({ x, y }) => {
            const size = root.view.cache.grid.size, pen = root.view.parts.tiles.getContext("2d");
            return [0.25, 0.75].map((part) => pen.getImageData(x + part * size, y + size / 2, 1, 1).data[0]);
        })"""
    )
    full, none = (int(colour[1:3], 16) for colour in (LIGHT.attention[-1], LIGHT.attention[0]))
    assert [left for left, _ in tiles] == [none if head == 10 else full for head in range(12)]
    assert [right for _, right in tiles] == [full if head == 10 else none for head in range(12)]
    page.focus("[data-part=grid]")
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    expect(page.locator("[data-part=name]")).to_have_text("Layer 0 · Head 10")


@pytest.mark.parametrize("width", [1400, 360])
def test_a_single_sharp_cell_among_512_tokens_is_seen(open_export: Opener, width: int) -> None:
    weights = np.zeros((2, 2, 512, 512), np.float32)
    weights[1, 1, 301, 77] = 1
    page = open_export(pack(weights, ["token"] * 512, layer=1, head=1), width=width)
    for part in ("base", "tiles"):
        found = page.locator(".attention-view").evaluate(
            """(root, [part, colour]) => {
                const { width, height } = root.view.parts[part], pen = root.view.parts[part].getContext("2d");
                const pixels = new Uint32Array(pen.getImageData(0, 0, width, height).data.buffer);
                return pixels.filter((pixel) => pixel === colour).length;
            }""",
            [part, int("ff" + "".join(LIGHT.attention[-1][i : i + 2] for i in (5, 3, 1)), 16)],
        )
        assert found >= 1, part
    page.mouse.move(*point_of(page, 301, 77))
    expect(page.locator("[data-part=line]")).to_have_text("query 301token reads key 77token")


def test_right_to_left_tokens_keep_their_side_and_their_order(open_export: Opener) -> None:
    weights, *_ = made_up(CASES["hebrew"])
    page = open_export(pack(weights, HEBREW, view="arcs"))
    layout = page.locator(".attention-view").evaluate("root => root.view.layout")
    assert layout["queryX"] < layout["keyX"]
    _, drawing = save(page, "SVG")
    texts = ElementTree.fromstring(drawing).findall(".//{*}text")
    drawn = [(each.text, float(each.get("x", "")), each.get("direction"), each.get("text-anchor")) for each in texts]
    queries = [each for each in drawn if each[1] == pytest.approx(layout["queryX"] - 8, abs=200) and each[0] in HEBREW]
    assert [each[0] for each in drawn if each[0] in HEBREW][: len(HEBREW)] == HEBREW
    # An anchor at the start of right-to-left text is its right edge: the queries end at their links, as Latin ones do.
    assert all(each[2:] == ("rtl", "start") for each in queries[: len(HEBREW)] if each[0] not in ("1984", "."))
    assert next(each for each in drawn if each[0] == "1984")[2:] == (None, "end")


def test_tokens_are_literal_and_a_row_without_keys_says_so(open_export: Opener) -> None:
    weights = np.array([[[[1, 0, 0], [0.5, 0.5, 0], [0, 0, 0]]]], np.float32)
    mask = np.array([[True, False, False], [True, True, False], [False] * 3])
    page = open_export(pack(weights, ["<s>", "</script>", "<b>x</b>"], mask=mask))
    page.mouse.move(*point_of(page, 1, 0))
    expect(page.locator("[data-part=line]")).to_have_text("query 1</script> reads key 0<s>")
    expect(page.locator("[data-part=hatched]")).to_be_visible()
    page.mouse.move(*point_of(page, 2, 0))
    expect(page.locator("[data-part=number]")).to_have_text("masked: may not be read")
    _, drawing = save(page, "SVG")
    words = [each.text for each in ElementTree.fromstring(drawing).iter("{http://www.w3.org/2000/svg}text")]
    assert "no key available" in words
    assert {"<s>", "</script>", "<b>x</b>"} <= set(words)


def test_before_after_and_their_difference(open_export: Opener) -> None:
    after, before = np.array([[0.25, 0.75], [1, 0]], np.float32), np.array([[0.5, 0.5], [0, 1]], np.float32)
    page = open_export(pack(after[None, None], ["a", "b"], before=before, query=0, key=0))
    number = page.locator("[data-part=number] strong")
    expect(number).to_have_text("0.250")
    page.click("[data-choice=before]")
    expect(number).to_have_text("0.500")
    page.click("[data-choice=difference]")
    expect(number).to_have_text("−0.250")
    assert page.locator("[data-part=scale]").inner_text().split() == ["−1", "0", "+1"]
    assert (colour_at(page, 1, 0), colour_at(page, 1, 1)) == (LIGHT.signed[-1], LIGHT.signed[0])


def test_downloads_read_back(open_page: Opener, server: str, tmp_path: Path) -> None:
    page = open_page(f"{server}/?case=twelve")
    (weights, queries, _, _) = made_up(CASES["twelve"])
    name, numbers = save(page, "CSV")
    assert name == "english-causal-layer-0-head-0.csv"
    rows = list(csv.DictReader(io.StringIO(numbers.decode("utf-8"), newline="")))
    assert len(rows) == 144
    for row in rows:
        query, key = int(row["query_index"]), int(row["key_index"])
        assert (row["query"], row["key"]) == (queries[query], queries[key])
        assert (row["weight"] == "") == (key > query)
        if row["weight"]:
            assert np.float32(row["weight"]) == weights[0][0, query, key]
    name, picture = save(page, "PNG")
    assert name == "english-causal-layer-0-head-0.png"
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(picture[16:20], "big") >= 1800
    name, drawing = save(page, "SVG")
    svg = ElementTree.fromstring(drawing)
    words = [each.text for each in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {"query ↓", "key →", "english-causal, seed 0 · layer 0, head 0"} <= set(words)
    fills = [each.get("fill") for each in svg.iter("{http://www.w3.org/2000/svg}rect")]
    assert LIGHT.attention[-1] in fills
    assert not list(svg.iter("{http://www.w3.org/2000/svg}image"))
    name, saved = save(page, "HTML")
    assert name == "english-causal-layer-0-head-0.html"
    (tmp_path / name).write_bytes(saved)
    again = open_page((tmp_path / name).as_uri(), offline=True)
    number = page.locator("[data-part=number] strong").inner_text()
    assert again.locator("[data-part=number] strong").inner_text() == number


def test_the_exported_page_works_offline_and_asks_for_nothing(open_export: Opener) -> None:
    weights, queries, _, options = made_up(CASES["twelve"])
    payload = pack(weights, queries, **options)
    page = open_export(payload, offline=True)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    assert page.locator(".attention-view").get_attribute("data-painted") == unpack(payload).header["id"]
    page.mouse.click(*point_of(page, 7, 6))
    expect(page.locator("[data-part=number] .full")).to_have_text(str(weights[0][0, 7, 6]))
    page.click("[data-part=save]")
    assert page.locator("[role=menuitem]").all_inner_texts() == ["PNG picture", "SVG drawing", "CSV numbers"]
    assert requests == []


def test_a_click_sends_the_selection_and_a_hover_sends_nothing(open_page: Opener, server: str) -> None:
    page = open_page(f"{server}/?case=twelve")
    expect(page.get_by_text("run 1, selection None")).to_be_visible()
    page.mouse.move(*point_of(page, 9, 3))
    expect(page.locator("[data-part=line]")).to_have_text("query 9dog reads key 3on")
    page.mouse.move(*point_of(page, 8, 2))
    page.wait_for_timeout(400)
    expect(page.get_by_text("run 1, selection None")).to_be_visible()
    page.mouse.click(*point_of(page, 8, 2))
    chosen = "{'layer': 0, 'head': 0, 'query': 8, 'key': 2}"
    expect(page.get_by_text(f"run 2, selection {chosen}")).to_be_visible()
    grid = page.locator("[data-part=grid]").bounding_box()
    tile = page.locator(".attention-view").evaluate("root => root.view.cache.grid.tiles[6]")
    assert grid is not None
    page.mouse.click(grid["x"] + tile["x"] + 5, grid["y"] + tile["y"] + 5)
    expect(page.get_by_text("'layer': 1, 'head': 2, 'query': 8, 'key': 2")).to_be_visible()


def test_the_keyboard_reaches_both_pictures_and_commits_when_it_rests(open_page: Opener, server: str) -> None:
    page = open_page(f"{server}/?case=twelve")
    focused = "document.activeElement.shadowRoot?.activeElement?.dataset.part"
    seen = []
    for _ in range(20):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(focused))
        if seen[-1] == "grid":
            page.keyboard.press("ArrowDown")
        if seen[-1] == "frame":
            break
    assert "grid" in seen
    assert seen[-1] == "frame"
    assert page.evaluate("getComputedStyle(document.activeElement.shadowRoot.activeElement).outlineStyle") == "solid"
    expect(page.locator("[data-part=name]")).to_have_text("Layer 1 · Head 0")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-part=line]")).to_have_text("query 6and reads key 7the")
    expect(page.get_by_text("'layer': 1, 'head': 0, 'query': 6, 'key': 7")).to_be_visible()
    expect(page.locator("[data-part=spoken]")).to_contain_text("Query 6 “and” reads key 7 “the” masked.")


def test_a_head_is_approximate_until_its_exact_weights_arrive(open_page: Opener, server: str) -> None:
    page = open_page(f"{server}/?case=large")
    page.evaluate("window.badges = []")
    page.locator(".attention-view").evaluate(
        "root => new MutationObserver(() => window.badges.push(root.view.parts.badge.hidden))"
        ".observe(root.view.parts.badge, { attributes: true })"
    )
    page.focus("[data-part=grid]")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-part=name]")).to_have_text("Layer 3 · Head 11")
    expect(page.get_by_text("'layer': 3, 'head': 11")).to_be_visible()
    expect(page.locator("[data-part=badge]")).to_be_hidden()
    page.wait_for_function("window.badges.length >= 2")
    assert page.evaluate("window.badges") == [False, True]
    weights, *_ = made_up(CASES["large"])
    page.mouse.move(*point_of(page, 100, 98))
    shown = page.locator("[data-part=number]").inner_text().split()[-1]
    assert np.float32(shown) == weights[3][11, 100, 98]


def test_new_text_keeps_the_picture_that_was_chosen_and_the_height(open_page: Opener, server: str) -> None:
    page = open_page(f"{server}/?case=twelve&again=1")
    page.click("[data-choice=arcs]")
    box = page.locator(".attention-view").bounding_box()
    before = page.locator(".attention-view").get_attribute("data-painted")
    page.get_by_text("other sentence").click()
    expect(page.locator(".attention-view")).not_to_have_attribute("data-painted", before or "")
    expect(page.locator("[data-choice=arcs]")).to_have_attribute("aria-pressed", "true")
    after = page.locator(".attention-view").bounding_box()
    assert box is not None
    assert after is not None
    assert after["height"] == box["height"]


@pytest.mark.parametrize("case", ["one", "twelve", "large", "odd", "edited"])
def test_nothing_scrolls_sideways_on_a_phone(open_page: Opener, server: str, case: str) -> None:
    page = open_page(f"{server}/?case={case}", width=360)
    for part in (".attention-view", "[data-part=frame]", "[data-part=bar]"):
        inside, outside = page.locator(part).evaluate("node => [node.scrollWidth, node.clientWidth]")
        assert inside <= outside, part
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
