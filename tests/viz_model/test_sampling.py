"""From logits to a choice: every stage against brute force."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from viz_model.sampling import Sampling, token_distribution

logit_lists = st.lists(st.integers(-8, 8).map(lambda x: x / 2), min_size=1, max_size=7)  # few values: many ties


def softmax(logits: list[float], temperature: float) -> list[float]:
    powers = [math.exp(x / temperature) for x in logits]
    return [p / sum(powers) for p in powers]


def smallest_set(probabilities: dict[int, float], p: float) -> set[int]:
    """Over ALL subsets: the fewest tokens that reach p; of those the likeliest; of those the lowest ids."""
    subsets = [s for n in range(1, len(probabilities) + 1) for s in combinations(sorted(probabilities), n)]
    reaching = [s for s in subsets if sum(probabilities[i] for i in s) >= p - 1e-9] or [tuple(probabilities)]
    fewest = min(len(s) for s in reaching)
    same_size = [s for s in reaching if len(s) == fewest]
    highest = max(sum(probabilities[i] for i in s) for s in same_size)
    return set(min(s for s in same_size if sum(probabilities[i] for i in s) >= highest - 1e-12))


@settings(max_examples=200, deadline=None)
@given(logit_lists, st.sampled_from([0.5, 1.0, 3.0]), st.integers(0, 8), st.sampled_from([0.05, 0.3, 0.5, 0.9, 1.0]))
def test_every_stage_is_what_brute_force_finds(
    logits: list[float], temperature: float, top_k: int, top_p: float
) -> None:
    got = token_distribution(torch.tensor(logits), Sampling(temperature, top_k, top_p))
    expected = softmax(logits, temperature)
    by_rank = sorted(range(len(logits)), key=lambda i: (-logits[i], i))
    kept = set(by_rank[:top_k] if top_k else by_rank)
    if top_p < 1:
        total = sum(expected[i] for i in kept)
        kept = smallest_set({i: expected[i] / total for i in kept}, top_p)
    mass = sum(expected[i] for i in kept)

    assert got.scaled.tolist() == pytest.approx([x / temperature for x in logits])
    assert got.probabilities.tolist() == pytest.approx(expected)
    assert {i for i, keep in enumerate(got.kept.tolist()) if keep} == kept
    assert got.final.tolist() == pytest.approx([expected[i] / mass if i in kept else 0.0 for i in range(len(logits))])
    assert got.order.tolist() == by_rank
    assert float(got.final.sum()) == pytest.approx(1.0, abs=1e-12)


def test_the_token_that_crosses_top_p_stays_and_the_next_does_not() -> None:
    logits = torch.tensor([0.5, 0.3, 0.15, 0.05]).log()
    for top_p, n_kept in ((0.5, 1), (0.51, 2), (0.8, 2), (0.81, 3), (0.95, 3), (0.96, 4)):
        assert int(token_distribution(logits, Sampling(top_p=top_p)).kept.sum()) == n_kept, top_p
    for n_kept in range(1, 11):  # eight tenths added up are a last bit short of .8
        assert int(token_distribution(torch.zeros(10), Sampling(top_p=n_kept / 10)).kept.sum()) == n_kept


@settings(max_examples=100, deadline=None)
@given(logit_lists)
def test_temperature_0_is_argmax_and_the_lower_id_of_equals(logits: list[float]) -> None:
    got = token_distribution(torch.tensor(logits), Sampling(temperature=0))
    best = logits.index(max(logits))
    assert got.kept.nonzero().flatten().tolist() == [best]
    assert got.final[best] == 1.0
    assert all(got.choose(draw) == best for draw in (0.0, 0.5, 0.999999))
    assert got.probabilities.tolist() == pytest.approx(softmax(logits, 1.0))
    assert got.scaled.tolist() == logits


def test_a_temperature_near_0_approaches_the_argmax_without_nan() -> None:
    got = token_distribution(torch.tensor([1.0, 3.0, 2.999, -math.inf]), Sampling(temperature=1e-308))
    assert got.final.tolist() == [0.0, 1.0, 0.0, 0.0]
    assert got.order.tolist() == [1, 2, 0, 3]


def test_choose_lays_the_final_probabilities_end_to_end() -> None:
    got = token_distribution(torch.tensor([0.2, 0.5, 0.3]).log())
    assert [got.choose(draw) for draw in (0.0, 0.49, 0.51, 0.79, 0.81, 1.0)] == [1, 1, 2, 2, 0, 0]
    assert [token_distribution(torch.zeros(2)).choose(draw) for draw in (0.4999, 0.5)] == [0, 1]  # [0, .5), [.5, 1)
    even = [got.choose((i + 0.5) / 1000) for i in range(1000)]
    assert [even.count(i) for i in range(3)] == pytest.approx([200, 500, 300], abs=1)
    cut = token_distribution(torch.tensor([0.2, 0.5, 0.3]).log(), Sampling(top_k=2))
    assert {cut.choose(i / 1000) for i in range(1001)} == {1, 2}


def test_candidates_are_the_rows_of_the_stages() -> None:
    got = token_distribution(torch.tensor([0.0, 2.0, 1.0, 2.0]), Sampling(temperature=2.0, top_k=3))
    rows = got.candidates(99)
    assert [row.id for row in rows] == [1, 3, 2, 0]
    assert [row.kept for row in rows] == [True, True, True, False]
    assert (rows[2].logit, rows[2].scaled) == (1.0, 0.5)
    assert rows[2].probability == pytest.approx(softmax([0.0, 2.0, 1.0, 2.0], 2.0)[2])
    assert rows[2].final == pytest.approx(math.exp(0.5) / (math.exp(0.5) + 2 * math.exp(1.0)))
    assert rows[3].final == 0.0
    assert got.candidates(2) == rows[:2]


@pytest.mark.parametrize(
    "changes",
    [
        *({"temperature": value} for value in (-0.1, math.nan, math.inf)),
        *({"top_k": value} for value in (-1, 2.5, True)),
        *({"top_p": value} for value in (0.0, 1.01, math.nan)),
    ],
)
def test_a_wrong_setting_says_what_was_expected(changes: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=rf"{next(iter(changes))}: expected .* got"):
        Sampling(**changes)  # type: ignore[arg-type]


def test_wrong_logits_say_what_was_expected() -> None:
    for logits in (torch.zeros(2, 3), torch.zeros(0)):
        with pytest.raises(ValueError, match="expected \\[vocab\\]"):
            token_distribution(logits)
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match="finite"):
            token_distribution(torch.tensor([0.0, bad]))
    with pytest.raises(ValueError, match="finite"):
        token_distribution(torch.tensor([-math.inf, -math.inf]))
