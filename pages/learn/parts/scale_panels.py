"""Under the row, one panel at a time: every width at once, a trained model's heads, and training without the scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from pages.learn.parts import scale_trained, scale_training, scale_widths
from pages.learn.parts.scale_row import Drawn
from pages.ui import chrome, link_table

TITLES = {
    "widths": "At every width",
    "trained": "In a trained model",
    "training": "Trained without it",
}
EXPERIMENTS = [
    (
        "d_k = 1024 without the scale",
        "One key takes all, and the gradient is next to nothing.",
        {"d_k": 1024, "scale_panel": "widths"},
    ),
    (
        "d_k = 1",
        "One component: there is nothing to divide.",
        {"d_k": 1, "scale_panel": "widths"},
    ),
    (
        "A trained head without its scale",
        "What “are” reads in one head of a trained model: with its scale several words, without it a single one.",
        {
            "scale_panel": "trained",
            "text": "The keys to the cabinet are on the table",
            "model": "english-masked",
            "layer": 1,
            "head": 1,
            "query": 6,
        },
    ),
]


def show(drawn: Drawn, words: Mapping[str, str]) -> Callable[[], None]:
    """Draws the chosen panel; what is slow in it is drawn by the function that comes back, when all else stands."""
    if not chrome.shown("panels"):
        return _nothing
    st.segmented_control(
        "Look closer",
        link_table.SCALE_PANELS,
        key="scale_panel",
        format_func=TITLES.get,
        required=True,
        disabled=chrome.locked("panel"),
    )
    panel = st.session_state["scale_panel"]
    if panel == "widths":
        return scale_widths.show(drawn, words)
    if panel == "trained":
        scale_trained.show(words)
    else:
        scale_training.show(words)
    return _nothing


def _nothing() -> None:
    """All is drawn."""
