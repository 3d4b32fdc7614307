"""Which inputs an output depends on, found by changing them one by one."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import Tensor

from viz_model.analysis.memory import CausalModel, read_out


def influence(model: CausalModel, ids: Tensor) -> Tensor:
    """How far each output moves when one token becomes another: [output position, changed position].

    The largest change of any number that the unembedding reads, in double precision; exactly 0 where nothing leads
    from there to here. ids: one text, [1, position].
    """
    if ids.dim() != 2 or ids.shape[0] != 1:
        raise ValueError(f"ids: expected one text, [1, position], got {list(ids.shape)}.")
    n, vocab_size = ids.shape[1], model.config.vocab_size
    if vocab_size < 2:
        raise ValueError("vocab_size: expected at least 2 tokens, so that one can become another, got 1.")
    with torch.inference_mode(False), torch.no_grad():
        exact = deepcopy(model).double()
        before = read_out(exact(ids))
        moved = torch.zeros(n, n, dtype=torch.float64)
        for at in range(n):
            changed = ids.clone()
            changed[0, at] = (changed[0, at] + 1) % vocab_size
            # A batch of its own: in a common one the order of sums could differ from row to row.
            moved[:, at] = (read_out(exact(changed)) - before)[0].abs().amax(-1)
    return moved


def receptive_field(moved: Tensor) -> int:
    """Positions, the last itself included, back to the farthest that moves the last output; from `influence`."""
    reached = moved[-1].nonzero().flatten()
    return moved.shape[1] - int(reached.min()) if len(reached) else 0
