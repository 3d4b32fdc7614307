"""The numbers below a picture: as a table; and the picture to take away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.ui import chrome, downloads
from viz_model.figures.comparison_tables import curves_table
from viz_model.figures.theme import Theme

Curves = Mapping[str, tuple[Sequence[float], Sequence[float]]]


def below(
    name: str, curves: Curves, draw: Callable[[Theme], Any], *, x: str, y: str, caption: str, about: str = ""
) -> None:
    """Buttons for the curves (x, y) that `draw` draws; `name` is that of the file, `about` stands in it."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"under_{name}"):
        if st.button("As a table", key=f"table_{name}", icon=":material/table:", help="The numbers of this picture."):
            show(caption, curves_table(curves, x_title=x, caption=caption))
        if chrome.shown("downloads"):
            rows = [
                (body, at, value)
                for body, (places, values) in curves.items()
                for at, value in zip(places, values, strict=True)
            ]
            columns = {"body": [r[0] for r in rows], x: [r[1] for r in rows], y: [r[2] for r in rows]}
            downloads.menu(name, columns, downloads.Picture(draw, caption), caption=about or caption)


def show(title: str, table: str) -> None:
    """A table in front of the page."""
    st.dialog(title, width="large")(lambda: st.html(table))()
