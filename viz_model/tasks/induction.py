"""Induction: a random sequence repeats itself, and whoever finds the last time knows what comes next.

The task in which induction heads form (Elhage et al., 2021; Olsson et al., 2022): a head of the first layer carries
each token to the position after it, a head of the second reads the position to which the current token was carried.
"""

from __future__ import annotations

import torch
from torch import Tensor

from viz_model.tasks.drawn import TokenTask
from viz_model.tasks.task import Batch, Expected

LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")
LENGTH = 32  # letters in a sequence; the last of them is only an answer
SHORTEST, LONGEST = 6, 16  # letters until it begins anew: all different, so that one answer is right


class Induction(TokenTask):
    """'q c a m q c a m q': asked is what follows each letter that was there before."""

    name, title = "induction", "Induction"
    about = "A random sequence of letters repeats itself: say which letter comes next."
    metric = "letters of the repeat right"
    watched = "h c o a w k e r f z h c o a w k e r f z h c o a w k e r f z h c"

    def __init__(self) -> None:
        super().__init__(LETTERS)

    def draw(self, size: int, generator: torch.Generator) -> Tensor:
        letters = torch.rand(size, len(LETTERS), generator=generator).argsort(1) + self.first_id
        period = torch.randint(SHORTEST, LONGEST + 1, (size, 1), generator=generator)
        return letters.gather(1, torch.arange(LENGTH) % period)

    def ask(self, rows: Tensor) -> Batch:
        ids = torch.cat([rows.new_full((len(rows), 1), self.begin_id), rows[:, :-1]], 1)
        asked = _earlier(ids).any(2)
        return Batch(ids, torch.ones_like(asked), asked, rows[asked])

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        position = torch.arange(batch.ids.shape[1])
        earlier = _earlier(batch.ids)
        last = (earlier * position).argmax(2, keepdim=True)  # [batch, query, 1]
        after = (position == last + 1) & batch.asked[:, :, None]
        before = (position == position[:, None] - 1) & batch.present[:, :, None]
        return (
            Expected("the letter that came next last time", after),
            Expected("the letter before", before),
        )


def _earlier(ids: Tensor) -> Tensor:
    """Which earlier positions hold the query's own token: bool [batch, query, key]."""
    return (ids[:, :, None] == ids[:, None, :]).tril(-1)
