"""A trained model's dots against a reading row by row, and against theory where its queries and keys are random."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from tests.viz_model.analysis.small_models import IDS, VARIANTS, decoder, encoder
from viz_model.analysis.head_scaling import head_row, head_scaling
from viz_model.config import TransformerConfig
from viz_model.models import Encoder

LAYERED = [variant for variant in VARIANTS if variant.get("n_layers") != 0]


@pytest.mark.parametrize("variant", LAYERED)
@pytest.mark.parametrize("scaled", [True, False])
def test_every_number_is_that_of_a_slow_reader(variant: dict[str, object], scaled: bool) -> None:
    trace = decoder(**variant, scaled=scaled)(IDS)
    found = head_scaling(trace)
    assert (found.d_head, found.trained_scaled, found.n_queries) == (4, scaled, 5)
    assert found.even_entropy == pytest.approx(np.mean([math.log(n) for n in range(2, 7)]))
    for layer, block in enumerate(trace.blocks):
        attention = block.attention
        for head in range(2):
            q, k = attention.q[0, head].detach().double().numpy(), attention.k[0, head].detach().double().numpy()
            bias = np.zeros((6, 6)) if attention.bias is None else attention.bias[0, head].detach().double().numpy()
            rows: dict[str, list[float]] = {}
            for query in range(1, 6):
                dots = k[: query + 1] @ q[query]
                rows.setdefault("dots_variance", []).append(float(np.var(dots, ddof=1)))
                for name, given in (("dots", dots), ("scores", dots / 2)):
                    powers = np.exp(given + bias[query, : query + 1])
                    w = powers / powers.sum()
                    rows.setdefault(f"{name}_entropy", []).append(float(-(w * np.log(w)).sum()))
                    rows.setdefault(f"{name}_gradient", []).append(float(1 - (w**2).sum()))
            for name, values in rows.items():
                assert getattr(found, name)[layer, head] == pytest.approx(np.mean(values), rel=1e-4, abs=1e-6)
            assert found.q_size[layer, head] == pytest.approx(np.sqrt((q[1:] ** 2).mean()), rel=1e-5)
            assert found.k_size[layer, head] == pytest.approx(np.sqrt((k**2).mean()), rel=1e-5)
    np.testing.assert_allclose(found.scores_variance, found.dots_variance / 4)


@pytest.mark.parametrize("variant", LAYERED)
@pytest.mark.parametrize("scaled", [True, False])
def test_a_row_is_the_models_own_on_one_side(variant: dict[str, object], scaled: bool) -> None:
    trace = decoder(**variant, scaled=scaled)(IDS)
    layer, query = len(trace.blocks) - 1, 3
    attention = trace.blocks[layer].attention
    for head in range(2):
        row = head_row(trace, layer, head, query)
        assert row.keys.tolist() == [0, 1, 2, 3]
        dots = (attention.k[0, head, :4] @ attention.q[0, head, query]).detach().double().numpy()
        np.testing.assert_allclose(row.dots, dots, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(row.scores, row.dots / 2)
        own = attention.weights[0, head, query, :4].detach().numpy()
        np.testing.assert_allclose(row.scores_weights if scaled else row.dots_weights, own, rtol=1e-4, atol=1e-6)
        bias = np.zeros(4) if attention.bias is None else attention.bias[0, head, query, :4].detach().double().numpy()
        other = np.exp((dots if scaled else dots / 2) + bias)
        other /= other.sum()
        np.testing.assert_allclose(row.dots_weights if scaled else row.scores_weights, other, rtol=1e-4, atol=1e-6)
        assert (row.dots_gradient, row.scores_gradient) == pytest.approx(
            (1 - (row.dots_weights**2).sum(), 1 - (row.scores_weights**2).sum())
        )
        assert row.dots_entropy == pytest.approx(-(row.dots_weights * np.log(row.dots_weights)).sum())


def test_padding_does_not_count() -> None:
    model = encoder()
    ids = torch.cat([IDS, torch.zeros(1, 3, dtype=torch.long)], 1)
    present = torch.arange(9)[None] < 6
    padded, plain = head_scaling(model(ids, present), present=present), head_scaling(model(IDS))
    assert padded.n_queries == plain.n_queries == 6
    for name in ("q_size", "k_size", "dots_variance", "dots_entropy", "scores_gradient"):
        np.testing.assert_allclose(getattr(padded, name), getattr(plain, name), rtol=1e-4)


@pytest.mark.parametrize("d_head", [4, 64])
def test_fresh_queries_and_keys_have_dots_of_variance_d_head(d_head: int) -> None:
    """Fresh weights make components of about unit variance, so the theory holds before any training."""
    config = TransformerConfig(
        vocab_size=4000, d_model=256, n_heads=4, d_head=d_head, n_layers=1, position="none", context_length=256
    )
    ids = torch.randperm(4000, generator=torch.Generator().manual_seed(0))[:256][None]
    found = head_scaling(Encoder(config, seed=0)(ids))
    assert found.q_size.mean() == pytest.approx(1, abs=0.1)
    np.testing.assert_allclose(found.dots_variance, d_head, rtol=0.5)
    assert found.dots_variance.mean() == pytest.approx(d_head, rel=0.25)


def test_without_a_choice_there_is_nothing_to_measure() -> None:
    with pytest.raises(ValueError, match="two keys to choose from"):
        head_scaling(decoder()(IDS[:, :1]))
    with pytest.raises(ValueError, match="at least one layer"):
        head_scaling(decoder(n_layers=0)(IDS))
