"""Counts by formula against models that are really built (on torch's meta device: shapes without memory)."""

from __future__ import annotations

import pytest
import torch

from tests.viz_model.analysis.small_models import VARIANTS, config
from viz_model.analysis.head_budget import (
    AttentionBudget,
    attention_budget,
    attention_steps,
    head_choices,
    original_budget,
    original_config,
)
from viz_model.attention import MultiHeadAttention
from viz_model.config import TransformerConfig, presets
from viz_model.feed_forward import feed_forward
from viz_model.models import Encoder


def count(module: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


STACKS = [p for p in presets.values() if isinstance(p, TransformerConfig)] + [original_config()]


@pytest.mark.parametrize("made", [*STACKS, *(config(**changes) for changes in VARIANTS)])
def test_counts_are_those_of_the_layers_themselves(made: TransformerConfig) -> None:
    budget = attention_budget(made)
    with torch.device("meta"):
        layer, hidden = MultiHeadAttention(made), feed_forward(made)
    assert budget.per_layer == count(layer)
    assert budget.feed_forward == count(hidden)
    assert budget.in_all_layers == made.n_layers * count(layer)
    built = (layer.w_q, layer.w_k, layer.w_v, layer.w_o.weight)  # nn.Linear keeps [out, in]
    assert [matrix.shape[::-1] for matrix in budget.matrices] == [tuple(weight.shape) for weight in built]


def test_the_papers_own_numbers() -> None:
    """Vaswani et al. (2017), section 3.2.2: h = 8, d_k = d_v = d_model / h = 64; table 3: d_model 512, d_ff 2048."""
    budget, steps = original_budget(n_tokens=10)
    assert (budget.d_model, budget.n_heads, budget.d_head, budget.n_layers) == (512, 8, 64, 6)
    assert budget.fills
    assert {matrix.shape for matrix in budget.matrices} == {(512, 512)}
    assert sum(matrix.n_weights for matrix in budget.matrices) == 4 * 512 * 512 == 8 * budget.per_head == 1_048_576
    assert budget.feed_forward == 2 * 512 * 2048 + 2048 + 512
    shapes = {step.name: step.shape for step in steps}
    assert shapes["Q"] == shapes["K"] == shapes["V"] == shapes["heads"] == (8, 10, 64)
    assert shapes["weights"] == (8, 10, 10)
    assert shapes["concat"] == shapes["out"] == (10, 512)
    assert next(step.size for step in steps if step.name == "weights") == 800


@pytest.mark.parametrize("changes", VARIANTS[:3])
def test_steps_have_the_shapes_of_a_trace(changes) -> None:
    made = config(**changes)
    steps = {step.name: step for step in attention_steps(made, 5)}
    attention = Encoder(made)(torch.tensor([[1, 2, 3, 4, 5]])).blocks[0].attention
    assert steps["Q"].shape == tuple(attention.q.shape[1:])
    assert steps["scores"].shape == tuple(attention.scores.shape[1:])
    assert steps["weights"].shape == tuple(attention.weights.shape[1:])
    assert steps["heads"].shape == tuple(attention.heads.shape[1:])
    assert steps["out"].shape == tuple(attention.out.shape[1:])
    assert steps["K"].shape[0] == made.n_kv_heads
    assert steps["Q"].size == attention.q.numel()


def test_every_choice_of_heads_costs_the_same() -> None:
    choices = head_choices(512)
    assert (8, 64) in choices
    assert len(choices) == 10
    assert all(n * d == 512 for n, d in choices)
    counts = {attention_budget(TransformerConfig(vocab_size=2, d_model=512, n_heads=n)).per_layer for n, _ in choices}
    assert len(counts) == 1
    with pytest.raises(ValueError, match="at least 1"):
        head_choices(0)
    with pytest.raises(ValueError, match="at least 1"):
        attention_steps(original_config(), 0)


def test_a_head_wider_than_its_share_does_not_fill() -> None:
    assert not attention_budget(TransformerConfig(vocab_size=2, d_model=8, n_heads=2, d_head=16)).fills


def test_json() -> None:
    budget, _ = original_budget()
    assert AttentionBudget.from_json(budget.to_json()) == budget
