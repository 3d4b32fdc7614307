"""What one layer costs: Table 1 of Vaswani et al. (2017, section 4) as formulas, and the multiplications counted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch.utils.flop_counter import FlopCounterMode

from viz_model.analysis.memory import CausalModel
from viz_model.config import TransformerConfig
from viz_model.models import Decoder, Recurrent

LayerKind = Literal["self-attention", "recurrent", "convolutional", "self-attention (restricted)"]


@dataclass(frozen=True, slots=True)
class LayerCost:
    """A row of the table for one n and d, without the constants that O() leaves out."""

    kind: LayerKind
    formulas: tuple[str, str, str]  # complexity per layer, sequential operations, maximum path length, as in the paper
    multiplications: int  # per layer
    sequential: int  # operations that must wait for one another
    path: int  # steps between the two positions that are farthest apart


def table_1(n: int, d: int, *, kernel: int = 3, reach: int = 8) -> tuple[LayerCost, ...]:
    """The paper's four rows for n positions of width d; kernel: k of the convolution, reach: r, the keys on offer.

    The convolution's path is that of a dilated stack, log_k(n); contiguous kernels need n / k layers.
    """
    for name, value, least in (("n", n, 1), ("d", d, 1), ("kernel", kernel, 2), ("reach", reach, 1)):
        if value < least:
            raise ValueError(f"{name}: expected at least {least}, got {value}.")
    dilated = _layers_of_log(n, kernel)
    return (
        LayerCost("self-attention", ("O(n² · d)", "O(1)", "O(1)"), n * n * d, 1, 1),
        LayerCost("recurrent", ("O(n · d²)", "O(n)", "O(n)"), n * d * d, n, n),
        LayerCost("convolutional", ("O(k · n · d²)", "O(1)", "O(log_k(n))"), kernel * n * d * d, 1, dilated),
        LayerCost(
            "self-attention (restricted)", ("O(r · n · d)", "O(1)", "O(n/r)"), reach * n * d, 1, math.ceil(n / reach)
        ),
    )


def attention_multiplications(config: TransformerConfig, n: int) -> int:
    """Multiplications of one attention layer for n positions.

    n d (2 h + 2 h_kv) d_head for the projections and 2 n^2 h d_head for q k^T and weights v. With h d_head = d that is
    4 n d^2 + 2 n^2 d, of which the table keeps the second term.
    """
    heads, kv_heads = config.n_heads * config.d_head, config.n_kv_heads * config.d_head
    return n * config.d_model * (2 * heads + 2 * kv_heads) + 2 * n * n * heads


def counted_multiplications(model: CausalModel, n: int) -> int:
    """Multiplications in the layers of a model for n positions, counted while it runs; embeddings are left out.

    A recurrent model runs step by step, since nobody counts inside torch's own kernel.
    """
    ids = torch.zeros(1, n, dtype=torch.long)
    with torch.inference_mode(), FlopCounterMode(display=False) as counter:
        if isinstance(model, Recurrent):
            state = model.start(1)
            for at in range(n):
                _, state = model.step(ids[:, at], state)
        else:
            model(ids)
    width = model.config.d_model
    flops: int = counter.get_total_flops()  # a multiplication and an addition each
    return flops // 2 - n * width * model.config.vocab_size


def layer_multiplications(model: CausalModel, n: int) -> int:
    """The formula of what `counted_multiplications` counts: all layers, feed-forward of a transformer included."""
    config = model.config
    if not isinstance(model, Decoder):
        return config.n_layers * model.config.multiplications(n)
    one = attention_multiplications(model.config, n)
    if model.config.feed_forward:
        matrices = 3 if model.config.activation in ("geglu", "swiglu") else 2
        one += matrices * n * model.config.d_model * model.config.d_ff
    return config.n_layers * one


def _layers_of_log(n: int, base: int) -> int:
    """log_base(n), rounded up, at least 1; in whole numbers, so that 9 is 3 squared exactly."""
    layers, reached = 1, base
    while reached < n:
        layers, reached = layers + 1, reached * base
    return layers
