"""Accuracy against the number of labelled examples, and what it says of the claim 'quick, with little data'."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from viz_model.analysis.results import Result, named

Weights = tuple[tuple[tuple[tuple[float, ...], ...], ...], ...]  # [layer, head, query, key]
CLAIMED = 4  # times as many examples is what a fresh start should need, for the claim to hold


@dataclass(frozen=True, slots=True)
class Curve:
    """One way of learning."""

    way: str
    learning_rate: tuple[float, ...]  # [size] the best of those tried
    tried: tuple[tuple[float, ...], ...]  # [size, rate] mean accuracy, with seeds and sentences of their own
    accuracy: tuple[tuple[float, ...], ...]  # [size, seed], on held-out sentences

    def means(self) -> tuple[float, ...]:
        """Over the seeds, for each number of examples."""
        return tuple(mean(row) for row in self.accuracy)

    def lowest(self) -> tuple[float, ...]:
        """The seed that did worst, for each number of examples."""
        return tuple(min(row) for row in self.accuracy)

    def highest(self) -> tuple[float, ...]:
        """The seed that did best, for each number of examples."""
        return tuple(max(row) for row in self.accuracy)


@dataclass(frozen=True, slots=True)
class Looked:
    """All attention of the body on one sentence, before and after fine-tuning of all its weights."""

    text: str
    tokens: tuple[str, ...]
    n_examples: int
    says: tuple[float, float]  # chances of the labels after fine-tuning
    before: Weights
    after: Weights

    def moved(self) -> NDArray[np.float64]:
        """[layer, head] The share of its attention that a query has moved to other keys, the mean over queries.

        Half the sum of the absolute differences of a row (total variation): 0 for equal rows, 1 for rows that share
        no key.
        """
        change = np.abs(np.array(self.after) - np.array(self.before)).sum(-1) / 2
        found: NDArray[np.float64] = change.mean(-1)
        return found


@dataclass(frozen=True, slots=True)
class FineTuning(Result):
    """The whole measurement: the same sentences and seeds for all ways of learning."""

    body: str
    labels: tuple[str, ...]
    sizes: tuple[int, ...]
    seeds: tuple[int, ...]
    rates: tuple[float, ...]
    steps: int
    batch_size: int
    n_held_out: int
    curves: tuple[Curve, ...]
    times: int  # as many steps as the others, for the following
    longer: tuple[float, ...]  # [seed] from scratch with the most examples and so many more steps
    attention: Looked
    shown: tuple[tuple[str, str], ...]  # some labelled sentences: text, label

    def curve(self, way: str) -> Curve:
        """ValueError for a way that was not measured."""
        return named(self.curves, "way", way)

    def reached(self, way: str, n: int) -> float:
        """The mean accuracy with n examples, n one of the sizes."""
        return self.curve(way).means()[self.sizes.index(n)]

    def needed(self, way: str, accuracy: float) -> int | None:
        """The fewest examples with which the mean accuracy is as high; None where it never is."""
        means = self.curve(way).means()
        return next((n for n, found in zip(self.sizes, means, strict=True) if found >= accuracy), None)

    def holds(self, n: int) -> bool:
        """Whether a fresh start needs at least CLAIMED times as many examples to reach what fine-tuning does with n.

        What never reaches it needs more than the most that were tried, which must be as many times n.
        """
        needs = self.needed("scratch", self.reached("full", n))
        return (self.sizes[-1] if needs is None else needs) >= CLAIMED * n
