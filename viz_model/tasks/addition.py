"""Two-digit addition, the sum's digits from the right: '3 4 + 5 8 = 2 9'.

Written from the units on, a digit of the sum needs its own column and a carry, not the columns that are still to come
(Lee et al., 2023, 'Teaching arithmetic to small transformers').
"""

from __future__ import annotations

import torch
from torch import Tensor

from viz_model.tasks.task import Batch, Expected, Probe, Task
from viz_model.tokenizer import Specials, Tokenizer

LEAST, MOST = 10, 99
EQUALS = 6  # the position of the equals sign, behind [BOS] and 'a a + b b'
ONE_IN, SEED_HELD_OUT = 10, 2


class Addition(Task):
    """Every pair of two-digit numbers; one pair in ten is held out, in either order of its numbers."""

    name, title = "addition", "Addition"
    about = "Add two numbers of two digits. The sum is written backwards, its units first."
    metric = "whole sums right"

    def __init__(self) -> None:
        self.tokenizer = Tokenizer.from_words((*"0123456789", "+", "="), Specials.causal())
        numbers = torch.arange(LEAST, MOST + 1)
        pairs = torch.cartesian_prod(numbers, numbers)  # [pair, 2]
        least, most = pairs.min(1).values, pairs.max(1).values
        generator = torch.Generator().manual_seed(SEED_HELD_OUT)
        drawn = torch.randint(ONE_IN, (MOST + 1, MOST + 1), generator=generator) == 0
        drawn[34, 58] = True  # the probe
        self._training, self._kept = (pairs[drawn[least, most] == kept] for kept in (False, True))

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        return self.ask(self._training[torch.randint(len(self._training), (size,), generator=generator)])

    def held_out(self) -> Batch:
        return self.ask(self._kept)

    def probe(self) -> tuple[Probe, Batch]:
        text = "3 4 + 5 8 = 2 9"
        return Probe(text, self.tokenizer.encode(text).tokens), self.ask(torch.tensor([[34, 58]]))

    def ask(self, pairs: Tensor) -> Batch:
        """Pairs of numbers [pair, 2] as a model reads them, asked for each digit of the sum and for its end."""
        zero, pad, end = self._id("0"), self._id("[PAD]"), self._id("[EOS]")
        tens, units, total = pairs // 10 + zero, pairs % 10 + zero, pairs.sum(1)
        has_hundreds = total >= 100
        columns: tuple[Tensor | int, ...] = (
            *(self._id("[BOS]"), tens[:, 0], units[:, 0], self._id("+"), tens[:, 1], units[:, 1], self._id("=")),
            *(total % 10 + zero, total // 10 % 10 + zero),
            torch.where(has_hundreds, total // 100 + zero, end),
            torch.where(has_hundreds, end, pad),
        )
        whole = torch.stack([torch.as_tensor(column).expand(len(pairs)) for column in columns], 1)
        present = torch.ones(len(pairs), len(columns) - 1, dtype=torch.bool)
        present[:, -1] = has_hundreds  # a sum of two digits has its end there, which is an answer and never read
        asked = present & (torch.arange(len(columns) - 1) >= EQUALS)
        answers, ids = whole[:, 1:][asked], whole[:, :-1].where(present, pad)
        width = int(present.sum(1).max())
        return Batch(ids[:, :width], present[:, :width], asked[:, :width], answers)

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        """The column that is added: the units for the first digit of the sum, the tens for the second."""
        keys = torch.zeros(*batch.ids.shape, batch.ids.shape[1], dtype=torch.bool)
        keys[:, EQUALS, [2, 5]] = True
        keys[:, EQUALS + 1, [1, 4]] = True
        return (Expected("the two digits above", keys),)

    def _id(self, token: str) -> int:
        return self.tokenizer.tokens.index(token)
