"""The steps of a computation: their order, and every number of every cell against numpy that knows no torch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from tests.viz_model.models.small_models import BASE, POSITIONS, ids_of, model_of
from viz_model.computation import Equation, Matrix, Step, steps
from viz_model.config import TransformerConfig
from viz_model.edits import AblateHead, Edit, KnockOut, PatchHead, SetWeight, UniformHead
from viz_model.models import Decoder, Encoder, ModelTrace
from viz_model.models.one_stack import OneStack
from viz_model.terms import arithmetic

Floats = NDArray[np.float64]
TOKENS = tuple("abcde")
ORDER = ["tokens", "ids", "embedding", "positions", "norm", "qkv", "dots", "scale", "mask", "softmax", "heads", "out"]


def config(**changes: Any) -> TransformerConfig:
    small = {"vocab_size": 17, "context_length": 9, "d_model": 8, "n_heads": 4, "d_head": 2, "d_ff": 12, "n_layers": 2}
    return TransformerConfig(**{**small, **changes})


def run(model: OneStack, edits: tuple[Edit, ...] = (), seed: int = 0) -> ModelTrace:
    return replace(model(ids_of(1, len(TOKENS), seed=seed), edits=edits), tokens=TOKENS)


def by_name(made: tuple[Step, ...]) -> dict[str, Step]:
    return {step.name: step for step in made}


def every_cell_adds_up(made: tuple[Step, ...]) -> None:
    for step in made:
        for equation in step.equations:
            for row in range(len(equation.result.rows)):
                for column in range(len(equation.result.columns)):
                    found = arithmetic(equation, row, column)
                    assert found.adds_up, (step.name, equation.result.name, row, column, found)
                    assert found.value == equation.result.values[row, column]


class Numpy:
    """One layer's attention from the weights and the paper's formulas, in float64, without any code of ours."""

    def __init__(self, model: OneStack, layer: int) -> None:
        self.config, self.causal = model.config, model.is_causal
        weights = {name: tensor.double().numpy() for name, tensor in model.state_dict().items()}
        self.weights = weights
        mine = f"stack.blocks.{layer}."
        self.of_layer = {name[len(mine) :]: value for name, value in weights.items() if name.startswith(mine)}

    def normed(self, x: Floats) -> Floats:
        gain = self.of_layer["norm_attention.weight"]
        if self.config.norm == "rms":
            return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * gain
        centred = x - x.mean(-1, keepdims=True)
        shift = self.of_layer.get("norm_attention.bias", 0.0)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gain + shift

    def projected(self, x: Floats, name: str, head: int) -> Floats:
        c, weight = self.config, self.of_layer["attention.w_qkv.weight"]
        starts = {"Q": 0, "K": c.n_heads * c.d_head, "V": (c.n_heads + c.n_kv_heads) * c.d_head}
        own = head if name == "Q" else head * c.n_kv_heads // c.n_heads
        rows = slice(starts[name] + own * c.d_head, starts[name] + (own + 1) * c.d_head)
        bias = self.of_layer["attention.w_qkv.bias"][rows] if c.bias else 0.0
        made = x @ weight[rows].T + bias
        return self.turned(made) if name in "QK" and c.position == "rotary" else made

    def turned(self, x: Floats) -> Floats:
        half = x.shape[1] // 2
        out = x.copy()
        for position in range(len(x)):
            for i in range(half):
                angle = position * self.config.rotary_base ** (-2 * i / x.shape[1])
                a, b = x[position, i], x[position, i + half]
                out[position, i] = a * np.cos(angle) - b * np.sin(angle)
                out[position, i + half] = b * np.cos(angle) + a * np.sin(angle)
        return out

    def bias(self, head: int, query: int, n: int) -> Floats:
        """Of short distances alone: each has a bucket of its own in T5's scheme."""
        offsets = np.arange(n) - query
        if self.config.position == "alibi":
            slope = 2.0 ** (-8 * (head + 1) / self.config.n_heads)  # for 4 heads, a power of two
            return -slope * np.abs(offsets)
        if self.config.position == "t5":
            ahead = 0 if self.causal else 16
            bucket = np.where(offsets > 0, ahead + offsets, -offsets)
            if self.causal:
                bucket = np.where(offsets > 0, 0, -offsets)
            return self.weights["stack.positions.table"][bucket, head]
        return np.zeros(n)


def expected_rows(model: OneStack, trace: ModelTrace, layer: int, head: int, query: int) -> dict[str, Floats]:
    """What the steps must show, from resid_pre on, by name."""
    it, n = Numpy(model, layer), len(TOKENS)
    resid = trace.blocks[layer].resid_pre[0].detach().double().numpy()
    x = it.normed(resid) if it.config.norm_place == "pre" else resid
    found: dict[str, Floats] = {"norm": x}
    read = []
    for h in range(it.config.n_heads):
        q, k, v = (it.projected(x, name, h) for name in "QKV")
        dots = k @ q[query]
        scores = dots / (np.sqrt(it.config.d_head) if it.config.scaled else 1.0) + it.bias(h, query, n)
        allowed = np.arange(n) <= query if it.causal else np.ones(n, bool)
        powers = np.where(allowed, np.exp(scores - scores[allowed].max()), 0.0)
        weights = powers / powers.sum()
        read.append(weights @ v)
        if h == head:
            found |= {"Q": q, "K": k, "V": v, "dots": dots, "scores": scores, "weights": weights, "head": read[-1]}
    concat = np.concatenate(read)
    bias = it.of_layer["attention.w_o.bias"] if it.config.bias else 0.0
    return {**found, "concat": concat, "out": it.of_layer["attention.w_o.weight"] @ concat + bias}


