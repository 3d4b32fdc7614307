"""What the pages look like: pictures for people to judge (build/screenshots), and what no picture may show."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Screenshot
from tests.browser.reading import ATTENTION, CALCULATION, drawn
from tests.browser.watching import no_traceback, painted

STATES = {
    "lesson": "/",
    "lesson-qkv": "/?v=1&step=qkv",
    "lesson-softmax": "/?v=1&step=softmax&causal=1",
    "lesson-sentence": "/?v=1&mode=sentence&step=dots&text=The+girls+saw+the+dogs&layer=1&head=2&query=4",
    "workbench": "/workbench",
    "workbench-edited": "/workbench?v=1&layer=1&head=0&edits=ablate_1_0&query=6&key=3",
    "workbench-arcs-lens": "/workbench?v=1&view=arcs&layer=1&head=2&panel=lens",
    "workbench-note": "/workbench?v=1&text=A+xylophone+sat+on+the+mat&panel=tokens",
}
# The widths at which a page folds, in both colours; wider ones are the same with more room.
SEEN = [(state, scheme, width) for state in STATES for scheme, width in (("light", 1024), ("dark", 360))]

SIDEWAYS = """[document.documentElement, document.querySelector('[data-testid=stMain]')]
    .every((part) => part.scrollWidth <= innerWidth)"""

# Everything that can be pressed, also inside the pictures: those that stand out of the window's sides.
CLIPPED = """() => {
    const found = [], look = (root) => {
        for (const node of root.querySelectorAll('*')) {
            if (node.shadowRoot) look(node.shadowRoot);
            if (!node.matches('button, input, select, a, [role=combobox]')) continue;
            if (!node.checkVisibility({ visibilityProperty: true })) continue;
            if (node.closest('[data-testid=stSidebar], [data-testid=stSlider]')) continue;
            const box = node.getBoundingClientRect();
            if (box.width > 1 && box.height > 1 && (box.left < -1 || box.right > innerWidth + 1)) {
                found.push([node.getAttribute('aria-label') || node.innerText, box.left, box.right].join(' '));
            }
        }
    };
    look(document);
    return found;
}"""

# Equations that need more room than they have: in pixels, how much.
TOO_WIDE = """() => [...document.querySelectorAll('.katex-display')]
    .map((equation) => equation.scrollWidth - equation.clientWidth).filter((beyond) => beyond > 4)"""

# Colours on each canvas of a picture, by name; a blank one has one.
COLOURS = """root => Object.fromEntries([...root.querySelectorAll('canvas')]
    .filter((canvas) => canvas.width && canvas.checkVisibility())
    .map((canvas) => {
        const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return [canvas.dataset.part, new Set(new Uint32Array(data.buffer)).size];
    }))"""

CONTRAST = """node => {
    const light = (colour) => {
        const linear = (c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
        const [r, g, b] = colour.match(/[\\d.]+/g).map((c) => linear(c / 255));
        return .2126 * r + .7152 * g + .0722 * b + .05;
    };
    const solid = (box) => {
        const parts = getComputedStyle(box).backgroundColor.match(/[\\d.]+/g);
        return parts.length < 4 || Number(parts[3]) === 1;
    };
    let behind = node;
    while (behind && !solid(behind)) behind = behind.parentElement ?? behind.getRootNode().host;
    const paper = behind ? getComputedStyle(behind).backgroundColor : 'rgb(255, 255, 255)';
    const [one, other] = [light(getComputedStyle(node).color), light(paper)];
    return [Math.max(one, other) / Math.min(one, other), other];
}"""


def whole(page: Page, width: int) -> None:
    """Makes the window as high as the page: Streamlit scrolls inside itself, so a full-page picture would be cut."""
    drawn(page)
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": width, "height": min(max(900, height), 5000)})
    drawn(page)


def stands_out(page: Page, scheme: str, *places: str) -> None:
    """Text stands out from its paper, and the paper is the scheme's."""
    for words in places:
        for found in page.locator(words).all()[:3]:
            contrast, paper = found.evaluate(CONTRAST)
            assert contrast >= 4.5, words
            assert (paper > 0.4) == (scheme == "light"), words


def looks(page: Page, screenshot: Screenshot, name: str, scheme: str, width: int, *places: str) -> None:
    """A lesson as it stands: kept as a picture, nothing beyond the window's sides, its text readable."""
    whole(page, width)
    screenshot(page, f"{name}-{scheme}-{width}")
    assert page.evaluate(SIDEWAYS)
    assert page.evaluate(CLIPPED) == []
    assert page.evaluate(TOO_WIDE) == []
    stands_out(page, scheme, "h1", "[data-testid=stMarkdownContainer] p", *places)
    no_traceback(page)


@pytest.mark.parametrize(("state", "scheme", "width"), SEEN)
def test_a_state_of_a_page(open_page: OpenPage, screenshot: Screenshot, state: str, scheme: str, width: int) -> None:
    page = open_page(STATES[state], width=width, scheme=scheme)
    view = ATTENTION if state.startswith("workbench") else CALCULATION
    painted(page, view)
    if "lens" in state:
        expect(page.locator(".stPlotlyChart .main-svg").first).to_be_visible()
    whole(page, width)
    screenshot(page, f"{state}-{scheme}-{width}")

    no_traceback(page)
    assert page.evaluate(SIDEWAYS)
    assert page.evaluate(CLIPPED) == []
    title, copy = (
        each.bounding_box()
        for each in (page.get_by_role("heading", level=1), page.get_by_role("button", name="Copy link"))
    )
    assert title is not None
    assert copy is not None
    menu = page.get_by_test_id("stMainMenuButton").bounding_box()
    assert menu is not None
    assert title["y"] >= menu["y"] + menu["height"] or title["x"] + title["width"] <= menu["x"]
    assert title["x"] + title["width"] <= copy["x"] + 1 or title["y"] + title["height"] <= copy["y"] + 1
    if state == "workbench":
        cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.innerText)"
        assert page.locator(".glass-table").evaluate_all(cut) == []
    if view == ATTENTION:
        colours = page.locator(view).evaluate(COLOURS)
        assert colours["tiles"] > 5
        assert colours["base"] > 5
    text = ("h1", "[data-testid=stMarkdownContainer] p", ".glass-table td", "[data-part=line]", ".calculation .readout")
    stands_out(page, scheme, *text)


@pytest.mark.parametrize("state", ["lesson-softmax", "workbench"])
def test_for_a_projector(open_page: OpenPage, screenshot: Screenshot, state: str) -> None:
    path = STATES[state]
    page = open_page(f"{path}{'&' if '?' in path else '?v=1&'}present=1", width=1024, height=768)
    painted(page, ATTENTION if state == "workbench" else CALCULATION)
    whole(page, 1024)
    screenshot(page, f"{state}-present-1024")
    assert page.evaluate(SIDEWAYS)
    assert page.evaluate(CLIPPED) == []
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    no_traceback(page)


def test_the_scheme_can_change_under_an_open_page(open_page: OpenPage) -> None:
    page = open_page("/workbench")
    painted(page)
    background = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"({background})() === 'rgb(18, 18, 23)'")
    expect(page.locator(ATTENTION)).to_have_css("color-scheme", "dark")
    corner = """root => {
        const { left, top, cell } = root.view.layout, dpr = devicePixelRatio;
        const pen = root.view.parts.base.getContext('2d');
        return [...pen.getImageData((left + cell.w / 2) * dpr, (top + 6.2 * cell.h) * dpr, 1, 1).data].slice(0, 3);
    }"""
    assert sum(page.locator(ATTENTION).evaluate(corner)) < 200
    no_traceback(page)
