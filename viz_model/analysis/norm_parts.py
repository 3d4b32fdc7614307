"""What a norm does to a vector, part by part: mean, variance, epsilon, gain and bias."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from viz_model.analysis.results import Result
from viz_model.analysis.stacks import stack_of
from viz_model.blocks import BlockTrace, CrossBlockTrace, joins
from viz_model.config import TransformerConfig
from viz_model.edits import StackName
from viz_model.models import Model, Trace


@dataclass(frozen=True, slots=True, eq=False)
class NormSite:
    """A norm of a model in a run: its layer (None: the final norm), its name in the block, what it read and gave."""

    layer: int | None
    name: str  # norm_attention, norm_cross, norm_feed_forward, final_norm
    module: nn.LayerNorm | nn.RMSNorm
    before: Tensor  # [batch, position, d_model]
    after: Tensor  # [batch, position, d_model]


@dataclass(frozen=True, slots=True)
class NormParts(Result):
    """A norm of one vector written out; every tuple has d_model entries.

    layer: after = (before - mean) / sqrt(variance + epsilon) * gain + bias (Ba et al., 2016, equation 4).
    rms: the same with mean 0 and, for the variance, the mean square (Zhang & Sennrich, 2019, equation 4).
    """

    kind: Literal["layer", "rms"]
    before: tuple[float, ...]
    mean: float  # taken off each entry; 0 for rms
    variance: float  # mean of (before - mean)^2
    epsilon: float
    divisor: float  # sqrt(variance + epsilon)
    normalised: tuple[float, ...]  # (before - mean) / divisor
    gain: tuple[float, ...]
    bias: tuple[float, ...]  # zeros where the norm has none
    after: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class NormStatistics(Result):
    """Mean and variance over d_model, one number a position: before, after dividing, and after gain and bias."""

    layer: int | None
    name: str
    mean_before: tuple[float, ...]
    variance_before: tuple[float, ...]
    mean_normalised: tuple[float, ...]
    variance_normalised: tuple[float, ...]
    mean_after: tuple[float, ...]
    variance_after: tuple[float, ...]


def norm_sites(model: Model, trace: Trace, *, stack: StackName = "") -> tuple[NormSite, ...]:
    """The norms of a stack in their order; none for a model without. A norm that nothing reads is left out."""
    module, found = stack_of(model, trace, stack)
    sites: list[tuple[int | None, str, nn.Module, Tensor, Tensor]] = [
        (layer, name, getattr(module.blocks[layer], name), before, after)
        for layer, block in enumerate(found.blocks)
        for name, before, after in _in_block(module.config, block)
    ]
    last = found.blocks[-1].resid_post if found.blocks else found.embedding
    sites.append((None, "final_norm", module.final_norm, last, found.final_norm))
    return tuple(
        NormSite(layer, name, norm, before, after)
        for layer, name, norm, before, after in sites
        if isinstance(norm, nn.LayerNorm | nn.RMSNorm)
    )


def norm_parts(module: nn.LayerNorm | nn.RMSNorm, vector: Tensor) -> NormParts:
    """The norm of one vector [d_model], in double precision: it equals the module's own to float32's last digits."""
    if vector.shape != module.normalized_shape:
        raise ValueError(f"vector: expected {list(module.normalized_shape)}, got {list(vector.shape)}.")
    x, gain = vector.detach().double(), module.weight.detach().double()
    shift = getattr(module, "bias", None)
    bias = torch.zeros_like(x) if shift is None else shift.detach().double()
    mean, variance, divisor, normalised = _formula(module, x)
    return NormParts(
        kind="layer" if isinstance(module, nn.LayerNorm) else "rms",
        before=tuple(x.tolist()),
        mean=mean.item(),
        variance=variance.item(),
        epsilon=module.eps or 0.0,
        divisor=divisor.item(),
        normalised=tuple(normalised.tolist()),
        gain=tuple(gain.tolist()),
        bias=tuple(bias.tolist()),
        after=tuple((normalised * gain + bias).tolist()),
    )


def norm_statistics(site: NormSite) -> NormStatistics:
    """Means and variances of a trace's first text around one norm."""
    before, after = site.before[0].detach().double(), site.after[0].detach().double()
    stages = (before, _formula(site.module, before)[3], after)
    numbers = (tuple(of.tolist()) for x in stages for of in (x.mean(-1), x.var(-1, unbiased=False)))
    return NormStatistics(site.layer, site.name, *numbers)


def _formula(module: nn.LayerNorm | nn.RMSNorm, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(mean, variance, divisor, normalised) over the last axis."""
    centred = isinstance(module, nn.LayerNorm)
    mean = x.mean(-1, keepdim=True) if centred else torch.zeros_like(x[..., :1])
    variance = (x - mean).square().mean(-1, keepdim=True)
    divisor = (variance + (module.eps or 0.0)).sqrt()
    return mean, variance, divisor, (x - mean) / divisor


def _in_block(config: TransformerConfig, trace: BlockTrace) -> Iterator[tuple[str, Tensor, Tensor]]:
    """(name, before, after): a pre-norm block's norms read the stream, a post-norm block's the sum at a sublayer."""
    pre, join = config.norm_place == "pre", joins[config.residual]

    def before(stream: Tensor, out: Tensor) -> Tensor:
        return stream if pre else join(stream, out)

    yield "norm_attention", before(trace.resid_pre, trace.attention.out), trace.normed_attention
    if isinstance(trace, CrossBlockTrace):
        yield "norm_cross", before(trace.resid_cross, trace.cross_attention.out), trace.normed_cross
    if config.feed_forward or not pre:
        yield "norm_feed_forward", before(trace.resid_mid, trace.feed_forward.out), trace.normed_feed_forward
