"""Scaled dot-product attention and multi-head attention (Vaswani et al., 2017, section 3.2), made of glass."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_model.config import TransformerConfig
from viz_model.edits import Edit
from viz_model.masks import Blocked, blocked

Rotation = Callable[[Tensor], Tensor]


@dataclass(frozen=True, slots=True, eq=False)
class AttentionTrace:
    """What one attention layer computed, in order.

    It keeps references and no copies. With fewer key-value heads than heads, k and v are shown once for each head.
    """

    q: Tensor  # [batch, head, query, d_head]   after any rotary rotation
    k: Tensor  # [batch, head, key, d_head]     after any rotary rotation
    v: Tensor  # [batch, head, key, d_head]
    scale: float  # 1 / sqrt(d_head), or 1 without scaling
    bias: Tensor | None  # [1, head, query, key]  the position bias of ALiBi and T5
    mask: Tensor  # [batch or 1, 1, query, key]  bool, True = may attend
    weights: Tensor  # [batch, head, query, key]  softmax of the masked scores, after any edit
    heads: Tensor  # [batch, head, query, d_head]  weights @ v, after any edit
    out: Tensor  # [batch, query, d_model]       concat(heads) W_O

    @property
    def dots(self) -> Tensor:
        """q k^T, recomputed: [batch, head, query, key]."""
        return self.q @ self.k.transpose(-2, -1)

    @property
    def scores(self) -> Tensor:
        """dots * scale + position bias, before the mask, recomputed: [batch, head, query, key]."""
        return scaled_scores(self.q, self.k, scale=self.scale, bias=self.bias)


def scaled_scores(q: Tensor, k: Tensor, *, scale: float, bias: Tensor | None = None) -> Tensor:
    """q k^T * scale + bias: [batch, head, query, key]."""
    scores = (q @ k.transpose(-2, -1)) * scale
    return scores if bias is None else scores + bias


def masked_softmax(scores: Tensor, mask: Tensor | Blocked) -> Tensor:
    """Softmax over the keys that may be attended to; a row without any is zeros, never NaN.

    scores: [batch, head, query, key]; mask: bool [batch or 1, 1, query, key], or what `masks.blocked` made of it.
    """
    block = mask if isinstance(mask, Blocked) else blocked(mask, scores.dtype)
    weights = (scores + block.penalty).softmax(dim=-1)
    return weights if block.closed is None else weights.masked_fill(block.closed, 0.0)


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor,
    *,
    scale: float,
    bias: Tensor | None = None,
    block: Blocked | None = None,
    edits: Sequence[Edit] = (),
    fused: bool = False,
) -> tuple[Tensor, Tensor]:
    """Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V, as (weights, heads).

    q: [batch, head, query, d_head]; k, v: [batch, head, key, d_head]; mask: bool [batch or 1, 1, query, key].
    block: the mask as numbers, where it is at hand already.
    fused: torch's own kernel, for training: the same heads, but the weights are never made (an empty tensor).
    """
    if fused:
        if edits:
            raise ValueError("edits: expected none with fused attention, which makes no weights to edit.")
        if bias is not None:
            bias = bias.masked_fill(~mask, -math.inf)
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask if bias is None else bias, scale=scale)
        return q.new_empty(0), heads
    weights = masked_softmax(scaled_scores(q, k, scale=scale, bias=bias), block or mask)
    for edit in edits:
        if edit.site == "weights":
            weights = edit(weights, mask)
    heads = weights @ v
    for edit in edits:
        if edit.site == "heads":
            heads = edit(heads, mask)
    return weights, heads


class MultiHeadAttention(nn.Module):
    """MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W_O (Vaswani et al., 2017, section 3.2.2).

    W_Q, W_K and W_V lie in one matrix, for speed; `w_q`, `w_k`, `w_v` are views of it. With n_kv_heads < n_heads
    a group of heads shares its keys and values (Ainslie et al., 2023).
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.n_heads, self.n_kv_heads, self.d_head = config.n_heads, config.n_kv_heads, config.d_head
        self.widths = [n * self.d_head for n in (self.n_heads, self.n_kv_heads, self.n_kv_heads)]
        self.scale = 1.0 / math.sqrt(config.d_head) if config.scaled else 1.0
        self.w_qkv = nn.Linear(config.d_model, sum(self.widths), bias=config.bias)
        self.w_o = nn.Linear(self.n_heads * self.d_head, config.d_model, bias=config.bias)

    @property
    def w_q(self) -> Tensor:
        """[n_heads * d_head, d_model], so that q = x W_Q^T as in `nn.Linear`."""
        return self.w_qkv.weight[: self.widths[0]]

    @property
    def w_k(self) -> Tensor:
        """[n_kv_heads * d_head, d_model]."""
        return self.w_qkv.weight[self.widths[0] : self.widths[0] + self.widths[1]]

    @property
    def w_v(self) -> Tensor:
        """[n_kv_heads * d_head, d_model]."""
        return self.w_qkv.weight[self.widths[0] + self.widths[1] :]

    def forward(
        self,
        x: Tensor,
        mask: Tensor,
        *,
        memory: Tensor | None = None,
        rotate: Rotation | None = None,
        bias: Tensor | None = None,
        block: Blocked | None = None,
        edits: Sequence[Edit] = (),
        fused: bool = False,
    ) -> AttentionTrace:
        """Queries of x [batch, query, d_model] read keys of `memory` [batch, key, d_model], or of x itself."""
        q, k, v = (self._split(part) for part in self._project(x, memory))
        if rotate is not None:
            q, k = rotate(q), rotate(k)
        if self.n_kv_heads < self.n_heads:
            k, v = (part.repeat_interleave(self.n_heads // self.n_kv_heads, dim=1) for part in (k, v))
        weights, heads = attend(q, k, v, mask, scale=self.scale, bias=bias, block=block, edits=edits, fused=fused)
        out = self.w_o(heads.transpose(1, 2).flatten(2))
        return AttentionTrace(q, k, v, self.scale, bias, mask, weights, heads, out)

    def _project(self, x: Tensor, memory: Tensor | None) -> tuple[Tensor, ...]:
        """Q, K and V side by side, each [batch, position, heads * d_head]."""
        if memory is None:
            return torch.split(self.w_qkv(x), self.widths, dim=-1)
        weights = torch.split(self.w_qkv.weight, self.widths)
        biases = (None, None, None) if self.w_qkv.bias is None else torch.split(self.w_qkv.bias, self.widths)
        return tuple(F.linear(read, w, b) for read, w, b in zip((x, memory, memory), weights, biases, strict=True))

    def _split(self, x: Tensor) -> Tensor:
        """[batch, position, heads * d_head] to [batch, head, position, d_head]."""
        return x.view(*x.shape[:-1], -1, self.d_head).transpose(1, 2)
