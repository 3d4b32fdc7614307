"""The shape of a model that is compared, and the batch that it reads."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

VOCABULARY = 300  # a few hundred everyday words, as the bundled models have
N_HEADS = 4


@dataclass(frozen=True, slots=True)
class Shape:
    d_model: int
    n_layers: int
    n_tokens: int

    def __str__(self) -> str:
        return f"d {self.d_model}, {self.n_layers} layer{'s' * (self.n_layers > 1)}, {self.n_tokens} tokens"

    def batch(self, size: int) -> tuple[Tensor, Tensor]:
        """Seeded ids and the answers to them, each [batch, position]."""
        generator = torch.Generator().manual_seed(0)
        both = torch.randint(VOCABULARY, (2, size, self.n_tokens), generator=generator)
        return both[0], both[1]
