"""What the lesson is about in this run: an English sentence, its translation, and the part of the page on show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.ui import chrome, link_table, runs, session
from viz_model.analysis.right_reading import HeadReading, HeadReadings
from viz_model.analysis.translation import MODEL, Writing, writing
from viz_model.tasks.english_french import LONGEST_TRAINED, clean
from viz_model.token_display import label
from viz_model.training.studies import kept

MOST_WORDS = 24  # words of a typed sentence that are read
EXAMPLES = ("the black cat", "an intelligent girl eats the red apples", "we are not in the hospital .")
PARTS = {
    "writing": "The translation",
    "beam": "Greedy and beam",
    "forcing": "Its own words",
    "cheating": "Without the mask",
    "components": "Components",
}
EXPERIMENTS = [
    (
        "Watch the words cross",
        "One French word at a time: “noir” comes after “chat”, and the lines cross.",
        {
            "english": "the black cat sees the old horse",
            "translation_part": "writing",
            "by_word": True,
            "written_to": 3,
        },
    ),
    (
        "Where greedy fails",
        "Ten words, more than in training: the likeliest next word leads astray, three hypotheses do not.",
        {
            "english": "the new green dress is under my beautiful green beds",
            "translation_part": "beam",
            "beam_width": 3,
            "beam_penalty": 0.0,
        },
    ),
    (
        "The likelier one is wrong",
        "The beam finds a shorter, likelier and wrong sentence. Then raise the length penalty to 2.",
        {
            "english": "a green egg is not in the big park",
            "translation_part": "beam",
            "beam_width": 3,
            "beam_penalty": 0.0,
        },
    ),
]
Words = Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What the whole page looks at."""

    text: str  # as the model reads it
    model: Any
    writing: Writing
    unknown: tuple[str, ...]  # words that it does not know
    step: int  # the written word that the talk is of, from 0


def choose(words: Words) -> Lesson:
    """Draws the controls and translates what they say."""
    off = chrome.locked("text")
    with st.container(horizontal=True, vertical_alignment="bottom", key="sentence_row"):
        st.text_input(
            "English sentence",
            key="english",
            live="200ms",
            placeholder="Type an English sentence",
            help="In the words that this model knows; the French follows as you type.",
            disabled=off,
            width="stretch",
        )
    with st.container(horizontal=True, key="examples"):
        for i, text in enumerate(EXAMPLES):
            st.button(text, key=f"example_{i}", on_click=session.put, kwargs={"english": text}, disabled=off)
        model = runs.model(MODEL)
        n = len(model.tokenizer.specials.names)
        with st.popover("Its words", icon=":material/dictionary:", help="All English words that this model knows."):
            st.markdown(chrome.literal(" · ".join(model.tokenizer.tokens[n:])))
    st.segmented_control(
        "Part",
        link_table.TRANSLATION_PARTS,
        key="translation_part",
        format_func=PARTS.__getitem__,
        required=True,
        label_visibility="collapsed",
        disabled=chrome.locked("panel"),
    )
    text = _text(words)
    found = translated(text)
    unknown = tuple(dict.fromkeys(model.tokenizer.unknown_words(text)))
    if unknown:
        few = ", ".join(f"“{label(word[:40])}”" for word in unknown[:5])
        more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
        session.note(words["unknown"].format(few=few, more=more, n=len(model.tokenizer.tokens) - n))
    elif len(clean(text)) > LONGEST_TRAINED:
        session.note(words["long"].format(longest=LONGEST_TRAINED, n=len(clean(text))))
    step = session.keep_within("written_to", 1, len(found.written), "French words") - 1
    _keep_head(model)
    return Lesson(text, model, found, unknown, step)


def near(lesson: Lesson) -> None:
    """Buttons that put a word of the lexicon in the place of one that is not in it."""
    with st.container(horizontal=True, key="near"):
        for i, word in enumerate(lesson.unknown[:3]):
            for j, known in enumerate(lesson.model.tokenizer.near(word, 3)):
                st.button(
                    f"{chrome.literal(word[:20])} → {known}",
                    key=f"near_{i}_{j}",
                    on_click=_replace,
                    args=(word, known),
                    disabled=chrome.locked("text"),
                )


@st.cache_resource(max_entries=64, show_spinner=False)
def translated(text: str) -> Writing:
    """The bundled model's greedy translation."""
    return writing(runs.model(MODEL), text, most=min(64, 2 * len(clean(text)) + 8))


@st.cache_resource(max_entries=1, show_spinner=False)
def measured() -> HeadReading:
    """What each head of cross-attention reads of the word to translate, on held-out sentences."""
    (link,) = HeadReadings.from_json(kept("application-heads")).of(MODEL)
    return link


def _text(words: Words) -> str:
    """The sentence on show: what is typed, cut where it is too long, or the last one that had words."""
    state = st.session_state
    typed = clean(state["english"])
    if not any(character.isalnum() for word in typed for character in word):
        previous: str = state.get("last_english", link_table.TABLE["english"].default)
        session.note(words["empty"].format(previous=previous[:80]))
        return previous
    if len(typed) > MOST_WORDS:
        session.note(words["too long"].format(n=len(typed), most=MOST_WORDS, longest=LONGEST_TRAINED))
    text = " ".join(word[:60] for word in typed[:MOST_WORDS])
    state["last_english"] = text
    return text


def _keep_head(model: Any) -> None:
    """Moves the head that was asked for into those that there are, before the page's notes are drawn."""
    state = st.session_state
    if state["best_head"]:
        return
    stack = model.config.encoder if state["translation_kind"] == "encoder" else model.config.decoder
    session.keep_within("translation_layer", 0, stack.n_layers - 1, "layers")
    session.keep_within("translation_head", 0, stack.n_heads - 1, "heads")


def _replace(word: str, known: str) -> None:
    text = st.session_state["english"]
    session.put(english=re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", known, text, flags=re.IGNORECASE))
