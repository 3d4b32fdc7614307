"""Where things stand in the pages' pictures, and what a person reads there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import Frame, Locator, Page, expect

from tests.browser.watching import painted, settled

ATTENTION = ".attention-view"
CALCULATION = ".calculation"
PATIENCE = 30  # seconds


def number(text: str) -> float:
    """A number as it is shown, with its true minus sign and a percent sign or a plus."""
    return float(text.strip().replace("−", "-").replace("+", ""))


def link_of(page: Page) -> dict[str, str]:
    """The parameters in the address bar."""
    return dict(parse_qsl(urlsplit(page.url).query, keep_blank_values=True))


def wait_for_link(page: Page, **wanted: str | None) -> None:
    """Waits until the address bar says so; None: that the name is not in it."""
    page.wait_for_function(
        """wanted => {
            const link = new URLSearchParams(location.search);
            return Object.entries(wanted).every(([name, value]) => link.get(name) === value);
        }""",
        arg=wanted,
    )
    settled(page)


def copied(page: Page, new_page: Callable[..., Page]) -> Page:
    """Presses 'Copy link', and follows what was copied in a second browser."""
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    other = new_page()
    other.goto(page.evaluate("navigator.clipboard.readText()"))
    settled(other)
    return other


def drawn(page: Page) -> None:
    """Waits until every element has come and is drawn, and so until the page listens to its keys."""
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")


def becomes(page: Page, read: Callable[[], Any], wanted: Any) -> None:
    """Waits until what is read on the page is what is wanted; says what it was if it never is."""
    until = monotonic() + PATIENCE
    while (shown := read()) != wanted:
        assert monotonic() < until, f"expected {wanted}, got {shown}"
        page.wait_for_timeout(50)


def taken(page: Page, menu: str, kind: str, picture: int = 0) -> tuple[str, bytes]:
    """What a picture's 'Download' menu gives: the name of the file and what is in it."""
    opens = page.locator(f".st-key-menu_{menu}").get_by_role("button", name="Download")
    _at_rest(opens)
    opens.click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=kind, exact=True).nth(picture).click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name=kind, exact=True)).to_have_count(0)
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def _at_rest(where: Locator) -> None:
    """Waits until what is above it has its height: a menu that opens sooner is left behind when its button moves."""
    where.scroll_into_view_if_needed()
    before = None
    for _ in range(50):
        box = where.bounding_box()
        if box is not None and box == before:
            return
        before = box
        where.page.wait_for_timeout(200)
    raise AssertionError(f"the button never came to rest: {before}")


class Traffic:
    """Counts what the page sends to the server: every rerun begins with one message."""

    def __init__(self, page: Page) -> None:
        self.sent = 0
        page.on("websocket", lambda socket: socket.on("framesent", self._count))

    def _count(self, _: Frame | str | bytes) -> None:
        self.sent += 1


# The lesson


def cells(page: Page, matrix: str, equation: int = 0) -> Locator:
    """The cells of a matrix of one of the step's equations, row by row."""
    return page.locator(CALCULATION).nth(equation).locator(f'[data-matrix="{matrix}"] td.cell')


def numbers(found: Locator) -> list[float]:
    """The exact float32 values of cells, as hovering says them."""
    return [number(title) for title in found.evaluate_all("cells => cells.map(cell => cell.title)")]


def step_to(page: Page, title: str, button: str = "Next") -> None:
    """Presses Next (or Back) until the step of this title is on show."""
    heading = page.get_by_role("heading", level=3).first
    for _ in range(12):
        now = heading.inner_text()
        if title in now:
            break
        page.get_by_role("button", name=button).click()
        expect(heading).not_to_have_text(now)
    expect(heading).to_contain_text(title)
    settled(page)
    painted(page, CALCULATION)


# The workbench


def picture_id(page: Page) -> str:
    """What names the picture on the canvas: equal for equal numbers, tokens, selection and captions."""
    painted(page)
    return page.locator(ATTENTION).get_attribute("data-painted") or ""


def header(page: Page) -> dict:
    """What the picture's payload says of itself."""
    return page.locator(ATTENTION).evaluate("root => root.view.payload.header")


def point_of_cell(page: Page, query: int, key: int) -> tuple[float, float]:
    """The middle of a cell of the map on the screen, brought into sight."""
    page.locator("[data-part=frame]").scroll_into_view_if_needed()
    layout = page.locator(ATTENTION).evaluate("root => root.view.layout")
    box = page.locator("[data-part=pane]").bounding_box()
    assert box is not None
    x = box["x"] + layout["left"] + (key + 0.5) * layout["cell"]["w"]
    return x, box["y"] + layout["top"] + (query + 0.5) * layout["cell"]["h"]


def click_head(page: Page, layer: int, head: int) -> None:
    """A click on the small picture of a head, and the wait until the server has sent it as the choice."""
    page.locator("[data-part=grid]").scroll_into_view_if_needed()
    find = "(root, at) => root.view?.cache.grid?.tiles.find((tile) => tile.layer === at[0] && tile.head === at[1])"
    found: list[dict[str, float]] = []
    # Between its mount and its first frame the picture has no tiles yet.
    becomes(page, lambda: bool(found.append(page.locator(ATTENTION).evaluate(find, [layer, head])) or found[-1]), True)
    tile = found[-1]
    page.locator("[data-part=grid]").click(position={"x": tile["x"] + 8, "y": tile["y"] + 8})
    expect(page.locator("[data-part=name]")).to_have_text(f"Layer {layer} · Head {head}")
    expect(page.get_by_text(f"Change layer {layer}, head {head}:")).to_be_visible()
    settled(page)


def type_sentence(page: Page, text: str) -> None:
    """Puts a sentence into the field; the picture follows without Enter."""
    page.get_by_label("Sentence", exact=True).fill(text)
    wait_for_link(page, text=text)
    painted(page)


def predictions(page: Page) -> dict[str, float]:
    """The candidates on the strip and their probabilities."""
    strip = page.locator(".glass-strip li")
    expect(strip.first).to_be_visible()  # HTML blocks come a moment after the rest of the page
    shown = strip.evaluate_all(
        "items => items.map((item) => [item.querySelector('.token').textContent, "
        "item.querySelector('.share').getAttribute('title')])"
    )
    return {token: float(share) for token, share in shown}
