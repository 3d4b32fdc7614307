"""The encoding as a picture and as clocks, at one position."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from pages.learn.parts import positions_choice as choice
from pages.learn.parts.positions_choice import SHOWN, Show, Words, takeaway
from pages.ui import downloads, theme
from viz_model.analysis.positions import clock_angles, wavelengths
from viz_model.figures.clocks import clocks, clocks_drawing
from viz_model.figures.position_pictures import marked_encoding
from viz_model.figures.theme import Theme, format_number
from viz_model.positions import sinusoids

MOST_CLOCKS = 6
TRAIL = 12  # earlier positions that leave a dot


def choose(words: Words) -> Show:
    with st.container(horizontal=True, vertical_alignment="bottom", key="encoding_row"):
        position, width = choice.position(), choice.width()
    return lambda: _show(position, width, words)


def _show(position: int, width: int, words: Words) -> None:
    encoding = sinusoids(SHOWN, width).numpy()
    left, right = st.columns(2, gap="large")
    with left:

        def draw(look: Theme) -> Any:
            return marked_encoding(encoding, position, theme=look)

        st.plotly_chart(draw(theme.current()), key="encoding", theme=None, config={"displayModeBar": False})
        columns = {str(i): encoding[:, i].tolist() for i in range(width)}
        takeaway(
            "encoding",
            {"position": list(range(SHOWN)), **columns},
            f"Positional encoding, {width} columns, by position",
            downloads.Picture(draw, "Positional encoding"),
            about=f"Sinusoids, {width} columns; position {position} is framed",
        )
        st.markdown(words["picture"].format(position=position, width=width))
    with right:
        _clocks(position, width, words)


def _clocks(position: int, width: int, words: Words) -> None:
    whole = width // 2  # pairs with both their sine and their cosine
    pairs = on_show(whole)
    angles, turns = clock_angles(position, width), wavelengths(width)
    trail = [clock_angles(earlier, width)[pairs] for earlier in range(max(0, position - TRAIL), position)]
    caption = words["clocks caption"].format(position=position)
    with st.container(key="clocks"):
        st.html(clocks(angles[pairs], turns[pairs], pairs=pairs, trail=trail or None, caption=caption))
        shown = angles[pairs].tolist()
        takeaway(
            "clocks",
            {
                "pair": pairs,
                "positions a turn": turns[pairs].tolist(),
                "angle (radians)": shown,
                "sine": np.sin(shown).tolist(),
                "cosine": np.cos(shown).tolist(),
            },
            f"Clocks at position {position}",
            downloads.Picture(
                lambda look: clocks_drawing(angles[pairs], turns[pairs], pairs=pairs, trail=trail or None, theme=look),
                f"Position {position} as clocks",
            ),
            about=f"Sinusoids, {width} columns",
        )
    few = f" {words['clocks few'].format(shown=len(pairs))}" if len(pairs) < whole else ""
    st.markdown(words["clocks"].format(n=whole, few=few))
    said = words["clocks turned"].format(
        position=position, first=format_number(position / turns[0]), turn=format_number(turns[0])
    )
    if whole > 1:
        last = whole - 1
        said += " " + words["clocks slowest"].format(
            pair=last, turn=format_number(turns[last]), share=format_number(position / turns[last])
        )
    st.markdown(said)
    if width % 2:
        st.markdown(words["odd picture"].format(width=width, column=width - 1, n=whole))


def on_show(n: int, most: int = MOST_CLOCKS) -> list[int]:
    """At most so many of n pairs, the first and the last among them, evenly apart."""
    if n <= most:
        return list(range(n))
    return [round(i * (n - 1) / (most - 1)) for i in range(most)]
