"""A chain of letters in which each letter is drawn by the two before it, and by nothing farther back.

A Markov chain of order two (Shannon, 1948, section 3). What comes next depends on the order of the last two letters, so
positions matter; it depends on nothing else, so the best possible loss is known and the same at every position.
Whatever a model loses beyond the length that it was trained on is therefore the fault of its positions.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from viz_model.tasks.drawn import TokenTask, is_held_out
from viz_model.tasks.task import Batch, Expected

LETTERS = tuple("abcdefgh")
LENGTH = 32  # letters in a training example
CHANCES = (0.7, 0.2, 0.1)  # of the three letters that may follow a pair
SEED_FOLLOWERS, SEED_LONG = 11, 5


class LetterChain(TokenTask):
    """Each position says which letter comes next; the first two letters follow nothing and are not asked."""

    name, title = "letter-chain", "A chain of letters"
    about = "Each letter depends on the two before it and on nothing farther back: say which letter comes next."
    metric = "letters right, of which a share of .7 can be known"
    watched = "a c e g b d f h a c e g b d f h a c e g b d f h a c e g b d f h"

    def __init__(self) -> None:
        super().__init__(LETTERS)
        n = len(LETTERS)
        order = torch.rand(n, n, n, generator=torch.Generator().manual_seed(SEED_FOLLOWERS)).argsort(-1)
        # [letter before, last letter, rank]: each pair has three letters of its own that may follow, likeliest first
        self.followers = order[..., : len(CHANCES)].contiguous()

    @property
    def best_loss(self) -> float:
        """The entropy of what comes next, nats a letter: no model can lose less on average."""
        return -sum(chance * math.log(chance) for chance in CHANCES)

    @property
    def chance_loss(self) -> float:
        """The loss of who knows nothing but the alphabet, nats a letter."""
        return math.log(len(LETTERS))

    def draw(self, size: int, generator: torch.Generator) -> Tensor:
        return self.chains(size, LENGTH, generator)

    def chains(self, size: int, length: int, generator: torch.Generator) -> Tensor:
        """Chains of any length of at least 2, as ids [example, letter]."""
        if length < 2:
            raise ValueError(f"length: expected at least 2 letters, got {length}.")
        chosen = torch.rand(length, size, generator=generator)
        rank = torch.bucketize(chosen, torch.tensor(CHANCES).cumsum(0)[:-1], right=True)
        letters = list(torch.randint(len(LETTERS), (2, size), generator=generator))
        table, n, n_followers = self.followers.flatten(), len(LETTERS), len(CHANCES)
        for at in range(2, length):
            letters.append(table[(letters[-2] * n + letters[-1]) * n_followers + rank[at]])
        return torch.stack(letters, 1) + self.first_id

    def ask(self, rows: Tensor) -> Batch:
        ids = torch.cat([rows.new_full((len(rows), 1), self.begin_id), rows[:, :-1]], 1)
        present = torch.ones_like(ids, dtype=torch.bool)
        asked = present.clone()
        asked[:, :2] = False
        return Batch(ids, present, asked, rows[asked])

    def long_texts(self, length: int, n: int = 512) -> Batch:
        """`n` chains of `length` letters, LENGTH or more, whose first LENGTH letters were never trained on."""
        if length < LENGTH:
            raise ValueError(f"length: expected at least the {LENGTH} letters of training, got {length}.")
        generator = torch.Generator().manual_seed(SEED_LONG)
        found, n_found = [], 0
        while n_found < n:
            rows = self.chains(4 * n, length, generator)
            found.append(rows[is_held_out(rows[:, :LENGTH])])
            n_found += len(found[-1])
        return self.ask(torch.cat(found)[:n])

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        """The last letter is the query's own; what it must fetch stands one before."""
        position = torch.arange(batch.ids.shape[1])
        before = (position == position[:, None] - 1) & batch.asked[:, :, None]
        return (Expected("the letter before the last", before),)
