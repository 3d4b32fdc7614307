"""Dots of random queries and keys against the formulas, and the softmax's gradient against autograd."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from viz_model.analysis.scaling import WIDTHS, sample_dots, sample_row, sample_scaling, softmax_gradient


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(seed=st.integers(0, 2**31), n=st.integers(1, 9), spread=st.floats(0.0, 30.0))
@settings(max_examples=40, deadline=None)
def test_the_gradient_is_the_nuclear_norm_of_the_jacobian(seed: int, n: int, spread: float) -> None:
    scores = spread * torch.randn(n, generator=generator(seed), dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda s: s.softmax(0), scores)
    singular_values = torch.linalg.svdvals(jacobian)
    assert softmax_gradient(scores.softmax(0)).item() == pytest.approx(singular_values.sum().item(), abs=1e-9)


def test_the_gradient_of_an_even_spread_and_of_one_key() -> None:
    assert softmax_gradient(torch.full((64,), 1 / 64)).item() == pytest.approx(1 - 1 / 64)
    assert softmax_gradient(torch.eye(5)).tolist() == [0.0] * 5
    # The Frobenius norm would say the opposite of what the lesson is about.
    halves, even = torch.tensor([0.5, 0.5]), torch.full((64,), 1 / 64)
    frobenius = [torch.linalg.matrix_norm(w.diag() - torch.outer(w, w)).item() for w in (halves, even)]
    assert frobenius[0] > frobenius[1]
    assert softmax_gradient(halves) < softmax_gradient(even)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_variance_is_d_k_within_two_percent(seed: int) -> None:
    found = sample_scaling(generator=generator(seed))
    assert found.d_k.tolist() == list(WIDTHS) == [2**i for i in range(11)]
    np.testing.assert_allclose(found.dots_variance, found.d_k, rtol=0.02)
    np.testing.assert_allclose(found.scores_variance, 1.0, rtol=0.02)
    assert found.n_dots.min() >= 100_000


def test_without_the_scale_the_softmax_closes_and_its_gradient_vanishes() -> None:
    found = sample_scaling(generator=generator())
    assert (np.diff(found.dots_entropy) < 0).all()
    assert (np.diff(found.dots_gradient) < 0).all()
    assert found.dots_entropy[-1] < 0.05 * math.log(found.n_keys)
    assert found.dots_gradient[-1] < 0.1
    assert np.ptp(found.scores_entropy[3:]) < 0.1
    assert found.scores_entropy.min() > 0.8 * math.log(found.n_keys)
    assert found.scores_gradient.min() > 0.9
    assert found.dots_entropy[0] == found.scores_entropy[0]  # at d_k 1 the scale is 1


def test_a_sample_is_what_a_plain_reading_of_its_draws_gives() -> None:
    """Drawn again in the order that is documented, and measured one row at a time."""
    found = sample_scaling([3], generator=generator(7), n_keys=5)
    drawn, n_sets = generator(7), int(found.n_dots[0]) // (64 * 5)
    q = torch.randn(n_sets, 64, 3, generator=drawn).double()
    k = torch.randn(n_sets, 5, 3, generator=drawn).double()
    squares, spreads, gradients = [], [], []
    for one in range(n_sets):
        for query in q[one]:
            dots = [sum(float(a * b) for a, b in zip(query, key, strict=True)) for key in k[one]]
            squares += [dot**2 for dot in dots]
            if one < 24:
                powers = [math.exp(dot / math.sqrt(3)) for dot in dots]
                weights = [power / sum(powers) for power in powers]
                spreads.append(-sum(w * math.log(w) for w in weights))
                gradients.append(sum(w * (1 - w) for w in weights))
        if one == 30:
            break
    assert found.scores_entropy[0] == pytest.approx(np.mean(spreads), rel=1e-5)
    assert found.scores_gradient[0] == pytest.approx(np.mean(gradients), rel=1e-5)
    assert found.dots_variance[0] == pytest.approx(np.mean(squares), rel=0.1)  # these are the first of many


def test_the_same_generator_gives_the_same_numbers_and_another_others() -> None:
    one, two, other = (sample_scaling([4, 8], generator=generator(seed)) for seed in (1, 1, 2))
    for name in ("dots_variance", "dots_entropy", "scores_gradient"):
        assert getattr(one, name).tolist() == getattr(two, name).tolist()
        assert getattr(one, name).tolist() != getattr(other, name).tolist()
    assert torch.equal(torch.random.get_rng_state(), _untouched())


def _untouched() -> torch.Tensor:
    """The global generator's state after drawing as above, which must not move it."""
    before = torch.random.get_rng_state()
    sample_row(4, generator=generator())
    sample_dots(4, 10, generator=generator())
    sample_scaling([4], generator=generator())
    assert torch.equal(torch.random.get_rng_state(), before)
    return before


@pytest.mark.parametrize("d_k", [1, 7, 256])
def test_a_row_is_its_own_arithmetic(d_k: int) -> None:
    row = sample_row(d_k, generator=generator(3), n_keys=6)
    assert (row.q.shape, row.k.shape) == ((d_k,), (6, d_k))
    dots = (row.k * row.q).sum(1)
    np.testing.assert_allclose(row.dots, dots)
    np.testing.assert_allclose(row.scores, dots / d_k**0.5)
    for weights, numbers in ((row.dots_weights, dots), (row.scores_weights, dots / d_k**0.5)):
        powers = np.exp(numbers - numbers.max())
        np.testing.assert_allclose(weights, powers / powers.sum(), atol=1e-12)
    assert row.scores_entropy == pytest.approx(-(row.scores_weights * np.log(row.scores_weights)).sum())
    assert row.dots_gradient == pytest.approx(1 - (row.dots_weights**2).sum())
    assert row.dots_entropy <= row.scores_entropy + 1e-12  # a hotter softmax is never narrower


@pytest.mark.parametrize("d_k", [1, 2, 64])
def test_dots_have_the_moments_of_a_sum_of_products(d_k: int) -> None:
    dots = sample_dots(d_k, 200_000, generator=generator(4)) / d_k**0.5
    assert dots.mean() == pytest.approx(0, abs=0.01)
    assert (dots**2).mean() == pytest.approx(1, abs=0.02)
    # E[(q.k)^4] = 3 d^2 + 6 d, from E[q^4] = 3: six times 1/d more than a normal number's 3
    assert (dots**4).mean() == pytest.approx(3 + 6 / d_k, rel=0.08)


@pytest.mark.parametrize("bad", [[], [0], [4, -1]])
def test_a_width_below_one_is_refused(bad: list[int]) -> None:
    with pytest.raises(ValueError, match="whole numbers of at least 1"):
        sample_scaling(bad, generator=generator())
    for draw in (sample_row, sample_dots):
        with pytest.raises(ValueError, match="at least 1"):
            draw(0, generator=generator())  # type: ignore[operator]
