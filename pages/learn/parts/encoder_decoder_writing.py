"""The translation as it is written: the alignment, the three attentions, and the distribution over the next word."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from pages.learn.parts import encoder_decoder_matrices as matrices
from pages.learn.parts.encoder_decoder_choice import Lesson, Words, measured
from pages.ui import chrome, downloads, session, theme
from viz_model.analysis.translation import MODEL, without_head
from viz_model.figures.prediction_strip import prediction_strip
from viz_model.figures.svg_parts import framed_image
from viz_model.figures.theme import Theme, format_number
from viz_model.figures.translation_tables import Read, reads_table
from viz_model.figures.word_alignment import alignment_in_words, word_alignment

CANDIDATES = 8
CHOICES = ["yes, word for word", "no, something changes"]


def show(lesson: Lesson, words: Words) -> None:
    """Steps, alignment, matrix, next word."""
    layer, head = _cross_head()
    _steps(lesson)
    _alignment(lesson, words, layer, head)
    _said(lesson, words, layer, head)
    _next_word(lesson, words)
    matrices.show(lesson, words, layer, head)


def ask(words: Words) -> str:
    layer, head = measured().best
    return words["question"].format(layer=layer, head=head)


def without_the_best(lesson: Lesson, words: Words) -> tuple[str, str]:
    """Whether the French stays the same with the best head silenced: the model is run again."""
    layer, head = measured().best
    most = len(lesson.writing.written) + 8
    french = without_head(lesson.model, lesson.text, layer, head, most=most).french
    same = french == lesson.writing.french
    told = words["answer same" if same else "answer other"]
    return CHOICES[0 if same else 1], told.format(
        layer=layer,
        head=head,
        french=chrome.literal(" ".join(french)),
        own=chrome.literal(" ".join(lesson.writing.french)),
    )


def _cross(lesson: Lesson, layer: int, head: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """[written, source]"""
    found = lesson.writing.trace.decoder.blocks[layer].cross_attention.weights[0, head].numpy()
    return np.asarray(found, dtype=np.float32)


def _cross_head() -> tuple[int, int]:
    """The head of cross-attention on show: the best one as measured, or the chosen one."""
    state = st.session_state
    if state["best_head"] or state["translation_kind"] != "cross":
        return measured().best
    return state["translation_layer"], state["translation_head"]


def _steps(lesson: Lesson) -> None:
    off, n = chrome.locked("step"), len(lesson.writing.written)
    with st.container(horizontal=True, vertical_alignment="bottom", key="translation_steps"):
        st.toggle(
            "As it is written",
            key="by_word",
            help="On: only what has been written so far. Off: the whole sentence.",
            disabled=off,
        )
        for label, icon, change in (("Back", "arrow_back", -1), ("Next", "arrow_forward", 1)):
            to = lesson.step + 1 + change
            st.button(
                label,
                icon=f":material/{icon}:",
                key=f"translation_{label.lower()}",
                on_click=session.put,
                kwargs={"written_to": to, "by_word": True},
                disabled=off or not 1 <= to <= n,
            )
        if n > 1:
            st.slider("French word", 1, n, key="written_to", disabled=off, width=260)


def _alignment(lesson: Lesson, words: Words, layer: int, head: int) -> None:
    found, weights = lesson.writing, _cross(lesson, layer, head)
    n = lesson.step + 1 if st.session_state["by_word"] else len(found.written)
    at = lesson.step

    def draw(look: Theme) -> str:
        return word_alignment(found.source, found.written, weights, found.gold, shown=n, at=at, theme=look)

    said = alignment_in_words(found.source, found.written[:n], weights[:n])
    with st.container(key="alignment"):
        label = "What is read as each word is written"
        st.html(framed_image(draw(theme.current()), said=said, label=label, name="glass-alignment"))
    st.markdown(words["alignment"])
    rows = _rows(lesson, weights, n)
    with st.container(horizontal=True, key="under_alignment"):
        if st.button("As a table", key="alignment_table", icon=":material/table:", help="Each word and what it reads."):
            _table(rows, layer, head)
        if chrome.shown("downloads"):
            about = f"{downloads.caption(MODEL, lesson.text, ())}, layer {layer}, head {head}"
            downloads.menu(
                "alignment",
                {
                    "written": [word for word in found.written[:n] for _ in found.source],
                    "source": [word for _ in range(n) for word in found.source],
                    "source position": [j for _ in range(n) for j in range(len(found.source))],
                    "weight": [float(weight) for row in weights[:n] for weight in row],
                    "known": [
                        int(j in found.gold[i]) if i < len(found.gold) else ""
                        for i in range(n)
                        for j in range(len(found.source))
                    ],
                    "run": [about] * (n * len(found.source)),
                },
                downloads.Picture(draw, label),
                caption=about,
            )


def _rows(lesson: Lesson, weights: np.ndarray[Any, np.dtype[np.float32]], n: int) -> list[Read]:
    found = lesson.writing
    rows = []
    for i, word in enumerate(found.written[:n]):
        most, known = int(weights[i].argmax()), sorted(found.gold[i]) if i < len(found.gold) else []
        rows.append(
            Read(
                written=word,
                read=found.source[most],
                weight=float(weights[i, most]),
                known=" + ".join(found.source[j] for j in known),
                on_known=float(weights[i, known].sum()) if known else None,
            )
        )
    return rows


def _said(lesson: Lesson, words: Words, layer: int, head: int) -> None:
    """Which head this is, how good it is on held-out sentences and here, and whether the French is right."""
    found, table = lesson.writing, measured()
    best = table.best
    st.markdown(
        words["head"].format(
            layer=best[0],
            head=best[1],
            n_heads=sum(map(len, table.weight)),
            mass=format_number(table.weight[best[0]][best[1]]),
            n=table.n,
            others=", ".join(
                f"head {h}: {format_number(share)}"
                for one, row in enumerate(table.weight)
                for h, share in enumerate(row)
                if (one, h) != best
            ),
        )
    )
    if (layer, head) != best:
        st.markdown(words["another head"].format(head=head, mass=format_number(table.weight[layer][head])))
    if found.right is None:
        st.markdown(words["no grammar"])
    elif found.right:
        weights = _cross(lesson, layer, head)
        here = [float(weights[i, sorted(keys)].sum()) for i, keys in enumerate(found.gold)]
        st.markdown(words["right"].format(n=len(here), mass=format_number(sum(here) / len(here))))
    else:
        assert found.known is not None
        st.markdown(words["wrong"].format(known=chrome.literal(" ".join(found.known.french))))


def _next_word(lesson: Lesson, words: Words) -> None:
    found, step = lesson.writing, lesson.step
    shares = found.probabilities(step)
    order = np.argsort(-shares, kind="stable")[:CANDIDATES]
    before = " ".join(found.written[:step]) or "nothing yet"
    names = [lesson.model.target_tokenizer.token(int(i)) for i in order]
    st.html(
        prediction_strip(
            names,
            [float(shares[i]) for i in order],
            caption=f"Word {step + 1}, after “{before}”: the {CANDIDATES} likeliest of {len(shares)} French tokens",
        )
    )
    if chrome.shown("downloads"):
        every = np.argsort(-shares, kind="stable")
        downloads.csv_button(
            "next_word",
            {
                "token": [lesson.model.target_tokenizer.token(int(i)) for i in every],
                "probability": [float(shares[i]) for i in every],
            },
        )


@st.dialog("What is read for each word", width="large")
def _table(rows: list[Read], layer: int, head: int) -> None:
    st.html(reads_table(rows, caption=f"Cross-attention of layer {layer}, head {head}"))
