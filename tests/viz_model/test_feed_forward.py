"""Feed-forward layers against the formulas of their activations, a number at a time."""

import math
from collections.abc import Callable
from typing import get_args

import pytest
import torch
from torch import Tensor

from tests.viz_model.torch_twins import random_tensor, roughen
from viz_model.config import ActivationKind, TransformerConfig
from viz_model.feed_forward import activations, feed_forward


def gelu(x: float) -> float:
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))


FORMULAS: dict[str, Callable[[float], float]] = {
    "relu": lambda x: max(x, 0.0),
    "gelu": gelu,
    "gelu_tanh": lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "geglu": gelu,
    "swiglu": lambda x: x / (1 + math.exp(-x)),
}
GATED = ("geglu", "swiglu")


def each(function: Callable[[float], float], x: Tensor) -> Tensor:
    return torch.tensor([function(number) for number in x.flatten().tolist()]).view(x.shape)


def layer_of(**options: object) -> torch.nn.Module:
    layer = feed_forward(TransformerConfig(vocab_size=5, d_model=6, n_heads=1, d_ff=10, **options))  # type: ignore[arg-type]
    roughen(layer)
    return layer


def test_every_activation_of_the_config_exists() -> None:
    assert set(activations) == set(get_args(ActivationKind)) == set(FORMULAS)


@pytest.mark.parametrize("name", FORMULAS)
def test_activations_are_their_formulas(name: str) -> None:
    x = torch.linspace(-6, 6, 101)
    assert torch.allclose(activations[name](x), each(FORMULAS[name], x), atol=1e-5)


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("bias", [True, False])
def test_the_layer_is_its_formula(name: str, bias: bool) -> None:
    layer = layer_of(activation=name, bias=bias)
    x = random_tensor(2, 3, 6)
    trace = layer(x)
    zero = torch.zeros(())

    def through(linear: torch.nn.Linear, read: Tensor) -> Tensor:
        return read @ linear.weight.T + (linear.bias if bias else zero)

    pre = through(layer.w_in, x)
    post = each(FORMULAS[name], pre)
    if name in GATED:
        post = post * through(layer.w_up, x)
    assert torch.allclose(trace.pre, pre, atol=1e-5)
    assert torch.allclose(trace.post, post, atol=1e-5)
    assert torch.allclose(trace.out, through(layer.w_out, post), atol=1e-5)
    assert (layer.w_in.bias is not None) == bias


@pytest.mark.parametrize("name", FORMULAS)
def test_only_a_gated_layer_has_a_third_matrix(name: str) -> None:
    n_weights = sum(weight.numel() for weight in layer_of(activation=name, bias=False).parameters())
    assert n_weights == (3 if name in GATED else 2) * 6 * 10


def test_each_position_is_by_itself() -> None:
    layer, x = layer_of(), random_tensor(1, 4, 6)
    changed = x.clone()
    changed[:, 2] = 0.0
    same = torch.isclose(layer(x).out, layer(changed).out, atol=1e-6).all(-1)[0]
    assert same.tolist() == [True, True, False, True]


def test_an_attention_only_block_adds_nothing_and_has_no_neurons() -> None:
    layer, x = layer_of(feed_forward=False), random_tensor(2, 3, 6)
    trace = layer(x)
    assert not list(layer.parameters())
    assert torch.equal(trace.out, torch.zeros_like(x))
    assert trace.pre.shape == trace.post.shape == (2, 3, 0)
