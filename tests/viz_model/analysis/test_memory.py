"""Gradients by distance against finite differences."""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import Tensor

from tests.viz_model.analysis.comparison_models import IDS, MODELS, convolutional, recurrent
from viz_model.analysis.memory import CausalModel, gradient_by_distance, read_out


def by_differences(model: CausalModel, ids: Tensor) -> list[float]:
    """The norm of the Jacobian, each token's embedding moved a little, in double precision.

    Every position has a word of its own, so that a row of the embedding is the input of one position.
    """
    model, step, n, d = deepcopy(model).double(), 1e-5, len(ids), model.config.d_model
    table = model.stack.embed if hasattr(model, "stack") else model.embed
    weight = table.weight.data
    table.weight = torch.nn.Parameter(weight[ids].clone(), requires_grad=False)
    positions = torch.arange(n)[None]
    model.config = type(model.config)(**{**as_dict(model), "vocab_size": n})  # type: ignore[assignment]
    norms = []
    for at in range(n):
        total = 0.0
        for column in range(d):
            outs = []
            for sign in (1, -1):
                table.weight[at, column] += sign * step
                with torch.no_grad():
                    outs.append(last(model, positions))
                table.weight[at, column] -= sign * step
            total += float(((outs[0] - outs[1]) / (2 * step)).square().sum())
        norms.append((total / d) ** 0.5)
    return norms[::-1]


def as_dict(model: CausalModel) -> dict[str, object]:
    return {name: getattr(model.config, name) for name in type(model.config).__dataclass_fields__}


def last(model: CausalModel, positions: Tensor) -> Tensor:
    return read_out(model(positions))[0, -1]


@pytest.mark.parametrize("name", MODELS)
def test_gradients_are_finite_differences(name: str) -> None:
    model = MODELS[name]
    expected = torch.tensor([by_differences(model, row) for row in IDS], dtype=torch.float64).mean(0)
    found = gradient_by_distance(deepcopy(model).double(), IDS)
    assert torch.allclose(found, expected, rtol=1e-4, atol=1e-8)
    assert torch.allclose(gradient_by_distance(model, IDS), expected, rtol=1e-2, atol=1e-5)
    assert found[0] > 0


def test_many_outputs_in_several_passes_are_those_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    model = MODELS["lstm"]
    whole = gradient_by_distance(model, IDS)
    monkeypatch.setattr("viz_model.analysis.memory.ROWS", 12)
    assert torch.allclose(gradient_by_distance(model, IDS), whole)


def test_nothing_comes_back_from_beyond_the_receptive_field() -> None:
    model = convolutional()  # two layers of kernel 3: positions 0 to 4 back
    found = gradient_by_distance(model, IDS)
    assert (found[:5] > 0).all()
    assert found[5] == 0


def test_a_linear_recurrence_forgets_as_the_power_of_its_matrix() -> None:
    """Near 0 tanh is the identity, so the Jacobian at distance t is W_h^t W_x."""
    model = recurrent("rnn").double()
    with torch.no_grad():
        model.embed.weight.mul_(1e-6)
        for parameter in list(model.layers[0].parameters())[2:]:
            parameter.zero_()
    w_x, w_h, *_ = (parameter.detach() for parameter in model.layers[0].parameters())
    found = gradient_by_distance(model, IDS[:1])
    for distance in range(6):
        exact = (torch.linalg.matrix_power(w_h, distance) @ w_x).norm() / 5**0.5
        assert float(found[distance]) == pytest.approx(float(exact), rel=1e-5)


def test_a_frozen_model_stays_frozen_and_is_followed_inside_inference_mode() -> None:
    model = deepcopy(MODELS["cnn"]).requires_grad_(False)
    with torch.inference_mode():
        found = gradient_by_distance(model, IDS)
    assert torch.allclose(found, gradient_by_distance(MODELS["cnn"], IDS))
    assert not any(parameter.requires_grad or parameter.grad is not None for parameter in model.parameters())
