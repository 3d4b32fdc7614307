"""'Where does this number come from?': every number of the link is there, whole on hovering, and tokens are text."""

from typing import Any

import numpy as np
import pytest

from tests.viz_model.figures.page_reader import NASTY, PageReader
from viz_model.figures.inspector import link_summary

NUMBERS: dict[str, Any] = {
    "dot": 3.8899998664855957,
    "scale": 0.5,
    "bias": None,
    "score": 1.9449999332427979,
    "allowed": True,
    "exponential": 1.0,
    "exponential_sum": 1.4294871,
    "softmax": 0.6995515,
    "weight": 0.6995515,
    "row_sum": 1.0,
    "adds_up": True,
}


def summary(query: str = "cat", key: str = "The", **changes: Any) -> PageReader:
    return PageReader(link_summary(query, key, **{**NUMBERS, **changes}))


def lines(page: PageReader) -> dict[str, str]:
    return {row[0]: row[1] for row in page.rows if len(row) > 1}


def test_every_number_is_there_in_order() -> None:
    page = summary()
    assert lines(page) == {
        "q · k": "3.89",
        "× scale": "0.500",
        "score": "1.94",
        "exp": "1.00",
        "÷ sum": "1.43",
        "weight": "0.700",
        "row sum": "1.000",
    }
    assert page.text.startswith("cat reads The0.700")
    assert "1 / √d_k = 0.500" in page.text
    assert "✓ The parts add up" in page.text


def test_the_full_value_is_on_hovering() -> None:
    titles = summary().titles
    for name in ("dot", "score", "exponential_sum", "softmax", "weight"):
        assert str(np.float32(NUMBERS[name])) in titles
        assert np.float32(str(np.float32(NUMBERS[name]))) == np.float32(NUMBERS[name])


def test_what_only_some_links_have() -> None:
    assert lines(summary(bias=-0.25))["+ bias"] == "-0.250"
    assert "no scaling" in summary(scale=1.0).text
    masked = summary(allowed=False, softmax=0.0, weight=0.0)
    assert lines(masked)["mask"] == "masked"
    assert "this key may not be read" in masked.text
    assert "exp" not in lines(masked)
    nobody = summary(allowed=False, exponential=0.0, exponential_sum=0.0, softmax=0.0, weight=0.0, row_sum=0.0)
    assert "no key available" in nobody.text
    assert lines(nobody)["row sum"].startswith("0.00")


def test_an_edit_stands_beside_the_softmax() -> None:
    page = summary(weight=0.25)
    assert lines(page)["weight"] == "0.700"
    assert lines(page)["edited"] == "0.250"
    assert "reads The0.250" in page.text
    assert "edited" not in lines(summary())


def test_a_sum_that_fails_says_so() -> None:
    page = summary(adds_up=False)
    assert "✗ The parts do not add up" in page.text
    assert "✓" not in page.text


@pytest.mark.parametrize("token", NASTY)
def test_a_token_is_text(token: str) -> None:
    page = summary(token, token)
    assert page.text.startswith(f"{token} reads {token}"[: 2 * len(token) + 7]) or len(token) > 24
    assert page.text.count(token[:20]) == 2
    assert {"query", "key"} <= set(page.classes)


def test_a_long_token_is_cut_and_blanks_are_seen() -> None:
    assert "x" * 23 + "…" in summary("x" * 300).text
    assert "x" * 24 not in summary("x" * 300).text
    assert summary("\n", " ").text.startswith("↵ reads ␣")
