"""Classification: praise or blame, and each word's part in the verdict by three measures side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.families.parts import application_heads, typed_text
from pages.ui import chrome, downloads, runs
from viz_model.analysis.word_influence import NAMES, WordInfluence, word_influence
from viz_model.analysis.word_measures import WordMeasures
from viz_model.figures.marked_text import marked_text
from viz_model.figures.theme import format_number
from viz_model.figures.word_bars import word_bars
from viz_model.figures.word_drawings import marked_text_drawing, word_bars_drawing
from viz_model.inference import run
from viz_model.tasks import sentiment as task
from viz_model.tasks.sentiment_lexicon import LABELS
from viz_model.training.studies import kept

MODEL = "sentiment"
SIGNED = ("gradient", "ablation")
FEWEST = 3  # words that a correlation of ranks can be said of
EXPERIMENTS = [
    (
        "Turn it with one word",
        "“not” stands before a word of praise: which measure sees it?",
        {"feeling_text": "The film was not good."},
    ),
    (
        "What comes after “but”",
        "Praise first, blame last: the last part decides.",
        {"feeling_text": "The music was lovely and the story was clever, but I hated the ending."},
    ),
    (
        "A word it never learned",
        "“stunning” is praise to us; the model reads [UNK].",
        {"feeling_text": "The film was stunning."},
    ),
]
CHOICES = ["it turns", "it stays"]


@dataclass(frozen=True, slots=True, eq=False)
class Feeling:
    """A text, what the model says of it, and by which of its words."""

    typed: typed_text.Typed
    trace: Any
    chances: dict[str, float]  # of the two labels
    verdict: str
    influence: WordInfluence
    key: str

    def draw(self, words: Mapping[str, str]) -> None:
        typed, influence, blocks = self.typed, self.influence, self.trace.blocks
        share = self.chances[self.verdict]
        other = next(label for label in LABELS if label != self.verdict)
        st.subheader(f"{self.verdict}: {format_number(share)}", anchor=False)
        rest = max(0.0, 1 - sum(self.chances.values()))
        st.markdown(
            words["feeling verdict"].format(
                other=other, share=format_number(self.chances[other]), rest=format_number(rest)
            )
        )
        weights, caption = influence.attention.tolist(), words["feeling text"].format(n=len(blocks))
        st.html(marked_text(typed.words, weights, caption=caption))
        st.subheader("Three measures of each word's part", anchor=False)
        st.markdown(words["feeling bars"].format(verdict=self.verdict))
        columns = {name: getattr(influence, name).tolist() for name in NAMES}
        marked = [max(range(len(typed.own)), key=lambda i: abs(columns["ablation"][i]))]
        st.html(
            word_bars(
                typed.words,
                columns,
                signed=SIGNED,
                chosen=marked,
                caption=words["feeling caption"].format(model=MODEL, verdict=self.verdict),
            )
        )
        st.markdown(self._named(words, columns))
        st.markdown(_measured(words))
        st.markdown(self._agreement(words))
        if chrome.shown("downloads"):
            downloads.menu(
                "influence",
                {"word": typed.words, **columns},
                downloads.Picture(lambda look: marked_text_drawing(typed.words, weights, theme=look), caption),
                downloads.Picture(
                    lambda look: word_bars_drawing(typed.words, columns, signed=SIGNED, chosen=marked, theme=look),
                    "Three measures of each word's part",
                ),
                caption=f"{downloads.caption(MODEL, typed.text, ())} · {self.verdict}",
            )
        st.subheader("Who reads whom", anchor=False)
        links = application_heads.readings(MODEL)
        layer, head = application_heads.head_on_show(links[0].best)
        row = blocks[layer].attention.weights[0, head, 0]
        most = max(typed.own, key=lambda i: float(row[i]))
        st.markdown(
            words["feeling map"].format(
                layer=layer,
                head=head,
                word=chrome.literal(self.trace.tokens[most]),
                weight=format_number(float(row[most])),
                mean=format_number(links[0].weight[layer][head]),
                n=links[0].n,
                most=words["feeling most"] if (layer, head) == links[0].best else "",
            )
        )
        application_heads.draw(
            [block.attention.weights[0].numpy() for block in blocks],
            self.trace.tokens,
            None,
            at=(layer, head),
            cell=(0, most),
            roles=links[0].weight,
            model=MODEL,
            text=typed.text,
        )

    def _named(self, words: Mapping[str, str], columns: Mapping[str, list[float]]) -> str:
        """The word at which each measure is largest here, and whether two of them disagree in sign."""
        named = self.typed.words
        tops = {name: max(range(len(named)), key=lambda i: abs(columns[name][i])) for name in NAMES}
        told = [
            f"“{chrome.literal(named[at])}” by {name} (**{'+' * (name in SIGNED and columns[name][at] > 0)}"
            f"{format_number(columns[name][at])}**)"
            for name, at in tops.items()
        ]
        text = words["feeling here"].format(tops=", ".join(told))
        at = tops["ablation"]
        if columns["gradient"][at] * columns["ablation"][at] < 0:
            text += " " + words["feeling signs"].format(word=chrome.literal(named[at]))
        return text

    def _agreement(self, words: Mapping[str, str]) -> str:
        if len(self.typed.own) < FEWEST:
            return words["feeling few"]
        lines = []
        for one, other in (("attention", "ablation"), ("gradient", "ablation"), ("attention", "gradient")):
            rho = self.influence.agreement(one, other)
            lines.append(f"{one} and {other} **{'undefined' if rho is None else format_number(rho)}**")
        return words["feeling agreement"].format(pairs=", ".join(lines))

    def limits(self) -> str:
        found = task.judge(self.typed.text)
        if found is None:
            return words_unknown()
        agrees = "the model agrees." if found.label == self.verdict else "the model is wrong."
        decide = ", ".join(f"“{found.words[i]}”" for i in found.deciding)
        return f"By the rules that made its lessons this text is **{found.label}**, decided by {decide}: {agrees}"

    def ask(self, words: Mapping[str, str]) -> str:
        return words["feeling question"].format(
            word=chrome.literal(self.typed.words[self._most()]), verdict=self.verdict
        )

    def choices(self) -> list[str]:
        return CHOICES

    def answer(self, words: Mapping[str, str]) -> tuple[str, str]:
        """The verdict on the text without the word that has the most attention, by running the model on it."""
        start, end = self.typed.encoding.offsets[self.typed.own[self._most()]]
        left = " ".join(f"{self.typed.text[:start]} {self.typed.text[end:]}".split())
        if not any(character.isalnum() for character in left):
            return CHOICES[1], words["feeling nothing left"]
        verdict, chances = _verdict(run(runs.model(MODEL), left))
        right = CHOICES[0] if verdict != self.verdict else CHOICES[1]
        return right, words["feeling answer"].format(
            text=chrome.literal(left), verdict=verdict, share=format_number(chances[verdict])
        )

    def _most(self) -> int:
        return int(self.influence.attention.argmax())


@st.cache_resource(max_entries=1, show_spinner=False)
def measured() -> WordMeasures:
    """What was measured on held-out texts."""
    return WordMeasures.from_json(kept("word-measures"))


def _measured(words: Mapping[str, str]) -> str:
    found = measured()
    shares = {name: f"{format_number(100 * found.of(name).found / found.texts)} %" for name in NAMES}
    gradient, ablation = found.of("gradient"), found.of("ablation")
    return words["feeling measured"].format(
        texts=found.texts,
        chance=f"{format_number(100 * found.chance)} %",
        toward=gradient.toward,
        found=gradient.found,
        all_toward=ablation.toward,
        all_found=ablation.found,
        **shares,
    )


def words_unknown() -> str:
    """Said of a text that the task's rules cannot judge."""
    return "**Not a text of its kind.** The rules that made its lessons give no verdict on this text: expect a guess."


def read(words: Mapping[str, str]) -> Feeling:
    """Draws the field and runs the model on what it holds."""
    typed_text.field("feeling_text", "Text")
    model = runs.model(MODEL)
    text = typed_text.last_good("feeling_text", "Text")
    typed = typed_text.read(model.tokenizer, text, model.config.context_length, task.clean)
    trace = run(model, typed.text)
    verdict, chances = _verdict(trace)
    ids = [model.tokenizer.id(label) for label in sorted(LABELS, key=lambda label: label != verdict)]
    influence = word_influence(model, trace, typed.own, position=0, verdict=ids[0], other=ids[1])
    return Feeling(typed, trace, chances, verdict, influence, typed.text)


def _verdict(trace: Any) -> tuple[str, dict[str, float]]:
    """The likelier label at [CLS], and the probability of each among all words."""
    tokenizer = runs.model(MODEL).tokenizer
    shares = trace.logits[0, 0].softmax(-1)
    chances = {label: float(shares[tokenizer.id(label)]) for label in LABELS}
    return max(chances, key=lambda label: chances[label]), chances
