"""Initial weights from a seed: N(0, 1 / fan_in), small on the way back into the residual stream, where there is one.

Measured on our small models, this start learns several times faster than the usual 0.02 (see the README).
"""

from __future__ import annotations

import math

import torch
from torch import nn

from viz_model.attention import MultiHeadAttention
from viz_model.feed_forward import FeedForward

EMBEDDING_STD = 0.3


@torch.no_grad()
def initialise(module: nn.Module, *, n_layers: int, seed: int, residual: bool = True) -> None:
    """Fills every weight of `module` from its own generator: the same seed gives the same model.

    residual: what 2 n_layers sublayers add up in the stream starts the smaller the more of them there are.
    """
    generator = torch.Generator().manual_seed(seed)
    into_residual = {id(m.w_o) for m in module.modules() if isinstance(m, MultiHeadAttention)}
    into_residual |= {id(m.w_out) for m in module.modules() if isinstance(m, FeedForward)}
    for part in module.modules():
        if isinstance(part, nn.Linear):
            std = 1.0 / math.sqrt(part.in_features)
            if residual and id(part) in into_residual:
                std /= math.sqrt(2 * max(n_layers, 1))
            part.weight.normal_(0.0, std, generator=generator)
            if part.bias is not None:
                part.bias.zero_()
        elif isinstance(part, nn.Embedding):
            part.weight.normal_(0.0, EMBEDDING_STD, generator=generator)
        elif hasattr(part, "table") and isinstance(part.table, nn.Parameter):
            part.table.normal_(0.0, EMBEDDING_STD, generator=generator)
