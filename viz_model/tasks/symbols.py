"""Copy, reverse and sort: eight letters, a bar, and the same letters in the order that the task asks for."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import torch
from torch import Tensor

from viz_model.tasks.drawn import TokenTask
from viz_model.tasks.task import Batch, Expected

LETTERS = tuple("abcdefghijklmnopqrst")
BAR = "|"
N = 8  # letters before the bar, and after it


class Symbols(TokenTask):
    """'h c o a k e r f |' is read, eight letters and the end are asked. A letter may come more than once."""

    metric = "letters and end of the answer right"
    link: ClassVar[str]  # what the right key of an answer is

    def __init__(self) -> None:
        super().__init__((*LETTERS, BAR))

    @abstractmethod
    def answer(self, letters: Tensor) -> Tensor:
        """The right order of letters [example, N]."""

    @abstractmethod
    def right_keys(self, letters: Tensor) -> Tensor:
        """Which letter each place of the answer may read: bool [example, place, letter]."""

    def draw(self, size: int, generator: torch.Generator) -> Tensor:
        return torch.randint(self.first_id, self.first_id + len(LETTERS), (size, N), generator=generator)

    def ask(self, rows: Tensor) -> Batch:
        begin, bar, end = (rows.new_full((len(rows), 1), i) for i in (self.begin_id, self.id(BAR), self.end_id))
        answer = self.answer(rows)
        ids = torch.cat([begin, rows, bar, answer], 1)
        present = torch.ones_like(ids, dtype=torch.bool)
        asked = present.clone()
        asked[:, : 1 + N] = False
        return Batch(ids, present, asked, torch.cat([answer, end], 1).flatten())

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        keys = torch.zeros(*batch.ids.shape, batch.ids.shape[1], dtype=torch.bool)
        # The bar reads the first letter of the answer, the last letter reads the end, for which nothing need be read.
        keys[:, 1 + N : 1 + 2 * N, 1 : 1 + N] = self.right_keys(batch.ids[:, 1 : 1 + N])
        return (Expected(self.link, keys),)


class Copy(Symbols):
    name, title = "copy", "Copy"
    about = "Write the eight letters before the bar again, in the same order."
    link = "the letter to copy"
    watched = "h c o a k e r f"

    def answer(self, letters: Tensor) -> Tensor:
        return letters

    def right_keys(self, letters: Tensor) -> Tensor:
        return torch.eye(N, dtype=torch.bool).expand(len(letters), N, N)


class Reverse(Symbols):
    name, title = "reverse", "Reverse"
    about = "Write the eight letters before the bar backwards."
    link = "the letter to write"
    watched = "h c o a k e r f"

    def answer(self, letters: Tensor) -> Tensor:
        return letters.flip(1)

    def right_keys(self, letters: Tensor) -> Tensor:
        return torch.eye(N, dtype=torch.bool).flip(1).expand(len(letters), N, N)


class Sort(Symbols):
    name, title = "sort", "Sort"
    about = "Write the eight letters before the bar in the order of the alphabet."
    link = "the next letter of the alphabet that is there"
    watched = "h c o a k e r f"

    def answer(self, letters: Tensor) -> Tensor:
        return letters.sort(1).values

    def right_keys(self, letters: Tensor) -> Tensor:
        return self.answer(letters)[:, :, None] == letters[:, None, :]
