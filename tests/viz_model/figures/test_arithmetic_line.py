"""One cell's arithmetic as a line: its terms, its sum, its check."""

import numpy as np
import pytest

from tests.viz_model.figures.page_reader import NASTY, PageReader
from viz_model.figures.arithmetic_line import SHOWN, arithmetic_line, weighted_sum_line


def test_the_line_reads_as_a_sum() -> None:
    terms = [("d0", (1.0, 0.5)), ("d1", (-2.0, 0.25)), ("bias", (0.125,))]
    page = PageReader(arithmetic_line("cat", "The", terms, 0.125, roles=("query", "key"), name="dots"))
    assert page.text == "dots [cat, The] = 1.00 × 0.500 + (-2.00) × 0.250 + 0.125 = 0.125 ✓"
    assert (page.classes.count("query"), page.classes.count("key")) == (2, 2)
    assert page.titles[:4] == ["d0: 1.0", "d0: 0.5", "d1: -2.0", "d1: 0.25"]


def test_full_values_are_on_hovering() -> None:
    third = float(np.float32(1 / 3))
    page = PageReader(arithmetic_line("a", "b", [("d0", (third, third))], third, divisor=third, divisor_name="sum"))
    assert [title for title in page.titles if "0.33333334" in title] == ["d0: 0.33333334"] * 2 + ["0.33333334"] * 2
    assert "( 0.333 × 0.333 ) ÷ 0.333 (sum) = 0.333" in page.text


def test_a_failed_check_says_so() -> None:
    page = PageReader(arithmetic_line("a", "b", [("d0", (1.0,))], 2.0, adds_up=False))
    assert "✗ the parts do not add up" in page.text
    assert "✓" not in page.text


@pytest.mark.parametrize("n", [1, SHOWN, SHOWN + 1, 40])
def test_many_terms_are_folded_not_lost(n: int) -> None:
    markup = arithmetic_line("a", "b", [(f"d{i}", (float(i), 1.0)) for i in range(n)], 1.0)
    page = PageReader(markup)
    assert page.text.count("×") == n
    assert ("<details>" in markup) is (n > SHOWN)
    assert (f"and {n - SHOWN} more terms" in page.text) is (n > SHOWN)


@pytest.mark.parametrize("token", NASTY)
def test_tokens_are_text(token: str) -> None:
    page = PageReader(arithmetic_line(token, token, [(token, (1.0, 2.0))], 2.0, divisor_name=token, name=token))
    assert page.text.startswith(f"{token} [{token}, {token}] = ")
    assert f"({token})" in page.text
    assert page.titles[:2] == [f"{token}: 1.0", f"{token}: 2.0"]
    assert f"v({token})" in PageReader(weighted_sum_line([1.0], [token])).text


def test_the_weighted_sum_of_the_lesson() -> None:
    weights = [float(np.float32(w)) for w in (0.10003, 0.69955, 0.20043)]
    page = PageReader(weighted_sum_line(weights, ["The", "cat", "sat"]))
    assert page.text == "output = 0.100 v(The) + 0.700 v(cat) + 0.200 v(sat)"
    assert page.titles == ["0.10003", "0.69955", "0.20043"]
    assert (page.classes.count("attention"), page.classes.count("value")) == (3, 3)
    many = PageReader(weighted_sum_line([0.05] * 20, ["a"] * 20)).text
    assert many.endswith(f"+ … ({20 - SHOWN} more)")


def test_a_weight_for_each_token() -> None:
    with pytest.raises(ValueError, match="zip"):
        weighted_sum_line([0.5, 0.5], ["a"])
