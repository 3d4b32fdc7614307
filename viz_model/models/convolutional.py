"""A convolutional language model: each layer reads a few positions at fixed distances, itself and before."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from viz_model.body_configs import ConvolutionalConfig
from viz_model.initialization import initialise
from viz_model.models.causal_body import CausalBody

if TYPE_CHECKING:
    from viz_model.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True, eq=False)
class ConvolutionalLayerTrace:
    """What one convolutional layer computed, in order; each is [batch, position, d_model]."""

    resid_pre: Tensor
    normed: Tensor
    pre: Tensor  # the convolution's sums
    post: Tensor  # after GELU
    resid_post: Tensor  # resid_pre + post, or post alone without residual


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ConvolutionalTrace:
    """What a convolutional model computed, in order."""

    tokens: tuple[str, ...]  # empty: the model is called with ids
    ids: Tensor  # [batch, position]
    token_embedding: Tensor  # [batch, position, d_model]
    layers: tuple[ConvolutionalLayerTrace, ...]
    output: Tensor  # [batch, position, d_model]  after the last norm: what the unembedding reads
    logits: Tensor  # [batch, position, vocab_size]


class CausalConvolution(nn.Module):
    """norm, then a convolution over this position and those before it, then GELU (after van den Oord et al., 2016)."""

    def __init__(self, config: ConvolutionalConfig, gap: int) -> None:
        super().__init__()
        self.residual = config.residual
        self.norm = nn.LayerNorm(config.d_model)
        self.conv = nn.Conv1d(config.d_model, config.d_model, config.kernel, dilation=gap)
        self.padding = (config.kernel - 1) * gap

    def forward(self, resid_pre: Tensor) -> ConvolutionalLayerTrace:
        normed = self.norm(resid_pre)
        pre = self.conv(F.pad(normed.transpose(1, 2), (self.padding, 0))).transpose(1, 2)
        post = F.gelu(pre)
        return ConvolutionalLayerTrace(resid_pre, normed, pre, post, resid_pre + post if self.residual else post)


class Convolutional(CausalBody):
    """Embedding, causal convolutions, a last norm, unembedding."""

    def __init__(self, config: ConvolutionalConfig, *, seed: int = 0, tokenizer: Tokenizer | None = None) -> None:
        super().__init__(config, tokenizer)
        self.config = config
        self.layers = nn.ModuleList(CausalConvolution(config, gap) for gap in config.gaps)
        self.final_norm = nn.LayerNorm(config.d_model)
        initialise(self, n_layers=config.n_layers, seed=seed)
        _initialise_layers(self.layers, seed)

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> ConvolutionalTrace:
        """Everything the model computes for ids [batch, position]; mask: bool alike, False = padding at the end."""
        self.check(ids, mask)
        x = token_embedding = self.embed(ids)
        traces = []
        for layer in self.layers:
            traces.append(layer(x))
            x = traces[-1].resid_post
        output = self.final_norm(x)
        return ConvolutionalTrace(
            tokens=(),
            ids=ids,
            token_embedding=token_embedding,
            layers=tuple(traces),
            output=output,
            logits=self.unembed(output),
        )

    def logits(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """The same logits, for training: [batch, position, vocab_size]."""
        return self(ids, mask).logits  # type: ignore[no-any-return]  # a trace is references only: nothing to save


@torch.no_grad()
def _initialise_layers(layers: nn.ModuleList, seed: int) -> None:
    """N(0, 1 / fan_in), as for every matrix of ours; biases 0."""
    generator = torch.Generator().manual_seed(seed + 1)  # not the embedding's numbers again
    for layer in layers:
        conv = layer.get_submodule("conv")
        weight, bias = conv.get_parameter("weight"), conv.get_parameter("bias")
        weight.normal_(0.0, 1.0 / math.sqrt(weight[0].numel()), generator=generator)
        bias.zero_()
