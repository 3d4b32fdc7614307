"""The attention view: linked grid of heads, heat map and arcs, for the browser component and as a page of its own.

`pack` makes the bytes that the component draws (`attention_payload` tells their layout), `script`, `style` and
`skeleton` are what it is mounted with, `export_html` puts all of it into one file. The sources lie in
`assets/attention_view/`.
"""

from __future__ import annotations

import base64
import html
import json
import re
from functools import cache
from pathlib import Path

from viz_model.figures.attention_payload import EXACT_CELLS, LONGEST, Payload, pack, thumbnails_of, unpack

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

_ASSETS = Path(__file__).parents[2] / "assets" / "attention_view"
# Each module after those that it imports from; the entry comes last.
_MODULES = (
    *("text", "colour", "payload", "threshold", "layout", "words", "dom", "scene", "grid", "heatmap", "arcs"),
    *("overlay", "vector", "paint", "save", "interaction", "view"),
)


@cache
def script() -> str:
    """The component's JavaScript as one ES module: Streamlit mounts text, in which relative imports cannot resolve."""
    parts = [(_ASSETS / f"{name}.js").read_text(encoding="utf-8") for name in _MODULES]
    joined = re.sub(r'^import \{[^}]*\} from "\./\w+\.js";\n', "", "\n".join(parts), flags=re.MULTILINE)
    # The download menu fills the same template as export_html.
    template = _inert(json.dumps((_ASSETS / "page.html").read_text(encoding="utf-8")))
    return f"{joined}\nconst pageTemplate = {template};\n"


@cache
def style() -> str:
    """The component's CSS."""
    return (_ASSETS / "view.css").read_text(encoding="utf-8")


def skeleton(height: int = 520) -> str:
    """The component's HTML until its script runs: the picture's shape, so that nothing jumps; `height` as in `pack`."""
    return f'<div class="attention-view waiting" style="--av-height: {height:d}px"></div>'


def export_html(payload: bytes, title: str = "", caption: str = "") -> str:
    """A self-contained page that shows `payload` as the component does: no server, no network, opens from a file.

    `title` and `caption` are plain text, which is escaped; the tokens travel inside the payload in base64.
    """
    header = unpack(payload).header
    marks = {
        "title": html.escape(title or header["title"] or header["model"] or "Attention weights"),
        "caption": html.escape(caption or header["caption"]),
        "light": _page_colours(header["colours"]["light"]),
        "dark": _page_colours(header["colours"]["dark"]),
        "style": style(),
        "script": _inert(script()),
        "data": base64.b64encode(payload).decode("ascii"),
    }
    template = (_ASSETS / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: marks[mark[1]], template)


def _page_colours(colours: dict[str, str]) -> str:
    names = {"background-color": "paper", "text-color": "ink", "primary-color": "accent"}
    return " ".join(f"--st-{name}: {colours[source]};" for name, source in names.items())


def _inert(source: str) -> str:
    """JavaScript that cannot end or swallow the script element which it stands in; in strings `<\\/` is `</`."""
    return source.replace("</script", r"<\/script").replace("<!--", r"<\!--")
