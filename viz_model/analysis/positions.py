"""What positional encodings are like: all different, changing smoothly, and turned into one another by their offset.

Every measure takes an encoding as a tensor [position, d_model], sinusoidal or learned, and computes in float64.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PositionDistances:
    """How far positions lie from each other (Euclidean distance of their vectors)."""

    distance: Floats  # [position, position]
    smallest: float  # between two different positions; above 0: each position is unlike every other
    closest: tuple[int, int]  # the two positions that far apart
    neighbours: Floats  # [position - 1]   from each position to the next; even: the encoding is smooth


@dataclass(frozen=True, slots=True, eq=False)
class OffsetDots:
    """PE(p) . PE(p + k) by the offset k, over all positions p that have such a partner; every array is [offset]."""

    offset: NDArray[np.int64]  # 0, 1, 2, ...
    mean: Floats
    lowest: Floats
    highest: Floats

    @property
    def spread(self) -> float:
        """The largest difference between two dots of one offset: 0 where a dot tells the offset and nothing else."""
        return float((self.highest - self.lowest).max())


def position_distances(encoding: Tensor) -> PositionDistances:
    """Distances between all positions of an encoding [position, d_model], two positions or more."""
    vectors = _vectors(encoding)
    n = len(vectors)
    # Exact differences, not the faster |a|^2 + |b|^2 - 2 a.b, whose rounding is larger than what is asked for here.
    distance = torch.cdist(vectors, vectors, compute_mode="donot_use_mm_for_euclid_dist")
    apart = distance + torch.diag(torch.full((n,), math.inf, dtype=distance.dtype))
    first, second = divmod(int(apart.argmin()), n)
    return PositionDistances(
        distance.numpy(), float(apart.min()), (first, second), distance.diagonal(1).clone().numpy()
    )


def dots_by_offset(encoding: Tensor, most: int | None = None) -> OffsetDots:
    """Dot products of an encoding [position, d_model] by offset, from 0 to `most` (or to the last position)."""
    vectors = _vectors(encoding)
    last = len(vectors) - 1 if most is None else min(most, len(vectors) - 1)
    dots = vectors @ vectors.T
    found = [(line.mean(), line.min(), line.max()) for line in (dots.diagonal(offset) for offset in range(last + 1))]
    mean, lowest, highest = (np.array([float(number) for number in column]) for column in zip(*found, strict=True))
    return OffsetDots(np.arange(last + 1), mean, lowest, highest)


def wavelengths(width: int, *, base: float = 10_000.0) -> Floats:
    """Positions that each pair of columns takes for a whole turn, 2 pi base^(2i / width): [pair].

    `width` is d_model for sinusoids (Vaswani et al., 2017, section 3.5), whose pair i is columns 2i and 2i + 1, and
    d_head for rotary positions. An odd width ends on a sine without its cosine, a pair of its own here.
    """
    if width < 1:
        raise ValueError(f"width: expected at least 1, got {width}.")
    found: Floats = 2 * math.pi * base ** (np.arange(0, width, 2, dtype=np.float64) / width)
    return found


def clock_angles(position: int, width: int, *, base: float = 10_000.0) -> Floats:
    """How far each pair has turned at a position, radians in 0..2 pi: [pair].

    As a clock: 0 points up and the hand turns clockwise, so that its tip lies at (PE sine, PE cosine) as (x, y).
    """
    found: Floats = 2 * math.pi * np.mod(position / wavelengths(width, base=base), 1.0)
    return found


def offset_rotation(d_model: int, offset: int) -> Tensor:
    """The matrix that takes PE(p) to PE(p + offset) for every p, [turned, turned] in float64: one 2 x 2 turn a pair.

    sin(w(p+k)) = cos(wk) sin(wp) + sin(wk) cos(wp) and cos(w(p+k)) = cos(wk) cos(wp) - sin(wk) sin(wp), the reason
    given for sinusoids by Vaswani et al. (2017, section 3.5). turned = d_model, or d_model - 1 where that is odd: the
    last sine has no cosine, and no matrix can turn it. A negative offset goes back.
    """
    n_pairs = d_model // 2
    angle = torch.from_numpy(offset * 2 * math.pi / wavelengths(d_model)[:n_pairs])
    rotation = torch.zeros(2 * n_pairs, 2 * n_pairs, dtype=torch.float64)
    sine = torch.arange(0, 2 * n_pairs, 2)  # the columns of the sines; each cosine stands beside its sine
    rotation[sine, sine] = rotation[sine + 1, sine + 1] = angle.cos()
    rotation[sine, sine + 1], rotation[sine + 1, sine] = angle.sin(), -angle.sin()
    return rotation


def rotation_residual(encoding: Tensor, offset: int) -> Floats:
    """max over columns of |PE(p + offset) - R PE(p)| for every p that has such a partner: [position - |offset|].

    The first entry is of the first position that has one. `encoding` is [position, d_model]; a lone last sine is left
    out. Of sinusoids it is rounding alone (under 1e-6 from a float32 table); of a learned table it is not small.
    """
    vectors = _vectors(encoding)
    if abs(offset) >= len(vectors):
        raise ValueError(f"offset: expected less than the {len(vectors)} positions, got {offset}.")
    if vectors.shape[1] < 2:
        raise ValueError("encoding: expected a sine and its cosine, got one column.")
    rotation = offset_rotation(vectors.shape[1], offset)
    paired = vectors[:, : len(rotation)]
    first = max(0, -offset)
    here = paired[first : len(paired) - max(0, offset)]
    there = paired[first + offset : first + offset + len(here)]
    found: Floats = (there - here @ rotation.T).abs().amax(-1).numpy()
    return found


def _vectors(encoding: Tensor) -> Tensor:
    if encoding.dim() != 2 or len(encoding) < 2:
        shape = list(encoding.shape)
        raise ValueError(f"encoding: expected [position, d_model] of two positions or more, got {shape}.")
    return encoding.detach().double()
