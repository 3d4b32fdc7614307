"""Do two rankings agree? Attention beside an attribution, as a number."""

from __future__ import annotations

import torch
from torch import Tensor

from viz_model.blocks import BlockTrace
from viz_model.models import StackTrace


def ranks(values: Tensor) -> Tensor:
    """Ranks from 1, equal values sharing the mean of theirs: float64 [n] from [n]."""
    _, group, counts = torch.unique(values, sorted=True, return_inverse=True, return_counts=True)
    shared: Tensor = counts.cumsum(0) - (counts.double() - 1) / 2
    return shared[group]


def rank_correlation(a: Tensor, b: Tensor) -> float | None:
    """Spearman's rho, the correlation of the ranks, from -1 to 1 (Spearman, 1904); [n] each.

    None where it is not defined: fewer than two values, or all of one side equal.
    """
    if a.dim() != 1 or a.shape != b.shape:
        raise ValueError(f"a, b: expected two lists of one length, got {list(a.shape)} and {list(b.shape)}.")
    if len(a) < 2:
        return None
    x, y = ranks(a), ranks(b)
    x, y = x - x.mean(), y - y.mean()
    spread = (x.square().sum() * y.square().sum()).sqrt()
    return float((x * y).sum() / spread) if spread > 0 else None


def attention_agreement(
    trace: StackTrace[BlockTrace], attribution: Tensor, *, query: int
) -> tuple[tuple[float | None, ...], ...]:
    """Spearman's rho of each head's weights in one row with |attribution|, as [layer][head].

    Over the keys that the query may attend to: masked ones would agree at 0 by themselves. After the question of
    Jain & Wallace (2019), who used Kendall's tau. attribution: [position]; the first text of a batch.
    """
    if attribution.shape != trace.ids.shape[1:]:
        raise ValueError(f"attribution: expected [{trace.ids.shape[1]}], got {list(attribution.shape)}.")
    layers = []
    for block in trace.blocks:
        keys = block.attention.mask[0, 0, query]
        sizes = attribution.abs()[keys]
        layers.append(tuple(rank_correlation(row[keys], sizes) for row in block.attention.weights[0, :, query]))
    return tuple(layers)
