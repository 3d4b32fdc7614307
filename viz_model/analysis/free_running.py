"""A model that writes, judged in two ways: on the right words so far (teacher forcing), and on its own (free running).

Trained by teacher forcing, a model never sees its own mistakes (Williams and Zipser, 1989; Bengio et al., 2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_model.tasks.task import Batch


@dataclass(frozen=True, slots=True, eq=False)
class ByPosition:
    """Share of right tokens at each position of the target, and of whole texts."""

    n: NDArray[np.int64]  # [position]  texts that reach it
    forced: NDArray[np.float64]  # [position]  reading the right tokens
    free: NDArray[np.float64]  # [position]  reading its own
    forced_whole: float
    free_whole: float


@torch.inference_mode()
def written(model: Any, batch: Batch, *, n: int) -> Tensor:
    """What an encoder-decoder writes greedily after the first target token of each text: [batch, n] ids."""
    assert batch.target_ids is not None
    ids = batch.target_ids[:, :1]
    for _ in range(n):
        chosen = model.logits(batch.ids, ids, batch.present)[:, -1].argmax(-1)
        ids = torch.cat((ids, chosen[:, None]), dim=1)
    return ids[:, 1:]


@torch.inference_mode()
def right_by_position(model: Any, batch: Batch) -> ByPosition:
    """Right tokens under teacher forcing and free running, greedy; the stop token counts, what follows it does not."""
    assert batch.target_ids is not None
    asked, n = batch.asked, batch.asked.shape[1]
    answers = torch.zeros_like(batch.target_ids)
    answers[asked] = batch.answers
    forced = (
        model.logits(batch.ids, batch.target_ids, batch.present, batch.target_present).argmax(-1) == answers
    ) & asked
    free = (written(model, batch, n=n) == answers) & asked
    count = asked.sum(0)
    shares = [(right.sum(0).double() / count).numpy() for right in (forced, free)]
    whole = [float((right == asked).all(1).double().mean()) for right in (forced, free)]
    return ByPosition(count.numpy(), shares[0], shares[1], whole[0], whole[1])
