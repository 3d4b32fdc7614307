"""How well each head finds a grammatical relation, beside the best that a fixed offset does.

After Clark et al. (2019, section 4.2 and table 1) and Voita et al. (2019, section 5.2). `relation_answers` says what is
asked and what counts as right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from viz_model.analysis.gold_links import READINGS, Reading
from viz_model.analysis.relation_answers import Answers, answers
from viz_model.analysis.results import Result
from viz_model.models.one_stack import OneStack

ERRORS = 2.0  # a head is better than an offset where it leads by more than so many standard errors
FEWEST = 20  # sentences below which nothing is said

Grid = tuple[tuple[float, ...], ...]  # [layer][head]


@dataclass(frozen=True, slots=True)
class RelationScore(Result):
    """One relation, read one way: every head and the best offset, on the same questions of held-out sentences.

    The best head and the best offset were chosen on other sentences than those that they are scored on.
    """

    relation: str
    reading: Reading
    n: int  # questions
    n_sentences: int  # that ask any
    accuracy: Grid  # share of questions whose largest weight among the words is on a right one
    weight: Grid  # mean weight on the right words, of a row that sums to 1 with the special tokens
    chance_accuracy: float  # of a word drawn from those that the query may read
    chance_weight: float  # of a uniform head under the same mask
    offset: int  # key position minus query position
    offset_accuracy: float
    error: Grid  # standard error of accuracy - offset_accuracy, sentences drawn independently
    n_missed: int  # questions that the offset gets wrong
    accuracy_missed: Grid  # the head's accuracy on these alone; 0 where there is none
    best: tuple[int, int]  # layer and head

    def at(self, grid: Grid) -> float:
        """The best head's number: `score.at(score.accuracy)`."""
        return grid[self.best[0]][self.best[1]]

    def is_better(self, layer: int, head: int) -> bool:
        """Whether the head leads the offset by more than ERRORS (2) standard errors, on FEWEST (20) sentences or more.

        Head and offset answer the same questions, so the error is that of their difference.
        """
        lead = self.accuracy[layer][head] - self.offset_accuracy
        return self.n_sentences >= FEWEST and lead > ERRORS * self.error[layer][head]

    @property
    def verdict(self) -> str:
        """On the best head, in words."""
        if self.n_sentences < FEWEST:
            return "too few sentences to tell"
        return "better than any offset" if self.is_better(*self.best) else "no better than an offset"

    @property
    def who_reads(self) -> str:
        """The reading in words."""
        return READINGS[self.reading]


@dataclass(frozen=True, slots=True)
class RelationTable(Result):
    """Every relation that the sentences hold, the most frequent first."""

    n_choosing: int  # sentences that the best head and offset were chosen on
    n_scoring: int
    n_layers: int
    n_heads: int
    scores: tuple[RelationScore, ...]

    def find(self, relation: str, reading: Reading = "back") -> RelationScore | None:
        return next((s for s in self.scores if (s.relation, s.reading) == (relation, reading)), None)


def relation_table(model: OneStack, choosing: Sequence[str], scoring: Sequence[str]) -> RelationTable:
    """Measures a model on sentences of the grammar; the best head and offset of each relation come from `choosing`.

    Sentences as text, none in both. One that the grammar does not make has no links and adds nothing. ValueError for a
    model without a tokenizer and where either side holds no link.
    """
    if set(choosing) & set(scoring):
        raise ValueError("choosing and scoring: expected no sentence in both, got some.")
    known, asked = (answers(model, sentences) for sentences in (choosing, scoring))
    if not known or not asked:
        raise ValueError("sentences: expected some that the grammar makes, on both sides, got none.")
    scores = [_score(*kind, known[kind], asked[kind]) for kind in asked if kind in known]
    scores.sort(key=lambda score: (-score.n, score.relation, score.reading))
    return RelationTable(len(choosing), len(scoring), model.config.n_layers, model.config.n_heads, tuple(scores))


def _score(relation: str, reading: Reading, known: Answers, asked: Answers) -> RelationScore:
    seen = sorted({offset for right in known.offsets for offset in right}, key=lambda offset: (abs(offset), offset))
    offset = max(seen, key=lambda offset: float(known.offset_hits(offset).sum()))
    by_head = known.hits.double().mean(0)
    best = divmod(int(by_head.argmax()), by_head.shape[1])
    hits, rule = asked.hits.double(), asked.offset_hits(offset).double()
    missed = hits[rule == 0]
    n_sentences = len(set(asked.sentence.tolist()))
    return RelationScore(
        relation=relation,
        reading=reading,
        n=len(rule),
        n_sentences=n_sentences,
        accuracy=_grid(hits.mean(0)),
        weight=_grid(asked.weight.double().mean(0)),
        chance_accuracy=float((asked.n_gold / asked.n_words).mean()),
        chance_weight=float((asked.n_gold / asked.n_keys).mean()),
        offset=offset,
        offset_accuracy=float(rule.mean()),
        error=_grid(clustered_error(hits - rule[:, None, None], asked.sentence)),
        n_missed=len(missed),
        accuracy_missed=_grid(missed.mean(0) if len(missed) else torch.zeros_like(hits[0])),
        best=(best[0], best[1]),
    )


def clustered_error(values: Tensor, cluster: Tensor) -> Tensor:
    """The standard error of the mean of values [item, ...] whose clusters [item] were drawn, not they (Cochran, 1977,
    section 9A.2: the mean is a ratio of sums over clusters). With one cluster it is not known: 0."""
    _, index = torch.unique(cluster, return_inverse=True)
    n_clusters = int(index.max()) + 1
    off = values - values.mean(0)
    sums = torch.zeros(n_clusters, *values.shape[1:], dtype=values.dtype).index_add_(0, index, off)
    return (sums.square().sum(0) * n_clusters / max(n_clusters - 1, 1)).sqrt() / len(values)


def _grid(values: Tensor) -> Grid:
    rounded: list[list[float]] = values.tolist()
    if not all(math.isfinite(value) for row in rounded for value in row):
        raise ValueError("weights: expected finite ones, got NaN or infinity.")
    return tuple(map(tuple, rounded))
