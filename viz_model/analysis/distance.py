"""How far away a head reads."""

from __future__ import annotations

import torch
from torch import Tensor


def mean_distance(weights: Tensor, *, present: Tensor | None = None) -> Tensor:
    """sum_qk w_qk |q - k| / sum_qk w_qk, in positions: [batch, head].

    The mean attention distance of Dosovitskiy et al. (2021, section 4.5), along a text. weights: [batch, head, query,
    key] of self-attention; present: bool [batch, query], the queries that count (not padding). Without any weight: 0.
    """
    n_query, n_key = weights.shape[-2:]
    query = torch.arange(n_query, device=weights.device)[:, None]
    key = torch.arange(n_key, device=weights.device)[None, :]
    if present is not None:
        weights = weights * present[:, None, :, None]
    total = weights.sum((-2, -1))
    summed = (weights * (query - key).abs()).sum((-2, -1))
    return torch.where(total > 0, summed / total.clamp(min=torch.finfo(weights.dtype).tiny), 0.0)
