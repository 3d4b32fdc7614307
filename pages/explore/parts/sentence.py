"""The controls at the top: sentence, model, second sentence, and how to look. They make the bench."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.ui import chrome, models, runs, session
from viz_model.display import Lens, Shown, shown
from viz_model.encoding import Encoding


@dataclass(frozen=True, slots=True, eq=False)
class Bench:
    """What the whole page looks at in this run."""

    name: str
    text_b: str
    edits: tuple[str, ...]
    run: runs.Run  # after the edits
    before: runs.Run  # without any; the same run where there are no edits
    shown: Shown
    lens: Lens
    layer: int
    head: int
    query: int  # positions, whatever the lens shows
    key: int

    @property
    def trace(self) -> Any:
        return self.run.trace

    @property
    def attention(self) -> Any:
        """The chosen layer's attention trace."""
        return self.trace.blocks[self.layer].attention


def choose() -> Bench:
    """Draws the controls and runs the model on what they say."""
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="bottom", key="sentence_row"):
        chrome.sentence("Any text. The picture follows as you type.")
        models.select(disabled=chrome.locked("model"), width=320)
        _how_to_look()
    chosen = runs.chosen()
    name, text, before = state["model"], chosen.text, chosen.run
    n = len(before.reading.encoding)
    key = session.keep_within("key", 0, n - 1, "positions")
    edits = runs.usable_edits(name, text, state["edits"], state["text_b"])
    run = runs.run(name, text, edits, state["text_b"] if edits else "") if edits else before
    lens = _lens(run.reading.encoding)
    seen = shown(run.trace, run.reading.encoding, lens)
    first, last = lens.first, lens.last or n - 1
    if any(row.start < first or row.stop - 1 > last for row in seen.rows):
        session.note(f"There is nothing to show from position {first} to {last}, so all positions are shown.")
    return Bench(name, state["text_b"], edits, run, before, seen, lens, chosen.layer, chosen.head, chosen.query, key)


def _lens(encoding: Encoding) -> Lens:
    """How to look, as the controls say; a note where that would leave nothing to see."""
    state = st.session_state
    lens = Lens(state["hide_specials"], state["renormalise"], state["merge_words"], state["first"], state["last"])
    if lens.hide_specials and all(encoding.special):
        session.note("There is nothing but special tokens in this text, so they are not hidden.")
        lens = replace(lens, hide_specials=False)
    return lens


def _how_to_look() -> None:
    with st.popover("How to look", icon=":material/tune:"):
        st.toggle(
            "Hide special tokens",
            key="hide_specials",
            help="[BOS], [CLS], [SEP]: rows and columns go, the visible share is said.",
        )
        st.toggle(
            "Visible weights sum to 1", key="renormalise", help="Rescales what is visible when tokens are hidden."
        )
        st.toggle("Merge sub-words to words", key="merge_words", help="Keys summed, queries averaged.")
        st.number_input("First position", 0, 4095, key="first", help="The others are summed in one column, 'rest'.")
        st.number_input("Last position (0: to the end)", 0, 4095, key="last")
        st.text_input(
            "Second sentence",
            key="text_b",
            help="A head can be taken from a run on this one.",
            disabled=chrome.locked("text"),
        )
