"""The attention view: linked grid of heads, heat map and arcs, for the browser component and as a page of its own.

`pack` makes the bytes that the component draws (`attention_payload` tells their layout), `script`, `style` and
`skeleton` are what it is mounted with, `export_html` puts all of it into one file. The sources lie in
`assets/attention_view/`.
"""

from __future__ import annotations

from functools import cache

from viz_model.figures import view_source
from viz_model.figures.attention_payload import EXACT_CELLS, LONGEST, pack, thumbnails_of, unpack
from viz_model.figures.byte_layout import Payload

__all__ = [
    "EXACT_CELLS",
    "LONGEST",
    "Payload",
    "export_html",
    "pack",
    "script",
    "skeleton",
    "style",
    "thumbnails_of",
    "unpack",
]

_FOLDER = view_source.ASSETS / "attention_view"


@cache
def script() -> str:
    """The component's JavaScript as one ES module."""
    return view_source.with_template(view_source.joined(_FOLDER / "view.js"), _template())


@cache
def style() -> str:
    """The component's CSS."""
    return view_source.style_of(_FOLDER)


@cache
def _template() -> str:
    return (_FOLDER / "page.html").read_text(encoding="utf-8")


def skeleton(height: int = 520) -> str:
    """The component's HTML until its script runs: the picture's shape, so that nothing jumps; `height` as in `pack`."""
    return f'<div class="attention-view waiting" style="--av-height: {height:d}px"></div>'


def export_html(payload: bytes, title: str = "", caption: str = "") -> str:
    """A self-contained page that shows `payload` as the component does: no server, no network, opens from a file.

    `title` and `caption` are plain text, which is escaped; the tokens travel inside the payload in base64.
    """
    header = unpack(payload).header
    return view_source.filled(
        *(_template(), payload, header),
        title=title or header["title"] or header["model"] or "Attention weights",
        caption=caption or header["caption"],
        style=style(),
        script=script(),
    )
