"""A trained model's own queries and keys: how large their dots are, and what the softmax makes of them either way."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_model.analysis.entropy import entropy
from viz_model.analysis.scaling import softmax_gradient
from viz_model.attention import AttentionTrace, masked_softmax
from viz_model.blocks import BlockTrace
from viz_model.models import StackTrace

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class HeadScaling:
    """Means over queries that have two open keys or more; every array is [layer, head].

    'dots' is without the scale, 'scores' with 1/sqrt(d_head), whichever of the two the model was trained with; a
    position bias is added to both before the softmax, and is no part of the variances.
    """

    d_head: int
    trained_scaled: bool  # the model itself divides by sqrt(d_head)
    n_queries: int
    q_size: Floats  # root mean square of the queries' components; 1 in the theory
    k_size: Floats  # of the keys'
    dots_variance: Floats  # among the keys of one query (about their mean, over n - 1): all that a softmax sees
    scores_variance: Floats  # dots_variance / d_head
    dots_entropy: Floats  # nats
    scores_entropy: Floats
    even_entropy: float  # ln(number of open keys), nats: what an even spread would have
    dots_gradient: Floats  # `softmax_gradient`
    scores_gradient: Floats


@dataclass(frozen=True, slots=True, eq=False)
class HeadRow:
    """One query of a head: its open keys and both softmaxes over them; every array is [key]."""

    keys: NDArray[np.int64]  # positions of the open keys
    dots: Floats
    scores: Floats  # dots / sqrt(d_head)
    dots_weights: Floats
    scores_weights: Floats
    dots_entropy: float  # nats
    scores_entropy: float
    dots_gradient: float  # `softmax_gradient`
    scores_gradient: float


@torch.no_grad()
def head_row(trace: StackTrace[BlockTrace], layer: int, head: int, query: int) -> HeadRow:
    """What one head makes of one query of the first text, with the scale and without."""
    attention = trace.blocks[layer].attention
    open_keys = attention.mask.expand(len(attention.q), 1, -1, -1)[0, 0, query]
    plain, scaled = (weights[0, head, query, open_keys] for weights in _softmaxes(attention))
    dots = attention.dots.double()[0, head, query, open_keys]
    return HeadRow(
        keys=open_keys.nonzero()[:, 0].numpy(),
        dots=dots.numpy(),
        scores=(dots / math.sqrt(attention.q.shape[-1])).numpy(),
        dots_weights=plain.numpy(),
        scores_weights=scaled.numpy(),
        dots_entropy=float(entropy(plain)),
        scores_entropy=float(entropy(scaled)),
        dots_gradient=float(softmax_gradient(plain)),
        scores_gradient=float(softmax_gradient(scaled)),
    )


@torch.no_grad()
def head_scaling(trace: StackTrace[BlockTrace], *, present: Tensor | None = None) -> HeadScaling:
    """Measures every self-attention head of a trace. present: bool [batch, query], the queries that are no padding.

    Raises ValueError for a trace without layers, or in which no query has a choice of keys.
    """
    if not trace.blocks:
        raise ValueError("trace: expected at least one layer, got none.")
    layers = [block.attention for block in trace.blocks]
    counts, keys = _choosing(layers[0], present)
    found = [_layer(layer, counts) for layer in layers]
    columns = [torch.stack([numbers[i] for numbers in found]).numpy() for i in range(len(found[0]))]
    q_size, k_size, variance, plain_entropy, scaled_entropy, plain_gradient, scaled_gradient = columns
    d_head = layers[0].q.shape[-1]
    return HeadScaling(
        d_head=d_head,
        trained_scaled=layers[0].scale != 1.0 or d_head == 1,
        n_queries=int(counts.sum()),
        q_size=q_size,
        k_size=k_size,
        dots_variance=variance,
        scores_variance=variance / d_head,
        dots_entropy=plain_entropy,
        scores_entropy=scaled_entropy,
        even_entropy=float(keys[counts].double().log().mean()),
        dots_gradient=plain_gradient,
        scores_gradient=scaled_gradient,
    )


def _choosing(layer: AttentionTrace, present: Tensor | None) -> tuple[Tensor, Tensor]:
    """Which queries have two open keys or more, and how many keys each has: [batch, query] both."""
    keys = layer.mask[:, 0].sum(-1).expand(layer.q.shape[0], -1)
    counts = keys > 1 if present is None else (keys > 1) & present
    if not bool(counts.any()):
        raise ValueError("trace: expected a query with two keys to choose from, got none.")
    return counts, keys


def _layer(layer: AttentionTrace, counts: Tensor) -> tuple[Tensor, ...]:
    """One layer's numbers, [head] each, in the order of `HeadScaling`."""
    q, k, dots = layer.q.double(), layer.k.double(), layer.dots.double()
    open_keys = layer.mask.expand(len(dots), 1, -1, -1)
    n = open_keys.sum(-1).clamp(min=2)
    mean = torch.where(open_keys, dots, 0.0).sum(-1) / n
    variance = torch.where(open_keys, dots - mean[..., None], 0.0).square().sum(-1) / (n - 1)
    plain, scaled = _softmaxes(layer)
    read = open_keys[:, 0].logical_and(counts[:, :, None]).any(1)  # keys that a counted query may read
    sizes = (_over(q.square().mean(-1), counts).sqrt(), _over(k.square().mean(-1), read).sqrt())
    rows = (variance, entropy(plain), entropy(scaled), softmax_gradient(plain), softmax_gradient(scaled))
    return (*sizes, *(_over(part, counts) for part in rows))


def _softmaxes(layer: AttentionTrace) -> tuple[Tensor, Tensor]:
    """The layer's weights without the scale and with it, position bias and mask as they are: float64."""
    dots = layer.dots.double()
    bias = 0.0 if layer.bias is None else layer.bias.double()
    scaled = dots / math.sqrt(layer.q.shape[-1])
    return masked_softmax(dots + bias, layer.mask), masked_softmax(scaled + bias, layer.mask)


def _over(values: Tensor, counts: Tensor) -> Tensor:
    """The mean of [batch, head, place] over the places that count, [batch, place]: [head]."""
    return (values * counts[:, None]).sum((0, 2)) / counts.sum()
