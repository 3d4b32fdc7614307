"""Translation: greedy French for typed English, its alignment, and how accuracy falls with length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from pages.families.parts import application_heads, application_written, typed_text
from pages.ui import chrome, downloads, session
from viz_model.analysis.translation_accuracy import TranslationAccuracy
from viz_model.figures.theme import format_number
from viz_model.figures.word_table import length_table
from viz_model.tasks import english_french as task
from viz_model.training.studies import kept
from viz_model.written import Written

MODEL = "english-french"
EXPERIMENTS = [
    ("The adjective crosses", "In French “noir” stands behind its noun.", {"english_text": "the black cat"}),
    (
        "Longer than it learned",
        f"No sentence of its training had more than {task.LONGEST_TRAINED} words.",
        {"english_text": "the black cat sees the old horse in the garden with the girl"},
    ),
    ("A word it never learned", "“purple” is read as [UNK].", {"english_text": "the purple cat sleeps"}),
]
CHOICES = ["none of them", "some of them", "more than half of them"]


@dataclass(frozen=True, slots=True, eq=False)
class OnShow:
    """A sentence and its French."""

    typed: typed_text.Typed
    written: Written
    key: str

    @property
    def said(self) -> str:
        return task.spell(self.written.words)

    def draw(self, words: Mapping[str, str]) -> None:
        (link,) = application_heads.readings(MODEL)
        at = application_heads.head_on_show(link.best)
        st.subheader(chrome.literal(self.said) or "(nothing)", anchor=False)
        application_written.ending(self.written, words)
        st.markdown(words["summary least"].format(least=application_written.sureness(self.written)))
        st.markdown(
            words["translation map"].format(
                layer=at[0], head=at[1], mean=format_number(link.weight[at[0]][at[1]]), n=link.n
            )
        )
        application_written.attention_map(self.typed, self.written, at, MODEL, link)
        st.subheader("Each word, and the word that it translates", anchor=False)
        st.markdown(words["written"])
        application_written.steps(self.typed, self.written, at, MODEL, words)
        st.subheader("How long may a sentence be?", anchor=False)
        found = by_length()
        st.markdown(
            words["lengths"].format(
                trained=format_number(found.share(trained=True)),
                never=format_number(found.share(trained=False)),
                longest=task.LONGEST_TRAINED,
            )
        )
        rows = [(one.words, one.n, one.right, one.trained) for one in found.lengths]
        st.html(length_table(rows, caption=words["lengths caption"].format(model=found.model)))
        if chrome.shown("downloads"):
            downloads.csv_button(
                "lengths",
                {
                    "words": [row[0] for row in rows],
                    "sentences": [row[1] for row in rows],
                    "right": [row[2] for row in rows],
                    "length trained": [row[3] for row in rows],
                },
            )

    def limits(self) -> str:
        pair = task.translate(task.clean(self.typed.text))
        if pair is None:
            return "**Not a sentence of its grammar.** Its rules know no French for this text: expect a guess."
        right = task.spell(pair.french)
        return f"By the grammar that made its lessons, the right French is “{chrome.literal(right)}”: " + (
            "the model agrees." if right == self.said else "the model is wrong."
        )

    def ask(self, words: Mapping[str, str]) -> str:
        return words["translation question"].format(text=chrome.literal(self.said))

    def choices(self) -> list[str]:
        return CHOICES

    def answer(self, words: Mapping[str, str]) -> tuple[str, str]:
        """How many French words read an English word at another place than theirs, in the measured best head."""
        (link,) = application_heads.readings(MODEL)
        rows = self.written.cross[link.best]
        n = len(self.written.words)
        moved = sum(int(row.argmax()) != i for i, row in enumerate(rows[:n]))
        right = CHOICES[0] if moved == 0 else CHOICES[2] if 2 * moved > n else CHOICES[1]
        return right, words["translation answer"].format(moved=moved, n=n, layer=link.best[0], head=link.best[1])


@st.cache_resource(max_entries=1, show_spinner=False)
def by_length() -> TranslationAccuracy:
    """What was measured on held-out sentences."""
    return TranslationAccuracy.from_json(kept("translation-by-length"))


def read(words: Mapping[str, str]) -> OnShow:
    """Draws the field and runs the model on what it holds."""
    typed, written = application_written.read(MODEL, "english_text", "English", _clean, large=False)
    n = len(task.clean(typed.text))
    if n > task.LONGEST_TRAINED:
        session.note(words["long english"].format(n=n, longest=task.LONGEST_TRAINED))
    return OnShow(typed, written, typed.text)


def _clean(text: str) -> str:
    return task.spell(task.clean(text))
