"""What theory says of a softmax over dots of random queries and keys: entropy and gradient, by quadrature, not sampled.

Given its query q, the dots of keys with components from N(0, 1) are independent and N(0, |q|^2), exactly. For n such
numbers s_k ~ N(0, v), Z = sum_k exp(s_k) and w = softmax(s), Stein's identity gives

    E[sum_k w_k s_k] = v E[gradient],   gradient = sum_k w_k (1 - w_k)
    E[entropy]       = E[ln Z] - v E[gradient],   E[gradient] = 2 d E[ln Z] / dv

so that both follow from E[ln Z], the mean free energy of Derrida's random energy model (1981). What is left is the mean
over |q|^2, which has the chi-squared law of d_k degrees.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LIMIT = 8.0  # standard deviations beyond which a normal number does not count: 1e-15 of them
STEP = 0.2  # of u in `gaussian_softmax`
LEAST = 1e-6  # a variance below which the softmax is even
N_NODES = 40
WIDEST = 4096  # wider, the quadrature would take too much memory; no published model has such heads


@dataclass(frozen=True, slots=True, eq=False)
class ScalingTheory:
    """The expectations of `ScalingSamples` at each width, under its names; every array is [width]."""

    d_k: NDArray[np.int64]
    n_keys: int
    dots_variance: Floats  # d_k
    scores_variance: Floats  # 1
    dots_entropy: Floats  # nats
    scores_entropy: Floats
    dots_gradient: Floats  # nuclear norm of the softmax's Jacobian, as `softmax_gradient`
    scores_gradient: Floats


def scaling_theory(d_k: Sequence[int], n_keys: int) -> ScalingTheory:
    """Entropy and gradient of the softmax over `n_keys` dots, and over dots / sqrt(d_k), at each width of `d_k`.

    Exact for components from N(0, 1), to about 1e-4. Raises ValueError for a width below 1 or above 4096, or no key.
    """
    if not d_k or min(d_k) < 1 or max(d_k) > WIDEST or n_keys < 1:
        raise ValueError(f"d_k: expected widths from 1 to {WIDEST}, and 1 key or more, got {list(d_k)} and {n_keys}.")
    low, high = math.log(LEAST), math.log(max(d_k) + 12 * math.sqrt(2 * max(d_k)) + 60)
    # Both are smooth in ln v: their values at Chebyshev nodes give them everywhere.
    nodes = np.cos(math.pi * (np.arange(N_NODES) + 0.5) / N_NODES)
    known = np.array([gaussian_softmax(math.exp(low + (x + 1) / 2 * (high - low)), n_keys) for x in nodes.tolist()])
    fitted = chebyshev.chebfit(nodes, known, N_NODES - 1)
    columns = []
    for width in d_k:
        log_v = math.log(width) + np.linspace(-40, 12, 801) / math.sqrt(width)
        density = np.exp(_log_chi_squared(log_v, width))
        for scale in (0.0, math.log(width)):
            at = 2 * (np.clip(log_v - scale, low, high) - low) / (high - low) - 1
            columns.append(chebyshev.chebval(at, fitted) @ density / density.sum())
    entropies, gradients = np.array(columns).T.reshape(2, len(d_k), 2)
    return ScalingTheory(
        d_k=np.array(d_k, np.int64),
        n_keys=n_keys,
        dots_variance=np.array(d_k, np.float64),
        scores_variance=np.ones(len(d_k)),
        dots_entropy=entropies[:, 0],
        scores_entropy=entropies[:, 1],
        dots_gradient=gradients[:, 0],
        scores_gradient=gradients[:, 1],
    )


def gaussian_softmax(variance: float, n_keys: int) -> tuple[float, float]:
    """E[entropy] (nats) and E[gradient] of the softmax of `n_keys` independent numbers from N(0, variance).

    ln z = integral over t > 0 of (e^-t - e^-tz) / t, so that with t = e^u and phi(u) = E[exp(-e^(u + s))] for one s
    E[ln Z] = integral over u of exp(-e^u) - phi(u)^n.
    """
    sigma = math.sqrt(variance)
    # The trapezoid rule converges geometrically on functions as smooth as these; its steps stay below their bends.
    z = np.arange(-LIMIT, LIMIT, 0.1 if sigma < 6 else 0.6 / sigma)
    share = np.exp(-z * z / 2)
    share /= share.sum()
    reach = LIMIT * sigma
    u = np.arange(-reach - math.log(n_keys) - 40.0, reach + 6.0, STEP)
    grown = np.exp(np.minimum(u[:, None] + sigma * z[None, :], 50.0))
    survives = np.exp(-grown)  # [u, z]
    phi = survives @ share
    log_z = float((np.exp(-np.exp(np.minimum(u, 50.0))) - phi**n_keys).sum() * STEP)
    # d phi / d v = E[f''(s)] / 2 for f(s) = exp(-e^(u + s)), whose f'' = f g (g - 1) with g = e^(u + s)
    bend = (survives * grown * (grown - 1.0)) @ share / 2
    gradient = 2 * float((-n_keys * phi ** (n_keys - 1) * bend).sum() * STEP)
    return log_z - variance * gradient, gradient


def _log_chi_squared(log_v: Floats, degrees: int) -> Floats:
    """The log density of ln v where v has the chi-squared law (up to a constant)."""
    log_density = degrees / 2 * log_v - np.exp(log_v) / 2
    found: Floats = log_density - log_density.max()
    return found
