"""What the lesson has on show: its part, a position, a width; its experiments; and what is below every picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from pages.ui import chrome, downloads, link_table
from viz_model.figures.position_tables import columns_table

TITLES = {
    "picture": "Picture and clocks",
    "properties": "Unique, smooth, relative",
    "further": "Beyond the trained length",
    "order": "The same words in another order",
}
SHOWN = 64  # positions of the encoding on show
WIDEST = 96
EXPERIMENTS = [
    (
        "One clock alone",
        "Two columns are one clock, which is back where it was after a turn. Which positions does it confuse?",
        {"positions_part": "properties", "pe_width": 2, "pe_position": 4, "pe_offset": 44, "pe_pair": 0},
    ),
    (
        "An odd width",
        "Seven columns: three clocks, and a sine that has no cosine.",
        {"positions_part": "picture", "pe_width": 7, "pe_position": 20},
    ),
    (
        "Who sees whom?",
        "“The dog sees the cat” has the words of “the cat sees the dog”. What is left without positions?",
        {
            "positions_part": "order",
            "model": "english-masked",
            "order_first": "the dog sees the cat",
            "order_second": "the cat sees the dog",
            "order_mask": "full",
        },
    ),
]
Words = Mapping[str, str]
Show = Callable[[], None]  # draws a part's pictures, when its controls and the notes stand


def part() -> str:
    """The control that says which part of the lesson is on show."""
    st.segmented_control(
        "Part",
        link_table.POSITIONS_PARTS,
        key="positions_part",
        format_func=TITLES.get,
        required=True,
        label_visibility="collapsed",
        disabled=chrome.locked("panel"),
    )
    found: str = st.session_state["positions_part"]
    return found


def position() -> int:
    """The control of the position that is looked at."""
    st.slider(
        "Position",
        0,
        SHOWN - 1,
        key="pe_position",
        help="Where in the text. Arrow keys move it by one.",
        disabled=chrome.locked("position"),
        width="stretch",
    )
    found: int = st.session_state["pe_position"]
    return found


def width() -> int:
    """The control of the encoding's width."""
    st.number_input(
        "Width (d_model)",
        2,
        WIDEST,
        key="pe_width",
        help=f"Columns of the encoding, 2 to {WIDEST}: two are a clock. Odd widths end on a sine without its cosine.",
        disabled=chrome.locked("position"),
        width=170,
    )
    found: int = st.session_state["pe_width"]
    return found


def takeaway(
    name: str, columns: Mapping[str, Sequence[object]], caption: str, *drawn: downloads.Picture, about: str = ""
) -> None:
    """The numbers of a picture as a table, and what can be taken of it, below it; `about` stands in its files.

    Numbers that have no picture are a CSV.
    """
    with st.container(horizontal=True, vertical_alignment="center", key=f"under_{name}"):
        if st.button("As a table", key=f"table_{name}", icon=":material/table:", help="The numbers of this picture."):
            _dialog(columns, caption)
        if chrome.shown("downloads"):
            if drawn:
                downloads.menu(name, columns, *drawn, caption=about or caption)
            else:
                downloads.csv_button(name, columns)


@st.dialog("The numbers of the picture", width="large")
def _dialog(columns: Mapping[str, Sequence[object]], caption: str) -> None:
    st.html(columns_table(columns, caption=caption))
