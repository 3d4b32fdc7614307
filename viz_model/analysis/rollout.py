"""Attention rollout: how much of each input token has reached each position (Abnar & Zuidema, 2020, section 3)."""

from __future__ import annotations

import torch
from torch import Tensor

from viz_model.blocks import BlockTrace
from viz_model.models import StackTrace


def rollout(trace: StackTrace[BlockTrace]) -> Tensor:
    """R_l = A'_l R_(l-1), R_(-1) = I, A' = 0.5 A + 0.5 I with rows renormalised: [layer, batch, query, key].

    A is a layer's self-attention averaged over its heads; the identity stands for the residual stream. Entry l reads:
    how much of input token `key` is in position `query` after layer l. Rows sum to 1. Of one stack: cross-attention
    is left out. Feed-forward layers and the sizes of the values are too, so it is a picture and no measurement.
    """
    n = trace.ids.shape[1]
    identity = torch.eye(n, dtype=trace.embedding.dtype, device=trace.embedding.device)
    flow = identity.expand(trace.ids.shape[0], n, n)
    layers = []
    for block in trace.blocks:
        mixed = 0.5 * block.attention.weights.mean(1) + 0.5 * identity
        flow = (mixed / mixed.sum(-1, keepdim=True)) @ flow
        layers.append(flow)
    return torch.stack(layers) if layers else flow.new_zeros(0, *flow.shape)
