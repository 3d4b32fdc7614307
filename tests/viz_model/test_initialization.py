"""Initial weights: from the seed alone, of the sizes said, and none forgotten."""

import math
from dataclasses import replace
from typing import get_args

import pytest
import torch
from torch import nn

from viz_model.config import EncoderDecoderConfig, PositionKind, TransformerConfig
from viz_model.models import Decoder, EncoderDecoder

WIDE = TransformerConfig(vocab_size=400, d_model=128, n_layers=3, n_heads=4, position="learned", activation="swiglu")


def weights(model: nn.Module) -> dict[str, torch.Tensor]:
    return {name: weight.detach() for name, weight in model.named_parameters()}


def test_the_same_seed_gives_the_same_weights_whatever_else_was_drawn() -> None:
    torch.manual_seed(1)
    first = weights(Decoder(WIDE, seed=7))
    torch.manual_seed(2)
    torch.rand(5)
    second = weights(Decoder(WIDE, seed=7))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_another_seed_gives_other_weights() -> None:
    first, second = weights(Decoder(WIDE, seed=7)), weights(Decoder(WIDE, seed=8))
    constant = {name for name in first if "norm" in name or name.endswith("bias")}
    assert {name for name in first if torch.equal(first[name], second[name])} == constant


@pytest.mark.parametrize(
    ("name", "std"),
    [
        ("stack.embed.weight", 0.3),
        ("stack.positions.table", 0.3),
        ("unembed.weight", 1 / math.sqrt(128)),
        ("stack.blocks.1.attention.w_qkv.weight", 1 / math.sqrt(128)),
        ("stack.blocks.1.attention.w_o.weight", 1 / math.sqrt(128) / math.sqrt(6)),
        ("stack.blocks.2.feed_forward.w_in.weight", 1 / math.sqrt(128)),
        ("stack.blocks.2.feed_forward.w_up.weight", 1 / math.sqrt(128)),
        ("stack.blocks.2.feed_forward.w_out.weight", 1 / math.sqrt(512) / math.sqrt(6)),
    ],
)
def test_weights_have_the_spread_said(name: str, std: float) -> None:
    weight = weights(Decoder(WIDE, seed=3))[name]
    assert weight.std().item() == pytest.approx(std, rel=0.03)
    assert abs(weight.mean().item()) < std * 4 / math.sqrt(weight.numel())


def test_without_a_residual_stream_nothing_starts_small_for_its_sake() -> None:
    plain, deep = weights(Decoder(replace(WIDE, residual=False), seed=3)), weights(Decoder(WIDE, seed=3))
    for name in plain:
        factor = math.sqrt(6) if name.endswith(("w_o.weight", "w_out.weight")) else 1.0
        assert torch.allclose(plain[name], deep[name] * factor, rtol=1e-5), name


def test_biases_start_at_0_and_norms_at_1() -> None:
    for name, weight in weights(Decoder(WIDE)).items():
        if name.endswith("bias"):
            assert (weight == 0).all(), name
        elif "norm" in name:
            assert (weight == 1).all(), name


@pytest.mark.parametrize("position", get_args(PositionKind))
@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_no_weight_is_forgotten(position: PositionKind, activation: str) -> None:
    config = TransformerConfig(
        vocab_size=9,
        d_model=8,
        n_heads=2,
        n_layers=1,
        position=position,
        activation=activation,  # type: ignore[arg-type]
    )
    was = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)  # fills memory that no one has written to with NaN
    try:
        assert torch.empty(3).isnan().all()
        model = EncoderDecoder(EncoderDecoderConfig(encoder=config, decoder=config))
    finally:
        torch.use_deterministic_algorithms(was)
    assert all(weight.isfinite().all() for weight in [*model.parameters(), *model.buffers()])


def test_a_model_without_layers_can_be_made() -> None:
    model = Decoder(TransformerConfig(vocab_size=9, d_model=8, n_heads=2, n_layers=0))
    assert model(torch.tensor([[1, 2]])).blocks == ()
