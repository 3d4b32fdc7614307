"""The claims of the lesson on positions, each against the formula written out, and false where they should be."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from tests.viz_model.torch_twins import random_tensor
from viz_model.analysis.positions import (
    clock_angles,
    dots_by_offset,
    offset_rotation,
    position_distances,
    rotation_residual,
    wavelengths,
)
from viz_model.config import TransformerConfig
from viz_model.positions import schemes, sinusoids

WIDTHS = [2, 7, 16, 33, 64, 512]
RANDOM = random_tensor(60, 16)  # an encoding that is neither smooth nor relative


def test_distances_are_those_of_a_slow_reader() -> None:
    encoding = RANDOM[:9]
    found = position_distances(encoding)
    slow = [[math.dist(a, b) for b in encoding.double().tolist()] for a in encoding.double().tolist()]
    np.testing.assert_allclose(found.distance, slow, atol=1e-12)
    assert found.smallest == pytest.approx(min(slow[i][j] for i in range(9) for j in range(9) if i != j))
    assert found.distance[found.closest] == found.smallest
    np.testing.assert_allclose(found.neighbours, [slow[i][i + 1] for i in range(8)])


@pytest.mark.parametrize("d_model", [7, 16, 33, 64, 512])
def test_sinusoids_are_unique_and_smooth(d_model: int) -> None:
    found = position_distances(sinusoids(512, d_model))
    assert found.smallest > 0.4
    assert np.ptp(found.neighbours) < (1e-6 if d_model % 2 == 0 else 1e-4)
    # |PE(p + 1) - PE(p)|^2 = sum over pairs of (2 sin(w / 2))^2: the same from every position
    step = sum((2 * math.sin(10_000 ** (-2 * i / d_model) / 2)) ** 2 for i in range(d_model // 2))
    assert found.neighbours[0] == pytest.approx(math.sqrt(step), abs=1e-3)


def test_two_equal_positions_are_found() -> None:
    encoding = RANDOM.clone()
    encoding[41] = encoding[3]
    found = position_distances(encoding)
    assert (found.smallest, found.closest) == (0.0, (3, 41))
    assert np.ptp(found.neighbours) > 0.5


def test_dots_by_offset_are_those_of_a_slow_reader() -> None:
    found = dots_by_offset(RANDOM[:12], most=5)
    assert found.offset.tolist() == [0, 1, 2, 3, 4, 5]
    for k in range(6):
        dots = [sum(float(a) * float(b) for a, b in zip(RANDOM[p], RANDOM[p + k], strict=True)) for p in range(12 - k)]
        expected = (np.mean(dots), min(dots), max(dots))
        assert (found.mean[k], found.lowest[k], found.highest[k]) == pytest.approx(expected, abs=1e-5)
    assert found.spread > 1


@pytest.mark.parametrize("d_model", [2, 16, 64, 512])
def test_a_dot_of_sinusoids_tells_the_offset_and_nothing_else(d_model: int) -> None:
    found = dots_by_offset(sinusoids(256, d_model))
    assert found.spread < 1e-5
    for k in (0, 1, 17, 200):
        cosines = sum(math.cos(k * 10_000 ** (-2 * i / d_model)) for i in range(d_model // 2))
        assert found.mean[k] == pytest.approx(cosines, abs=1e-5)


def test_an_odd_width_leaves_a_sine_that_depends_on_the_position() -> None:
    assert dots_by_offset(sinusoids(512, 7)).spread > 0.01
    assert dots_by_offset(sinusoids(512, 7)[:, :6]).spread < 1e-5


@pytest.mark.parametrize("d_model", WIDTHS)
@pytest.mark.parametrize("offset", [0, 1, 5, 100, 399, -3])
def test_one_matrix_moves_every_position_by_the_offset(d_model: int, offset: int) -> None:
    encoding = sinusoids(400, d_model)
    residual = rotation_residual(encoding, offset)
    assert residual.shape == (400 - abs(offset),)
    assert (residual < 1e-6).all()  # of a table in float32; the page promises 1e-5
    rotation = offset_rotation(d_model, offset)
    assert rotation.shape == (d_model // 2 * 2,) * 2
    for p in range(max(0, -offset), 400 - max(0, offset), 57):  # the formula, written out in float64
        here, there = (
            [f(at / 10_000 ** (2 * i / d_model)) for i in range(d_model // 2) for f in (math.sin, math.cos)]
            for at in (p, p + offset)
        )
        moved = rotation.numpy() @ np.array(here)
        np.testing.assert_allclose(moved, there, atol=1e-10)


def test_the_matrix_is_a_rotation_and_adds_up() -> None:
    one, two, three = (offset_rotation(16, k) for k in (4, 9, 13))
    assert torch.allclose(one @ one.T, torch.eye(16, dtype=torch.float64), atol=1e-12)
    assert torch.linalg.det(one).item() == pytest.approx(1)
    assert torch.allclose(one @ two, three, atol=1e-12)
    assert torch.allclose(offset_rotation(16, -4), one.T, atol=1e-12)
    blocks = torch.block_diag(*[torch.ones(2, 2)] * 8).bool()
    assert not one[~blocks].any()


def test_nothing_of_this_holds_for_a_table_that_is_not_sinusoidal() -> None:
    assert rotation_residual(RANDOM, 1).min() > 0.1
    assert rotation_residual(sinusoids(60, 16).roll(1, 1), 1).min() > 1e-3


@pytest.mark.parametrize("width", [1, 6, 7, 64])
def test_wavelengths_bring_a_pair_back(width: int) -> None:
    found = wavelengths(width)
    assert len(found) == -(-width // 2)
    assert found.tolist() == pytest.approx([2 * math.pi * 10_000 ** (2 * i / width) for i in range(len(found))])
    assert wavelengths(8, base=500.0)[-1] == pytest.approx(2 * math.pi * 500 ** (6 / 8))


@pytest.mark.parametrize("position", [0, 1, 7, 511])
def test_a_hand_points_at_the_encoding(position: int) -> None:
    angles = clock_angles(position, 16)
    encoding = sinusoids(512, 16)[position]
    np.testing.assert_allclose(np.sin(angles), encoding[0::2], atol=1e-6)
    np.testing.assert_allclose(np.cos(angles), encoding[1::2], atol=1e-6)
    assert (angles >= 0).all()
    assert (angles < 2 * math.pi).all()


def test_rotary_positions_turn_by_the_same_clocks() -> None:
    config = TransformerConfig(vocab_size=5, d_model=8, n_heads=1, position="rotary", rotary_base=500.0)
    unit = torch.zeros(1, 1, 12, 8)
    unit[..., :4] = 1.0
    turned = schemes["rotary"](config, is_causal=True).rotate(unit)[0, 0, 11]
    angles = clock_angles(11, 8, base=500.0)
    np.testing.assert_allclose(turned[:4], np.cos(angles), atol=1e-5)
    np.testing.assert_allclose(turned[4:], np.sin(angles), atol=1e-5)


def test_what_cannot_be_measured_is_refused() -> None:
    for measure in (position_distances, dots_by_offset):
        with pytest.raises(ValueError, match="two positions or more"):
            measure(torch.zeros(1, 4))  # type: ignore[operator]
    with pytest.raises(ValueError, match="less than the 5 positions"):
        rotation_residual(sinusoids(5, 4), 5)
    with pytest.raises(ValueError, match="one column"):
        rotation_residual(sinusoids(5, 1), 2)
    assert offset_rotation(1, 2).shape == (0, 0)
    with pytest.raises(ValueError, match="at least 1"):
        wavelengths(0)
