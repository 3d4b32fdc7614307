"""How a loss goes on beyond the length that a model was trained on (Press et al., 2022, section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import ArrayLike, NDArray

from viz_model.models import Decoder, Encoder
from viz_model.tasks.task import Batch

Floats = NDArray[np.float64]
AT_ONCE = 128  # examples in one pass
HOLDS = 0.1  # nats: a loss that has grown by less goes on as it was

# How a loss goes on beyond the trained length: there is no vector to read with, as good as inside, worse, or worse than
# the loss of who knows nothing.
Outcome = Literal["ends", "holds", "worse", "lost"]


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
        return mean_loss(self.position, self.loss, start, stop)


def mean_loss(position: ArrayLike, loss: Sequence[float | None] | ArrayLike, start: int, stop: int) -> float:
    """The mean of the losses at positions start <= p < stop, nats; NaN where one is missing (None, NaN) or none is
    asked."""
    at = np.asarray(position)
    chosen = (at >= start) & (at < stop)
    found = np.asarray(loss, dtype=np.float64)[chosen]
    return float(found.mean()) if found.size else float("nan")


def outcome(inside: float, beyond: float, chance: float) -> Outcome:
    """What became of the loss `inside` the trained length, `beyond` it; `chance` is the loss of who knows nothing."""
    if np.isnan(beyond):
        return "ends"
    if beyond > chance:
        return "lost"
    return "holds" if beyond - inside < HOLDS else "worse"


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
