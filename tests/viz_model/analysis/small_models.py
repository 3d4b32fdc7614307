"""Small models whose every parameter is random (fresh ones have zero biases, which would hide a forgotten bias)."""

from __future__ import annotations

from typing import Any, TypeVar

import torch

from viz_model.config import EncoderDecoderConfig, TransformerConfig
from viz_model.models import Decoder, Encoder, EncoderDecoder

M = TypeVar("M", bound=torch.nn.Module)
VOCAB = 11
IDS = torch.tensor([[3, 1, 4, 1, 5, 9]])
TARGET_IDS = torch.tensor([[2, 7, 1, 8]])
VARIANTS: list[dict[str, Any]] = [
    {},
    {"norm_place": "post", "position": "learned"},
    {"norm": "rms", "position": "rotary", "activation": "swiglu", "bias": False, "n_kv_heads": 1},
    {"norm": "rms", "norm_place": "post", "position": "t5"},
    {"feed_forward": False, "position": "alibi", "tied": True, "n_layers": 3},
    {"n_layers": 0},
    {"norm": "none"},
    {"residual": False},
    {"residual": False, "norm_place": "post", "norm": "rms"},
]


def config(**changes: Any) -> TransformerConfig:
    return TransformerConfig(
        **{"vocab_size": VOCAB, "context_length": 12, "d_model": 8, "n_layers": 2, "n_heads": 2, "d_ff": 16, **changes}
    )


def decoder(seed: int = 0, **changes: Any) -> Decoder:
    return shaken(Decoder(config(**changes), seed=seed), seed)


def encoder(seed: int = 0, **changes: Any) -> Encoder:
    return shaken(Encoder(config(**changes), seed=seed), seed)


def encoder_decoder(seed: int = 0, **changes: Any) -> EncoderDecoder:
    """Two layers read, three write; the heads differ too."""
    both = EncoderDecoderConfig(encoder=config(**changes), decoder=config(**{**changes, "n_layers": 3, "n_heads": 4}))
    return shaken(EncoderDecoder(both, seed=seed), seed)


def shaken(model: M, seed: int) -> M:
    generator = torch.Generator().manual_seed(seed + 100)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn(parameter.shape, generator=generator)
    return model.eval()
