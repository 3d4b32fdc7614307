"""How a loss goes on beyond the length that a model was trained on (Press et al., 2022, section 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from viz_model.models import Decoder, Encoder
from viz_model.tasks.task import Batch

Floats = NDArray[np.float64]
AT_ONCE = 128  # examples in one pass


@dataclass(frozen=True, slots=True, eq=False)
class PositionLoss:
    """The mean loss at every position that was asked; every array is [asked position], in order."""

    position: NDArray[np.int64]
    loss: Floats  # nats; NaN where the model cannot read so far
    error: Floats  # the standard error of `loss` over the examples; NaN there too, and where one example asks
    n: NDArray[np.int64]  # examples that ask at this position
    readable: int  # positions that the model reads at all: the rows of its table, where it has one

    def mean(self, start: int, stop: int) -> float:
        """The mean loss of positions start <= p < stop, nats; NaN where one cannot be read or none is asked."""
        chosen = (self.position >= start) & (self.position < stop)
        return float(self.loss[chosen].mean()) if chosen.any() else float("nan")


def loss_by_position(model: Decoder | Encoder, batch: Batch) -> PositionLoss:
    """Cross entropy at each position, averaged over the examples of a batch, which may be longer than training's.

    Under a causal mask one long batch tells of every shorter length too: a position's loss does not depend on what
    comes after. Positions beyond the model's `context_length` (of a learned table: its rows) have no vector, and the
    model refuses them: their loss is NaN, not a number for some stand-in.
    """
    length, readable = batch.ids.shape[1], model.config.context_length
    known = min(length, readable)
    rows, columns = batch.asked.nonzero(as_tuple=True)
    losses = torch.full(batch.asked.shape, float("nan"), dtype=torch.float64)
    answers = torch.zeros_like(batch.ids)
    answers[rows, columns] = batch.answers
    with torch.inference_mode():
        for start in range(0, len(batch.ids), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            logits = model.logits(batch.ids[part, :known], batch.present[part, :known])
            found = F.cross_entropy(logits.transpose(1, 2), answers[part, :known], reduction="none")
            losses[part, :known] = found.double()
    asked = batch.asked.any(0).nonzero().flatten()
    n = batch.asked.sum(0)[asked]
    mean = torch.where(batch.asked, losses, 0.0).sum(0)[asked] / n
    apart = torch.where(batch.asked, losses - losses.new_zeros(length).index_copy(0, asked, mean), 0.0)
    error = (apart.square().sum(0)[asked] / (n - 1).clamp(min=1) / n).sqrt()
    error = torch.where(n > 1, error, float("nan"))
    return PositionLoss(asked.numpy(), mean.numpy(), error.numpy(), n.numpy(), readable)
