"""The theory curves against samples, limits that are known in closed form, and direct integration."""

from __future__ import annotations

import math

import numpy as np
import pytest

from viz_model.analysis.scaling_theory import gaussian_softmax, scaling_theory


def test_two_keys_by_direct_integration() -> None:
    """With two keys the first weight is 1 / (1 + e^-x) for one normal number x of twice the variance."""
    for variance in (0.01, 1.0, 9.0, 400.0):
        x = np.linspace(-12, 12, 40_001) * math.sqrt(2 * variance)
        density = np.exp(-((x / math.sqrt(2 * variance)) ** 2) / 2)
        density /= density.sum()
        w = 1 / (1 + np.exp(-np.abs(x)))  # both weights are w and 1 - w
        other = np.exp(-np.abs(x)) * w
        spread = -(w * np.log(w)) - np.where(other > 0, other * np.log(np.maximum(other, 1e-300)), 0)
        expected = ((spread * density).sum(), (2 * w * other * density).sum())
        assert gaussian_softmax(variance, 2) == pytest.approx(expected, abs=2e-6)


def test_one_key_has_neither_spread_nor_gradient() -> None:
    assert gaussian_softmax(5.0, 1) == pytest.approx((0, 0), abs=1e-9)


def test_cold_and_hot_limits() -> None:
    assert gaussian_softmax(1e-6, 64) == pytest.approx((math.log(64), 1 - 1 / 64), abs=1e-5)
    spread, gradient = gaussian_softmax(2500.0, 64)
    assert 0 < spread < 0.1
    assert 0 < gradient < 0.05
    # To first order in the variance an even spread loses v (n - 1) / 2n nats.
    assert math.log(64) - gaussian_softmax(1e-2, 64)[0] == pytest.approx(1e-2 / 2 * 63 / 64, rel=0.02)


@pytest.mark.parametrize("n_keys", [4, 64])
def test_samples_of_random_queries_and_keys_lie_on_the_curves(n_keys: int) -> None:
    """Drawn with numpy, a fresh set of keys for every query, from the smallest width where nothing is normal."""
    widths = [1, 3, 16, 200]
    theory = scaling_theory(widths, n_keys)
    rng = np.random.default_rng(0)
    for i, width in enumerate(widths):
        n = 4000 if width < 20 else 800
        q, k = rng.normal(size=(n, 1, width)), rng.normal(size=(n, n_keys, width))
        dots = (q * k).sum(-1)
        for given, entropy, gradient in (
            (dots, theory.dots_entropy[i], theory.dots_gradient[i]),
            (dots / math.sqrt(width), theory.scores_entropy[i], theory.scores_gradient[i]),
        ):
            w = np.exp(given - given.max(1, keepdims=True))
            w /= w.sum(1, keepdims=True)
            spread = -(w * np.log(np.maximum(w, 1e-300))).sum(1)
            size = (w * (1 - w)).sum(1)
            assert abs(spread.mean() - entropy) < 4.5 * spread.std() / math.sqrt(n) + 1e-4
            assert abs(size.mean() - gradient) < 4.5 * size.std() / math.sqrt(n) + 1e-4


def test_what_is_given_with_the_curves() -> None:
    theory = scaling_theory([1, 64, 1024], 16)
    assert theory.dots_variance.tolist() == [1, 64, 1024]
    assert theory.scores_variance.tolist() == [1, 1, 1]
    assert theory.dots_entropy[0] == pytest.approx(theory.scores_entropy[0], abs=1e-9)
    assert (np.diff(theory.dots_gradient) < 0).all()
    # Wide queries are all about equally long: what is left is the normal limit.
    assert theory.scores_entropy[2] == pytest.approx(gaussian_softmax(1.0, 16)[0], abs=2e-3)


@pytest.mark.parametrize(("widths", "n_keys"), [([], 4), ([0], 4), ([4], 0), ([10_000], 4)])
def test_what_does_not_exist_is_refused(widths: list[int], n_keys: int) -> None:
    with pytest.raises(ValueError, match=r"from 1 to 4096"):
        scaling_theory(widths, n_keys)
