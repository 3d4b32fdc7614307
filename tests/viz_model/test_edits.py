"""Edits by themselves: each kind against an independent computation, and what is refused."""

import math
import re
from dataclasses import FrozenInstanceError, replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.viz_model.torch_twins import random_tensor
from viz_model import masks
from viz_model.attention import attend, masked_softmax
from viz_model.edits import (
    AblateHead,
    Edit,
    KnockOut,
    PatchHead,
    SetWeight,
    UniformHead,
)

N_HEADS, N_QUERY, N_KEY = 3, 4, 5
seeds = st.integers(0, 2**31)
heads, queries, keys = (st.integers(0, n - 1) for n in (N_HEADS, N_QUERY, N_KEY))
some = settings(max_examples=30)


def drawn(seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Scores, a mask with closed rows among others, and the weights of both."""
    mask = torch.rand(2, 1, N_QUERY, N_KEY, generator=torch.Generator().manual_seed(seed)) < 0.6
    scores = 3 * random_tensor(2, N_HEADS, N_QUERY, N_KEY, seed=seed)
    return scores, mask, masked_softmax(scores, mask)


def others_are_untouched(before: Tensor, after: Tensor, head: int, query: int | None = None) -> bool:
    same = (before == after).flatten(3).all(-1)
    same[:, head, slice(None) if query is None else query] = True
    return bool(same.all())


@given(seeds, heads)
@some
def test_ablating_zeroes_one_heads_output(seed: int, head: int) -> None:
    x = random_tensor(2, N_HEADS, N_QUERY, 6, seed=seed)
    after = AblateHead(0, head)(x, masks.full(N_QUERY))
    assert not after[:, head].any()
    assert others_are_untouched(x, after, head)


@given(seeds, heads)
@some
def test_a_uniform_head_reads_its_open_keys_equally(seed: int, head: int) -> None:
    _, mask, weights = drawn(seed)
    after = UniformHead(0, head)(weights, mask)
    assert others_are_untouched(weights, after, head)
    for batch in range(2):
        for query in range(N_QUERY):
            is_open = mask[batch, 0, query].tolist()
            expected = [1 / sum(is_open) if key_open else 0.0 for key_open in is_open]
            assert after[batch, head, query].tolist() == pytest.approx(expected)


@given(seeds, heads, st.none() | queries, keys)
@some
def test_a_cut_that_renormalises_is_a_softmax_without_the_key(
    seed: int, head: int, query: int | None, key: int
) -> None:
    scores, mask, weights = drawn(seed)
    after = KnockOut(0, head, query, key)(weights, mask)
    narrowed = mask.expand(2, N_HEADS, N_QUERY, N_KEY).clone()
    narrowed[:, head, slice(None) if query is None else query, key] = False
    expected = scores.masked_fill(~narrowed, -math.inf).softmax(-1).nan_to_num(0.0)
    assert torch.allclose(after, expected, atol=1e-5)
    assert others_are_untouched(weights, after, head, query)


@given(seeds, heads, st.none() | queries, keys)
@some
def test_a_cut_that_does_not_renormalise_only_zeroes_the_link(
    seed: int, head: int, query: int | None, key: int
) -> None:
    _, mask, weights = drawn(seed)
    after = KnockOut(0, head, query, key, renormalise=False)(weights, mask)
    expected = weights.clone()
    for row in range(N_QUERY) if query is None else (query,):
        expected[:, head, row, key] = 0.0
    assert torch.equal(after, expected)


def test_cutting_the_only_key_leaves_zeros() -> None:
    weights = torch.zeros(1, 1, 2, 2)
    weights[..., 0] = 1.0
    after = KnockOut(0, 0, 0, 0)(weights, masks.causal(2))
    assert after.tolist() == [[[[0.0, 0.0], [1.0, 0.0]]]]


@given(seeds, heads, queries, keys, st.floats(0, 1, width=32))
@some
def test_a_set_weight_is_set_and_the_row_sums_to_1(seed: int, head: int, query: int, key: int, value: float) -> None:
    _, mask, weights = drawn(seed)
    after = SetWeight(0, head, query, key, value)(weights, mask)
    assert others_are_untouched(weights, after, head, query)
    assert (after[:, head, query, key] == value).all()
    for batch in range(2):
        rest = [k for k in range(N_KEY) if k != key and mask[batch, 0, query, k]]
        before, row = weights[batch, head, query], after[batch, head, query]
        assert row.sum().item() == pytest.approx(1.0 if rest else value, abs=1e-5)
        total = sum(before[k].item() for k in rest)
        for k in rest:
            assert row[k].item() == pytest.approx((1 - value) * before[k].item() / total, abs=1e-5)


@pytest.mark.parametrize("edit", [KnockOut(0, 0, 0, 2), SetWeight(0, 0, 0, 2, 0.0)], ids=lambda edit: edit.code)
def test_a_row_sums_to_1_where_what_is_left_was_next_to_nothing(edit: Edit) -> None:
    weights = masked_softmax(torch.tensor([[[[0.0, 1.0, 100.0]]]]), masks.full(1, 3))
    assert edit(weights, masks.full(1, 3)).sum().item() == pytest.approx(1.0, abs=1e-3)


def test_a_set_weight_spares_the_rest_equally_where_the_rest_was_nothing() -> None:
    weights = torch.tensor([[[[0.0, 1.0, 0.0, 0.0]]]])
    mask = torch.tensor([[[[True, True, True, False]]]])
    assert SetWeight(0, 0, 0, 1, 0.5)(weights, mask).tolist() == [[[[0.25, 0.5, 0.25, 0.0]]]]


@given(seeds, heads, queries, keys, st.floats(0, 1, width=32))
@some
def test_a_set_weight_that_does_not_renormalise_changes_one_number(
    seed: int, head: int, query: int, key: int, value: float
) -> None:
    _, mask, weights = drawn(seed)
    expected = weights.clone()
    expected[:, head, query, key] = value
    assert torch.equal(SetWeight(0, head, query, key, value, renormalise=False)(weights, mask), expected)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf])
def test_a_weight_lies_between_0_and_1(value: float) -> None:
    with pytest.raises(ValueError, match=r"value: expected a weight from 0 to 1, got"):
        SetWeight(0, 0, 0, 0, value)


EVERY_KIND = [
    AblateHead(0, 1),
    UniformHead(0, 1),
    KnockOut(0, 1, 2, 3),
    KnockOut(0, 1, None, 3),
    KnockOut(0, 1, None, 3, renormalise=False),
    SetWeight(0, 1, 2, 3, 0.4),
    SetWeight(0, 1, 2, 3, 0.4, renormalise=False),
]


@pytest.mark.parametrize("edit", EVERY_KIND, ids=lambda edit: edit.code)
def test_an_edit_changes_a_copy_and_lets_gradients_through(edit: Edit) -> None:
    _, mask, weights = drawn(0)
    x = weights if edit.site == "weights" else random_tensor(2, N_HEADS, N_QUERY, 6)
    x, before = x.clone().requires_grad_(), x.clone()
    after = edit(x, mask)
    assert torch.equal(x, before)
    assert not torch.equal(after, before)
    after.square().sum().backward()
    assert x.grad is not None
    assert x.grad.isfinite().all()
    assert x.grad[:, 0].any()


def test_edits_apply_in_the_order_given() -> None:
    q, k, v = (random_tensor(1, N_HEADS, 4, 6, seed=seed) for seed in range(3))
    mask = masks.full(4)
    cut, uniform = KnockOut(0, 1, 2, 3), UniformHead(0, 1)
    uniform_last, _ = attend(q, k, v, mask, scale=1.0, edits=(cut, uniform))
    cut_last, _ = attend(q, k, v, mask, scale=1.0, edits=(uniform, cut))
    assert uniform_last[0, 1, 2].tolist() == pytest.approx([1 / 4] * 4)
    assert cut_last[0, 1, 2].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def test_heads_follow_from_edited_weights() -> None:
    q, k, v = (random_tensor(1, N_HEADS, 4, 6, seed=seed) for seed in range(3))
    weights, read = attend(q, k, v, masks.causal(4), scale=1.0, edits=(SetWeight(0, 1, 2, 0, 1.0),))
    assert torch.allclose(read, weights @ v)
    assert torch.allclose(read[0, 1, 2], v[0, 1, 0])


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (KnockOut(0, 0, N_QUERY, 0), "query: expected a position from 0 to 3, got 4."),
        (KnockOut(0, 0, None, N_KEY), "key: expected a position from 0 to 4, got 5."),
        (KnockOut(0, 0, -1, 0), "query: expected a position from 0 to 3, got -1."),
        (SetWeight(0, 0, N_QUERY, 0, 0.5), "query: expected a position from 0 to 3, got 4."),
        (SetWeight(0, 0, 0, -1, 0.5), "key: expected a position from 0 to 4, got -1."),
    ],
)
def test_a_link_outside_the_text_is_refused_in_words(edit: Edit, sentence: str) -> None:
    _, mask, weights = drawn(0)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        edit(weights, mask)


def test_edits_are_frozen_and_serve_as_keys() -> None:
    edit = KnockOut(0, 1, 2, 3)
    with pytest.raises(FrozenInstanceError):
        edit.layer = 2  # type: ignore[misc]
    assert {edit: "found"}[KnockOut(0, 1, 2, 3)] == "found"
    assert replace(edit, head=2) == KnockOut(0, 2, 2, 3)
    assert len({*EVERY_KIND, *EVERY_KIND}) == len(EVERY_KIND)


def test_equal_numbers_in_another_kind_stack_or_attention_are_another_edit() -> None:
    edit = AblateHead(0, 1)
    assert edit != UniformHead(0, 1)
    assert len({edit, UniformHead(0, 1), AblateHead(0, 1, stack="decoder"), AblateHead(0, 1, attention="cross")}) == 4


def test_a_patch_from_a_text_needs_the_run_first() -> None:
    with pytest.raises(TypeError, match=r"expects a trace here, got a text"):
        PatchHead(0, 0, "The cat")(random_tensor(1, 3, 2, 4), masks.full(2))
