"""Sentiment with negation and contrast: is what the writer thinks good or bad?

The rules, which `judge` applies to any text of the vocabulary:
- a word of feeling is pleased or displeased, and a negation before it in its clause turns it round;
- what comes after "but" (or "however", "yet") decides; what "although" (or "despite", ...) opens does not;
- clauses that decide must agree, and one without a word of feeling says nothing.
"""

from __future__ import annotations

import random as random_module
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from viz_model.tasks import sentiment_lexicon as lexicon
from viz_model.tasks.sentiment_clauses import write
from viz_model.tasks.task import Batch, Expected, ModelKind
from viz_model.tasks.typed import N_TRAINING, Rows, TypedTask, capital, spell, split
from viz_model.tokenizer import Specials, Tokenizer

MARKS = frozenset(".,")
VOCABULARY = frozenset(lexicon.vocabulary())


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a text says, and by which of its words (places, 0 = the first word)."""

    words: tuple[str, ...]
    label: str  # "positive" or "negative"
    deciding: tuple[int, ...]  # the words of feeling that decide, and the negations that turn them
    turned: tuple[tuple[int, int], ...]  # each of those words that is turned, with its negation
    contrast: bool  # a part of the text was set aside


def judge(text: str) -> Judgement | None:
    """The label of a typed text by the rules of this task.

    None where they give none: a word outside the vocabulary, no word of feeling, clauses that disagree, or more than
    one negation in a clause.
    """
    return _judge(tuple(_known(word) for word in split(text)))


def clean(text: str) -> str:
    """A typed text as the model knows it: a word with capitals that the vocabulary has not is written without them."""
    return spell([_known(word) for word in split(text)])


class Sentiment(TypedTask[Judgement]):
    """[CLS] text [SEP]; at [CLS] the model is asked for the word "positive" or "negative"."""

    name: ClassVar[str] = "sentiment"
    title: ClassVar[str] = "Sentiment"
    about: ClassVar[str] = "Is the writer pleased? A negation turns a word round, and what follows 'but' decides."
    metric: ClassVar[str] = "texts judged right"
    kind: ClassVar[ModelKind] = "encoder"
    watched: ClassVar[str] = "The music was lovely, but I did not like the film."

    def __init__(self, n_training: int = N_TRAINING) -> None:
        super().__init__(n_training)
        self.tokenizer = Tokenizer.from_words(lexicon.vocabulary(), Specials.masked())

    def draw(self, random: random_module.Random) -> Judgement:
        words, label = write(random)
        found = _judge(tuple(words))
        if found is None or found.label != label:
            raise AssertionError(f"expected a text that is {label} by the rules, got {spell(words)!r}")
        return found

    def text(self, example: Judgement) -> str:
        return spell(example.words)

    def read(self, text: str) -> Judgement | None:
        return judge(text)

    def rows(self, examples: Sequence[Judgement]) -> Rows:
        ids, present = self.framed([one.words for one in examples])
        asked = torch.zeros_like(present)
        asked[:, 0] = True
        answers = torch.zeros_like(ids)
        answers[:, 0] = torch.tensor(self.ids([one.label for one in examples]))
        return Rows(ids, present, asked, answers)

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        """[CLS] reads the words that decide; a word of feeling reads the negation that turns it."""
        keys = torch.zeros(2, *batch.ids.shape, batch.ids.shape[1], dtype=torch.bool)
        for row, words in enumerate(self.words(batch)):
            found = _judge(tuple(words))
            if found is not None:
                keys[0, row, 0, [1 + place for place in found.deciding]] = True
                for word, negation in found.turned:
                    keys[1, row, 1 + word, 1 + negation] = True
        return Expected("the words that decide", keys[0]), Expected("the negation of a word", keys[1])

    def figures(self, model: Any) -> dict[str, float]:
        examples = self.held_out_examples
        groups: dict[str, Sequence[Judgement]] = {
            self.metric: examples,
            "texts that a negation decides, judged right": [one for one in examples if one.turned],
            "texts with a contrast, judged right": [one for one in examples if one.contrast],
        }
        return self.shares_right(model, groups)


def _known(word: str) -> str:
    return next((form for form in (word, word.lower(), capital(word.lower())) if form in VOCABULARY), word)


def _judge(words: tuple[str, ...]) -> Judgement | None:
    if not all(word in VOCABULARY for word in words):
        return None
    lower = [word.lower() for word in words]
    start = max((i + 1 for i, word in enumerate(lower) if word in lexicon.TURNS), default=0)
    clauses: list[list[int]] = [[]]
    aside = False
    for place in range(start, len(lower)):
        word = lower[place]
        if word in lexicon.CONCESSIONS:
            aside = True
        elif word in MARKS or (word == "and" and not aside):
            aside = False
            clauses.append([])
        elif not aside:
            clauses[-1].append(place)
    found = [_sign(lower, clause) for clause in clauses]
    signs = {sign for sign, _, _ in found}
    if None in signs or len(signs - {0}) != 1:
        return None
    turned = tuple((word, negation) for _, felt, negation in found if negation is not None for word in felt)
    deciding = sorted({place for _, felt, _ in found for place in felt} | {negation for _, negation in turned})
    contrast = start > 0 or any(word in lexicon.CONCESSIONS for word in lower)
    return Judgement(words, lexicon.LABELS[1 in signs], tuple(deciding), turned, contrast)


def _sign(lower: Sequence[str], clause: Sequence[int]) -> tuple[int | None, list[int], int | None]:
    """1, -1, 0 for a clause that says nothing or None for one that the rules cannot read; its words; its negation."""
    felt = [place for place in clause if lower[place] in lexicon.SIGNS]
    negations = [place for place in clause if lower[place] in lexicon.NEGATIONS]
    signs = {lexicon.SIGNS[lower[place]] for place in felt}
    if not felt:
        return (None if negations else 0), [], None
    if len(signs) > 1 or len(negations) > 1 or (negations and (len(felt) > 1 or negations[0] > felt[0])):
        return None, felt, None
    sign = signs.pop()
    return (-sign, felt, negations[0]) if negations else (sign, felt, None)
