"""Direct logit attribution: a logit as a sum over everything that wrote into the residual stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

import torch
from torch import Tensor, nn

from viz_model.analysis.contributions import head_terms
from viz_model.attention import AttentionTrace, MultiHeadAttention
from viz_model.blocks import CrossBlockTrace, CrossSublayers, Sublayers
from viz_model.models import EncoderDecoder, EncoderDecoderTrace, Model, Trace

TermKind = Literal[
    "token", "position", "head", "attention_bias", "cross_head", "cross_bias", "feed_forward", "norm_bias"
]


@dataclass(frozen=True, slots=True)
class ResidualTerm:
    """What one component adds to a logit, or to a difference of two."""

    kind: TermKind
    layer: int | None  # None: the embedding, and the final norm
    head: int | None
    value: float


class _Ledger:
    """The stream at one position as the list of vectors that it is the sum of."""

    def __init__(self, position: int) -> None:
        self.position = position
        self.names: list[tuple[TermKind, int | None, int | None]] = []
        self.vectors: list[Tensor] = []

    def add(self, kind: TermKind, layer: int | None, head: int | None, vector: Tensor) -> None:
        self.names.append((kind, layer, head))
        self.vectors.append(vector.detach().double())

    def add_attention(self, layer: int, module: MultiHeadAttention, trace: AttentionTrace, *, cross: bool) -> None:
        for head, term in enumerate(head_terms(module, trace)[0, :, self.position]):
            self.add("cross_head" if cross else "head", layer, head, term)
        if module.w_o.bias is not None:
            self.add("cross_bias" if cross else "attention_bias", layer, None, module.w_o.bias)

    def start_over(self, *, residual: bool) -> None:
        """Without a residual connection nothing that was in the stream is in what comes next."""
        if not residual:
            self.names.clear()
            self.vectors.clear()

    def norm(self, layer: int | None, norm: nn.Module) -> None:
        """Applies a norm with its scale frozen at what the whole sum gave: then it is linear, term by term."""
        if isinstance(norm, nn.Identity):
            return
        total = torch.stack(self.vectors).sum(0)
        if isinstance(norm, nn.LayerNorm):
            self.vectors = [vector - vector.mean() for vector in self.vectors]
            scale = (total.var(unbiased=False) + norm.eps).rsqrt()
        elif isinstance(norm, nn.RMSNorm):
            scale = (total.square().mean() + (norm.eps or 0.0)).rsqrt()
        else:
            raise TypeError(f"norm: expected LayerNorm, RMSNorm or none, got {type(norm).__name__}.")
        weight = norm.weight.detach().double()
        self.vectors = [vector * scale * weight for vector in self.vectors]
        bias = getattr(norm, "bias", None)
        if bias is not None:
            self.add("norm_bias", layer, None, bias)


def residual_terms(
    model: Model, trace: Trace, *, position: int, token: int, other: int | None = None
) -> tuple[ResidualTerm, ...]:
    """What each component adds to the logit of `token` at `position` (minus that of `other`): their sum is the logit.

    Elhage et al. (2021, 'The path expansion trick'): the stream is a sum, so its unembedding is
    one too, once each norm's scale is frozen at its value in this run. The terms are the token and position
    embeddings, every head, every feed-forward layer and the biases. A post-norm block's norms are frozen in the same
    way. These are direct effects: what a head does by way of later layers counts as theirs. A batch's first text;
    an encoder-decoder's decoder.
    """
    n, vocab_size = trace.logits.shape[1:]
    if not 0 <= position < n:
        raise ValueError(f"position: expected one from 0 to {n - 1}, got {position}.")
    for wanted in (token,) if other is None else (token, other):
        if not 0 <= wanted < vocab_size:
            raise ValueError(f"token: expected an id from 0 to {vocab_size - 1}, got {wanted}.")
    stack = model.decoder if isinstance(model, EncoderDecoder) else model.stack
    stack_trace = trace.decoder if isinstance(trace, EncoderDecoderTrace) else trace
    post_norm = stack.config.norm_place == "post"
    ledger = _Ledger(position)
    ledger.add("token", None, None, stack_trace.token_embedding[0, position])
    ledger.add("position", None, None, stack_trace.position_embedding[0, position])
    for layer, (module, block) in enumerate(zip(stack.blocks, stack_trace.blocks, strict=True)):
        sublayers = cast(Sublayers, module)
        ledger.start_over(residual=stack.config.residual)
        ledger.add_attention(layer, sublayers.attention, block.attention, cross=False)
        if post_norm:
            ledger.norm(layer, sublayers.norm_attention)
        if isinstance(block, CrossBlockTrace) and isinstance(sublayers, CrossSublayers):
            ledger.start_over(residual=stack.config.residual)
            ledger.add_attention(layer, sublayers.cross_attention, block.cross_attention, cross=True)
            if post_norm:
                ledger.norm(layer, sublayers.norm_cross)
        if stack.config.feed_forward:
            ledger.start_over(residual=stack.config.residual)
            ledger.add("feed_forward", layer, None, block.feed_forward.out[0, position])
        if post_norm:
            ledger.norm(layer, sublayers.norm_feed_forward)
    ledger.norm(None, stack.final_norm)
    unembed = model.unembed.weight.detach().double()
    direction = unembed[token] - (0.0 if other is None else unembed[other])
    values = (torch.stack(ledger.vectors) @ direction).tolist()
    return tuple(ResidualTerm(*name, value) for name, value in zip(ledger.names, values, strict=True))
