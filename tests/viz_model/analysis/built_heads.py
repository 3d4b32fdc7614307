"""Heads built by hand: traces whose attention weights are what a test says."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from viz_model.config import TransformerConfig
from viz_model.models import Decoder, Encoder, ModelTrace
from viz_model.tasks import english
from viz_model.tokenizer import Specials, Tokenizer

Rule = Callable[[Tensor, Tensor], Tensor]  # ids [text, position], mask -> scores [text, query, key]


def rows_of(scores: Tensor, mask: Tensor) -> Tensor:
    """Scores [text, query, key] as weights, by a softmax over the open keys."""
    open_keys = mask[:, 0].expand(scores.shape)
    return scores.masked_fill(~open_keys, -1e9).softmax(-1) * open_keys


def with_heads(trace: ModelTrace, layers: Sequence[Tensor]) -> ModelTrace:
    """The trace with the weights of each layer [text, head, query, key] put in."""
    blocks = tuple(
        dataclasses.replace(block, attention=dataclasses.replace(block.attention, weights=weights))
        for block, weights in zip(trace.blocks, layers, strict=True)
    )
    return dataclasses.replace(trace, blocks=blocks)


class BuiltDecoder(Decoder):
    """A causal model of the English words whose heads do what the rules say, one layer, whatever its weights are."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        super().__init__(_config(len(rules)), tokenizer=Tokenizer.from_words(english.vocabulary(), Specials.causal()))
        self.rules = tuple(rules)

    def forward(self, ids, mask=None, edits=()):
        return _built(self, super().forward(ids, mask, edits))


class BuiltEncoder(Encoder):
    """The same for a model that reads both ways."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        super().__init__(_config(len(rules)), tokenizer=Tokenizer.from_words(english.vocabulary(), Specials.masked()))
        self.rules = tuple(rules)

    def forward(self, ids, mask=None, edits=()):
        return _built(self, super().forward(ids, mask, edits))


def _config(n_heads: int) -> TransformerConfig:
    return TransformerConfig(vocab_size=520, d_model=4, n_layers=1, n_heads=n_heads, d_head=2, d_ff=4)


def _built(model: BuiltDecoder | BuiltEncoder, trace: ModelTrace) -> ModelTrace:
    mask = trace.blocks[0].attention.mask
    return with_heads(trace, [torch.stack([rows_of(rule(trace.ids, mask), mask) for rule in model.rules], dim=1)])


def at_offset(offset: int, strength: float = 9.0) -> Rule:
    """Reads the key so many positions to the right (negative: to the left)."""

    def rule(ids: Tensor, mask: Tensor) -> Tensor:
        n = ids.shape[1]
        step = torch.arange(n)[None, :] - torch.arange(n)[:, None]
        return (strength * (step == offset).float()).expand(len(ids), n, n)

    return rule


def even(ids: Tensor, mask: Tensor) -> Tensor:
    """Reads all open keys alike."""
    return torch.zeros(len(ids), ids.shape[1], ids.shape[1])
