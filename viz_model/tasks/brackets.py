"""Brackets of four kinds, and after each of them the question which closing bracket would match.

The Dyck language with several kinds of brackets (Chomsky and Schützenberger, 1963), which asks for a stack; read by
transformers in Hewitt et al. (2020) and Yao et al. (2021).
"""

from __future__ import annotations

import torch
from torch import Tensor

from viz_model.tasks.drawn import DrawnTask
from viz_model.tasks.task import Batch, Expected

OPENING, CLOSING = tuple("([{<"), tuple(")]}>")
LENGTH = 24
DEEPEST = 6  # brackets that are open at once


class Brackets(DrawnTask):
    """The first brackets of a well-formed text. Each position is asked, also where an opening bracket comes next.

    So a model that has learned the task closes whatever a person has typed: '( [ {' goes on with '} ] ) [EOS]'.
    """

    name, title = "brackets", "Matching brackets"
    about = "After each bracket, say which closing bracket would match now, or that the text may end: none is open."
    metric = "texts with every match right"
    watched = "( [ ] { < ( ) [ { } ] > } ) < [ ( ) ] { } > { ("

    def __init__(self) -> None:
        super().__init__((*OPENING, *CLOSING))

    def draw(self, size: int, generator: torch.Generator) -> Tensor:
        # The depth is a random walk between two walls: a free walk, folded like a strip of paper.
        walk = torch.randint(2, (size, LENGTH), generator=generator).mul(2).sub(1).cumsum(1)
        depth = (walk + DEEPEST).remainder(2 * DEEPEST).sub(DEEPEST).abs()
        is_open = depth.diff(dim=1, prepend=depth.new_zeros(size, 1)) > 0
        opened = _innermost(is_open, depth)
        # A closing bracket matches what was innermost before it.
        match = torch.where(is_open, torch.arange(LENGTH), opened.roll(1, 1))
        kinds = torch.randint(len(OPENING), (size, LENGTH), generator=generator).gather(1, match.clamp(min=0))
        return self.first_id + kinds + torch.where(is_open, 0, len(OPENING))

    def ask(self, rows: Tensor) -> Batch:
        ids = torch.cat([rows.new_full((len(rows), 1), self.begin_id), rows], 1)
        asked = ids != self.begin_id
        opened = self._opened(ids)
        answers = ids.gather(1, opened.clamp(min=0)) + len(OPENING)
        answers = torch.where(opened >= 0, answers, self.end_id)
        return Batch(ids, torch.ones_like(asked), asked, answers[asked])

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        position = torch.arange(batch.ids.shape[1])
        keys = position == self._opened(batch.ids)[:, :, None]
        return (Expected("the innermost open bracket", keys),)

    def _opened(self, ids: Tensor) -> Tensor:
        is_open = (ids >= self.first_id) & (ids < self.first_id + len(OPENING))
        is_close = ids >= self.first_id + len(OPENING)
        return _innermost(is_open, (is_open.long() - is_close.long()).cumsum(1))


def _innermost(is_open: Tensor, depth: Tensor) -> Tensor:
    """Where the innermost bracket that is open after each position was opened: [batch, position], -1 where none is.

    is_open: bool [batch, position]; depth: how many are open after each position. It is the last opening bracket that
    reached this depth: once it is closed, only another one can lead back to the depth.
    """
    position = torch.arange(depth.shape[1])
    reached = is_open[:, None, :] & (depth[:, None, :] == depth[:, :, None]) & (position <= position[:, None])
    last = torch.where(reached, position, -1).amax(2)
    return last.masked_fill(depth == 0, -1)
