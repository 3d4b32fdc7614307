"""Keeping the size of a vector in hand: LayerNorm (Ba et al., 2016) and RMSNorm (Zhang & Sennrich, 2019), or none."""

from __future__ import annotations

from torch import nn

from viz_model.config import TransformerConfig

EPSILON = 1e-5


def norm(config: TransformerConfig) -> nn.Module:
    """The norm that the config names, over the last axis: [..., d_model] to [..., d_model]."""
    if config.norm == "none":
        return nn.Identity()
    if config.norm == "rms":
        return nn.RMSNorm(config.d_model, eps=EPSILON)
    return nn.LayerNorm(config.d_model, eps=EPSILON, bias=config.bias)
