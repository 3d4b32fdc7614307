"""Transformer blocks: attention, then feed-forward, each added to the residual stream.

A pre-norm block normalises what a sublayer reads (Xiong et al., 2020), a post-norm block the sum that it leaves
(Vaswani et al., 2017, section 3.1). `normed_attention` is the output of the norm at attention in both, so in a
post-norm block it is `resid_mid` (or `resid_cross`) itself; the same holds for the other sublayers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor, nn

from viz_model.attention import AttentionTrace, MultiHeadAttention, Rotation
from viz_model.config import TransformerConfig
from viz_model.edits import Edit, select
from viz_model.feed_forward import FeedForwardTrace, feed_forward
from viz_model.masks import Blocked
from viz_model.normalization import norm


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What attention may read: the mask, the turn of q and k, the position bias. The same for every layer."""

    mask: Tensor  # [batch or 1, 1, query, key]
    rotate: Rotation | None = None
    bias: Tensor | None = None  # [1, head, query, key]
    block: Blocked | None = None  # the mask as numbers; None with fused attention, which needs none


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BlockTrace:
    """What a block computed, in order. Every tensor but the attention's is [batch, position, d_model]."""

    resid_pre: Tensor
    normed_attention: Tensor
    attention: AttentionTrace
    resid_mid: Tensor  # what the feed-forward layer starts from
    normed_feed_forward: Tensor
    feed_forward: FeedForwardTrace
    resid_post: Tensor


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CrossBlockTrace(BlockTrace):
    """A decoder block's trace: self-attention, then cross-attention to the encoder, then feed-forward."""

    resid_cross: Tensor  # the stream between self-attention and cross-attention
    normed_cross: Tensor
    cross_attention: AttentionTrace


def added(stream: Tensor, out: Tensor) -> Tensor:
    """The residual connection (He et al., 2016): the stream and what a sublayer adds to it."""
    return stream + out


def replaced(stream: Tensor, out: Tensor) -> Tensor:
    """No residual connection: what the sublayer gives is all that goes on."""
    return out


joins: dict[bool, Callable[[Tensor, Tensor], Tensor]] = {True: added, False: replaced}


class Sublayers(nn.Module):
    """The two sublayers of a block, the norm of each, and how their outputs join the stream."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.join = joins[config.residual]
        self.norm_attention, self.norm_feed_forward = norm(config), norm(config)
        self.attention = MultiHeadAttention(config)
        self.feed_forward = feed_forward(config)


class CrossSublayers(Sublayers):
    """The three sublayers of a decoder block that reads an encoder."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.norm_cross = norm(config)
        self.cross_attention = MultiHeadAttention(config)


class PreNormBlock(Sublayers):
    """x + Attention(norm(x)), then x + FeedForward(norm(x))."""

    def forward(
        self, resid_pre: Tensor, reading: Reading, *, edits: Sequence[Edit] = (), fused: bool = False
    ) -> BlockTrace:
        normed_attention = self.norm_attention(resid_pre)
        attention: AttentionTrace = self.attention(
            normed_attention,
            reading.mask,
            rotate=reading.rotate,
            bias=reading.bias,
            block=reading.block,
            edits=edits,
            fused=fused,
        )
        resid_mid = self.join(resid_pre, attention.out)
        normed_feed_forward = self.norm_feed_forward(resid_mid)
        hidden: FeedForwardTrace = self.feed_forward(normed_feed_forward)
        return BlockTrace(
            resid_pre=resid_pre,
            normed_attention=normed_attention,
            attention=attention,
            resid_mid=resid_mid,
            normed_feed_forward=normed_feed_forward,
            feed_forward=hidden,
            resid_post=self.join(resid_mid, hidden.out),
        )


