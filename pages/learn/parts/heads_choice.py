"""What the lesson is about in this run: a model and its measured heads, one head of it, a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from pages.learn.parts.heads_tables import atlas
from pages.ui import chrome, models, runs, session
from viz_model.analysis.atlas import Atlas, AtlasHead
from viz_model.analysis.held_out_heads import MEASURED

RULES = {"text": "The new government with three new rules", "model": "english-causal", "query": 7, "key": 3}
EXPERIMENTS = [
    (
        "The head that agreement needs",
        "“rules” stands before the verb and reads “government”. Without this head “are” becomes likelier than “is”.",
        {**RULES, "layer": 2, "head": 2, "heads_panel": "without", "kept": "without"},
    ),
    (
        "The head that reads the subject in vain",
        "Here too “rules” reads “government”. Look at what changes without this head.",
        {**RULES, "layer": 2, "head": 0, "heads_panel": "without", "kept": "without"},
    ),
    (
        "An induction head",
        "Letters that repeat: each reads what came after it the last time.",
        {
            "model": "induction",
            "text": models.CARDS["induction"][1],
            "layer": 1,
            "head": 0,
            "query": 13,
            "key": 4,
            "heads_panel": "reads",
        },
    ),
]


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What the whole page looks at."""

    name: str  # of the model
    run: runs.Run
    layer: int
    head: int
    query: int
    key: int
    atlas: Atlas | None  # of this model, where it was measured

    @property
    def chosen(self) -> AtlasHead | None:
        """The measures of the head on show."""
        return None if self.atlas is None else self.atlas.at(self.layer, self.head)

    @property
    def called(self) -> str:
        return called(self.layer, self.head)


def choose(words: Mapping[str, str]) -> Lesson:
    """Draws the controls and runs the model on what they say."""
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="bottom", key="sentence_row"):
        chrome.sentence("Any text. The map follows as you type; the atlas is of many held-out sentences.")
        models.select(disabled=chrome.locked("model"), width=300)
        chosen = runs.chosen()
        config = chosen.run.model.config
        for name, n in (("layer", config.n_layers), ("head", config.n_heads)):
            st.selectbox(
                name.capitalize(),
                range(n),
                key=name,
                help="Or click a head in the atlas.",
                disabled=chrome.locked(name),
                width=96,
            )
    key = session.keep_within("key", 0, len(chosen.run.reading.encoding) - 1, "positions")
    name = state["model"]
    measured = atlas(name) if name in MEASURED else None
    if measured is None:
        session.note(words["not measured"])
    return Lesson(name, chosen.run, chosen.layer, chosen.head, chosen.query, key, measured)


def called(layer: int, head: int) -> str:
    """A head as a sentence names it."""
    return f"layer {layer}, head {head}"