VARIANTS: list[dict[str, Any]] = [
    {},
    {"norm": "rms", "bias": False, "n_kv_heads": 2},
    {"norm_place": "post", "n_kv_heads": 1, "scaled": False},
    {"norm": "rms", "norm_place": "post", "bias": False},
]


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
@pytest.mark.parametrize("position", POSITIONS)
def test_every_number_is_the_traces_and_numpys(position: Any, changes: dict[str, Any]) -> None:
    kind = Encoder if changes.get("n_kv_heads") else Decoder
    model = model_of(kind, config(position=position, **changes))
    trace = run(model)
    for layer in range(2):
        for head in range(4):
            for query in range(len(TOKENS)):
                made = steps(model, trace, layer=layer, head=head, query=query)
                assert [step.name for step in made] == [
                    name for name in ORDER if name != "norm" or model.config.norm_place == "pre"
                ]
                step = by_name(made)
                want = expected_rows(model, trace, layer, head, query)
                shown = {name: step[name].equations[-1].result for name in step if name != "qkv"}
                ends = {eq.result.name: eq.result for eq in step["qkv"].equations}
                pairs = {
                    **({"norm": shown["norm"]} if "norm" in shown else {}),
                    **{name: ends[name] for name in "QKV"},
                    "dots": shown["dots"],
                    "scores": shown["scale"],
                    "weights": shown["softmax"],
                    "head": shown["heads"],
                    "out": shown["out"],
                }
                for name, matrix in pairs.items():
                    np.testing.assert_allclose(
                        matrix.values, want[name].reshape(matrix.values.shape), atol=2e-5, err_msg=name
                    )
                concat = step["out"].equations[0].operands[0]
                np.testing.assert_allclose(concat.values[0], want["concat"], atol=2e-5)
                assert len(step["softmax"].equations) == len(step["heads"].equations) == 1
        # The terms of a cell do not depend on the layer's numbers alone: one head and query of each layer in full.
        every_cell_adds_up(steps(model, trace, layer=layer, head=3 - layer, query=3))


@pytest.mark.parametrize("position", POSITIONS)
def test_every_cell_of_every_head_and_query_adds_up(position: Any) -> None:
    model = model_of(Decoder, config(position=position, d_model=4, n_layers=1, n_heads=2, n_kv_heads=1))
    trace = run(model)
    for head in range(2):
        for query in range(len(TOKENS)):
            every_cell_adds_up(steps(model, trace, layer=0, head=head, query=query))


def test_the_first_steps_are_the_embeddings() -> None:
    model = model_of(Decoder, config(position="learned"))
    trace = run(model)
    step = by_name(steps(model, trace, layer=1, head=0, query=0))
    ids = trace.ids[0].numpy()
    weights = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    assert step["tokens"].equations[0].result.rows == TOKENS
    assert step["ids"].equations[0].result.values[:, 0].tolist() == ids.tolist()
    tokens, places = weights["stack.embed.weight"][ids], weights["stack.positions.table"][:5]
    np.testing.assert_array_equal(step["embedding"].equations[0].result.values, tokens)
    added = step["positions"].equations[0]
    assert [matrix.name for matrix in added.operands] == ["E", "P"]
    np.testing.assert_array_equal(added.operands[1].values, places)
    np.testing.assert_allclose(added.result.values, tokens + places, atol=1e-6)


def test_rows_ask_and_columns_are_asked() -> None:
    """A swap of query and key would go unseen where a matrix is nearly symmetric: these numbers are not."""
    model = model_of(Encoder, config())
    trace = run(model)
    step = by_name(steps(model, trace, layer=0, head=1, query=3))
    weights = step["softmax"].equations[0].result
    assert (weights.rows, weights.columns) == (("d",), TOKENS)
    np.testing.assert_array_equal(weights.values[0], trace.blocks[0].attention.weights[0, 1, 3].detach())
    assert not np.allclose(weights.values[0], trace.blocks[0].attention.weights[0, 1, :, 3].detach(), atol=1e-3)
    asks, keys = step["dots"].equations[0].operands
    assert asks.name == "q(d)"
    assert (keys.rows, keys.columns) == (("d0", "d1"), TOKENS)
    assert (asks.role, keys.role, step["heads"].equations[0].operands[1].role) == ("query", "key", "value")


