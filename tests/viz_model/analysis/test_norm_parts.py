"""Norms written out, against the formula in a loop and against torch's own."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tests.viz_model.analysis.small_models import IDS, TARGET_IDS, VARIANTS, decoder, encoder, encoder_decoder
from viz_model.analysis import NormParts, norm_parts, norm_sites, norm_statistics


def rough(module: nn.Module) -> nn.Module:
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for weight in module.parameters():
            weight.copy_(torch.randn(weight.shape, generator=generator))
    return module


@given(st.lists(st.floats(-50, 50, width=32), min_size=2, max_size=9), st.booleans(), st.sampled_from(["layer", "rms"]))
@settings(max_examples=60)
def test_the_parts_are_the_formula_entry_by_entry(x, bias, kind) -> None:
    n = len(x)
    module = rough(nn.LayerNorm(n, eps=1e-5, bias=bias) if kind == "layer" else nn.RMSNorm(n, eps=1e-5))
    parts = norm_parts(module, torch.tensor(x))
    mean = sum(x) / n if kind == "layer" else 0.0
    variance = sum((v - mean) ** 2 for v in x) / n
    assert (parts.kind, parts.epsilon) == (kind, 1e-5)
    assert parts.mean == pytest.approx(mean, abs=1e-9)
    assert parts.variance == pytest.approx(variance, rel=1e-9, abs=1e-12)
    assert parts.divisor == pytest.approx(math.sqrt(variance + 1e-5), rel=1e-9)
    gain = module.weight.tolist()
    shift = module.bias.tolist() if kind == "layer" and bias else [0.0] * n
    for i in range(n):
        one = (parts.before[i] - parts.mean) / parts.divisor
        assert parts.before[i] == x[i]
        assert parts.normalised[i] == pytest.approx(one, abs=1e-9)
        assert parts.after[i] == pytest.approx(one * gain[i] + shift[i], abs=1e-9)
    own = module(torch.tensor(x, dtype=torch.float64).float()).tolist()
    # float32 loses the small differences of large, nearly equal numbers.
    assert parts.after == pytest.approx(own, rel=1e-3, abs=2e-3)


def test_a_vector_of_another_width_is_refused() -> None:
    with pytest.raises(ValueError, match=r"vector: expected \[4\], got \[5\]"):
        norm_parts(nn.LayerNorm(4), torch.zeros(5))


@pytest.mark.parametrize("make", [decoder, encoder])
@pytest.mark.parametrize("changes", VARIANTS)
def test_every_site_is_a_norm_of_the_model_with_what_it_read_and_gave(make, changes) -> None:
    model = make(**changes)
    trace = model(IDS)
    sites = norm_sites(model, trace)
    config = model.config
    names = [(layer, name) for layer in range(config.n_layers) for name in ("norm_attention", "norm_feed_forward")]
    names += [(None, "final_norm")]
    if config.norm == "none":
        names = []
    if config.norm_place == "post":
        names = names[:-1]
    if not config.feed_forward:  # a pre-norm block without a feed-forward layer has no reader for its second norm
        names = [name for name in names if name[1] != "norm_feed_forward"]
    assert [(site.layer, site.name) for site in sites] == names
    for site in sites:
        assert torch.equal(site.module(site.before), site.after)
        for position in range(IDS.shape[1]):
            parts = norm_parts(site.module, site.before[0, position])
            assert parts.after == pytest.approx(site.after[0, position].tolist(), abs=1e-4)


@pytest.mark.parametrize("place", ["pre", "post"])
def test_a_cross_decoders_norms_are_in_order(place) -> None:
    model = encoder_decoder(norm_place=place)
    trace = model(IDS, TARGET_IDS)
    sites = norm_sites(model, trace, stack="decoder")
    names = ["norm_attention", "norm_cross", "norm_feed_forward"] * 3
    assert [site.name for site in sites] == ([*names, "final_norm"] if place == "pre" else names)
    assert all(torch.equal(site.module(site.before), site.after) for site in sites)


@pytest.mark.parametrize("norm", ["layer", "rms"])
def test_statistics_are_means_and_variances_before_between_and_after(norm) -> None:
    model = decoder(norm=norm)
    for site in norm_sites(model, model(IDS)):
        found = norm_statistics(site)
        for position in range(IDS.shape[1]):
            parts = norm_parts(site.module, site.before[0, position])
            for values, mean, variance in (
                (parts.before, found.mean_before, found.variance_before),
                (parts.normalised, found.mean_normalised, found.variance_normalised),
                (parts.after, found.mean_after, found.variance_after),
            ):
                middle = sum(values) / len(values)
                assert mean[position] == pytest.approx(middle, abs=1e-4)
                assert variance[position] == pytest.approx(
                    sum((v - middle) ** 2 for v in values) / len(values), rel=1e-3, abs=1e-5
                )
            if norm == "layer":
                assert found.mean_normalised[position] == pytest.approx(0, abs=1e-9)
                share = parts.variance / (parts.variance + parts.epsilon)
                assert found.variance_normalised[position] == pytest.approx(share)


def test_parts_through_json_and_back() -> None:
    parts = norm_parts(rough(nn.LayerNorm(4)), torch.tensor([1.0, -2.0, 3.0, 0.5]))
    assert NormParts.from_json(parts.to_json()) == parts
