"""The lesson's state: which example, which word reads, which step, what was changed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import streamlit as st

import viz_model as vm
from pages.ui import chrome, models, runs, session
from viz_model.computation import Step
from viz_model.link import softmax_row
from viz_model.textbook import TOKENS, Change, WhatIf

MODES = {"textbook": "Textbook", "sentence": "Your sentence"}
MOST_PILLS = 24  # words to click; a longer sentence has a list


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What the page walks through in this run."""

    steps: tuple[Step, ...]
    tokens: tuple[str, ...]
    query: int  # the word that reads
    textbook: bool
    changes: tuple[Change, ...]
    weights: tuple[float, ...]  # of the word that reads
    attention: Any  # the layer's trace
    head: int
    scaled: bool  # whether its scores were divided by √d_k


def choose() -> Lesson:
    """Draws the controls and computes the example."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="lesson_row"):
        st.segmented_control(
            "Example",
            list(MODES),
            key="mode",
            format_func=MODES.get,
            required=True,
            label_visibility="collapsed",
            disabled=chrome.locked("mode"),
        )
        textbook = st.session_state["mode"] == "textbook"
        if not textbook:
            _sentence_controls()
    return _textbook() if textbook else _sentence()


def walk(lesson: Lesson) -> Step:
    """Back, the steps, Next; the arrow keys do the same. Returns the step that is on show."""
    names = [step.name for step in lesson.steps]
    state = st.session_state
    if state["step"] not in names:  # the textbook example has no norm
        state["step"] = "qkv"
    at = names.index(state["step"])
    with st.container(horizontal=True, vertical_alignment="center", key="walk"):
        _move("Back", names[max(at - 1, 0)], at == 0, "Left")
        st.segmented_control(
            "Step",
            names,
            key="step",
            format_func=lambda name: str(names.index(name) + 1),
            required=True,
            label_visibility="collapsed",
            on_change=session.put,
            kwargs={"cell": ""},
            disabled=chrome.locked("step"),
        )
        _move("Next", names[min(at + 1, len(names) - 1)], at == len(names) - 1, "Right")
    st.subheader(f"{at + 1} / {len(names)}  {lesson.steps[at].title}", anchor=False)
    _words(lesson)
    return lesson.steps[at]


def what_if(lesson: Lesson) -> None:
    """Other rules for the textbook's numbers, and the way back."""
    if not lesson.textbook or not chrome.shown("what_if"):
        return
    off = chrome.locked("what_if")
    with st.container(horizontal=True, vertical_alignment="center", key="what_if"):
        st.markdown("**What if:**", width="content")
        st.toggle("scaled by 1/√d_k", key="scaled", disabled=off)
        st.toggle("causal mask", key="causal", help="No word reads what comes after it.", disabled=off)
        st.slider(
            "Temperature",
            0.1,
            10.0,
            key="softmax_temperature",
            step=0.1,
            width=260,
            disabled=off,
            help="Scores are divided by it too: below 1 sharpens the softmax, above 1 flattens it.",
        )
        st.button(
            "Reset the numbers",
            key="reset",
            on_click=session.put,
            kwargs={"changes": (), "scaled": True, "causal": False, "softmax_temperature": 1.0},
            disabled=off or (not lesson.changes and _rules() == WhatIf()),
        )


def change(value: Change) -> None:
    """Takes a number set by hand into the state; a number set back to what it would be is no change."""
    others = tuple(code for code in st.session_state["changes"] if not _same_cell(code, value))
    back = math.isclose(_computed(value, others), value.value, rel_tol=1e-6, abs_tol=1e-6)
    session.put(changes=others if back else (*others, value.code))


def without_scaling(lesson: Lesson) -> tuple[str, str]:
    """What the largest weight of the word that reads does without the division by √d_k, on the numbers as they are."""
    attention, root = lesson.attention, math.sqrt(lesson.attention.q.shape[-1])
    scales = (attention.scale, attention.scale * root) if lesson.scaled else (attention.scale / root, attention.scale)
    rows = [softmax_row(attention, head=lesson.head, query=lesson.query, scale=scale) for scale in scales]
    divided, plain = (float(row.max()) for row in rows)
    right = "stay" if abs(plain - divided) < 5e-4 else "grow" if plain > divided else "shrink"
    word = chrome.literal(lesson.tokens[lesson.query])
    return right, f"For “{word}” it is {divided:.3f} with the division and {plain:.3f} without."


