"""The n-gram yardstick, against Witten-Bell's rule written out for one character after another."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_model.tasks.n_gram import n_gram_bits

letters = st.text("ab c\n€", min_size=1, max_size=30)


def chance(character: str, history: str, training: str, n: int) -> float:
    """p(character | history): `history` already of the model's length, ^ for the beginning, ? for any other letter."""
    alphabet = {*training}
    lower = 1 / (len(alphabet) + 1) if not history else chance(character, history[1:], training, n)
    padded = "^" * (n - 1) + training
    places = range(n - 1, len(padded))
    seen = [padded[at] for at in places if padded[at - len(history) : at] == history]
    if not seen:
        return lower
    kinds = len({*seen})
    return (seen.count(character) + kinds * lower) / (len(seen) + kinds)


@given(letters, st.text("ab c\nx☃", min_size=1, max_size=12), st.integers(1, 5))
def test_bits_are_those_of_the_rule(training: str, held_out: str, n: int) -> None:
    asked = "".join(c if c in training else "?" for c in held_out)
    padded = "^" * (n - 1) + asked
    each = [chance(padded[at], padded[at - n + 1 : at], training, n) for at in range(n - 1, len(padded))]
    expected = -sum(map(math.log2, each)) / len(each)
    assert n_gram_bits(training, held_out, n) == pytest.approx(expected, rel=1e-9)


@given(letters, st.text("ab c€", max_size=4))
def test_the_chances_of_all_characters_sum_to_1(training: str, history: str) -> None:
    every = [*sorted({*training}), "?"]
    padded = ("^" * 4 + history)[-4:]
    assert sum(chance(c, padded, training, 5) for c in every) == pytest.approx(1)


def test_one_step_by_hand() -> None:
    # Three outcomes (a, b, any other), a third each; a was seen once in 2 with 2 kinds: (1 + 2/3) / (2 + 2).
    assert n_gram_bits("ab", "a", 1) == pytest.approx(math.log2(12 / 5))
    # After a came b, always: (1 + 1 * 5/12) / (1 + 1) for b, where 5/12 is b's share without a history.
    first = (1 + 5 / 12) / 2  # a opens the text
    assert n_gram_bits("ab", "ab", 2) == pytest.approx(-(math.log2(first) + math.log2((1 + 5 / 12) / 2)) / 2)


def test_longer_histories_help_where_the_text_repeats() -> None:
    text = "the cat sat on the mat. " * 200
    bits = [n_gram_bits(text, text[:240], n) for n in range(1, 6)]
    assert bits == sorted(bits, reverse=True)
    assert bits[0] > 3
    assert bits[4] < 0.4


@pytest.mark.parametrize(("training", "held_out", "n"), [("", "a", 5), ("a", "", 5), ("a", "a", 0)])
def test_without_a_text_there_is_no_figure(training: str, held_out: str, n: int) -> None:
    with pytest.raises(ValueError, match="expected two texts and n of at least 1, got"):
        n_gram_bits(training, held_out, n)
