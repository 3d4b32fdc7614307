"""Two tasks of memory: which number goes with a name, and which letter came first.

Associative recall after Ba et al. (2016, section 4.1) and Arora et al. (2024, section 3), who ask several keys too: a
memory of fixed size has to keep every pair, attention looks the one up that is asked. The first letter is one thing to
keep, only for long: what stands in its way is not the size of the memory, but the length of the way.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

import torch
from torch import Tensor

from viz_model.tasks.drawn import TokenTask
from viz_model.tasks.task import Batch, Expected

NAMES = (
    *("Ada", "Ben", "Eva", "Joe", "Amy", "Bob", "Fay", "Max", "Ida", "Dan", "Kim", "Leo", "Mia", "Gus", "Ivy", "Tom"),
    *("Ann", "Eli", "Dot", "Hal", "Jan", "Ian", "Kay", "Jim", "Lea", "Ken", "Liz", "Ned", "Meg", "Ray", "Pam", "Sam"),
)
NUMBERS = tuple("0123456789")
FEWEST_PAIRS, MOST_PAIRS = 4, len(NAMES)
LETTERS = tuple("abcdefghijklmnop")
FILLERS = tuple("0123456789")
LONGEST_DISTANCE = 200
SEED_WATCHED = 6


class SizedTask(TokenTask):
    """A task of any size: the number is part of its name, so that the name alone makes it."""

    def __init__(self, words: Iterable[str], size: int, *, title: str, watched: str) -> None:
        super().__init__(words)
        # Of the class for every other task; `names.make_task` reads the number again.
        self.name = f"{self.name}-{size}"  # type: ignore[misc]
        self.title = title  # type: ignore[misc]
        self.watched = watched  # type: ignore[misc]


class AssociativeRecall(SizedTask):
    """'Ben 7 Ann 3 Eva 7 Joe 1 Ann Joe ...': after all pairs each name is asked once more, and its number is answered.

    The pairs stand in random order with random numbers, every name once; the names are asked in another order, so that
    each answer hangs on its own name alone.
    """

    name = "associative-recall"
    about = "Names with a number each, like a telephone book; then a name is asked: say its number."
    metric = "numbers right"

    def __init__(self, n_pairs: int = 16) -> None:
        if not FEWEST_PAIRS <= n_pairs <= MOST_PAIRS:
            raise ValueError(f"n_pairs: expected {FEWEST_PAIRS} to {MOST_PAIRS}, got {n_pairs}.")
        names = NAMES[:n_pairs]
        title = f"Associative recall, {n_pairs} pairs"
        super().__init__((*names, *NUMBERS), n_pairs, title=title, watched=_watched(names))
        self.n_pairs = n_pairs
        self.first_number = self.first_id + n_pairs

    def draw(self, size: int, generator: torch.Generator) -> Tensor:
        told, asked = (torch.rand(size, self.n_pairs, generator=generator).argsort(1) for _ in range(2))
        numbers = torch.randint(len(NUMBERS), (size, self.n_pairs), generator=generator)
        pairs = torch.stack([told + self.first_id, numbers + self.first_number], 2).flatten(1)
        return torch.cat([pairs, asked + self.first_id], 1)

    def ask(self, rows: Tensor) -> Batch:
        ids = torch.cat([rows.new_full((len(rows), 1), self.begin_id), rows], 1)
        asked = torch.zeros_like(ids, dtype=torch.bool)
        asked[:, 1 + 2 * self.n_pairs :] = True
        return Batch(ids, torch.ones_like(asked), asked, ids[:, None].expand(-1, ids.shape[1], -1)[self._numbers(ids)])

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        before = torch.zeros(batch.ids.shape[1], batch.ids.shape[1], dtype=torch.bool)
        at = torch.arange(2, 1 + 2 * self.n_pairs, 2)
        before[at, at - 1] = True
        return (
            Expected("the number beside the name", self._numbers(batch.ids)),
            Expected("the name of the number", before.expand(len(batch.ids), -1, -1)),
        )

    def best_guess(self, batch: Batch | None = None) -> float:
        """What the number that is there most often gets right: all that can be had without looking anything up."""
        batch = batch or self.held_out()
        numbers = batch.ids[:, 2 : 1 + 2 * self.n_pairs : 2]
        likeliest = numbers.mode(1, keepdim=True).values
        return float((batch.answers.view(-1, self.n_pairs) == likeliest).double().mean())

    def _numbers(self, ids: Tensor) -> Tensor:
        """The place of the right number for each asked name: bool [batch, query, key]."""
        keys = torch.zeros(*ids.shape, ids.shape[1], dtype=torch.bool)
        start = 1 + 2 * self.n_pairs
        keys[:, start:, 2:start:2] = ids[:, start:, None] == ids[:, None, 1:start:2]
        return keys


class FirstToken(SizedTask):
    """'g 4 4 0 7 ...': a letter, then as many digits as the distance says; at the last of them the letter is asked."""

    name = "first-token"
    about = "A letter, then a number of digits that mean nothing: say the letter."
    metric = "letters right"

    def __init__(self, distance: int = 20) -> None:
        if not 1 <= distance <= LONGEST_DISTANCE:
            raise ValueError(f"distance: expected 1 to {LONGEST_DISTANCE}, got {distance}.")
        watched = ("g", *random.Random(SEED_WATCHED).choices(FILLERS, k=distance))
        title = f"The first token, {distance} back"
        super().__init__((*LETTERS, *FILLERS), distance, title=title, watched=" ".join(watched))
        self.distance = distance
        self.first_filler = self.first_id + len(LETTERS)

    def draw(self, size: int, generator: torch.Generator) -> Tensor:
        letters = torch.randint(self.first_id, self.first_filler, (size, 1), generator=generator)
        fillers = torch.randint(len(FILLERS), (size, self.distance), generator=generator)
        return torch.cat([letters, fillers + self.first_filler], 1)

    def ask(self, rows: Tensor) -> Batch:
        ids = torch.cat([rows.new_full((len(rows), 1), self.begin_id), rows], 1)
        asked = torch.zeros_like(ids, dtype=torch.bool)
        asked[:, -1] = True
        return Batch(ids, torch.ones_like(asked), asked, rows[:, 0])

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        keys = torch.zeros(*batch.ids.shape, batch.ids.shape[1], dtype=torch.bool)
        keys[:, -1, 1] = True
        return (Expected("the first letter", keys),)


def _watched(names: tuple[str, ...]) -> str:
    """One telephone book of these names, and each name asked once more."""
    rng = random.Random(SEED_WATCHED)
    told, asked = rng.sample(names, len(names)), rng.sample(names, len(names))
    return " ".join([*(f"{name} {rng.choice(NUMBERS)}" for name in told), *asked])