def _textbook() -> Lesson:
    changes = _changes()
    query = session.keep_within("word", 0, len(TOKENS) - 1, "words")
    made = vm.textbook_example(query=query, changes=changes, what_if=_rules())
    weights = tuple(made.attention.weights[0, 0, query].tolist())
    return Lesson(made.steps, TOKENS, query, True, changes, weights, made.attention, 0, st.session_state["scaled"])


def _sentence() -> Lesson:
    chosen = runs.chosen()
    run, layer, head, query = chosen.run, chosen.layer, chosen.head, chosen.query
    steps = vm.steps(run.model, run.trace, layer=layer, head=head, query=query)
    attention = run.trace.blocks[layer].attention
    weights = tuple(attention.weights[0, head, query].tolist())
    if st.session_state["edits"]:
        st.caption("The edits of the workbench are not in force here: these are the model's own numbers.")
    return Lesson(steps, run.trace.tokens, query, False, (), weights, attention, head, run.model.config.scaled)


def _sentence_controls() -> None:
    state = st.session_state
    st.text_input(
        "Sentence",
        key="text",
        live="200ms",
        placeholder="Type a sentence",
        width="stretch",
        label_visibility="collapsed",
        disabled=chrome.locked("text"),
    )
    models.select(width=200, label_visibility="collapsed", disabled=chrome.locked("model"))
    config = runs.model(state["model"]).config
    for key, n, label in (("layer", config.n_layers, "Layer"), ("head", config.n_heads, "Head")):
        session.keep_within(key, 0, n - 1, f"{key}s")
        st.selectbox(
            label,
            range(n),
            key=key,
            format_func=lambda i, label=label: f"{label} {i}",
            width=110,
            label_visibility="collapsed",
            disabled=chrome.locked(key),
        )


def _words(lesson: Lesson) -> None:
    """The words; the one that reads is chosen."""
    key = "word" if lesson.textbook else "query"
    options = range(len(lesson.tokens))

    def label(i: int) -> str:
        return chrome.literal(lesson.tokens[i])

    if len(lesson.tokens) <= MOST_PILLS:
        st.pills(
            "The word that reads", options, key=key, format_func=label, required=True, disabled=chrome.locked("word")
        )
    else:
        st.selectbox(
            "The word that reads",
            options,
            key=key,
            format_func=lambda i: f"{i}: {lesson.tokens[i]}",
            disabled=chrome.locked("word"),
        )


def _move(label: str, to: str, end: bool, shortcut: str) -> None:
    st.button(
        label,
        key=label.lower(),
        disabled=end or chrome.locked("step"),
        shortcut=shortcut,
        on_click=session.put,
        kwargs={"step": to, "cell": ""},
    )


def _rules() -> WhatIf:
    state = st.session_state
    return WhatIf(state["scaled"], state["causal"], state["softmax_temperature"])


def _changes() -> tuple[Change, ...]:
    made = []
    for code in st.session_state["changes"]:
        try:
            made.append(Change.parse(code))
        except ValueError as error:
            session.note(f"A changed number in the link was not read ({error})")
    if len(made) < len(st.session_state["changes"]):
        session.put(changes=tuple(value.code for value in made))
    return tuple(made)


def _computed(value: Change, others: tuple[str, ...]) -> float:
    """What the cell of a change holds without it."""
    example = vm.textbook_example(changes=tuple(Change.parse(code) for code in others))
    equations = [equation for step in example.steps for equation in step.equations]
    matrices = [matrix for equation in equations for matrix in (*equation.operands, equation.result)]
    found = next(matrix for matrix in matrices if matrix.name == value.matrix)
    return float(found.values[value.row, value.column])


def _same_cell(code: str, value: Change) -> bool:
    return code.rpartition(":")[0] == value.code.rpartition(":")[0]
