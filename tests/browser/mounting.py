"""The training view as a page mounts it, without a server: bytes go in one after another, what it sends is kept."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from viz_model.figures import training_view

ROOT = ".training-view"

# A blob has an address that can be fetched again, as the script of a mounted component has.
_BEGIN = """async (source) => {
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const module = await import(address);
    window.told = [];
    window.mount = (text) => module.default({
        parentElement: document.querySelector("main"),
        data: Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)),
        setTriggerValue: (name, value) => told.push([name, value]),
        setStateValue: (name, value) => told.push([name, value]),
    });
}"""


class Mounted:
    """A mounted view: `feed` it payloads; `told` is what it said to the page."""

    def __init__(self, new_page: Callable[..., Page], folder: Path, **options: Any) -> None:
        path = folder / "mounted.html"
        style = f"<style>main {{ padding: 8px }} body {{ margin: 0 }}</style><style>{training_view.style()}</style>"
        path.write_text(
            f"<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'>{style}"
            f"<main>{training_view.skeleton()}</main>",
            encoding="utf-8",
        )
        self.page = new_page(**options)
        self.page.goto(path.as_uri())
        self.page.evaluate(_BEGIN, training_view.script())

    def feed(self, payload: bytes) -> None:
        """Mounts again with `payload`; where it can be drawn, waits until it is."""
        self.page.evaluate("text => { mount(text); }", base64.b64encode(payload).decode("ascii"))
        name = training_view.unpack(payload).header["id"]
        self.page.wait_for_function(
            """([root, name]) => document.querySelector(root).dataset.painted === name
                || told.some(([what]) => what === "missing")""",
            arg=[ROOT, name],
        )

    @property
    def told(self) -> list[Any]:
        found: list[Any] = self.page.evaluate("told")
        return found

    @property
    def step(self) -> int:
        return int(self.data("step"))

    def data(self, name: str) -> str:
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return self.page.locator(ROOT).get_attribute(f"data-{name}") or ""

    def view(self, expression: str) -> Any:
        """What a JavaScript expression of `view` gives."""
        return self.page.locator(ROOT).evaluate(f"root => {{ const view = root.view; return {expression}; }}")

    def text(self, part: str) -> str:
        return self.page.locator(f"[data-part={part}]").inner_text()

    def cell(self, query: int, key: int) -> tuple[float, float]:
        """Where the middle of a cell of the large map is on the screen."""
        map_ = self.view("({ left: view.map.left, top: view.map.top, cell: view.map.cell })")
        self.page.locator("[data-part=frame]").scroll_into_view_if_needed()
        box = self.page.locator("[data-part=frame]").bounding_box()
        assert box is not None
        x = box["x"] + map_["left"] + (key + 0.5) * map_["cell"]["w"]
        return x, box["y"] + map_["top"] + (query + 0.5) * map_["cell"]["h"]

    def weight(self, query: int, key: int) -> str:
        """The number that the view shows for a cell."""
        self.page.mouse.move(*self.cell(query, key))
        self.data("step")
        return self.text("number")

    def save(self, label: str) -> tuple[str, bytes]:
        """Takes an entry of the download menu: the file's name and content."""
        self.page.click("[data-part=save]")
        with self.page.expect_download() as download:
            self.page.click(f"[role=menuitem]:has-text('{label}')")
        return download.value.suggested_filename, Path(download.value.path()).read_bytes()
