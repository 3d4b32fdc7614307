"""Why scores are scaled: dots of random queries and keys, and what a softmax makes of them with the scale and without.

Components of unit variance give dots of variance d_k (Vaswani et al., 2017, section 3.2.1, footnote 4). Unscaled, the
softmax of such dots is close to one key alone, where its gradient vanishes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from viz_model.analysis.entropy import entropy

Floats = NDArray[np.float64]
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
N_KEYS = 64
N_QUERIES = 64  # queries that share a set of keys in `sample_scaling`
MOST_SETS = 24  # sets whose softmaxes are measured


@dataclass(frozen=True, slots=True, eq=False)
class ScalingSamples:
    """What was found at each width; every array is [width]. 'dots' is without the scale, 'scores' with 1/sqrt(d_k)."""

    d_k: NDArray[np.int64]
    n_keys: int
    n_dots: NDArray[np.int64]  # how many dots were drawn
    dots_variance: Floats  # mean of (q.k)^2, the mean of q.k being 0 by construction; in theory d_k
    scores_variance: Floats  # in theory 1
    dots_entropy: Floats  # mean over queries of the entropy of softmax(dots), nats; ln n_keys is an even spread
    scores_entropy: Floats
    dots_gradient: Floats  # mean over queries of `softmax_gradient` at the dots
    scores_gradient: Floats


@dataclass(frozen=True, slots=True, eq=False)
class SampledRow:
    """One query, its keys, and its two softmaxes."""

    q: Floats  # [d_k]
    k: Floats  # [key, d_k]
    dots: Floats  # [key]
    scores: Floats  # [key]   dots / sqrt(d_k)
    dots_weights: Floats  # [key]   softmax(dots)
    scores_weights: Floats  # [key]   softmax(scores)
    dots_entropy: float  # nats
    scores_entropy: float
    dots_gradient: float  # `softmax_gradient`
    scores_gradient: float


def softmax_gradient(weights: Tensor) -> Tensor:
    """The size of the softmax's Jacobian J = diag(w) - w w^T, in its nuclear norm: sum_k w_k (1 - w_k).

    J = d weights / d (what the softmax is given) is symmetric and positive semi-definite, so its nuclear norm (the sum
    of its singular values) is its trace: how much each weight answers to its own score, summed over keys. 1 - 1/n for
    an even spread over n keys, 0 for one key alone. (The Frobenius norm is no such measure: two keys at .5 have more
    of it than sixty-four at 1/64.) weights: [..., key], rows of a softmax; returns [...].
    """
    return (weights * (1.0 - weights)).sum(-1)


def seeded(seed: int) -> torch.Generator:
    """A generator for one draw, by its seed alone: what a page caches the draw by."""
    return torch.Generator().manual_seed(seed)


def sample_scaling(d_k: Sequence[int] = WIDTHS, *, generator: torch.Generator, n_keys: int = N_KEYS) -> ScalingSamples:
    """Draws queries and keys with components from N(0, 1) at each width of `d_k`.

    Narrow widths are drawn more often, since their dots spread more widely about the mean: the standard error of the
    variance stays below .5 % at every width with 64 keys. The same generator state gives the same numbers.
    Raises ValueError for a width or a number of keys below 1.
    """
    if not d_k or min(d_k) < 1 or n_keys < 1:
        raise ValueError(f"d_k and n_keys: expected whole numbers of at least 1, got {list(d_k)} and {n_keys}.")
    columns: list[tuple[float, ...]] = []
    for width in d_k:
        n_sets = MOST_SETS + 4096 // width
        q = torch.randn(n_sets, N_QUERIES, width, generator=generator)
        k = torch.randn(n_sets, n_keys, width, generator=generator)
        dots = q @ k.transpose(-2, -1)
        variance, some = float(dots.double().square().mean()), dots[:MOST_SETS]
        plain, scaled = _softmax_means(some), _softmax_means(some / math.sqrt(width))
        columns.append((dots.numel(), variance, variance / width, plain[0], scaled[0], plain[1], scaled[1]))
    n_dots, *found = (np.array(column) for column in zip(*columns, strict=True))
    return ScalingSamples(np.array(d_k, np.int64), n_keys, n_dots, *found)


def sample_row(d_k: int, *, generator: torch.Generator, n_keys: int = 8) -> SampledRow:
    """One query and `n_keys` keys with components from N(0, 1), and what both softmaxes make of them."""
    if d_k < 1 or n_keys < 1:
        raise ValueError(f"d_k and n_keys: expected whole numbers of at least 1, got {d_k} and {n_keys}.")
    q = torch.randn(d_k, generator=generator, dtype=torch.float64)
    k = torch.randn(n_keys, d_k, generator=generator, dtype=torch.float64)
    dots = k @ q
    scores = dots / math.sqrt(d_k)
    plain, scaled = dots.softmax(0), scores.softmax(0)
    return SampledRow(
        q=q.numpy(),
        k=k.numpy(),
        dots=dots.numpy(),
        scores=scores.numpy(),
        dots_weights=plain.numpy(),
        scores_weights=scaled.numpy(),
        dots_entropy=float(entropy(plain)),
        scores_entropy=float(entropy(scaled)),
        dots_gradient=float(softmax_gradient(plain)),
        scores_gradient=float(softmax_gradient(scaled)),
    )


def sample_dots(d_k: int, n: int = 20_000, *, generator: torch.Generator) -> Floats:
    """`n` independent dots q.k, a query and a key of their own each, components from N(0, 1): [sample]."""
    if d_k < 1 or n < 1:
        raise ValueError(f"d_k and n: expected whole numbers of at least 1, got {d_k} and {n}.")
    # Given its length a query turns every key into one normal number: two draws in place of 2 d_k, the same law.
    length = torch.empty(n, dtype=torch.float64)
    for start in range(0, n, 1024):
        part = torch.randn(min(1024, n - start), d_k, generator=generator, dtype=torch.float64)
        length[start : start + 1024] = part.norm(dim=-1)
    found: Floats = (length * torch.randn(n, generator=generator, dtype=torch.float64)).numpy()
    return found


def _softmax_means(given: Tensor) -> tuple[float, float]:
    """Mean entropy and mean gradient of the softmax of [set, query, key]."""
    weights = given.softmax(-1)
    return float(entropy(weights).double().mean()), float(softmax_gradient(weights).double().mean())
