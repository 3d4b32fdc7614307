"""Question answering: a context and a question, the span that answers it, or "no answer"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.families.parts import application_heads, typed_text
from pages.ui import chrome, downloads, runs, session
from viz_model.analysis.answer_span import AnswerSpan, answer_span
from viz_model.figures.marked_text import marked_text
from viz_model.figures.theme import format_number
from viz_model.figures.word_bars import word_bars
from viz_model.figures.word_drawings import marked_text_drawing, word_bars_drawing
from viz_model.inference import run
from viz_model.tasks import question_answering as task
from viz_model.tasks.typed import spell

MODEL = "question-answering"
CONTEXT = "Ben has a red hat. Anna is in the garden. The key is under the table. Clara has a blue bag."
EXPERIMENTS = [
    (
        "Two red things",
        "Both facts hold a colour and a thing: only the name in the question tells them apart.",
        {"qa_context": "Ben has a red hat. Clara has a red bag.", "qa_question": "What does Clara have?"},
    ),
    (
        "Nobody said",
        "Anna is in the text, and so is a place; but nobody says where Leo is.",
        {"qa_context": CONTEXT, "qa_question": "Where is Leo?"},
    ),
    (
        "A question it never learned",
        "“When” is not among its words. It answers all the same, or does it?",
        {"qa_context": CONTEXT, "qa_question": "When was Anna in the garden?"},
    ),
]
CHOICES = ["no answer", "the same words", "other words of the text"]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """A question and its context as the model read them, and what it answered."""

    typed: typed_text.Typed
    n_asked: int  # words of the question
    trace: Any
    span: AnswerSpan
    key: str

    @property
    def said(self) -> str | None:
        """The answer in words; None for no answer."""
        return _words(self.typed, self.span)

    def draw(self, words: Mapping[str, str]) -> None:
        typed, answer = self.typed, self.span
        first_asked, last_asked = typed.own[0], typed.own[self.n_asked - 1]
        links = application_heads.readings(MODEL)
        blocks = self.trace.blocks
        layer, head = application_heads.head_on_show(links[0].best)
        query = answer.first or 0
        rows = blocks[layer].attention.weights[0, head]
        own = list(typed.own)
        inside = [] if answer.first is None or answer.last is None else range(answer.first, answer.last + 1)
        said = self.said
        st.subheader("No answer" if said is None else chrome.literal(said), anchor=False)
        st.markdown(
            words["answers none" if said is None else "answers found"].format(
                share=format_number(answer.probability), none=format_number(answer.none)
            )
        )
        weights, marked, faint = [float(rows[0, i]) for i in own], [own.index(i) for i in inside], range(self.n_asked)
        caption = words["answers text"].format(layer=layer, head=head)
        st.html(marked_text(typed.words, weights, marked, faint=faint, caption=caption))
        most = max(own, key=lambda i: float(rows[query, i]))
        asks = max(range(first_asked, last_asked + 1), key=lambda i: float(rows[0, i]))
        st.markdown(
            words["answers asks"].format(
                layer=layer,
                head=head,
                asked=chrome.literal(self.trace.tokens[asks]),
                weight=format_number(float(rows[0, asks])),
                mean=format_number(links[0].weight[layer][head]),
                n=links[0].n,
            )
        )
        if answer.first is not None:
            st.markdown(
                words["answers reads"].format(
                    word=chrome.literal(self.trace.tokens[query]),
                    read=chrome.literal(self.trace.tokens[most]),
                    weight=format_number(float(rows[query, most])),
                    mean=format_number(links[1].weight[layer][head]),
                )
            )
        st.subheader("Where the answer starts, and where it ends", anchor=False)
        st.markdown(words["answers bars"])
        told = own[self.n_asked :]
        names = ["no answer", "the question", *typed.words[self.n_asked :]]
        columns = {
            name: [float(row[0]), float(row[own[: self.n_asked]].sum()), *row[told].tolist()]
            for name, row in (("start", answer.start), ("end", answer.end))
        }
        chosen = [2 + told.index(i) for i in inside if i in told] or [0 if said is None else 1]
        st.html(word_bars(names, columns, chosen=chosen, caption=words["answers caption"].format(model=MODEL)))
        if chrome.shown("downloads"):
            downloads.menu(
                "answer",
                {"word": names, **columns},
                downloads.Picture(
                    lambda look: marked_text_drawing(typed.words, weights, marked, faint=faint, theme=look), caption
                ),
                downloads.Picture(
                    lambda look: word_bars_drawing(names, columns, chosen=chosen, theme=look),
                    "Where the answer starts, and where it ends",
                ),
                caption=downloads.caption(MODEL, typed.text, ()),
            )
        st.subheader("Who reads whom", anchor=False)
        st.markdown(words["answers map"])
        application_heads.draw(
            [block.attention.weights[0].numpy() for block in blocks],
            self.trace.tokens,
            None,
            at=(layer, head),
            cell=(query, most),
            roles=links[0].weight,
            model=MODEL,
            text=typed.text,
        )

    def limits(self) -> str:
        found = task.answer(self.typed.text)
        if found is None:
            return "**Not a text of its kind.** The rules that made its lessons do not know this text: expect a guess."
        right = "no answer" if found.answer is None else f"“{found.answer}”"
        agrees = (found.answer or None) == self.said
        return f"By the rules that made its lessons, the right answer here is **{right}**: " + (
            "the model agrees." if agrees else "the model is wrong."
        )

    def ask(self, words: Mapping[str, str]) -> str:
        fact = self._fact()
        return words["answers question"].format(fact=chrome.literal(self.typed.text[slice(*fact)]))

    def choices(self) -> list[str]:
        return CHOICES

    def answer(self, words: Mapping[str, str]) -> tuple[str, str]:
        """What the model says when the fact is left out, by running it without."""
        start, end = self._fact()
        text = f"{self.typed.text[:start].rstrip()} {self.typed.text[end:].lstrip()}".strip()
        model = runs.model(MODEL)
        left = typed_text.Typed(text, model.tokenizer.encode(text))
        said = _words(left, answer_span(run(model, text).logits[0]))
        right = CHOICES[0] if said is None else CHOICES[1] if said == self.said else CHOICES[2]
        quoted = "“no answer”" if said is None else f"“{chrome.literal(said)}”"
        return right, words["answers answer"].format(said=quoted)

    def _fact(self) -> tuple[int, int]:
        """The characters of the fact that holds the answer; without an answer, of the last fact."""
        encoding, own = self.typed.encoding, self.typed.own
        facts: list[list[int]] = [[]]
        for i in own[self.n_asked :]:
            facts[-1].append(i)
            if encoding.tokens[i] == ".":
                facts.append([])
        facts = [fact for fact in facts if fact]
        if not facts:
            return encoding.offsets[own[-1]][1], encoding.offsets[own[-1]][1]
        fact = next((fact for fact in facts if self.span.first in fact), facts[-1])
        return encoding.offsets[fact[0]][0], encoding.offsets[fact[-1]][1]


def read(words: Mapping[str, str]) -> Answers:
    """Draws the fields and runs the model on what they hold."""
    typed_text.field("qa_context", "Text", large=True)
    typed_text.field("qa_question", "Question")
    context, question = typed_text.last_good("qa_context", "Text"), typed_text.last_good("qa_question", "Question")
    model = runs.model(MODEL)
    # A question without its mark would run on into the text, and a text is no part of the question.
    asked = question.strip().rstrip(".?! ") + "?"
    asked = task.clean(asked) or asked
    n_asked = len(model.tokenizer.encode(asked, add_special=False))
    limit = model.config.context_length
    told = task.clean(context) or context
    if n_asked > limit // 2:
        session.note(words["long question"].format(limit=limit // 2))
        ends = [end for _, end in model.tokenizer.encode(asked, add_special=False).offsets]
        asked = asked[: ends[limit // 2 - 2]] + "?"
        n_asked = len(model.tokenizer.encode(asked, add_special=False))
    typed = typed_text.read(model.tokenizer, f"{asked} {told}", limit)
    trace = run(model, typed.text)
    return Answers(typed, n_asked, trace, answer_span(trace.logits[0]), typed.text)


def _words(typed: typed_text.Typed, answer: AnswerSpan) -> str | None:
    if answer.first is None or answer.last is None:
        return None
    return spell(typed.encoding.tokens[answer.first : answer.last + 1])
