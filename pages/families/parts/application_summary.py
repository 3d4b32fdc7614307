"""Summarising: of several sentences the one that matters, copied word by word through cross-attention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from pages.families.parts import application_heads, application_written, typed_text
from pages.ui import chrome, runs
from viz_model.analysis.copying import Copying, copying
from viz_model.analysis.shared_copying import SharedCopying
from viz_model.figures.theme import format_number
from viz_model.tasks import summarising as task
from viz_model.tasks.summarising_sentences import KEPT
from viz_model.tasks.typed import spell
from viz_model.training.studies import kept
from viz_model.written import Written, write

MODEL = "summarising"
EXPERIMENTS = [
    (
        "Move the mark",
        "The same three sentences; now another one says that it matters.",
        {
            "summary_text": "Remember: the tall nurse waited near the station. The old farmer quietly sold the brown "
            "horse on Monday. Later, Emma danced in the garden."
        },
    ),
    (
        "Nothing is marked",
        "No sentence says that it matters: the model has never met such a text.",
        {"summary_text": "The nurse waited near the station. The farmer sold the horse. Emma danced in the garden."},
    ),
    (
        "Two are marked",
        "Two sentences say that they matter, and one summary is written.",
        {"summary_text": "Above all, the king lost the ring. In short, the thief found the key."},
    ),
]
CHOICES = ["the same summary", "another one"]


@dataclass(frozen=True, slots=True, eq=False)
class OnShow:
    """A text and the summary that the model wrote."""

    typed: typed_text.Typed
    written: Written
    copies: Copying
    key: str

    @property
    def said(self) -> str:
        return _said(self.written)

    def draw(self, words: Mapping[str, str]) -> None:
        (link,) = application_heads.readings(MODEL)
        at = application_heads.head_on_show(link.best)
        st.subheader(chrome.literal(self.said) or "(nothing)", anchor=False)
        application_written.ending(self.written, words)
        st.markdown(words["summary least"].format(least=application_written.sureness(self.written)))
        copied = self.copies.source.tolist()
        application_written.source_text(self.typed, [copied[i] for i in self.typed.own], MODEL, words["copied text"])
        st.markdown(_shared(words))
        st.markdown(self._here(at, words))
        st.subheader("Each word, and what it was copied from", anchor=False)
        st.markdown(words["written and copied"])
        application_written.steps(self.typed, self.written, at, MODEL, words, self.copies.best)
        st.subheader("Cross-attention", anchor=False)
        st.markdown(words["cross map"])
        step = int(self.copies.weight[at].argmax())
        application_written.attention_map(self.typed, self.written, at, MODEL, link, step)

    def _here(self, at: tuple[int, int], words: Mapping[str, str]) -> str:
        """What was read of the words that only the text can tell, in this text."""
        kept = [token in KEPT for token in self.written.tokens]
        found = self.copies.of(kept)
        copied = [token for token, own in zip(self.written.tokens, found.possible.tolist(), strict=True) if own]
        if not copied:
            return words["summary nothing"]
        return words["summary copied"].format(
            words=", ".join(f"“{chrome.literal(token)}”" for token in copied),
            layer=at[0],
            head=at[1],
            here=format_number(float(found.mean[at])),
            any=format_number(found.any_head),
        )

    def limits(self) -> str:
        found = task.summarise(self.typed.text)
        if found is None:
            return (
                "**Not a text of its kind.** The rules that made its lessons find no summary of this text: it needs "
                "sentences of its grammar, of which exactly one says that it matters. Expect a guess."
            )
        right = spell(found.summary)
        return f"By the rules that made its lessons, the right summary is “{chrome.literal(right)}”: " + (
            "the model agrees." if right == self.said else "the model is wrong."
        )

    def ask(self, words: Mapping[str, str]) -> str:
        return words["summary question"]

    def choices(self) -> list[str]:
        return CHOICES

    def answer(self, words: Mapping[str, str]) -> tuple[str, str]:
        """The summary of the same sentences in reverse order, by running the model on it."""
        sentences = [part.strip() + "." for part in self.typed.text.split(".") if part.strip()]
        model = runs.model(MODEL)
        text = task.clean(" ".join(reversed(sentences)))
        said = _said(write(model, model.tokenizer.encode(text)))
        return CHOICES[said != self.said], words["summary answer"].format(said=chrome.literal(said))


@st.cache_resource(max_entries=1, show_spinner=False)
def measured() -> SharedCopying:
    """What was measured on held-out texts."""
    return SharedCopying.from_json(kept("shared-copying"))


def _shared(words: Mapping[str, str]) -> str:
    found = measured()
    return words["summary shared"].format(
        texts=found.texts,
        words=found.words,
        heads=found.heads,
        layer=found.layer,
        head=found.head,
        one=format_number(found.one),
        any=format_number(found.any),
        sum=format_number(found.sum),
        one_most=f"{format_number(100 * found.one_most)} %",
        any_most=f"{format_number(100 * found.any_most)} %",
        elsewhere=format_number(found.elsewhere),
    )


def read(words: Mapping[str, str]) -> OnShow:
    """Draws the field and runs the model on what it holds."""
    typed, written = application_written.read(MODEL, "summary_text", "Text", task.clean, large=True)
    return OnShow(typed, written, copying(written.cross, typed.encoding.ids, written.ids), typed.text)


def _said(written: Written) -> str:
    return spell(written.words)