class PostNormBlock(Sublayers):
    """norm(x + Attention(x)), then norm(x + FeedForward(x))."""

    def forward(
        self, resid_pre: Tensor, reading: Reading, *, edits: Sequence[Edit] = (), fused: bool = False
    ) -> BlockTrace:
        attention: AttentionTrace = self.attention(
            resid_pre,
            reading.mask,
            rotate=reading.rotate,
            bias=reading.bias,
            block=reading.block,
            edits=edits,
            fused=fused,
        )
        resid_mid = self.norm_attention(self.join(resid_pre, attention.out))
        hidden: FeedForwardTrace = self.feed_forward(resid_mid)
        resid_post = self.norm_feed_forward(self.join(resid_mid, hidden.out))
        return BlockTrace(
            resid_pre=resid_pre,
            normed_attention=resid_mid,
            attention=attention,
            resid_mid=resid_mid,
            normed_feed_forward=resid_post,
            feed_forward=hidden,
            resid_post=resid_post,
        )


class PreNormCrossBlock(CrossSublayers):
    """A pre-norm block that also reads the encoder, between its two sublayers."""

    def forward(
        self,
        resid_pre: Tensor,
        reading: Reading,
        memory: Tensor,
        memory_reading: Reading,
        *,
        edits: Sequence[Edit] = (),
        fused: bool = False,
    ) -> CrossBlockTrace:
        own, across = select(edits, attention="self"), select(edits, attention="cross")
        normed_attention = self.norm_attention(resid_pre)
        attention: AttentionTrace = self.attention(
            normed_attention,
            reading.mask,
            rotate=reading.rotate,
            bias=reading.bias,
            block=reading.block,
            edits=own,
            fused=fused,
        )
        resid_cross = self.join(resid_pre, attention.out)
        normed_cross = self.norm_cross(resid_cross)
        cross_attention: AttentionTrace = self.cross_attention(
            normed_cross, memory_reading.mask, memory=memory, block=memory_reading.block, edits=across, fused=fused
        )
        resid_mid = self.join(resid_cross, cross_attention.out)
        normed_feed_forward = self.norm_feed_forward(resid_mid)
        hidden: FeedForwardTrace = self.feed_forward(normed_feed_forward)
        return CrossBlockTrace(
            resid_pre=resid_pre,
            normed_attention=normed_attention,
            attention=attention,
            resid_cross=resid_cross,
            normed_cross=normed_cross,
            cross_attention=cross_attention,
            resid_mid=resid_mid,
            normed_feed_forward=normed_feed_forward,
            feed_forward=hidden,
            resid_post=self.join(resid_mid, hidden.out),
        )


class PostNormCrossBlock(CrossSublayers):
    """The original decoder block: self-attention, cross-attention, feed-forward, each followed by a norm."""

    def forward(
        self,
        resid_pre: Tensor,
        reading: Reading,
        memory: Tensor,
        memory_reading: Reading,
        *,
        edits: Sequence[Edit] = (),
        fused: bool = False,
    ) -> CrossBlockTrace:
        own, across = select(edits, attention="self"), select(edits, attention="cross")
        attention: AttentionTrace = self.attention(
            resid_pre,
            reading.mask,
            rotate=reading.rotate,
            bias=reading.bias,
            block=reading.block,
            edits=own,
            fused=fused,
        )
        resid_cross = self.norm_attention(self.join(resid_pre, attention.out))
        cross_attention: AttentionTrace = self.cross_attention(
            resid_cross, memory_reading.mask, memory=memory, block=memory_reading.block, edits=across, fused=fused
        )
        resid_mid = self.norm_cross(self.join(resid_cross, cross_attention.out))
        hidden: FeedForwardTrace = self.feed_forward(resid_mid)
        resid_post = self.norm_feed_forward(self.join(resid_mid, hidden.out))
        return CrossBlockTrace(
            resid_pre=resid_pre,
            normed_attention=resid_cross,
            attention=attention,
            resid_cross=resid_cross,
            normed_cross=resid_mid,
            cross_attention=cross_attention,
            resid_mid=resid_mid,
            normed_feed_forward=resid_post,
            feed_forward=hidden,
            resid_post=resid_post,
        )


blocks: dict[str, type[Sublayers]] = {"pre": PreNormBlock, "post": PostNormBlock}
cross_blocks: dict[str, type[CrossSublayers]] = {"pre": PreNormCrossBlock, "post": PostNormCrossBlock}
