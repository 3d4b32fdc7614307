"""What can be taken away: a picture as PNG and SVG, its numbers as CSV, the trace as NPZ; each made when asked for."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.ui import runs
from pages.ui.take_file import button
from viz_model.export import trace_npz
from viz_model.figures.theme import LIGHT, Theme

__all__ = ["Picture", "button", "caption", "csv_button", "menu", "trace_button"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that can be taken away: `draw` gives the chart, the map or the SVG in the colours of a theme.

    `title` heads the file of a picture that has no title of its own, and names it where a menu holds several.
    `draw` is called when a file is asked for, outside of the page's run: it must know all that it needs.
    """

    draw: Callable[[Theme], Any]
    title: str


def caption(name: str, text: str, edits: tuple[str, ...]) -> str:
    """One line that travels with every export: model, text, edits."""
    return f"{name} · “{text[:120]}”" + (f" · edits {', '.join(edits)}" if edits else "")


def trace_button(name: str, run: runs.Run, edits: tuple[str, ...]) -> None:
    """The trace of the run as NPZ, made when it is asked for."""

    def make() -> bytes:
        return trace_npz(run.trace, model=name, text=run.reading.text, edits=edits)

    button(
        "Trace (NPZ)",
        make,
        f"trace-{name}.npz",
        mime="application/octet-stream",
        key="download_trace",
        about="Every tensor of this run, with the tokens, model, seed, text and edits as JSON under 'labels'.",
    )


def csv_button(name: str, columns: Mapping[str, Sequence[object]], *, label: str = "CSV") -> None:
    """The numbers of a picture as CSV, full values, columns of equal length; `name` names the file and the button."""

    def make() -> str:
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
        return text.getvalue()

    button(
        label, make, f"{name}.csv", mime="text/csv", key=f"csv_{name}", about="The numbers of this picture, in full."
    )


def menu(name: str, columns: Mapping[str, Sequence[object]], *pictures: Picture, caption: str = "") -> None:
    """What can be taken of pictures that share their numbers, behind one button: PNG and SVG of each, and the CSV.

    A drawing that holds no numbers has no columns. `name` names the files; `caption` (model, text, edits) stands below
    the pictures in them.
    """
    with st.popover("Download", icon=":material/download:", key=f"menu_{name}"):
        for i, picture in enumerate(pictures):
            file = name if len(pictures) == 1 else f"{name}-{i + 1}"
            if len(pictures) > 1:
                st.caption(picture.title)
            with st.container(horizontal=True, key=f"files_{file}"):
                _picture_buttons(picture, file, caption)
        if len(pictures) > 1:
            st.caption("All of them")
        if columns:
            csv_button(name, columns, label="CSV numbers")


def _picture_buttons(picture: Picture, file: str, caption: str) -> None:
    def svg() -> str:
        from viz_model.figures.picture_files import svg_file  # its painter is large: most visits ask for no file

        return svg_file(picture.draw(LIGHT), title=picture.title, caption=caption)

    def png() -> bytes:
        from viz_model.figures.picture_files import png_file

        return png_file(svg())

    about = "With title, labels and a caption, on white."
    button("PNG picture", png, f"{file}.png", mime="image/png", key=f"png_{file}", about=about)
    button("SVG drawing", svg, f"{file}.svg", mime="image/svg+xml", key=f"svg_{file}", about=about)
