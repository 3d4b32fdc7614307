"""How long a forward pass takes on this machine, by the number of positions."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

import torch

from viz_model.analysis.memory import CausalModel

LONGEST = 4096  # positions


def forward_seconds(model: CausalModel, lengths: Sequence[int], *, repeats: int = 5) -> tuple[float, ...]:
    """Seconds of wall clock of one forward pass of one sequence, the median of `repeats`, for each length.

    By the path that training takes (torch's fused attention, its own RNN kernels). The machine's other work is in it.
    """
    for n in lengths:
        if not 1 <= n <= LONGEST:
            raise ValueError(f"lengths: expected 1 to {LONGEST} positions, got {n}.")
    if repeats < 1:
        raise ValueError(f"repeats: expected at least 1, got {repeats}.")
    found = []
    with torch.inference_mode():
        for n in lengths:
            ids = torch.zeros(1, n, dtype=torch.long)
            model.logits(ids)  # the first call makes what later ones have at hand
            found.append(statistics.median(_seconds(model, ids) for _ in range(repeats)))
    return tuple(found)


def _seconds(model: CausalModel, ids: torch.Tensor) -> float:
    started = time.perf_counter()
    model.logits(ids)
    return time.perf_counter() - started
