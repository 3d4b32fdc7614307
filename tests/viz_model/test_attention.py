"""Attention against torch's own, against three loops from the formula, and the laws of its weights."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.viz_model.torch_twins import random_tensor, roughen, twin_attention
from viz_model import masks
from viz_model.attention import MultiHeadAttention, attend, masked_softmax, scaled_scores
from viz_model.config import TransformerConfig

seeds = st.integers(0, 2**31)
small = settings(max_examples=20)


def drawn(seed: int, *, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Random q, k, v, mask and bias of random sizes; some rows of the mask may be all closed."""
    generator = torch.Generator().manual_seed(seed)
    batch, heads, n_query, n_key, d_head, d_value = (
        int(torch.randint(1, 5, (), generator=generator)) for _ in range(6)
    )
    q = random_tensor(batch, heads, n_query, d_head, seed=seed, dtype=dtype)
    k = random_tensor(batch, heads, n_key, d_head, seed=seed + 1, dtype=dtype)
    v = random_tensor(batch, heads, n_key, d_value, seed=seed + 2, dtype=dtype)
    mask = torch.rand(batch, 1, n_query, n_key, generator=generator) < 0.6
    return q, k, v, mask, random_tensor(1, heads, n_query, n_key, seed=seed + 3, dtype=dtype)


def formula(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, bias: Tensor | None, scale: float) -> tuple[Tensor, Tensor]:
    """softmax(q k^T scale + bias) v, a number at a time."""
    batch, heads, n_query, d_head = q.shape
    n_key, d_value = v.shape[2:]
    weights, read = torch.zeros(batch, heads, n_query, n_key), torch.zeros(batch, heads, n_query, d_value)
    for b in range(batch):
        for h in range(heads):
            for i in range(n_query):
                raised = {}
                for j in range(n_key):
                    if mask[b, 0, i, j]:
                        score = scale * sum(float(q[b, h, i, d]) * float(k[b, h, j, d]) for d in range(d_head))
                        raised[j] = math.exp(score + (0.0 if bias is None else float(bias[0, h, i, j])))
                for j, number in raised.items():
                    weights[b, h, i, j] = number / sum(raised.values())
                    for d in range(d_value):
                        read[b, h, i, d] += weights[b, h, i, j] * v[b, h, j, d]
    return weights, read


@given(seeds, st.booleans(), st.booleans())
@small
def test_attend_is_the_formula(seed: int, biased: bool, fused: bool) -> None:
    q, k, v, mask, drawn_bias = drawn(seed)
    bias = drawn_bias if biased else None
    weights, heads = attend(q, k, v, mask, scale=0.7, bias=bias, fused=fused)
    expected_weights, expected_heads = formula(q, k, v, mask, bias, 0.7)
    assert torch.allclose(heads, expected_heads, atol=1e-5)
    assert weights.numel() == 0 if fused else torch.allclose(weights, expected_weights, atol=1e-5)


@given(seeds, st.booleans())
@small
def test_attend_is_torchs_attention_where_a_key_is_open(seed: int, biased: bool) -> None:
    q, k, v, mask, bias = drawn(seed)
    _, heads = attend(q, k, v, mask, scale=1 / math.sqrt(q.shape[-1]), bias=bias if biased else None)
    closed = bias.masked_fill(~mask, -math.inf) if biased else mask
    expected = F.scaled_dot_product_attention(q, k, v, attn_mask=closed)
    open_rows = mask.any(-1).expand(heads.shape[:-1])
    assert torch.allclose(heads[open_rows], expected[open_rows], atol=1e-5)


@given(seeds, st.sampled_from([1e-3, 1.0, 30.0, 1e4]))
@small
def test_a_row_sums_to_1_or_is_zeros_and_never_nan(seed: int, size: float) -> None:
    q, k, v, mask, _ = drawn(seed)
    weights, heads = attend(q * size, k * size, v, mask, scale=1.0)
    is_open = mask.any(-1).expand(weights.shape[:-1])
    assert torch.allclose(weights.sum(-1), is_open.float(), atol=1e-5)
    assert (weights >= 0).all()
    assert (weights[~mask.expand_as(weights)] == 0).all()
    assert not heads.isnan().any()
    assert (heads[~is_open] == 0).all()


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("biased", [False, True])
def test_gradients_of_a_closed_row_are_zeros_not_nan(fused: bool, biased: bool) -> None:
    q, k, v = (random_tensor(1, 2, 3, 4, seed=seed).requires_grad_() for seed in range(3))
    mask = masks.causal(3).clone()
    mask[0, 0, 1] = False
    bias = random_tensor(1, 2, 3, 3, seed=4).requires_grad_() if biased else None
    _, heads = attend(q, k, v, mask, scale=0.5, bias=bias, fused=fused)
    assert (heads[:, :, 1] == 0).all()
    heads.square().sum().backward()
    for part in (q, k, v, *([] if bias is None else [bias])):
        assert part.grad is not None
        assert part.grad.isfinite().all()
    assert q.grad is not None
    assert (q.grad[:, :, 1] == 0).all()


