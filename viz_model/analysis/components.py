"""What encoder and decoder are made of, read from a model and a run of it: attentions, input, output."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from viz_model.attention import AttentionTrace
from viz_model.models import EncoderDecoder, EncoderDecoderTrace


@dataclass(frozen=True, slots=True)
class Attention:
    """One kind of attention of a stack."""

    n_layers: int
    n_heads: int
    n_queries: int
    n_keys: int
    n_open: int  # pairs of query and key that the mask lets through
    ahead: bool  # whether a query may read a key after its own position


@dataclass(frozen=True, slots=True)
class Component:
    """A stack as it ran. Sizes are tensors' own."""

    name: str
    n_parameters: int
    self_attention: Attention
    cross_attention: Attention | None
    input: tuple[int, int]  # tokens, vocabulary
    output: tuple[int, int]  # positions, numbers a position
    output_is_logits: bool


def components(model: EncoderDecoder, trace: EncoderDecoderTrace) -> tuple[Component, Component]:
    """Encoder and decoder of a run of batch 1; the unembedding counts to the decoder."""
    encoder, decoder = trace.encoder, trace.decoder
    counted = [sum(p.numel() for p in stack.parameters()) for stack in (model.encoder, model.decoder)]
    if model.unembed.weight is not model.decoder.embed.weight:
        counted[1] += model.unembed.weight.numel()
    return (
        Component(
            "Encoder",
            counted[0],
            _attention([block.attention for block in encoder.blocks]),
            None,
            (encoder.ids.shape[1], model.config.encoder.vocab_size),
            _size(encoder.final_norm),
            False,
        ),
        Component(
            "Decoder",
            counted[1],
            _attention([block.attention for block in decoder.blocks]),
            _attention([block.cross_attention for block in decoder.blocks]),
            (decoder.ids.shape[1], model.config.decoder.vocab_size),
            _size(trace.logits),
            True,
        ),
    )


@torch.inference_mode()
def read_again(model: EncoderDecoder, trace: EncoderDecoderTrace) -> EncoderDecoderTrace:
    """The same tokens read by another model of the same vocabularies."""
    again: EncoderDecoderTrace = model(trace.encoder.ids, trace.decoder.ids)
    return again


def _attention(layers: list[AttentionTrace]) -> Attention:
    mask = layers[0].mask[0, 0]
    n_queries, n_keys = layers[0].weights.shape[2:]
    return Attention(
        len(layers), layers[0].weights.shape[1], n_queries, n_keys, int(mask.sum()), bool(torch.triu(mask, 1).any())
    )


def _size(tensor: torch.Tensor) -> tuple[int, int]:
    return tensor.shape[1], tensor.shape[2]
