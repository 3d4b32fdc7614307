"""What the lesson looks at: the part on show, a model's run, a layer, a word; its experiments and its question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.ui import chrome, link_table, models, runs, session, study
from pages.ui.training import task_named
from viz_model.figures.theme import format_number
from viz_model.training import studies

STUDY = "depth-6"
TITLES = {
    "diagram": "The block",
    "stream": "The stream",
    "norm": "The norm",
    "neurons": "The neurons",
    "start": "Depth, untrained",
    "training": "Depth, in training",
}
OF_THE_MODEL = ("diagram", "stream", "norm", "neurons")
LAYOUTS = {"pre": "pre-norm", "post": "post-norm"}
OTHER = {"pre": "post", "post": "pre"}
MOST_PILLS = 16  # words that stand side by side; of a longer text they are in a list
CHOICES = ["yes", "no"]
EXPERIMENTS = [
    (
        "Neurons that read context",
        "In the last layer, the neurons that the word alone explains least.",
        {"block_part": "neurons", "model": "english-causal", "layer": 2, "block_neurons": "context"},
    ),
    (
        "24 layers, neither norm nor residual",
        "How much of the gradient is left at the first layer?",
        {"block_part": "start", "block_depth": 24, "block_variants": ("pre-norm", "neither"), "block_small": True},
    ),
    (
        "24 layers that do not start small",
        "The residual path is there and the norms are not: each matrix starts as large as its width alone allows.",
        {
            "block_part": "start",
            "block_depth": 24,
            "block_variants": ("pre-norm", "post-norm", "no norm"),
            "block_small": False,
        },
    ),
]


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A model's run, and the layer and word on show."""

    name: str  # of the model
    run: runs.Run
    layer: int
    query: int

    @property
    def tokens(self) -> Sequence[str]:
        found: Sequence[str] = self.run.trace.tokens
        return found

    @property
    def word(self) -> str:
        """The chosen word, for markdown."""
        return chrome.literal(self.tokens[self.query])


def part() -> str:
    """The control that says which part of the lesson is on show."""
    st.segmented_control(
        "Part",
        link_table.BLOCK_PARTS,
        key="block_part",
        format_func=TITLES.get,
        required=True,
        disabled=chrome.locked("panel"),
        label_visibility="collapsed",
    )
    found: str = st.session_state["block_part"]
    return found


def choose() -> Lesson:
    """Draws the controls and runs the model on what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="sentence_row"):
        chrome.sentence("Any text. The pictures follow as you type.")
        models.select(disabled=chrome.locked("model"), width=320)
    chosen = runs.chosen()
    tokens = chosen.run.trace.tokens
    config = chosen.run.model.config
    with st.container(horizontal=True, vertical_alignment="bottom", key="layer_row"):
        if st.session_state["block_part"] != "stream":  # which shows all of them
            st.segmented_control(
                "Layer",
                range(config.n_layers),
                key="layer",
                required=True,
                width="content",
                disabled=chrome.locked("layer"),
            )
        if len(tokens) <= MOST_PILLS:
            st.pills(
                "Word",
                range(len(tokens)),
                key="query",
                format_func=lambda i: chrome.literal(tokens[i]),
                required=True,
                wrap=True,
                width="content",
                disabled=chrome.locked("word"),
            )
        else:
            st.selectbox(
                "Word",
                range(len(tokens)),
                key="query",
                format_func=lambda i: f"{i}: {tokens[i]}",
                width=240,
                disabled=chrome.locked("word"),
            )
        if st.session_state["block_part"] == "diagram":
            own, other = LAYOUTS[config.norm_place], LAYOUTS[OTHER[config.norm_place]]
            st.segmented_control(
                "Layout",
                link_table.BLOCK_LAYOUTS,
                key="block_layout",
                format_func={"own": f"{own}, as trained", "other": f"{other}, drawn only"}.get,
                required=True,
                width="content",
                disabled=chrome.locked("panel") or config.norm == "none",
            )
    if st.session_state["edits"]:
        session.note("The edits of the workbench are not in force here: these are the model's own numbers.")
    return Lesson(st.session_state["model"], chosen.run, chosen.layer, chosen.query)


def equation(of: str, lesson: Lesson | None, words: Mapping[str, str]) -> None:
    """The equation of the part on show; the diagram's in the layout that is drawn."""
    if not chrome.shown("equation"):
        return
    if of == "diagram" and lesson is not None:
        of = place_on_show(lesson)
    elif of == "norm" and lesson is not None:
        of = f"norm {lesson.run.model.config.norm}"
    st.latex(words[f"equation {of}"])


def place_on_show(lesson: Lesson) -> str:
    """Where the drawn block has its norms: 'pre' or 'post'."""
    own: str = lesson.run.model.config.norm_place
    return own if st.session_state["block_layout"] == "own" else OTHER[own]


def does_it_learn(words: Mapping[str, str]) -> tuple[str, str]:
    """Whether norms alone let a stack learn: from the viewer's own runs once they have ended, else the recorded."""
    arms, kind = study.arms(STUDY), "your own" if study.is_live(STUDY) else "recorded"
    metric = task_named(arms["pre-norm"].recipe.task).metric
    if not all(metric in arm.measures for arm in arms.values()):
        arms, kind = studies.recorded(STUDY), "recorded"
    right = {name: arm.measures[metric][0] or 0.0 for name, arm in arms.items()}
    learns = right["pre-norm, no residual"] > right["pre-norm"] / 2
    said = words["answer"].format(
        kind=kind,
        steps=arms["pre-norm"].recipe.steps,
        without=format_number(right["pre-norm, no residual"]),
        neither=format_number(right["neither"]),
        both=format_number(right["pre-norm"]),
    )
    return CHOICES[0 if learns else 1], f"{said} {words['answer yes' if learns else 'answer no']}"
