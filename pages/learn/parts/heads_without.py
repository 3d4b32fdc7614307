"""The model without each head: on the sentence, and on held-out texts, as recorded or measured now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import streamlit as st

from pages.learn.parts.heads_choice import Lesson, called
from pages.learn.parts.heads_pair import ITS_MODEL, MATTERS, in_vain
from pages.learn.parts.heads_tables import measured, recorded
from pages.ui import chrome, downloads, link_table, runs, session
from viz_model.analysis.ablation_table import Ablation, AblationTable, ablation_edits
from viz_model.analysis.held_out_heads import MEASURED
from viz_model.figures.atlas_picture import ablation_picture
from viz_model.figures.prediction_strip import prediction_strip
from viz_model.figures.theme import format_number
from viz_model.prediction import predict

KEPT = {"without": "Without one head", "only": "Only one head of its layer"}
CANDIDATES = 4  # of the whole model, and of the one under ablation
FEWER = 0.02  # below it, that it does not


def show(lesson: Lesson, words: Mapping[str, str]) -> Callable[[], None]:
    """Draws the sentence's predictions and the recorded table, or a place for the table measured now.

    The function that comes back measures and draws there, when all else stands.
    """
    st.markdown(words["without"])
    now, known = st.session_state["measured_now"], lesson.name in MEASURED
    with st.container(horizontal=True, vertical_alignment="center", key="without_row"):
        st.segmented_control(
            "Ablation",
            link_table.KEPT,
            key="kept",
            format_func=KEPT.get,
            required=True,
            label_visibility="collapsed",
            disabled=chrome.locked("panel"),
        )
        st.button(
            "Back to the recorded numbers" if now else "Measure it now",
            key="measure",
            icon=":material/history:" if now else ":material/speed:",
            help=None if now else "Runs the model without each head again, on fewer texts: some seconds.",
            on_click=session.put,
            kwargs={"measured_now": not now},
            disabled=chrome.locked("panel") or not known,
        )
    _on_the_sentence(lesson, words)
    if not known:
        st.markdown(words["no table"])
        return lambda: None
    if not now:
        _draw(lesson, words, recorded(lesson.name), words["recorded"])
        return lambda: None
    place = st.container(key="measured_place")

    def fill() -> None:
        with place:
            with st.spinner("Running the model without each head…"):
                table, seconds = measured(lesson.name)
            _draw(lesson, words, table, words["measured"].format(seconds=format_number(seconds)))

    return fill


def _on_the_sentence(lesson: Lesson, words: Mapping[str, str]) -> None:
    """What the model says of the sentence, in whole and under the ablation."""
    kind, model, reading = st.session_state["kept"], lesson.run.model, lesson.run.reading
    edits = ablation_edits(model.config.n_heads, kind, lesson.layer, lesson.head)
    other = runs.run(lesson.name, reading.text, tuple(edit.code for edit in edits))
    before, after = (
        predict(model, run.trace, reading.encoding, lesson.query).distribution for run in (lesson.run, other)
    )
    asks = predict(model, lesson.run.trace, reading.encoding, lesson.query).asks
    likely = {one.id for said in (before, after) for one in said.candidates(CANDIDATES)}
    ids = sorted(likely, key=lambda i: -float(before.probabilities[i]))
    caption = words[f"sentence {kind}"].format(asks=asks, head=lesson.called)
    st.html(
        prediction_strip(
            [model.tokenizer.token(i) for i in ids],
            [float(after.probabilities[i]) for i in ids],
            before=[float(before.probabilities[i]) for i in ids],
            caption=caption,
        )
    )


def _draw(lesson: Lesson, words: Mapping[str, str], table: AblationTable, source: str) -> None:
    kind = st.session_state["kept"]
    rows = (*(table.without if kind == "without" else table.only), *table.none)
    row, whole = table.of(kind, lesson.layer, lesson.head), table.whole
    verbs = words["verbs"].format(n=f"{table.n_choices:,}") if table.n_choices else ""
    corpus = words["corpus"].format(n_texts=f"{table.n_texts:,}", n_asked=f"{table.n_asked:,}", verbs=verbs)
    hidden = words["hidden"] if lesson.name == "english-masked" else ""
    st.markdown(f"{source} {corpus} {hidden}")
    left, right = st.columns([5, 2], gap="medium")
    with left:
        st.html(
            ablation_picture(
                whole,
                rows,
                selected=(lesson.layer, lesson.head),
                agreement="verb agrees",
                caption=f"{lesson.name}: {KEPT[kind].lower()}",
            )
        )
        if chrome.shown("downloads"):
            downloads.csv_button("ablation", _columns(lesson, table, source))
    with right:
        st.markdown(
            words[f"lost {kind}"].format(
                head=lesson.called,
                before=format_number(whole.loss),
                after=format_number(row.loss),
                accuracy_before=format_number(whole.accuracy),
                accuracy=format_number(row.accuracy),
            )
        )
        if row.agreement is not None and whole.agreement is not None:
            st.markdown(
                words["agreement"].format(before=format_number(whole.agreement), after=format_number(row.agreement))
                + _needed(whole, row, words, kind)
            )
            most = min(table.without, key=lambda one: one.agreement or 0.0)
            name = lesson.atlas.at(most.layer or 0, most.head or 0).role if lesson.atlas is not None else "mixed"
            st.markdown(
                words["most"].format(
                    head=called(most.layer or 0, most.head or 0),
                    agreement=format_number(most.agreement or 0.0),
                    name=name,
                )
            )
        if st.session_state["measured_now"]:
            st.markdown(_recorded(lesson, words, kind))
        if lesson.name == ITS_MODEL and kind == "without":
            st.markdown(in_vain(table, words))


def _needed(whole: Ablation, row: Ablation, words: Mapping[str, str], kind: str) -> str:
    """Whether the agreement falls, in words, where that is clear."""
    lost = (whole.agreement or 0.0) - (row.agreement or 0.0)
    if lost > MATTERS:
        return " " + words[f"{kind} falls"]
    return " " + words[f"{kind} stays"] if lost < FEWER else ""


def _recorded(lesson: Lesson, words: Mapping[str, str], kind: Literal["without", "only"]) -> str:
    """What the recorded table says of the same head, beside what was measured now."""
    table = recorded(lesson.name)
    row = table.of(kind, lesson.layer, lesson.head)
    said = words["beside"].format(n_texts=f"{table.n_texts:,}", loss=format_number(row.loss))
    if row.agreement is not None:
        said += " " + words["beside verb"].format(agreement=format_number(row.agreement))
    return said


def _columns(lesson: Lesson, table: AblationTable, source: str) -> dict[str, list[object]]:
    rows = [table.whole, *table.without, *table.only, *table.none]
    columns: dict[str, list[object]] = {"model": [lesson.name] * len(rows)}
    columns |= {
        f: [getattr(row, f) for row in rows] for f in ("kept", "layer", "head", "loss", "accuracy", "agreement")
    }
    columns["numbers"] = ["measured now" if st.session_state["measured_now"] else "as recorded"] * len(rows)
    return columns
