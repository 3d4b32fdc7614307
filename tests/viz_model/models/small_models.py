"""Small configurations of every kind, their models with rough weights, and token ids to feed them."""

from dataclasses import replace
from typing import TypeVar, get_args

import torch
from hypothesis import strategies as st
from torch import Tensor

from tests.viz_model.torch_twins import roughen
from viz_model import config as config_module
from viz_model.config import EncoderDecoderConfig, TransformerConfig
from viz_model.models import Decoder, Encoder, EncoderDecoder

M = TypeVar("M", Encoder, Decoder)
POSITIONS = get_args(config_module.PositionKind)
BASE = TransformerConfig(vocab_size=17, context_length=16, d_model=16, n_layers=2, n_heads=4, d_ff=24)


@st.composite
def configs(draw: st.DrawFn) -> TransformerConfig:
    """A small stack of any kind, of 0 to 3 layers."""
    feed_forward = draw(st.booleans())
    return TransformerConfig(
        vocab_size=17,
        context_length=16,
        d_model=draw(st.sampled_from([8, 12])),
        n_layers=draw(st.integers(0, 3)),
        n_heads=4,
        n_kv_heads=draw(st.sampled_from([1, 2, 4])),
        d_head=draw(st.sampled_from([2, 4])),
        d_ff=20,
        position=draw(st.sampled_from(POSITIONS)),
        norm=draw(st.sampled_from(get_args(config_module.NormKind))),
        norm_place=draw(st.sampled_from(get_args(config_module.NormPlace))),
        activation=draw(st.sampled_from(get_args(config_module.ActivationKind))),
        scaled=draw(st.booleans()),
        bias=draw(st.booleans()),
        tied=draw(st.booleans()),
        feed_forward=feed_forward,
        residual=draw(st.booleans()) if feed_forward else True,
    )


@st.composite
def pairs(draw: st.DrawFn) -> EncoderDecoderConfig:
    """An encoder and a decoder of any kinds, depths, heads and vocabularies, of one width."""
    encoder, decoder = draw(configs()), draw(configs())
    return EncoderDecoderConfig(encoder=encoder, decoder=replace(decoder, d_model=encoder.d_model, vocab_size=13))


def model_of(kind: type[M], config: TransformerConfig) -> M:
    """A model with every weight moved off its start."""
    model = kind(config)
    roughen(model)
    return model


def pair_of(config: EncoderDecoderConfig) -> EncoderDecoder:
    """An encoder-decoder with every weight moved off its start."""
    model = EncoderDecoder(config)
    roughen(model)
    return model


def ids_of(batch: int, n: int, *, vocab_size: int = 17, seed: int = 0) -> Tensor:
    """Random token ids [batch, position]."""
    return torch.randint(vocab_size, (batch, n), generator=torch.Generator().manual_seed(seed))
