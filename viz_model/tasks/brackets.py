"""Brackets of four kinds, and at every position the question which bracket would close now.

The Dyck language with several kinds of brackets (Chomsky and Schuetzenberger, 1963), as a test of whether a model
keeps a stack (Hewitt et al., 2020; Yao et al., 2021).
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
    """The first brackets of a well-formed text; nothing open means that the text may end."""

    name, title = "brackets", "Matching brackets"
    about = "After each bracket, say which closing bracket would match; when nothing is open, say that the text may end."
    metric = "texts with the right bracket at every position"
    watched = "( [ ] { < ( ) [ { } ] > } ) < [ ( ) ] { } > { ("

    def __init__(self) -> None:
        super().__init__((*OPENING, *CLOSING))

    def draw(self, size: int, generator: torch.Generator) -> Tensor:
        opens = torch.rand(LENGTH, size, generator=generator) < 0.5
        kinds = torch.randint(len(OPENING), (LENGTH, size), generator=generator)
        stack = torch.zeros(size, DEEPEST + 1, dtype=torch.long)
        depth = torch.zeros(size, dtype=torch.long)
        each, rows = torch.arange(size), []
        for may_open, kind in zip(opens, kinds, strict=True):
            is_open = (may_open | (depth == 0)) & (depth < DEEPEST)
            stack[each, depth] = kind  # above the top: nothing, if the next bracket closes
            depth = torch.where(is_open, depth, depth - 1)
            rows.append(stack[each, depth] + torch.where(is_open, 0, len(OPENING)))
            depth = depth + is_open.long()
        return torch.stack(rows, 1) + self.first_id

    def ask(self, rows: Tensor) -> Batch:
        ids = torch.cat([torch.full((len(rows), 1), self.begin_id), rows], 1)
        present = torch.ones_like(ids, dtype=torch.bool)
        asked = present.clone()
        asked[:, 0] = False
        top = self._innermost(ids)
        closing = ids.gather(1, top.clamp(min=0)) + len(OPENING)
        answers = torch.where(top >= 0, closing, self.end_id)
        return Batch(ids, present, asked, answers[asked])

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        position = torch.arange(batch.ids.shape[1])
        right = position == self._innermost(batch.ids)[:, :, None]
        return (Expected("the innermost open bracket", right & batch.asked[:, :, None]),)

    def _innermost(self, ids: Tensor) -> Tensor:
        """Where the innermost bracket that is open after each position was opened: [batch, position], -1 for none.

        It is the last opening one that reached the depth of the position: any later one at that depth has been closed,
        which took the depth below it.
        """
        is_open = (ids >= self.first_id) & (ids < self.first_id + len(OPENING))
        is_close = ids >= self.first_id + len(OPENING)
        depth = (is_open.long() - is_close.long()).cumsum(1)
        position = torch.arange(ids.shape[1])
        same = is_open[:, None, :] & (depth[:, None, :] == depth[:, :, None])  # [batch, query, key]
        last = torch.where(same & (position <= position[:, None]), position, -1).amax(2)
        return torch.where(depth > 0, last, -1)
