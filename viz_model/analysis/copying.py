"""Copying seen in cross-attention: does the place that is about to write a word read the same word in the source?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Copying:
    """What a text that was written has of its source."""

    possible: Tensor  # [step] bool: the token written stands in the source
    weight: Tensor  # [layer, head, step]  weight on the source's tokens that are the one written
    source: Tensor  # [source position]  the most that a head gave it at a step that wrote the same token; 0 without one

    def of(self, steps: Sequence[bool]) -> Copying:
        """The same with a copy possible at these steps alone."""
        return replace(self, possible=self.possible & torch.tensor(steps, dtype=torch.bool))

    @property
    def mean(self) -> Tensor:
        """Mean weight over the steps at which a copy is possible, [layer, head]; 0 where none is."""
        n = int(self.possible.sum())
        found: Tensor = self.weight[:, :, self.possible].sum(-1) / max(n, 1)
        return found

    @property
    def best(self) -> list[tuple[int, int, float] | None]:
        """For each step the head that reads the written token most, (layer, head, weight); None where no copy is."""
        found: list[tuple[int, int, float] | None] = []
        for step, possible in enumerate(self.possible.tolist()):
            layer, head = divmod(int(self.weight[:, :, step].argmax()), self.weight.shape[1])
            found.append((layer, head, float(self.weight[layer, head, step])) if possible else None)
        return found

    @property
    def any_head(self) -> float:
        """The same mean where each step has its own best head: copying that heads share among them."""
        most = self.weight.flatten(0, 1).amax(0)[self.possible]
        return float(most.mean()) if len(most) else 0.0


def copying(weights: Tensor, source_ids: Sequence[int], written_ids: Sequence[int]) -> Copying:
    """Cross-attention weights [layer, head, step, source position], where each step wrote its id.

    Source and target ids are of one vocabulary. Attention on any of several equal words counts.
    """
    source, written = torch.tensor(source_ids), torch.tensor(written_ids)
    if weights.dim() != 4 or weights.shape[2:] != (len(written), len(source)):
        raise ValueError(
            f"weights: expected [layer, head, {len(written)}, {len(source)}] as the ids say, got {list(weights.shape)}."
        )
    same = written[:, None] == source[None, :]
    copied = torch.where(same, weights, weights.new_zeros(()))
    return Copying(same.any(1), copied.sum(-1), copied.flatten(0, 2).amax(0))
