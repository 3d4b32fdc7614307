"""What the lesson compares in this run: the section on show, the names of the bodies, the experiments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st

from pages.ui import chrome, link_table

TITLES = {
    "recall": "Look up a number",
    "first": "Remember a letter",
    "gradient": "Gradient by distance",
    "costs": "What it costs",
    "steps": "Step by step",
    "field": "What a CNN sees",
    "bottleneck": "What is kept",
}
EXPERIMENTS = [
    (
        "Give the LSTM a forget bias",
        "One letter, 50 tokens back. The bias is the only change: watch the LSTM's curve.",
        {"comparison": "first", "distance": "50", "forgets": True, "wide": True},
    ),
    (
        "One step beyond what the CNN sees",
        "It sees 63 tokens, the last one included: at distance 62 something is left, at 63 nothing.",
        {"comparison": "gradient", "far": 63, "wide": True},
    ),
    (
        "Twice as long",
        "32 tokens instead of 16, after two steps: who is finished?",
        {"comparison": "steps", "stepped": "32", "tick": 2},
    ),
]
SHORT = {
    "attention": "attention",
    "rnn": "RNN",
    "lstm": "LSTM",
    "lstm-forget": "LSTM",
    "cnn": "CNN",
    "cnn-narrow": "CNN",
}


def choose() -> str:
    """The sections; gives the one on show."""
    st.segmented_control(
        "Compare",
        link_table.COMPARISONS,
        key="comparison",
        format_func=TITLES.get,
        required=True,
        wrap=True,
        label_visibility="collapsed",
        disabled=chrome.locked("panel"),
    )
    found: str = st.session_state["comparison"]
    return found


def variants() -> None:
    """The two switches: the LSTM's forget bias, the CNN's gaps."""
    off = chrome.locked("bodies")
    st.toggle(
        "LSTM with a forget bias",
        key="forgets",
        disabled=off,
        help="Its forget gates start nearly open, so that the cell keeps what is in it.",
    )
    st.toggle(
        "CNN with widening gaps",
        key="wide",
        disabled=off,
        help="Each layer reads twice as far apart as the one below: 63 tokens instead of 11.",
    )


def on_show() -> tuple[str, ...]:
    """The bodies that the two switches let through, by their names in the study."""
    state = st.session_state
    return "attention", "lstm-forget" if state["forgets"] else "lstm", "cnn" if state["wide"] else "cnn-narrow", "rnn"


def named(body: str, *, forget_bias: float = 0.0, sees: int | None = None) -> str:
    """A body as a legend names it."""
    name = SHORT[body]
    if forget_bias:
        name += f", forget bias {forget_bias:g}"
    if sees is not None:
        name += f", sees {sees}"
    return name


def joined(parts: Iterable[str]) -> str:
    """'a, b and c'."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def fill(words: Mapping[str, str], section: str, **values: object) -> None:
    """One section of the page's words, its numbers put in."""
    st.markdown(words[section].format(**values))
