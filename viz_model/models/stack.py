"""A stack: embedding, positions, blocks, final norm. Encoders and decoders are stacks with a mask of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn

from viz_model.blocks import BlockTrace, Reading, Sublayers
from viz_model.config import TransformerConfig
from viz_model.edits import Edit, select
from viz_model.masks import blocked
from viz_model.normalization import norm
from viz_model.positions import schemes

B = TypeVar("B", bound=BlockTrace, covariant=True)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StackTrace(Generic[B]):
    """What a stack computed, in order."""

    tokens: tuple[str, ...]  # one a position, of the first text of the batch; empty when a model was called with ids
    ids: Tensor  # [batch, position]
    token_embedding: Tensor  # [batch, position, d_model]
    position_embedding: Tensor  # [1, position, d_model]   zeros where positions enter elsewhere
    embedding: Tensor  # [batch, position, d_model]   what enters block 0
    blocks: tuple[B, ...]
    final_norm: Tensor  # [batch, position, d_model]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ModelTrace(StackTrace[BlockTrace]):
    """A whole one-stack model's trace."""

    logits: Tensor  # [batch, position, vocab_size]


class Stack(nn.Module):
    """The parts that encoders and decoders share."""

    def __init__(self, config: TransformerConfig, layer: Callable[[TransformerConfig], nn.Module], *, is_causal: bool):
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = schemes[config.position](config, is_causal=is_causal)
        self.blocks = nn.ModuleList(layer(config) for _ in range(config.n_layers))
        # A post-norm block has normalised its own sum: there is nothing left to normalise at the end.
        self.final_norm = norm(config) if config.norm_place == "pre" else nn.Identity()

    def forward(
        self, ids: Tensor, mask: Tensor, *memory: Tensor | Reading, edits: Sequence[Edit] = (), fused: bool = False
    ) -> StackTrace[BlockTrace]:
        """ids: [batch, position]; mask: bool [batch or 1, 1, query, key]; memory: what cross-attention reads."""
        n = ids.shape[1]
        token_embedding = self.embed(ids)
        position_embedding = self.positions.embedding(n)
        embedding = token_embedding + position_embedding
        reading = Reading(mask, self.positions.rotate, self.positions.bias(n), None if fused else blocked(mask))
        resid, traces = embedding, []
        for layer, block in enumerate(self.blocks):
            trace: BlockTrace = block(resid, reading, *memory, edits=select(edits, layer=layer), fused=fused)
            resid = trace.resid_post
            if not fused:  # in training nothing is kept but what the gradient needs
                traces.append(trace)
        return StackTrace(
            tokens=(),
            ids=ids,
            token_embedding=token_embedding,
            position_embedding=position_embedding,
            embedding=embedding,
            blocks=tuple(traces),
            final_norm=self.final_norm(resid),
        )

    @property
    def layers(self) -> tuple[Sublayers, ...]:
        """The blocks, typed: `stack.layers[0].attention.w_q`."""
        return tuple(block for block in self.blocks if isinstance(block, Sublayers))

    def check_ids(self, ids: Tensor) -> None:
        """Raises ValueError for ids that the stack cannot read."""
        if ids.dim() != 2 or ids.dtype not in (torch.int64, torch.int32):
            raise ValueError(
                f"ids: expected whole numbers [batch, position], got {list(ids.shape)} of {str(ids.dtype)[6:]}."
            )
        if ids.shape[1] < 1:
            raise ValueError("ids: expected at least one position, got none.")
        if ids.shape[1] > self.config.context_length:
            raise ValueError(
                f"ids: expected at most {self.config.context_length} positions (context_length), got {ids.shape[1]}."
            )
        if ids.device.type != "meta" and not bool(((ids >= 0) & (ids < self.config.vocab_size)).all()):
            raise ValueError(
                f"ids: expected numbers from 0 to {self.config.vocab_size - 1}, "
                f"got {int(ids.min())} to {int(ids.max())}."
            )