def test_masked_keys_are_marked_and_count_nothing() -> None:
    model = model_of(Decoder, config())
    step = by_name(steps(model, run(model), layer=0, head=0, query=1))
    masked = step["mask"].equations[0].result
    assert masked.masked is not None
    assert masked.masked[0].tolist() == [False, False, True, True, True]
    softmax = step["softmax"].equations[0]
    assert softmax.result.values[0, 2:].tolist() == [0, 0, 0]
    assert [arithmetic(softmax, 0, key).kind for key in range(5)] == ["softmax"] * 2 + ["masked"] * 3
    assert [arithmetic(step["mask"].equations[0], 0, key).kind for key in range(5)] == ["kept"] * 2 + ["masked"] * 3
    assert step["scale"].equations[0].result.masked is None


EDITS: list[tuple[Edit, str, list[str]]] = [
    (UniformHead(0, 1), "softmax", ["softmax", "edit"]),
    (KnockOut(0, 1, 3, 0), "softmax", ["softmax", "edit"]),
    (KnockOut(0, 1, None, 2, renormalise=False), "softmax", ["softmax", "edit"]),
    (SetWeight(0, 1, 3, 4, 0.25), "softmax", ["softmax", "edit"]),
    (AblateHead(0, 1), "heads", ["matmul", "edit"]),
]


@pytest.mark.parametrize(("edit", "name", "rules"), EDITS, ids=lambda value: getattr(value, "code", None))
def test_an_edit_is_an_equation_of_its_own(edit: Edit, name: str, rules: list[str]) -> None:
    model = model_of(Decoder, config())
    plain, trace = run(model), run(model, (edit,))
    made = steps(model, trace, layer=0, head=1, query=3)
    step = by_name(made)
    assert [equation.rule for equation in step[name].equations] == rules
    other = "heads" if name == "softmax" else "softmax"
    assert len(step[other].equations) == 1
    before, after = step[name].equations
    assert after.operands == (before.result,)
    untouched = by_name(steps(model, plain, layer=0, head=1, query=3))[name].equations[0].result.values
    np.testing.assert_allclose(before.result.values, untouched, atol=1e-6)
    attention = trace.blocks[0].attention
    now = attention.weights if name == "softmax" else attention.heads
    np.testing.assert_array_equal(after.result.values[0], now[0, 1, 3].detach())
    every_cell_adds_up(made)
    assert all(len(s.equations) == 1 or s.name == "qkv" for s in steps(model, trace, layer=0, head=0, query=3))


def test_a_patched_head_is_an_edit_too() -> None:
    model = model_of(Decoder, config())
    other = run(model, seed=5)
    for what, name in (("heads", "heads"), ("weights", "softmax")):
        trace = run(model, (PatchHead(1, 2, other, what),))  # type: ignore[arg-type]
        made = steps(model, trace, layer=1, head=2, query=4)
        assert [eq.rule for eq in by_name(made)[name].equations][-1] == "edit"
        every_cell_adds_up(made)


def test_a_row_without_a_key_is_zeros_that_add_up() -> None:
    model = model_of(Encoder, config())
    nobody = torch.ones(1, 1, 5, 5, dtype=torch.bool)
    nobody[..., 2, :] = False
    trace = replace(model(ids_of(1, 5), nobody), tokens=TOKENS)
    made = steps(model, trace, layer=0, head=0, query=2)
    assert not by_name(made)["softmax"].equations[0].result.values.any()
    every_cell_adds_up(made)


def test_a_matrix_has_a_name_for_each_row_and_column() -> None:
    with pytest.raises(ValueError, match=r"Q: expected 2 x 1 values, got \(1, 2\)"):
        Matrix("Q", np.zeros((1, 2), np.float32), ("a", "b"), ("d0",))


def test_a_wrong_number_does_not_add_up() -> None:
    """The check is one: with every rule it notices a result that is off."""
    model = model_of(Decoder, config(position="rotary"))
    seen = set()
    for step in steps(model, run(model), layer=0, head=0, query=2):
        for equation in step.equations:
            if equation.rule in ("given", "lookup", "edit", "mask"):
                continue
            seen.add(equation.rule)
            right = equation.result
            size = float(np.abs(right.values).max()) + sum(float(np.abs(m.values).max()) for m in equation.operands)
            wrong = Matrix(right.name, right.values + np.float32(size), right.rows, right.columns, masked=right.masked)
            assert not arithmetic(Equation(equation.operands, equation.rule, wrong, equation.factor), 0, 0).adds_up
    assert seen == {"sum", "norm", "affine", "rotation", "dots", "scale", "softmax", "matmul"}


@pytest.mark.parametrize("changes", [{"norm_place": "post"}, {"norm": "none"}], ids=str)
def test_models_without_a_norm_before_attention_read_the_stream_itself(changes: dict[str, Any]) -> None:
    model = model_of(Decoder, config(**changes))
    trace = run(model)
    assert "norm" not in [step.name for step in steps(model, trace, layer=1, head=0, query=0)]
    step = by_name(steps(model, trace, layer=1, head=0, query=0))
    np.testing.assert_array_equal(step["qkv"].equations[0].operands[0].values, trace.blocks[1].resid_pre[0].detach())
    assert BASE.norm_place == "pre"
