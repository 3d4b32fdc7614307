"""Position schemes against their formulas, written as slowly as the papers say them."""

import math
from typing import get_args

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.viz_model.torch_twins import random_tensor
from viz_model.config import PositionKind, TransformerConfig
from viz_model.initialization import initialise
from viz_model.positions import Positions, alibi_slopes, rotate_pairs, schemes, sinusoids, t5_bucket


def scheme(kind: PositionKind, *, is_causal: bool = True, **options: int) -> Positions:
    config = TransformerConfig(vocab_size=5, context_length=40, d_model=24, position=kind, **options)  # type: ignore[arg-type]
    positions = schemes[kind](config, is_causal=is_causal)
    initialise(positions, n_layers=1, seed=0)
    return positions


def test_every_scheme_of_the_config_exists() -> None:
    assert set(schemes) == set(get_args(PositionKind))


@given(n=st.integers(1, 12), d_model=st.integers(1, 17))
@settings(max_examples=30)
def test_sinusoids_follow_the_formula(n: int, d_model: int) -> None:
    encoding = sinusoids(n, d_model)
    assert encoding.shape == (n, d_model)
    for position in range(n):
        for column in range(d_model):
            angle = position / 10_000 ** (2 * (column // 2) / d_model)
            wave = math.cos(angle) if column % 2 else math.sin(angle)
            assert encoding[position, column].item() == pytest.approx(wave, abs=1e-6)


@pytest.mark.parametrize("d_model", [4, 7, 64])
def test_every_position_has_sinusoids_of_its_own(d_model: int) -> None:
    encoding = sinusoids(512, d_model)
    distance = torch.cdist(encoding, encoding) + 9.0 * torch.eye(512)
    assert distance.min() > 1e-3


def test_sinusoids_a_distance_apart_agree_alike_wherever_they_are() -> None:
    encoding = sinusoids(50, 16)
    agreement = encoding @ encoding.T
    for distance in range(50):
        assert torch.allclose(agreement.diagonal(distance), agreement[0, distance].expand(50 - distance), atol=1e-4)


def test_rotary_is_multiplication_by_a_complex_number() -> None:
    positions = scheme("rotary", n_heads=3)
    x = random_tensor(2, 3, 9, 8)
    turned = positions.rotate(x)
    for position in range(9):
        for pair in range(4):
            angle = position * 10_000 ** (-2 * pair / 8)
            number = torch.complex(x[:, :, position, pair], x[:, :, position, pair + 4])
            number = number * complex(math.cos(angle), math.sin(angle))
            assert torch.allclose(turned[:, :, position, pair], number.real, atol=1e-5)
            assert torch.allclose(turned[:, :, position, pair + 4], number.imag, atol=1e-5)


@given(st.integers(0, 2**31), st.integers(0, 19), st.integers(0, 19), st.integers(0, 20))
@settings(max_examples=30)
def test_rotary_dots_depend_on_the_distance_alone(seed: int, first: int, second: int, shift: int) -> None:
    positions = scheme("rotary", n_heads=3)
    q, k = (random_tensor(8, seed=seed + i).expand(1, 1, 40, 8) for i in range(2))
    q, k = positions.rotate(q)[0, 0], positions.rotate(k)[0, 0]
    assert torch.allclose(q[first] @ k[second], q[first + shift] @ k[second + shift], atol=1e-4)


def test_rotary_keeps_lengths_and_the_first_position() -> None:
    x = random_tensor(2, 3, 40, 8)
    turned = scheme("rotary", n_heads=3).rotate(x)
    assert torch.allclose(turned.norm(dim=-1), x.norm(dim=-1), atol=1e-5)
    assert torch.equal(turned[:, :, 0], x[:, :, 0])
    assert not torch.allclose(turned[:, :, 1:], x[:, :, 1:], atol=1e-2)


def test_a_turn_and_back_is_no_turn() -> None:
    x, angle = random_tensor(2, 5, 6), random_tensor(5, 3, seed=1)
    assert torch.allclose(rotate_pairs(rotate_pairs(x, angle), -angle), x, atol=1e-6)


def test_rotary_base_sets_the_slowest_turn() -> None:
    config = TransformerConfig(vocab_size=5, d_model=8, n_heads=1, position="rotary", rotary_base=500.0)
    unit = torch.zeros(1, 1, 2, 8)
    unit[..., 3] = 1.0
    turned = schemes["rotary"](config, is_causal=True).rotate(unit)
    assert math.atan2(turned[0, 0, 1, 7].item(), turned[0, 0, 1, 3].item()) == pytest.approx(500.0 ** (-6 / 8))


def test_alibi_slopes_of_the_paper() -> None:
    assert alibi_slopes(8).tolist() == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    assert alibi_slopes(16).tolist() == pytest.approx([2 ** (-(i + 1) / 2) for i in range(16)])
    between = [2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5]  # every second one of 16 heads
    assert alibi_slopes(12).tolist() == pytest.approx([2.0 ** -(i + 1) for i in range(8)] + between)
    assert alibi_slopes(1).tolist() == [2**-8]


@given(st.integers(1, 40))
def test_alibi_slopes_differ_and_lie_between_0_and_1(n_heads: int) -> None:
    slopes = alibi_slopes(n_heads).tolist()
    assert len(set(slopes)) == n_heads
    assert all(0 < slope < 1 for slope in slopes)


@pytest.mark.parametrize("is_causal", [True, False])
def test_alibi_takes_slope_times_distance_off_the_score(is_causal: bool) -> None:
    bias = scheme("alibi", is_causal=is_causal, n_heads=8).bias(6)
    assert bias is not None
    assert bias.shape == (1, 8, 6, 6)
    for head in range(8):
        for query in range(6):
            for key in range(6):
                assert bias[0, head, query, key].item() == pytest.approx(-(2.0 ** -(head + 1)) * abs(query - key))


def slow_bucket(distance: int, *, bidirectional: bool, n_buckets: int, max_distance: int) -> int:
    """The definition in whole numbers: one bucket a distance at first, then the logarithm's, rounded down exactly."""
    if bidirectional:
        n_buckets //= 2
        first = n_buckets if distance > 0 else 0
        distance = abs(distance)
    else:
        first = 0
        distance = max(-distance, 0)
    exact = n_buckets // 2
    if distance < exact:
        return first + distance
    wider = n_buckets - exact
    step = 0  # the largest with  log(distance / exact) / log(max / exact) * wider >= step
    while step < wider - 1 and distance**wider * exact ** (step + 1) >= max_distance ** (step + 1) * exact**wider:
        step += 1
    return first + exact + step


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("n_buckets", "max_distance"), [(32, 128), (16, 64), (8, 100)])
def test_t5_buckets_are_those_of_the_definition(bidirectional: bool, n_buckets: int, max_distance: int) -> None:
    options = {"bidirectional": bidirectional, "n_buckets": n_buckets, "max_distance": max_distance}
    distances = torch.arange(-300, 301)
    expected = [slow_bucket(distance, **options) for distance in range(-300, 301)]  # type: ignore[arg-type]
    assert t5_bucket(distances, **options).tolist() == expected  # type: ignore[arg-type]


def test_t5_buckets_grow_are_exact_when_near_and_end() -> None:
    back = t5_bucket(-torch.arange(1000), bidirectional=False)
    assert back[:16].tolist() == list(range(16))
    assert (back.diff() >= 0).all()
    assert back.diff().max() == 1
    assert back[128:].unique().tolist() == [31]
    assert t5_bucket(torch.arange(1, 9), bidirectional=False).tolist() == [0] * 8  # the future, which no one reads
    ahead = t5_bucket(torch.arange(1, 1000), bidirectional=True)
    assert torch.equal(ahead, t5_bucket(-torch.arange(1, 1000), bidirectional=True) + 16)
    assert ahead.max() == 31


@pytest.mark.parametrize("is_causal", [True, False])
def test_t5_bias_is_looked_up_by_key_minus_query(is_causal: bool) -> None:
    positions = scheme("t5", is_causal=is_causal, n_heads=3)
    bias = positions.bias(20)
    assert bias is not None
    for query in range(20):
        for key in range(20):
            bucket = slow_bucket(key - query, bidirectional=not is_causal, n_buckets=32, max_distance=128)
            assert torch.equal(bias[0, :, query, key], positions.table[bucket])


def test_learned_positions_are_rows_of_the_table() -> None:
    positions = scheme("learned")
    assert torch.equal(positions.embedding(7)[0], positions.table[:7])
    assert positions.embedding(7).data_ptr() == positions.table.data_ptr()


@pytest.mark.parametrize("kind", get_args(PositionKind))
def test_a_scheme_is_neutral_where_it_has_nothing_to_say(kind: PositionKind) -> None:
    positions = scheme(kind)
    x = random_tensor(1, 4, 5, 6)
    assert positions.embedding(5).shape == (1, 5, 24)
    assert (kind in ("sinusoidal", "learned")) == bool(positions.embedding(5).any())
    assert (kind == "rotary") == (not torch.equal(positions.rotate(x), x))
    assert (kind in ("alibi", "t5")) == (positions.bias(5) is not None)
