"""How often attention, gradient and ablation name a word that decides, on texts whose deciding words are known.

The three of `word_influence`; by the rules of the task (`tasks.sentiment`), a word of feeling that decides and the
negation that turns it are the deciding words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from viz_model.analysis.results import Result, named
from viz_model.analysis.right_reading import N
from viz_model.analysis.word_influence import NAMES, WordInfluence, word_influence
from viz_model.checkpoint import load
from viz_model.inference import run
from viz_model.tasks.names import make_task
from viz_model.tasks.sentiment_lexicon import LABELS

MODEL = "sentiment"


@dataclass(frozen=True, slots=True)
class Measure(Result):
    """One of the three."""

    name: str
    found: int  # texts in which the word with the largest number is one that decides
    toward: int  # of these, those in which its sign speaks for the verdict
    share: float  # mean over the texts: of all that it says, by size, how much it says of the deciding words


@dataclass(frozen=True, slots=True)
class WordMeasures(Result):
    """All three on the same texts."""

    model: str
    texts: int
    chance: float  # mean share of a text's words that decide: what a word drawn at random would be
    measures: tuple[Measure, ...]

    def of(self, name: str) -> Measure:
        """ValueError for another name."""
        return named(self.measures, "name", name)


def word_measures() -> WordMeasures:
    """The model that ships, on held-out texts: less than a minute on one core."""
    task: Any = make_task(MODEL)
    model = load(MODEL)
    found = [(influence_of(model, task.text(one)), one.deciding) for one in task.held_out_examples[:N]]
    return measured([influence for influence, _ in found], [deciding for _, deciding in found])


def influence_of(model: Any, text: str) -> WordInfluence:
    """The three measures of each word of a text on the model's own verdict, at its begin token."""
    trace = run(model, text)
    tokenizer = model.tokenizer
    words = [i for i, added in enumerate(tokenizer.encode(text).special) if not added]
    verdict, other = sorted((tokenizer.id(label) for label in LABELS), key=lambda i: -float(trace.logits[0, 0, i]))
    return word_influence(model, trace, words, position=0, verdict=verdict, other=other)


def measured(influences: Sequence[WordInfluence], deciding: Sequence[Sequence[int]]) -> WordMeasures:
    """influences: of each text; deciding: the places of its words that decide, 0 = the first word."""
    measures = []
    for name in NAMES:
        numbers = [getattr(one, name) for one in influences]
        tops = [int(each.abs().argmax()) for each in numbers]
        right = [i for i, (top, words) in enumerate(zip(tops, deciding, strict=True)) if top in words]
        shares = [
            float(each.abs()[list(words)].sum() / each.abs().sum())
            for each, words in zip(numbers, deciding, strict=True)
        ]
        toward = sum(float(numbers[i][tops[i]]) > 0 for i in right)
        measures.append(Measure(name, len(right), toward, fmean(shares)))
    chance = fmean(len(words) / len(one.attention) for one, words in zip(influences, deciding, strict=True))
    return WordMeasures(MODEL, len(influences), chance, tuple(measures))
