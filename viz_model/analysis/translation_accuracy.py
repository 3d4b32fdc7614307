"""How often a whole sentence is translated right, by its length, on sentences that were never trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from viz_model.analysis.results import Result
from viz_model.checkpoint import load
from viz_model.tasks.english_french import LONGEST_TRAINED, EnglishFrench


@dataclass(frozen=True, slots=True)
class LengthAccuracy(Result):
    """Sentences of one length."""

    words: int  # English ones, the full stop among them
    n: int
    right: int  # translated without a mistake from first word to end
    trained: bool  # sentences of this length were in training


@dataclass(frozen=True, slots=True)
class TranslationAccuracy(Result):
    """All lengths, the shortest first."""

    model: str
    lengths: tuple[LengthAccuracy, ...]

    def share(self, *, trained: bool) -> float:
        """Share right of all sentences of trained lengths, or of lengths that training never sees."""
        rows = [row for row in self.lengths if row.trained == trained]
        return sum(row.right for row in rows) / max(1, sum(row.n for row in rows))


def translation_accuracy(model: Any, name: str, task: EnglishFrench | None = None) -> TranslationAccuracy:
    """The model on the held-out sentences of `EnglishFrench.by_length`.

    A sentence is right when every next word is the likeliest given the right ones before it, which is when greedy
    writing gets the whole of it right too.
    """
    task = task or EnglishFrench()
    rows = []
    for words, batch in task.by_length().items():
        n = len(batch.ids)
        rows.append(LengthAccuracy(words, n, round(task.accuracy(model, batch) * n), words <= LONGEST_TRAINED))
    return TranslationAccuracy(name, tuple(rows))


def english_french() -> TranslationAccuracy:
    """Of the model that ships."""
    return translation_accuracy(load("english-french"), "english-french")
