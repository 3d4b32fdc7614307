"""Causal convolutions against a loop over positions and taps."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from viz_model.body_configs import ConvolutionalConfig
from viz_model.models import Convolutional

IDS = torch.tensor([[3, 1, 4, 1, 5, 0, 2, 6], [2, 6, 5, 3, 5, 1, 1, 0]])
KINDS = [
    {"kernel": 3, "n_layers": 2},
    {"kernel": 2, "n_layers": 3, "dilation": 2},
    {"kernel": 3, "n_layers": 2, "dilation": 3, "residual": False},
    {"kernel": 1, "n_layers": 1},
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


def model_of(kind: dict[str, object], seed: int = 0) -> Convolutional:
    model = Convolutional(ConvolutionalConfig(**{"vocab_size": 7, "d_model": 4, **kind}), seed=seed)  # type: ignore[arg-type]
    generator = torch.Generator().manual_seed(seed + 50)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator)
    return model


def normed(x: Tensor, norm: torch.nn.Module) -> Tensor:
    centred = x - x.mean()
    scaled = centred / math.sqrt(float(centred.square().mean()) + 1e-5)
    return scaled * norm.get_parameter("weight") + norm.get_parameter("bias")


def by_hand(model: Convolutional, ids: Tensor) -> Tensor:
    stream = [model.embed.weight[i] for i in ids]
    for layer, gap in zip(model.layers, (model.config.dilation**i for i in range(9)), strict=False):
        weight, bias = layer.get_parameter("conv.weight"), layer.get_parameter("conv.bias")
        read = [normed(x, layer.get_submodule("norm")) for x in stream]
        written = []
        for at in range(len(ids)):
            total = bias.clone()
            for back in range(model.config.kernel):  # the last tap is the position itself
                if at - back * gap >= 0:
                    total = total + weight[:, :, model.config.kernel - 1 - back] @ read[at - back * gap]
            written.append(F.gelu(total))
        stream = [a + b for a, b in zip(stream, written, strict=True)] if model.config.residual else written
    return torch.stack([model.unembed.weight @ normed(x, model.final_norm) for x in stream])


@every_kind
def test_logits_are_those_of_the_loop(kind: dict[str, object]) -> None:
    model = model_of(kind)
    trace = model(IDS)
    for row in range(2):
        assert torch.allclose(trace.logits[row], by_hand(model, IDS[row]), atol=1e-5)
    assert torch.equal(model.logits(IDS), trace.logits)


@every_kind
def test_a_trace_is_one_unbroken_stream(kind: dict[str, object]) -> None:
    model = model_of(kind)
    trace = model(IDS)
    stream = trace.token_embedding
    assert len(trace.layers) == model.config.n_layers
    for layer in trace.layers:
        assert layer.resid_pre is stream
        assert torch.equal(layer.post, F.gelu(layer.pre))
        assert torch.equal(layer.resid_post, layer.post + layer.resid_pre if model.config.residual else layer.post)
        stream = layer.resid_post
    assert torch.equal(trace.logits, model.unembed(trace.output))


@every_kind
def test_the_future_does_not_change_the_past(kind: dict[str, object]) -> None:
    model, changed = model_of(kind), IDS.clone()
    changed[:, 5:] = 4
    assert torch.allclose(model.logits(changed)[:, :5], model.logits(IDS)[:, :5], atol=1e-6)
    present = torch.tensor([[True] * 8, [True] * 5 + [False] * 3])
    assert torch.allclose(model.logits(changed, present)[1, :5], model.logits(IDS[1:, :5])[0], atol=1e-5)
    with pytest.raises(ValueError, match="padding at the end only"):
        model(IDS, present.flip(1))


def test_a_seed_is_a_model() -> None:
    config = ConvolutionalConfig(vocab_size=5, d_model=32)
    one, again, other = (Convolutional(config, seed=seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(one[name], again[name]) for name in one)
    assert not torch.equal(one["layers.0.conv.weight"], other["layers.0.conv.weight"])
    assert float(one["layers.0.conv.weight"].std()) == pytest.approx(1 / math.sqrt(3 * 32), rel=0.05)
