"""What can be taken away, read back by programs that know nothing of the page."""

from __future__ import annotations

import csv
import io
import json
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import viz_model as vm
from tests.browser.conftest import OpenPage
from tests.browser.reading import ATTENTION, point_of_cell
from tests.browser.watching import painted

TEXT = "The cat sat on the mat"
LINK = f"?v=1&layer=1&head=2&query=6&key=3&edits=uniform_0_0&text={TEXT.replace(' ', '+')}"
TOKENS = ["[BOS]", *TEXT.split()]


@pytest.fixture(scope="module")
def trace() -> vm.Trace:
    return vm.run(vm.load("english-causal"), TEXT, edits=(vm.UniformHead(layer=0, head=0),))


@pytest.fixture
def bench(open_page: OpenPage) -> Page:
    page = open_page(f"/workbench{LINK}")
    painted(page)
    return page


def save(page: Page, kind: str) -> tuple[str, bytes]:
    page.get_by_role("button", name="Download", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=kind).click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def pixels(png: bytes) -> tuple[int, int, set[bytes]]:
    """Width, height and the colours of an 8-bit PNG without interlace, by the format's own rules (PNG, section 9)."""
    at, data, (width, height, depth, colour) = 8, b"", struct.unpack(">IIBB", png[16:26])
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        data += png[at + 8 : at + 8 + length] if png[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + length
    size = {2: 3, 6: 4}[colour]
    assert depth == 8
    raw, stride = zlib.decompress(data), 1 + width * size
    above, colours = np.zeros(width * size, np.int64), set()
    for row in range(height):
        kind, line = raw[row * stride], np.frombuffer(raw, np.uint8, width * size, row * stride + 1).astype(np.int64)
        if kind == 2:
            line = (line + above) % 256
        elif kind:
            line = line.copy()
            for i in range(len(line)):
                left, up, corner = (line[i - size], above[i], above[i - size]) if i >= size else (0, above[i], 0)
                guess = left + up - corner
                near = min((left, up, corner), key=lambda one, guess=guess: abs(guess - one))
                line[i] = (line[i] + (left, up, (left + up) // 2, near)[kind - 1]) % 256
        above = line
        colours |= {bytes(line[i : i + 3].tolist()) for i in range(0, len(line), size * 16)}
    return width, height, colours


def test_the_picture_as_png_is_large_and_holds_the_ramps_colours(bench) -> None:
    name, png = save(bench, "PNG picture")
    assert name == "english-causal-layer-1-head-2.png"
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, colours = pixels(png)
    assert width >= 1600
    assert height >= 1000
    violet = [c for c in colours if c[2] > c[0] + 30 and c[0] > c[1] + 20]
    assert len(violet) >= 5
    assert b"\xff\xff\xff" in colours


def test_the_drawing_as_svg_names_tokens_head_model_and_edits(bench) -> None:
    name, drawing = save(bench, "SVG drawing")
    assert name == "english-causal-layer-1-head-2.svg"
    svg = ElementTree.fromstring(drawing)
    words = [each.text or "" for each in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert all(words.count(token) >= 2 for token in TOKENS)
    caption = " ".join(words)
    assert "Layer 1 · Head 2" in caption
    for part in ("english-causal", TEXT, "uniform_0_0", "query ↓", "key →"):
        assert part in caption, part


def test_the_numbers_as_csv_are_the_models_own(bench, trace) -> None:
    name, numbers = save(bench, "CSV numbers")
    assert name == "english-causal-layer-1-head-2.csv"
    rows = list(csv.DictReader(io.StringIO(numbers.decode(), newline="")))
    weights = trace.blocks[1].attention.weights[0, 2].numpy()
    assert len(rows) == 49
    for row in rows:
        query, key = int(row["query_index"]), int(row["key_index"])
        assert (row["query"], row["key"]) == (TOKENS[query], TOKENS[key])
        if key > query:
            assert row["weight"] == ""
        else:
            assert np.float32(row["weight"]) == weights[query, key]


def test_the_page_as_html_paints_from_the_disk_without_a_network(bench, new_page, tmp_path, trace) -> None:
    name, saved = save(bench, "HTML page")
    assert not re.search(rb"""(?:src|href)=["']?https?:""", saved)
    path = tmp_path / name
    path.write_bytes(saved)
    page = new_page(offline=True)
    page.goto(path.as_uri())
    painted(page)
    assert page.locator(ATTENTION).get_attribute("data-painted") == bench.locator(ATTENTION).get_attribute(
        "data-painted"
    )
    expect(page.locator("[data-part=name]")).to_have_text("Layer 1 · Head 2")
    expect(page.locator(".caption")).to_contain_text(TEXT)
    page.mouse.move(*point_of_cell(page, 5, 2))
    shown = page.locator("[data-part=number]").inner_text().replace("−", "-").split()
    assert any(np.float32(part) == trace.blocks[1].attention.weights[0, 2, 5, 2].numpy() for part in shown)


def test_the_whole_trace_as_npz(bench, trace) -> None:
    with bench.expect_download() as download:
        bench.get_by_role("button", name="Trace (NPZ)").click()
    assert download.value.suggested_filename == "trace-english-causal.npz"
    with np.load(download.value.path(), allow_pickle=False) as saved:
        names = set(saved.files)
        for i, block in enumerate(trace.blocks):
            for part in ("q", "k", "v", "weights", "heads", "out"):
                assert np.array_equal(saved[f"blocks.{i}.attention.{part}"], getattr(block.attention, part).numpy())
            assert np.array_equal(saved[f"blocks.{i}.resid_post"], block.resid_post.numpy())
        assert np.array_equal(saved["logits"], trace.logits.numpy())
        assert np.array_equal(saved["ids"], trace.ids.numpy())
        labels = json.loads(str(saved["labels"]))
    assert {"embedding", "final_norm"} <= {name.split(".")[0] for name in names}
    assert labels["tokens"] == TOKENS
    assert (labels["model"], labels["text"], labels["edits"]) == ("english-causal", TEXT, ["uniform_0_0"])
    assert isinstance(labels["seed"], int)
