"""A picture of each kind, really taken away from a page in the dark: on white, and it says what it is of."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ElementTree

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.reading import taken

# path, menu, which of its pictures, words that its drawing must hold
KINDS = {
    "chart": ("/scale", "widths", 1, {"Entropy of the softmax", "d_k (components of a query)", "entropy (nats)"}),
    "map": (
        "/workbench?v=1&panel=rollout&edits=uniform_0_0",
        "rollout",
        0,
        {"Rollout up to layer 0, heads averaged", "[BOS]", "mat", "down: query (reads) · across: key (is read)"},
    ),
    "arcs": ("/sentence", "links", 0, {"subject-verb", "reads", "is read", "cat"}),
    "block": ("/block", "block", 0, {"LayerNorm", "Self-attention", "resid_mid"}),
    "text": ("/applications", "answer", 0, {"Where", "Anna", "garden"}),
    "bars": ("/applications", "answer", 1, {"start", "end", "no answer", "garden"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_png_svg_and_csv_of_a_picture(open_page, kind: str) -> None:
    path, menu, picture, words = KINDS[kind]
    page = open_page(path, scheme="dark")
    name, drawing = taken(page, menu, "SVG drawing", picture)
    assert name.endswith(".svg")
    root = ElementTree.fromstring(drawing)
    said = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert words <= set(said)
    about = root.find("{http://www.w3.org/2000/svg}desc")
    assert about is not None
    assert (about.text or "").endswith(said[-1])
    if kind == "map":
        assert "english-causal · “The cat sat on the mat” · edits uniform_0_0" in (about.text or "")
    name, painted = taken(page, menu, "PNG picture", picture)
    assert name.endswith(".png")
    image = Image.open(io.BytesIO(painted)).convert("RGB")
    assert image.size == (2 * int(root.get("width") or 0), 2 * int(root.get("height") or 0))
    corners = {image.getpixel((x, y)) for x in (2, image.width - 3) for y in (2, image.height - 3)}
    assert corners == {(255, 255, 255)}
    name, numbers = taken(page, menu, "CSV numbers")
    assert name == f"{menu}.csv"
    assert len(list(csv.DictReader(io.StringIO(numbers.decode())))) >= 3


def test_the_menu_is_opened_and_closed_with_the_keys(open_page) -> None:
    page = open_page("/positions")
    page.locator(".st-key-menu_encoding").get_by_role("button", name="Download").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="PNG picture")).to_be_visible()
    page.get_by_role("button", name="SVG drawing").focus()
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == "encoding.svg"
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="PNG picture")).to_have_count(0)


@pytest.mark.parametrize("width", [360, 1024])
def test_the_open_menu_fits_the_window(open_page, width: int) -> None:
    page = open_page("/scale", width=width)
    page.locator(".st-key-menu_widths").get_by_role("button", name="Download").click()
    for button in (page.get_by_role("button", name="PNG picture"), page.get_by_role("button", name="SVG drawing")):
        expect(button).to_have_count(3)
        for i in range(3):
            box = button.nth(i).bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
