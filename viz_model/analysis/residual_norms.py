"""How long the vectors of the residual stream are, how alike, and what each sublayer adds to them.

Attention alone makes positions ever more alike, layer by layer; the residual connection is what keeps them apart (Dong
et al., 2021, 'Attention is not all you need').
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch.nn.functional as F
from torch import Tensor

from viz_model.analysis.results import Result
from viz_model.analysis.stacks import stack_of
from viz_model.blocks import BlockTrace, CrossBlockTrace, joins
from viz_model.edits import StackName
from viz_model.models import Model, Trace

SublayerName = Literal["attention", "cross_attention", "feed_forward"]


@dataclass(frozen=True, slots=True)
class StreamNorm:
    """The Euclidean norm of the stream at one place of a block, one number a position."""

    layer: int
    name: str  # the trace's: resid_pre, resid_cross, resid_mid, resid_post
    norms: tuple[float, ...]
    alike: float  # mean cosine between the vectors of two positions: near 1, the positions can hardly be told apart


@dataclass(frozen=True, slots=True)
class Addition:
    """What one sublayer adds to the stream, one number a position.

    |sum|^2 = |stream|^2 + |out|^2 + 2 |stream| |out| cosine. In a post-norm block the norm comes after this sum.
    """

    layer: int
    sublayer: SublayerName
    stream: tuple[float, ...]  # |stream| before the sublayer
    out: tuple[float, ...]  # |out| of the sublayer
    cosine: tuple[float, ...]  # between the two: 1 lengthens, 0 turns, -1 takes away
    share: tuple[float, ...]  # |out| / |stream|
    sum: tuple[float, ...]  # |stream + out|; |out| where there is no residual connection


@dataclass(frozen=True, slots=True)
class ResidualNorms(Result):
    """The stream from the embedding to the last block, and each step of it."""

    places: tuple[StreamNorm, ...]
    additions: tuple[Addition, ...]


def residual_norms(model: Model, trace: Trace, *, stack: StackName = "") -> ResidualNorms:
    """Norms along the residual stream of a trace's first text, with what each sublayer added.

    places: resid_pre of the first block, then each block's stream after every sublayer: a block's resid_post is the
    next one's resid_pre and stands once. An attention-only block has no addition of a feed-forward layer. stack:
    'encoder' or 'decoder' where the model has two.
    """
    module, found = stack_of(model, trace, stack)
    join = joins[module.config.residual]
    places = [_place(0, "resid_pre", found.embedding)]
    additions = []
    for layer, block in enumerate(found.blocks):
        for sublayer, stream, out, name in _steps(block):
            if sublayer != "feed_forward" or module.config.feed_forward:
                additions.append(_addition(layer, sublayer, stream, out, join(stream, out)))
            places.append(_place(layer, name, getattr(block, name)))
    return ResidualNorms(tuple(places), tuple(additions))


def _steps(block: BlockTrace) -> Iterator[tuple[SublayerName, Tensor, Tensor, str]]:
    """(sublayer, stream before it, its output, name of the stream after it), in order."""
    if isinstance(block, CrossBlockTrace):
        yield "attention", block.resid_pre, block.attention.out, "resid_cross"
        yield "cross_attention", block.resid_cross, block.cross_attention.out, "resid_mid"
    else:
        yield "attention", block.resid_pre, block.attention.out, "resid_mid"
    yield "feed_forward", block.resid_mid, block.feed_forward.out, "resid_post"


def _place(layer: int, name: str, stream: Tensor) -> StreamNorm:
    vectors = stream[0].detach().double()
    return StreamNorm(layer, name, _floats(vectors.norm(dim=-1)), _alike(vectors))


def _alike(vectors: Tensor) -> float:
    """Mean cosine over all pairs of different positions; 1 for a single position."""
    n = len(vectors)
    total = F.normalize(vectors, dim=-1, eps=1e-30).sum(0).square().sum().item()
    return (total - n) / (n * (n - 1)) if n > 1 else 1.0


def _addition(layer: int, sublayer: SublayerName, stream: Tensor, out: Tensor, total: Tensor) -> Addition:
    before, added, after = (part[0].detach().double() for part in (stream, out, total))
    return Addition(
        layer,
        sublayer,
        stream=_floats(before.norm(dim=-1)),
        out=_floats(added.norm(dim=-1)),
        cosine=_floats(F.cosine_similarity(before, added, dim=-1, eps=1e-30)),
        share=_floats(added.norm(dim=-1) / before.norm(dim=-1).clamp(min=1e-30)),
        sum=_floats(after.norm(dim=-1)),
    )


def _floats(x: Tensor) -> tuple[float, ...]:
    return tuple(x.tolist())
