"""How well the heads find each relation in held-out sentences, beside the best that a fixed offset does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.learn.parts.self_attention_choice import Lesson, table
from pages.ui import chrome, downloads
from viz_model.analysis.held_out_relations import MEASURED
from viz_model.analysis.relations import ERRORS, FEWEST, RelationScore
from viz_model.figures.relation_pictures import relation_accuracies
from viz_model.figures.theme import format_number

CHOICES = ["more often than not", "no more than half the time"]
OFFSETS = {
    -2: "two words before",
    -1: "the word just before",
    0: "the word it stands on",
    1: "the word just after",
    2: "two words on",
}
HEADS = {"best": "The best head of each relation", "shown": "The head on show"}


def verdict(lesson: Lesson, words: Mapping[str, str]) -> None:
    """The chosen relation: is its best head better than an offset?"""
    score = lesson.score
    if score is None or lesson.table is None:
        return
    layer, head = score.best
    with st.container(key="verdict"):
        st.subheader(f"{score.relation}: {score.verdict}", anchor=False)
        st.markdown(
            words["verdict"].format(
                layer=layer,
                head=head,
                n_heads=len(score.accuracy) * len(score.accuracy[0]),
                n_choosing=f"{lesson.table.n_choosing:,}",
                n=f"{score.n:,}",
                n_sentences=f"{score.n_sentences:,}",
                accuracy=format_number(score.at(score.accuracy)),
                offset=offset_in_words(score.offset),
                offset_accuracy=format_number(score.offset_accuracy),
                chance=format_number(score.chance_accuracy),
            )
        )
        st.markdown(words[f"is {score.verdict}"])
        if (lesson.layer, lesson.head) != score.best:
            st.markdown(
                words["own head"].format(
                    layer=lesson.layer,
                    head=lesson.head,
                    accuracy=format_number(score.accuracy[lesson.layer][lesson.head]),
                )
            )


def relations(lesson: Lesson, words: Mapping[str, str]) -> None:
    """All relations, read as chosen, as a table that is the picture too; and which a head finds, which an offset."""
    if lesson.table is None:
        return
    rows = [score for score in lesson.table.scores if score.reading == lesson.reading]
    st.subheader("Found by attention, or by counting words?", anchor=False)
    st.markdown(_sides(rows, words))
    st.segmented_control(
        "In the table", list(HEADS), key="scored", format_func=HEADS.get, required=True, label_visibility="collapsed"
    )
    shown = None if st.session_state["scored"] == "best" else (lesson.layer, lesson.head)
    caption = words["table"].format(
        model=lesson.name, n_scoring=f"{lesson.table.n_scoring:,}", n_choosing=f"{lesson.table.n_choosing:,}"
    )
    st.html(relation_accuracies(rows, shown=shown, errors=ERRORS, caption=caption))
    if chrome.shown("downloads"):
        ends = [score.best if shown is None else shown for score in rows]
        downloads.csv_button(
            "relations",
            {
                "model": [lesson.name] * len(rows),
                "relation": [score.relation for score in rows],
                "reading": [score.reading for score in rows],
                "questions": [score.n for score in rows],
                "layer": [layer for layer, _ in ends],
                "head": [head for _, head in ends],
                "accuracy": [s.accuracy[i][j] for s, (i, j) in zip(rows, ends, strict=True)],
                "standard error of accuracy - offset accuracy": [
                    s.error[i][j] for s, (i, j) in zip(rows, ends, strict=True)
                ],
                "weight on the right word": [s.weight[i][j] for s, (i, j) in zip(rows, ends, strict=True)],
                "offset": [score.offset for score in rows],
                "offset accuracy": [score.offset_accuracy for score in rows],
                "accuracy of a random word": [score.chance_accuracy for score in rows],
                "best head is": [score.verdict for score in rows],
            },
        )


def ask(lesson: Lesson, words: Mapping[str, str]) -> str:
    """The question, on the chosen relation where the offset is wrong often enough to tell."""
    model, score = _asked(lesson)
    return words["question"].format(
        model=model,
        relation=score.relation,
        offset=offset_in_words(score.offset),
        offset_accuracy=format_number(score.offset_accuracy),
        n_missed=f"{score.n_missed:,}",
    )


def where_the_offset_fails(lesson: Lesson, words: Mapping[str, str]) -> tuple[str, str]:
    """Whether the best head is mostly right where its offset is wrong, from the table."""
    _, score = _asked(lesson)
    share = score.at(score.accuracy_missed)
    layer, head = score.best
    right = CHOICES[0] if share > 0.5 else CHOICES[1]
    return right, words["answer"].format(
        layer=layer, head=head, share=format_number(share), n_missed=f"{score.n_missed:,}"
    ) + " " + words["answer yes" if share > 0.5 else "answer no"]


def offset_in_words(offset: int) -> str:
    """The word that a fixed offset reads, as seen from the word that reads."""
    return OFFSETS.get(offset) or f"{abs(offset)} words {'before' if offset < 0 else 'on'}"


def _asked(lesson: Lesson) -> tuple[str, RelationScore]:
    """Model and row that the question is on: the subject's, where the chosen one says too little."""
    if lesson.score is not None and lesson.score.n_missed >= FEWEST:
        return lesson.name, lesson.score
    name, reading = (lesson.name, lesson.reading) if lesson.table is not None else (MEASURED[0], "back")
    score = table(name).find("subject-verb", reading)
    assert score is not None
    return name, score


def _sides(rows: Sequence[RelationScore], words: Mapping[str, str]) -> str:
    """Which relations a head finds, which an offset finds as well, and on which too little is known."""
    lines = []
    for side in ("better than any offset", "no better than an offset", "too few sentences to tell"):
        names = [f"{score.relation} ({_pair(score)})" for score in rows if score.verdict == side]
        if names:
            lines.append(words[f"side {side}"].format(n=len(names), of=len(rows), names=", ".join(names)))
    return "\n\n".join(lines)


def _pair(score: RelationScore) -> str:
    return f"{format_number(score.at(score.accuracy))} against {format_number(score.offset_accuracy)}"
