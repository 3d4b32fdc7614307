"""What the sinusoids are good for: each position its own, neighbours near, and offsets that are turns."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.learn.parts import positions_choice as choice
from pages.learn.parts import positions_turn as turn
from pages.learn.parts.positions_choice import SHOWN, Show, Words, takeaway
from pages.ui import chrome, downloads, runs, session, theme
from viz_model.analysis.positions import dots_by_offset, position_distances
from viz_model.figures.position_pictures import distance_map, dots_by_offset_curve, neighbour_curve
from viz_model.figures.theme import Theme, format_number
from viz_model.positions import sinusoids

SINUSOIDS, ITS_TABLE = "sinusoids", "learned (the model copy)"
FARTHEST = 50  # offset
ALIKE = 0.05  # two positions this near are as good as one
ROUNDING = 1e-5


def choose(words: Words) -> Show:
    width = choice.width()
    last = width // 2 - 1
    if st.session_state["pe_pair"] > last:
        session.note(words["pair moved"].format(width=width, last=last))
        st.session_state["pe_pair"] = last

    def show() -> None:
        _unique(width, words)
        _smooth(width, words)
        _relative(width, words)

    return show


def _unique(width: int, words: Words) -> None:
    found = position_distances(sinusoids(SHOWN, width))
    left, right = st.columns([3, 2], gap="large")
    with left:

        def draw(look: Theme) -> Any:
            return distance_map(found.distance, title="", height=430, theme=look)

        st.plotly_chart(draw(theme.current()), key="distances", theme=None, config={"displayModeBar": False})
    with right:
        st.subheader("Unique", anchor=False)
        first, second = found.closest
        st.markdown(
            words["unique"].format(
                n=SHOWN, smallest=format_number(found.smallest), first=first, second=second, width=width
            )
        )
        st.markdown(words["unique hardly" if found.smallest < ALIKE else "unique well"].format(apart=second - first))
        st.markdown(words["unique map"])
        columns = {f"to {i}": found.distance[:, i].tolist() for i in range(SHOWN)}
        takeaway(
            "distances",
            {"position": list(range(SHOWN)), **columns},
            f"Distances, {width} columns",
            downloads.Picture(draw, "Distance between two positions"),
            about=f"Sinusoids, {width} columns",
        )


def _smooth(width: int, words: Words) -> None:
    found = position_distances(sinusoids(SHOWN, width))
    learned = position_distances(runs.model(turn.LEARNED).stack.positions.table)
    left, right = st.columns([3, 2], gap="large")
    with left:

        def draw(look: Theme) -> Any:
            lines = {SINUSOIDS: found.neighbours, ITS_TABLE: learned.neighbours}
            return neighbour_curve(lines, title="", theme=look)

        st.altair_chart(draw(theme.current()), key="neighbours", theme=None)
    with right:
        st.subheader("Smooth", anchor=False)
        st.markdown(
            words["smooth"].format(
                low=format_number(found.neighbours.min()),
                gap=format_number(found.neighbours.max() - found.neighbours.min()),
                farthest=format_number(found.distance.max()),
            )
        )
        st.markdown(
            words["smooth learned"].format(
                model=turn.LEARNED,
                width=runs.model(turn.LEARNED).config.d_model,
                low=format_number(learned.neighbours.min()),
                high=format_number(learned.neighbours.max()),
                smallest=format_number(learned.smallest),
                first=learned.closest[0],
                second=learned.closest[1],
            )
        )
        n = SHOWN - 1
        rest = [None] * (n - len(learned.neighbours))
        takeaway(
            "neighbours",
            {
                "from position": list(range(n)),
                "to position": list(range(1, SHOWN)),
                SINUSOIDS: found.neighbours.tolist(),
                ITS_TABLE: [*learned.neighbours.tolist(), *rest],
            },
            "Distance to the next position",
            downloads.Picture(draw, "Distance to the next position"),
            about=f"Sinusoids of {width} columns; the positions that {turn.LEARNED} learned",
        )


def _relative(width: int, words: Words) -> None:
    """Dots by offset, and the turn; their controls stand where both are in sight."""
    st.subheader("Relative", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom", key="offset_row"):
        position = choice.position()
        fixed = chrome.locked("position")
        st.number_input(
            "Offset k", 1, FARTHEST, key="pe_offset", help="How many positions on.", disabled=fixed, width=130
        )
        st.selectbox(
            "Pair",
            range(width // 2),
            key="pe_pair",
            help="Whose turn is written out: columns 2i and 2i + 1.",
            disabled=fixed,
            width=90,
        )
    offset, pair = st.session_state["pe_offset"], st.session_state["pe_pair"]
    encoding = sinusoids(SHOWN, width)
    found = dots_by_offset(encoding)
    left, right = st.columns([3, 2], gap="large")
    with left:

        def draw(look: Theme) -> Any:
            ends = found.lowest, found.highest
            return dots_by_offset_curve(found.offset, found.mean, *ends, marked=offset, title="", theme=look)

        st.altair_chart(draw(theme.current()), key="dots", theme=None)
    with right:
        st.markdown(
            words["dots"].format(
                offset=offset, dot=format_number(found.mean[offset]), spread=format_number(found.spread)
            )
        )
        st.markdown(words["dots exact" if found.spread < ROUNDING else "dots odd"].format(column=width - 1))
        takeaway(
            "dots",
            {
                "offset": found.offset.tolist(),
                "mean": found.mean.tolist(),
                "lowest": found.lowest.tolist(),
                "highest": found.highest.tolist(),
            },
            f"Dot products by offset, {width} columns",
            downloads.Picture(draw, "Dot product of two positions by their offset"),
            about=f"Sinusoids, {width} columns",
        )
    turn.show(position, width, offset, pair, words)