@pytest.mark.parametrize("biased", [False, True])
def test_gradients_are_those_of_finite_differences(biased: bool) -> None:
    mask = masks.causal(3).clone()
    mask[0, 0, 0] = False
    q, k, v = (random_tensor(1, 2, 3, 2, seed=s, dtype=torch.float64).requires_grad_() for s in range(3))
    bias = random_tensor(1, 2, 3, 3, seed=5, dtype=torch.float64).requires_grad_()

    def both(*parts: Tensor) -> tuple[Tensor, Tensor]:
        return attend(*parts[:3], mask, scale=0.6, bias=parts[3] if biased else None)

    assert torch.autograd.gradcheck(both, (q, k, v, bias) if biased else (q, k, v))


def test_masked_softmax_ignores_what_a_masked_score_is() -> None:
    scores, mask = random_tensor(1, 2, 4, 4), masks.causal(4)
    loud = torch.where(mask, scores, 1e30)
    assert torch.equal(masked_softmax(scores, mask), masked_softmax(loud, mask))


def attention_of(**options: object) -> tuple[MultiHeadAttention, TransformerConfig]:
    config = TransformerConfig(vocab_size=5, d_model=12, **{"n_heads": 3, **options})  # type: ignore[arg-type]
    attention = MultiHeadAttention(config)
    roughen(attention)
    return attention, config


@pytest.mark.parametrize(
    "options", [{}, {"bias": False}, {"n_heads": 6, "n_kv_heads": 2}, {"n_heads": 4, "n_kv_heads": 1}]
)
@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("padded", [False, True])
def test_multi_head_attention_is_torchs(options: dict[str, object], cross: bool, padded: bool) -> None:
    attention, config = attention_of(**options)
    x = random_tensor(2, 5, 12)
    memory = random_tensor(2, 7, 12, seed=1) if cross else None
    read = x if memory is None else memory
    present = torch.ones(2, read.shape[1], dtype=torch.bool)
    if padded:
        present[0, -2:] = False
        present[1, 0] = False
    trace = attention(x, masks.full(5, read.shape[1]) & masks.padding(present), memory=memory)
    expected, expected_weights = twin_attention(attention, config)(
        x, read, read, key_padding_mask=~present, average_attn_weights=False
    )
    assert torch.allclose(trace.out, expected, atol=1e-5)
    assert torch.allclose(trace.weights, expected_weights, atol=1e-5)


def test_causal_multi_head_attention_is_torchs() -> None:
    attention, config = attention_of()
    x = random_tensor(2, 5, 12)
    expected, _ = twin_attention(attention, config)(x, x, x, attn_mask=~masks.causal(5)[0, 0])
    assert torch.allclose(attention(x, masks.causal(5)).out, expected, atol=1e-5)


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
def test_heads_read_the_keys_and_values_of_their_group(n_kv_heads: int) -> None:
    attention, config = attention_of(n_heads=4, n_kv_heads=n_kv_heads)
    trace = attention(random_tensor(2, 5, 12), masks.full(5))
    for head in range(4):
        leader = head - head % (4 // n_kv_heads)
        assert torch.equal(trace.k[:, head], trace.k[:, leader])
        assert torch.equal(trace.v[:, head], trace.v[:, leader])
    assert attention.w_k.shape == attention.w_v.shape == (n_kv_heads * config.d_head, 12)


def test_q_k_and_v_are_x_by_their_weights() -> None:
    attention, _ = attention_of(n_heads=4, n_kv_heads=4, d_head=5, bias=False)
    x = random_tensor(2, 6, 12)
    trace = attention(x, masks.full(6))
    for part, weight in ((trace.q, attention.w_q), (trace.k, attention.w_k), (trace.v, attention.w_v)):
        for head in range(4):
            assert torch.allclose(part[:, head], x @ weight[head * 5 : head * 5 + 5].T, atol=1e-5)


@pytest.mark.parametrize("scaled", [True, False])
def test_dots_and_scores_are_recomputed_exactly(scaled: bool) -> None:
    attention, config = attention_of(scaled=scaled)
    bias = random_tensor(1, 3, 5, 5, seed=3)
    trace = attention(random_tensor(2, 5, 12), masks.causal(5), bias=bias)
    scale = 1 / math.sqrt(config.d_head) if scaled else 1.0
    assert torch.allclose(trace.dots, torch.einsum("bhqd,bhkd->bhqk", trace.q, trace.k), atol=1e-6)
    assert torch.allclose(trace.scores, trace.dots * scale + bias, atol=1e-6)
    assert torch.equal(trace.scores, scaled_scores(trace.q, trace.k, scale=trace.scale, bias=trace.bias))
    assert torch.equal(masked_softmax(trace.scores, trace.mask), trace.weights)
    closed = trace.scores.masked_fill(~trace.mask, -math.inf)
    assert torch.allclose(closed.softmax(-1), trace.weights, atol=1e-6)
    assert torch.equal(trace.heads, trace.weights @ trace.v)


def test_out_is_the_heads_side_by_side_through_w_o() -> None:
    attention, _ = attention_of()
    trace = attention(random_tensor(2, 5, 12), masks.causal(5))
    beside = torch.cat([trace.heads[:, head] for head in range(3)], dim=-1)
    assert torch.allclose(trace.out, beside @ attention.w_o.weight.T + attention.w_o.bias, atol=1e-6)


def test_the_trace_holds_references() -> None:
    attention, _ = attention_of()
    mask = masks.causal(5)
    trace = attention(random_tensor(2, 5, 12), mask)
    assert trace.mask is mask
    assert len({part.untyped_storage().data_ptr() for part in (trace.q, trace.k, trace.v)}) == 1
    assert trace.q.untyped_storage().nbytes() == 2 * 5 * 36 * 4
