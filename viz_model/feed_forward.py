"""The feed-forward layer: what each position does by itself with what attention brought."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch.nn.functional as F
from torch import Tensor, nn

from viz_model.config import TransformerConfig

activations: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
    "geglu": F.gelu,
    "swiglu": F.silu,
}


@dataclass(frozen=True, slots=True, eq=False)
class FeedForwardTrace:
    """What a feed-forward layer computed."""

    pre: Tensor  # [batch, position, d_ff]     before the activation (of the gate, where there is one)
    post: Tensor  # [batch, position, d_ff]     the neurons: after the activation (and the gate)
    out: Tensor  # [batch, position, d_model]


class FeedForward(nn.Module):
    """out = activation(x W_in) W_out (Vaswani et al., 2017, section 3.3)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.activation = activations[config.activation]
        self.w_in = nn.Linear(config.d_model, config.d_ff, bias=config.bias)
        self.w_out = nn.Linear(config.d_ff, config.d_model, bias=config.bias)

    def forward(self, x: Tensor) -> FeedForwardTrace:
        pre = self.w_in(x)
        post = self.activation(pre)
        return FeedForwardTrace(pre=pre, post=post, out=self.w_out(post))


class GatedFeedForward(FeedForward):
    """out = (activation(x W_in) * x W_up) W_out: GEGLU and SwiGLU (Shazeer, 2020)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.w_up = nn.Linear(config.d_model, config.d_ff, bias=config.bias)

    def forward(self, x: Tensor) -> FeedForwardTrace:
        pre = self.w_in(x)
        post = self.activation(pre) * self.w_up(x)
        return FeedForwardTrace(pre=pre, post=post, out=self.w_out(post))


class NoFeedForward(nn.Module):
    """An attention-only block's feed-forward: it has no neurons and adds nothing."""

    def forward(self, x: Tensor) -> FeedForwardTrace:
        none = x.new_zeros(*x.shape[:-1], 0)
        return FeedForwardTrace(pre=none, post=none, out=x.new_zeros(x.shape))


def feed_forward(config: TransformerConfig) -> nn.Module:
    """The feed-forward layer that the config names."""
    if not config.feed_forward:
        return NoFeedForward()
    return GatedFeedForward(config) if config.activation in ("geglu", "swiglu") else FeedForward(config)
