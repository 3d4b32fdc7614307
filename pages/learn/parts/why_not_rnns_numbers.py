"""The numbers below a picture: as a table, and as CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.ui import chrome, downloads
from viz_model.figures.comparison_tables import curves_table

Curves = Mapping[str, tuple[Sequence[float], Sequence[float]]]


def below(name: str, curves: Curves, *, x: str, y: str, caption: str) -> None:
    """Buttons for the curves (x, y) of a picture; `name` is that of the file."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"under_{name}"):
        if st.button("As a table", key=f"table_{name}", icon=":material/table:", help="The numbers of this picture."):
            show(caption, curves_table(curves, x_title=x, caption=caption))
        if chrome.shown("downloads"):
            rows = [
                (body, at, value)
                for body, (places, values) in curves.items()
                for at, value in zip(places, values, strict=True)
            ]
            downloads.csv_button(name, {"body": [r[0] for r in rows], x: [r[1] for r in rows], y: [r[2] for r in rows]})


def show(title: str, table: str) -> None:
    """A table in front of the page."""
    st.dialog(title, width="large")(lambda: st.html(table))()
