"""Norms against their formulas."""

import pytest
import torch

from tests.viz_model.torch_twins import random_tensor, roughen
from viz_model.config import TransformerConfig
from viz_model.normalization import norm


def test_layer_norm() -> None:
    layer = norm(TransformerConfig(vocab_size=5, d_model=8, norm="layer"))
    roughen(layer)
    x = random_tensor(2, 3, 8) * 4 + 1
    centred = x - x.mean(-1, keepdim=True)
    expected = centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt() * layer.weight + layer.bias
    assert torch.allclose(layer(x), expected, atol=1e-5)


def test_rms_norm() -> None:
    layer = norm(TransformerConfig(vocab_size=5, d_model=8, norm="rms"))
    roughen(layer)
    x = random_tensor(2, 3, 8) * 4 + 1
    expected = x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() * layer.weight
    assert torch.allclose(layer(x), expected, atol=1e-5)


def test_no_norm_gives_back_what_it_reads() -> None:
    x = random_tensor(2, 3, 8)
    assert norm(TransformerConfig(vocab_size=5, d_model=8, norm="none"))(x) is x


@pytest.mark.parametrize(
    ("kind", "bias", "names"),
    [
        ("layer", True, {"weight", "bias"}),
        ("layer", False, {"weight"}),
        ("rms", True, {"weight"}),
        ("none", True, set()),
    ],
)
def test_a_norm_has_the_weights_that_the_config_grants(kind: str, bias: bool, names: set[str]) -> None:
    layer = norm(TransformerConfig(vocab_size=5, norm=kind, bias=bias))  # type: ignore[arg-type]
    assert {name for name, _ in layer.named_parameters()} == names
