"""The training view: a run's curves and the attention of a probe forming, live and as a film to scrub.

`pack` makes the bytes that the component draws (`training_payload` tells what lies in them), `script`, `style` and
`skeleton` are what it is mounted with, `export_html` puts all of it into one file. The sources lie in
`assets/training_view/`. The component asks for what it lacks with the trigger `missing` {run}, and sets the state
`look` {kind, layer, head} when the person has chosen a head.
"""

from __future__ import annotations

from functools import cache

from viz_model.figures import view_source
from viz_model.figures.byte_layout import Payload
from viz_model.figures.training_checks import LONGEST
from viz_model.figures.training_payload import Film, RunState, Track, pack, thinned, unpack

__all__ = [
    "LONGEST",
    "Film",
    "Payload",
    "RunState",
    "Track",
    "export_html",
    "pack",
    "script",
    "skeleton",
    "style",
    "thinned",
    "unpack",
]

_FOLDER = view_source.ASSETS / "training_view"


@cache
def script() -> str:
    """The component's JavaScript as one ES module."""
    return view_source.with_template(view_source.joined(_FOLDER / "view.js"), _template())


@cache
def style() -> str:
    """The component's CSS."""
    return view_source.style_of(_FOLDER)


def skeleton(height: int = 470) -> str:
    """The component's HTML until its script runs: the picture's shape, so that nothing jumps; `height` as in `pack`."""
    return f'<div class="training-view waiting" style="--tv-height: {height:d}px"></div>'


def export_html(payload: bytes, title: str = "", caption: str = "") -> str:
    """A self-contained page that plays `payload` as the component does: no server, no network, opens from a file.

    `title` and `caption` are plain text, which is escaped. Raises ValueError for a delta: a page has to hold it all.
    """
    header = unpack(payload).header
    if header["first_row"] or header["first_picture"]:
        raise ValueError("expected a payload of the whole run, got a delta")
    return view_source.filled(
        *(_template(), payload, header),
        title=title or header["title"] or header["name"] or "A training run",
        caption=caption or header["caption"],
        style=style(),
        script=script(),
    )


@cache
def _template() -> str:
    return (_FOLDER / "page.html").read_text(encoding="utf-8")
