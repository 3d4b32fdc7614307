"""Tasks whose examples are drawn afresh for every batch, and the rule that keeps some of them from training."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import Any, ClassVar

import torch
from torch import Tensor

from viz_model.tasks.task import Batch, Probe, Task
from viz_model.tokenizer import Specials, Tokenizer

N_HELD_OUT, SEED_HELD_OUT = 512, 2
ONE_IN = 10  # of all possible examples, one in so many is never trained on


class DrawnTask(Task):
    """Examples are rows of ids, all of one length; a checksum of the row says whether it is held out."""

    watched: ClassVar[str]  # the entries of the watched example, as words; never trained on either

    def __init__(self, words: Iterable[str]) -> None:
        """words: the vocabulary, which follows the special tokens of a causal model."""
        self.tokenizer = Tokenizer.from_words(words, Specials.causal())
        self.begin_id, self.end_id = self.id("[BOS]"), self.id("[EOS]")
        self.first_id = len(self.tokenizer.specials.names)  # of the first word

    @abstractmethod
    def draw(self, size: int, generator: torch.Generator) -> Tensor:
        """Any rows [size, entry], held-out ones among them."""

    @abstractmethod
    def ask(self, rows: Tensor) -> Batch:
        """Rows [example, entry] as a model reads them, what it is asked, and the answers."""

    def id(self, word: str) -> int:
        """The id of a word of the task; ValueError for another."""
        found = self.tokenizer.id(word)
        if found is None:
            raise ValueError(f"expected one of {' '.join(self.tokenizer.tokens)}, got {word!r}")
        return found

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        return self.ask(self._rows(size, generator, held_out=False))

    def held_out(self) -> Batch:
        return self._held_out

    def probe(self) -> tuple[Probe, Batch]:
        batch = self.ask(self._watched_row)
        tokens = tuple(self.tokenizer.tokens[i] for i in batch.ids[0].tolist())
        return Probe(" ".join(tokens[1:]), tokens), batch  # the tokenizer adds the first, [BOS], itself

    @cached_property
    def _held_out(self) -> Batch:
        return self.ask(self._rows(N_HELD_OUT, torch.Generator().manual_seed(SEED_HELD_OUT), held_out=True))

    @cached_property
    def _watched_row(self) -> Tensor:
        return torch.tensor([[self.id(word) for word in self.watched.split()]])

    def _rows(self, size: int, generator: torch.Generator, *, held_out: bool) -> Tensor:
        found, n_found = [], 0
        while n_found < size:
            rows = self.draw(size + size // 4 + 4, generator)
            kept = is_held_out(rows) | (rows == self._watched_row).all(1)
            found.append(rows[kept == held_out])
            n_found += len(found[-1])
        return torch.cat(found)[:size]


class TokenTask(DrawnTask):
    """A drawn task that counts asked tokens, not whole examples."""

    def accuracy(self, model: Any, batch: Batch | None = None) -> float:
        """Share of the asked tokens of held-out examples that the model finds likeliest."""
        batch = batch or self.held_out()
        with torch.inference_mode():
            right = self.logits(model, batch)[batch.asked].argmax(-1) == batch.answers
        return float(right.double().mean())

    def figures(self, model: Any) -> dict[str, float]:
        return {self.metric: self.accuracy(model), "whole answers right": super().accuracy(model)}


def is_held_out(rows: Tensor) -> Tensor:
    """Which rows [example, entry] are kept from training: bool [example], about one in ten, by their entries alone.

    A rule rather than a list: it takes no memory and covers every example that could ever be drawn.
    """
    # Multiplicative hashing (Knuth, The Art of Computer Programming, vol. 3, section 6.4), one multiplier an entry.
    multipliers = torch.arange(1, rows.shape[1] + 1) * 2_654_435_761 % 2**32
    return ((rows + 1) * multipliers).sum(1) // 2**16 % ONE_IN == 0
