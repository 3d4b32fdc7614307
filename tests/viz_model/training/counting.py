"""A task of a few milliseconds, for tests of the loop: count on from a random number."""

from __future__ import annotations

import torch
from torch import Tensor

from viz_model.tasks.task import Batch, Probe, Task
from viz_model.tokenizer import Specials, Tokenizer
from viz_model.training.recipe import Recipe

LENGTH = 7
WORDS = tuple(f"n{i}" for i in range(10))
SPECIALS = Specials.causal()
FIRST = len(SPECIALS.names)  # the id of the first number
VOCAB = FIRST + len(WORDS)

TINY = Recipe(
    task="counting", d_model=16, n_layers=1, n_heads=2, d_ff=32, context_length=8, steps=40, batch_size=16, warm_up=5
)


class Counting(Task):
    """Learnt in a few steps, and drawn by the generator alone. `drawn` remembers the batches."""

    name, title, about, metric = "counting", "Counting", "Say the next number.", "whole rows right"

    def __init__(self) -> None:
        self.tokenizer = Tokenizer.from_words(WORDS, SPECIALS)
        assert self.tokenizer.vocab_size == VOCAB
        self.drawn: list[Tensor] = []

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        start = torch.randint(len(WORDS), (size, 1), generator=generator)
        self.drawn.append(start)
        return self.ask(start)

    def held_out(self) -> Batch:
        return self.ask(torch.arange(len(WORDS))[:, None])

    def probe(self) -> tuple[Probe, Batch]:
        batch = self.ask(torch.tensor([[3]]))
        tokens = tuple(self.tokenizer.token(int(i)) for i in batch.ids[0])
        return Probe(" ".join(tokens), tokens), batch

    def ask(self, start: Tensor) -> Batch:
        """Rows that count on from `start` [batch, 1]."""
        ids = (start + torch.arange(LENGTH + 1)) % len(WORDS) + FIRST
        asked = torch.ones(len(start), LENGTH, dtype=torch.bool)
        return Batch(ids[:, :-1], asked, asked, ids[:, 1:].flatten())
