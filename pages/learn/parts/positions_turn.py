"""An offset as a turn of the clocks: drawn, written out for one pair, and tried on every position."""

from __future__ import annotations

import streamlit as st

from pages.learn.parts.positions_choice import SHOWN, Words, takeaway
from pages.learn.parts.positions_picture import on_show
from pages.ui import runs
from viz_model.analysis.positions import clock_angles, offset_rotation, rotation_residual, wavelengths
from viz_model.figures.clocks import clocks
from viz_model.figures.theme import format_number
from viz_model.positions import sinusoids

LEARNED = "copy"  # a bundled model whose positions were learned


def show(position: int, width: int, offset: int, pair: int, words: Words) -> None:
    """The rotation that takes every position `offset` further: as clocks, written out, and its residual."""
    last = SHOWN - 1 - offset
    start = min(position, last)
    encoding = sinusoids(SHOWN, width)
    st.subheader(f"From position {start} to {start + offset}: a turn", anchor=False)
    left, right = st.columns([3, 2], gap="large")
    pairs = sorted({pair, *on_show(width // 2, 3)})
    with left:
        st.html(
            clocks(
                clock_angles(start + offset, width)[pairs],
                wavelengths(width)[pairs],
                pairs=pairs,
                trail=[clock_angles(start, width)[pairs]],
                caption=words["turn caption"].format(start=start, end=start + offset),
            )
        )
        st.markdown(words["turn"].format(offset=offset))
    with right:
        at = slice(2 * pair, 2 * pair + 2)
        matrix = offset_rotation(width, offset)[at, at].tolist()
        st.markdown(words["written out"].format(pair=pair))
        there, here = (_column(encoding[p, at].tolist()) for p in (start + offset, start))
        st.latex(f"{there} = {_matrix(matrix)} {here}")
        residual = rotation_residual(encoding, offset)
        st.markdown(
            words["residual"].format(
                offset=offset, n=len(residual), n_turned=width // 2 * 2, residual=format_number(residual.max())
            )
        )
        if width % 2:
            st.markdown(words["odd turn"].format(column=width - 1))
        st.markdown(_learned(offset, words))
        takeaway(
            "residual",
            {"from position": list(range(len(residual))), "largest difference": residual.tolist()},
            f"|PE(p + {offset}) - R PE(p)|, the largest of all columns",
        )
    if start != position:
        st.caption(words["start moved"].format(position=position, offset=offset, last=SHOWN - 1, start=start))


def _learned(offset: int, words: Words) -> str:
    """The same turn on a table that was trained, where it is long enough."""
    table = runs.model(LEARNED).stack.positions.table
    if offset >= len(table):
        return words["residual ends"].format(model=LEARNED, n=len(table), offset=offset)
    return words["residual learned"].format(
        model=LEARNED, residual=format_number(rotation_residual(table, offset).max())
    )


def _matrix(rows: list[list[float]]) -> str:
    return r"\begin{pmatrix}" + r"\\".join("&".join(map(format_number, row)) for row in rows) + r"\end{pmatrix}"


def _column(values: list[float]) -> str:
    return _matrix([[value] for value in values])
