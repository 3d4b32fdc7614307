"""RNN and LSTM models against their equations, written as a loop over numbers."""

from __future__ import annotations

import math
import random

import pytest
import torch
from torch import Tensor

from viz_model.body_configs import RecurrentConfig
from viz_model.models import Recurrent

IDS = torch.tensor([[3, 1, 4, 1, 5], [2, 6, 5, 3, 5]])
KINDS = [{"cell": "rnn"}, {"cell": "lstm"}, {"cell": "lstm", "n_layers": 2, "forget_bias": 2.0}]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


def model_of(kind: dict[str, object], seed: int = 0) -> Recurrent:
    model = Recurrent(RecurrentConfig(**{"vocab_size": 7, "d_model": 4, **kind}), seed=seed)  # type: ignore[arg-type]
    generator = torch.Generator().manual_seed(seed + 50)
    with torch.no_grad():
        for parameter in model.parameters():  # a bias of 0 would hide that it was forgotten
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator)
    return model


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def by_hand(model: Recurrent, ids: list[int]) -> tuple[list[list[float]], list[dict[str, list[float]]]]:
    """Logits of one text and the last layer's gates, number by number."""
    d = model.config.d_model
    texts = [model.embed.weight[i].tolist() for i in ids]
    gates: list[dict[str, list[float]]] = []
    for layer in model.layers:
        w_x, w_h, b_x, b_h = (p.tolist() for p in layer.parameters())
        h, c, states, gates = [0.0] * d, [0.0] * d, [], []
        for x in texts:
            sums = [
                b_x[row] + b_h[row] + sum(w_x[row][j] * x[j] + w_h[row][j] * h[j] for j in range(d))
                for row in range(len(b_x))
            ]
            if model.config.cell == "rnn":
                h = [math.tanh(s) for s in sums]
            else:
                enter, forget = [sigmoid(s) for s in sums[:d]], [sigmoid(s) for s in sums[d : 2 * d]]
                candidate, show = [math.tanh(s) for s in sums[2 * d : 3 * d]], [sigmoid(s) for s in sums[3 * d :]]
                c = [forget[j] * c[j] + enter[j] * candidate[j] for j in range(d)]
                h = [show[j] * math.tanh(c[j]) for j in range(d)]
                gates.append({"input": enter, "forget": forget, "candidate": candidate, "output": show, "cell": c})
            states.append(h)
        texts = states
    unembed = model.unembed.weight.tolist()
    return [[sum(w * x for w, x in zip(row, h, strict=True)) for row in unembed] for h in texts], gates


@every_kind
def test_logits_and_gates_are_those_of_the_equations(kind: dict[str, object]) -> None:
    model = model_of(kind)
    trace = model(IDS)
    for row in range(2):
        logits, gates = by_hand(model, IDS[row].tolist())
        assert torch.allclose(trace.logits[row], torch.tensor(logits), atol=1e-5)
        found = trace.layers[-1].gates
        assert (found is None) == (kind["cell"] == "rnn")
        for name in gates[0] if found is not None else ():
            assert torch.allclose(getattr(found, name)[row], torch.tensor([g[name] for g in gates]), atol=1e-5), name


@every_kind
def test_a_trace_holds_together(kind: dict[str, object]) -> None:
    model = model_of(kind)
    trace = model(IDS)
    assert trace.ids is IDS
    assert len(trace.layers) == model.config.n_layers
    assert trace.layers[0].inputs is trace.token_embedding
    for below, above in zip(trace.layers, trace.layers[1:], strict=False):
        assert above.inputs is below.hidden
    assert trace.output is trace.layers[-1].hidden
    for layer in trace.layers:
        assert layer.hidden.shape == (2, 5, 4)
        if layer.gates is not None:
            assert torch.allclose(layer.hidden, layer.gates.output * layer.gates.cell.tanh(), atol=1e-6)
            last = torch.cat([torch.zeros(2, 1, 4), layer.gates.cell[:, :-1]], 1)
            kept = layer.gates.forget * last + layer.gates.input * layer.gates.candidate
            assert torch.allclose(layer.gates.cell, kept, atol=1e-6)
    assert torch.equal(model.logits(IDS), trace.logits)


@every_kind
def test_step_by_step_is_all_at_once(kind: dict[str, object]) -> None:
    model = model_of(kind)
    state, logits = model.start(2), []
    for at in range(IDS.shape[1]):
        found, state = model.step(IDS[:, at], state)
        logits.append(found)
    assert torch.allclose(torch.stack(logits, 1), model.logits(IDS), atol=1e-6)
    assert torch.allclose(state[-1][0], model(IDS).output[:, -1], atol=1e-6)


@every_kind
def test_the_future_does_not_change_the_past_and_padding_changes_nothing(kind: dict[str, object]) -> None:
    model, changed = model_of(kind), IDS.clone()
    changed[:, 3:] = 0
    assert torch.allclose(model.logits(changed)[:, :3], model.logits(IDS)[:, :3], atol=1e-6)
    assert not torch.allclose(model.logits(changed)[:, 4], model.logits(IDS)[:, 4], atol=1e-3)
    present = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    assert torch.allclose(model.logits(changed, present)[1, :3], model.logits(IDS[1:, :3])[0], atol=1e-6)


def test_padding_where_the_state_would_read_it_is_refused() -> None:
    model = model_of(KINDS[0])
    with pytest.raises(ValueError, match="mask: expected padding at the end only"):
        model.logits(IDS, torch.tensor([[True] * 5, [False, True, True, True, True]]))
    with pytest.raises(ValueError, match=r"mask: expected bool \[2, 5\], got"):
        model(IDS, torch.ones(1, 1, 5, 5, dtype=torch.bool))
    with pytest.raises(ValueError, match="ids: expected numbers from 0 to 6, got 2 to 7"):
        model(IDS + 1)
    with pytest.raises(ValueError, match="ids: expected whole numbers"):
        model(IDS[0])


def test_forget_gates_start_at_their_bias() -> None:
    """With an input and a state of nothing the gate is sigmoid(bias), and every other gate 1/2."""
    config = RecurrentConfig(vocab_size=3, d_model=6, forget_bias=3.0)
    model = Recurrent(config)
    with torch.no_grad():
        model.embed.weight.zero_()
    gates = model(torch.tensor([[0]])).layers[0].gates
    assert gates is not None
    assert torch.allclose(gates.forget, torch.full((1, 1, 6), sigmoid(3.0)))
    assert torch.allclose(torch.cat([gates.input, gates.output]), torch.full((2, 1, 6), 0.5))


def test_a_seed_is_a_model_and_the_global_generator_has_no_say() -> None:
    def weights(seed: int) -> Tensor:
        torch.manual_seed(random.randrange(2**31))
        model = Recurrent(RecurrentConfig(vocab_size=5, d_model=8), seed=seed)
        return torch.cat([p.detach().flatten() for p in model.parameters()])

    assert torch.equal(weights(1), weights(1))
    assert not torch.equal(weights(1), weights(2))
    spread = Recurrent(RecurrentConfig(vocab_size=5, d_model=64)).layers[0].get_parameter("weight_hh_l0")
    assert spread.abs().max() <= 1 / 8
    assert float(spread.detach().std()) == pytest.approx(1 / 8 / math.sqrt(3), rel=0.02)
