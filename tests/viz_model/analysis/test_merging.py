from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from viz_model.analysis import hide, merge_words, token_range, word_groups

KINDS = [lambda x: x, lambda x: x.numpy()]


def rows(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).softmax(-1)


@st.composite
def word_lists(draw: Any) -> list[int | None]:
    words: list[int | None] = []
    for word in range(draw(st.integers(1, 5))):
        words += [None] * draw(st.integers(0, 2)) + [word] * draw(st.integers(1, 3))
    return words


def test_groups_are_words_and_specials_stand_alone() -> None:
    assert word_groups([None, None, 0, 1, 1, 1, None, 2]) == tuple(
        range(*pair) for pair in ((0, 1), (1, 2), (2, 3), (3, 6), (6, 7), (7, 8))
    )
    assert word_groups([]) == ()


@given(word_lists())
def test_keys_are_summed_and_queries_averaged(words: list[int | None]) -> None:
    n = len(words)
    weights, groups = rows(2, n, n), word_groups(words)
    assert [i for group in groups for i in group] == list(range(n))
    got = merge_words(weights, words)
    assert got.shape == (2, len(groups), len(groups))
    for q, query in enumerate(groups):
        for k, key in enumerate(groups):
            expected = sum(float(weights[1, i, j]) for i in query for j in key) / len(query)
            assert float(got[1, q, k]) == pytest.approx(expected, abs=1e-5)
    torch.testing.assert_close(got.sum(-1), torch.ones(2, len(groups)))


@pytest.mark.parametrize("kind", KINDS)
def test_queries_and_keys_may_be_of_two_texts_and_the_kind_stays(kind: Any) -> None:
    weights = kind(rows(3, 2, 4, 5))
    got = merge_words(weights, [0, 0, 1, 2], [0, 1, 1, None, None])
    assert type(got) is type(weights)
    assert got.dtype == weights.dtype
    assert tuple(got.shape) == (3, 2, 3, 4)
    assert np.asarray(got.sum(-1)) == pytest.approx(np.ones((3, 2, 3)), abs=1e-6)
    same = merge_words(weights, [0, 1, 2, 3], [0, 1, 2, 3, 4])
    assert np.asarray(same) == pytest.approx(np.asarray(weights))
    with pytest.raises(ValueError, match="words: expected one for each of 4 tokens, got 3"):
        merge_words(weights, [0, 1, 2], [0, 1, 2, 3, 4])
    with pytest.raises(ValueError, match="key_words: expected one for each of 5 tokens, got 4"):
        merge_words(weights, [0, 1, 2, 3])


@pytest.mark.parametrize("kind", KINDS)
def test_hiding_says_how_much_is_left_and_renormalises_if_asked(kind: Any) -> None:
    weights = kind(torch.tensor([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])[None])
    before = np.asarray(weights).copy()
    shown, mass = hide(weights, [0])
    assert type(shown) is type(mass) is type(weights)
    assert np.asarray(shown) == pytest.approx(np.array([[[0, 0.3, 0.2], [0, 0, 0], [0, 0, 0]]]))
    assert np.asarray(mass) == pytest.approx(np.array([[0.5, 0, 0]]))
    scaled, same_mass = hide(weights, [0], renormalise=True)
    assert np.asarray(scaled) == pytest.approx(np.array([[[0, 0.6, 0.4], [0, 0, 0], [0, 0, 0]]]))
    assert np.asarray(same_mass) == pytest.approx(np.asarray(mass))
    assert np.asarray(hide(weights, [])[0]) == pytest.approx(before)
    assert np.array_equal(np.asarray(weights), before)
    for key in (3, -1):
        with pytest.raises(ValueError, match=f"from 0 to 2, got {key}"):
            hide(weights, [key])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("start", "stop"), [(0, 7), (2, 5), (0, 1), (6, 7)])
def test_a_range_keeps_row_sums_in_its_rest(kind: Any, start: int, stop: int) -> None:
    weights = kind(rows(2, 3, 4, 7))
    got = token_range(weights, start, stop)
    assert type(got) is type(weights)
    assert np.array_equal(np.asarray(got)[..., :-1], np.asarray(weights)[..., start:stop])
    outside = [k for k in range(7) if not start <= k < stop]
    assert np.asarray(got)[..., -1] == pytest.approx(np.asarray(weights)[..., outside].sum(-1), abs=1e-6)
    assert np.asarray(got.sum(-1)) == pytest.approx(np.ones((2, 3, 4)), abs=1e-6)


def test_a_range_outside_says_so() -> None:
    for start, stop in ((-1, 3), (2, 2), (0, 8), (5, 3)):
        with pytest.raises(ValueError, match="0 <= start < stop <= 7"):
            token_range(rows(7, 7), start, stop)
