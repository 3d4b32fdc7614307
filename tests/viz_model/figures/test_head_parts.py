"""Shares, shapes and counts as tables: what is said to add up does."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from tests.viz_model.figures.page_reader import NASTY, PageReader
from viz_model.figures.head_parts import budget_table, head_choices_table, output_table, steps_table


@dataclass(frozen=True)
class Matrix:
    name: str
    shape: tuple[int, int]
    n_weights: int
    n_biases: int


@dataclass(frozen=True)
class Step:
    name: str
    formula: str
    shape: tuple[int, ...]
    size: int


def test_shares_add_up_and_the_check_says_so() -> None:
    markup = output_table([0.75, -0.25, 0.5], [3.0, 1.0, 2.0], 2e-7)
    page = PageReader(markup)
    assert [row[0] for row in page.rows[1:]] == ["head 0", "head 1", "bias of W_O", "sum"]
    assert page.rows[-1][2] == "1.00"
    assert re.findall(r"left:([\d.]+)%;width:([\d.]+)%", markup) == [("50", "37.5"), ("37.5", "12.5"), ("50", "25")]
    assert "\u2713 The terms add up to the layer's output: the largest difference is 2.00e-7" in page.text
    assert "\u2713 The parts add up to the whole" in page.text


def test_what_does_not_add_up_is_said_too() -> None:
    page = PageReader(output_table([0.5, 0.25], [1.0, 1.0], 0.02))
    assert "\u2717 The terms do not add up" in page.text
    assert "\u2717 The parts give 0.750" in page.text


def test_an_output_of_nothing_claims_no_share() -> None:
    page = PageReader(output_table([0.0, 0.0], [0.0, 0.0], 0.0))
    assert "The parts" not in page.text
    with pytest.raises(ValueError, match="one share and size a head"):
        output_table([1.0, 0.0], [1.0], 0.0)


def test_the_budget_and_its_sum() -> None:
    page = PageReader(budget_table([Matrix("W_Q", (512, 64), 32_768, 64), Matrix("W_O", (64, 512), 32_768, 512)]))
    assert page.rows[1] == ["W_Q", "512 \u00d7 64", "32,768", "64"]
    assert page.rows[-1] == ["sum", "", "65,536", "576"]


def test_the_steps_and_the_choices() -> None:
    steps = PageReader(steps_table([Step("Q", "X W_Q", (8, 10, 64), 5120)]))
    assert steps.rows[1] == ["Q", "X W_Q", "8 \u00d7 10 \u00d7 64", "5,120"]
    rows = PageReader(head_choices_table([(1, 512), (8, 64)], chosen=8)).rows
    assert rows[1] == ["1", "512", "512", ""]
    assert rows[2] == ["8", "64", "512", "\u2190 this model"]


@pytest.mark.parametrize("word", NASTY)
def test_words_are_text(word: str) -> None:
    assert PageReader(steps_table([Step(word, word, (1,), 1)], caption=word)).rows[1][:2] == [word, word]
    assert PageReader(budget_table([Matrix(word, (1, 1), 1, 1)])).rows[1][0] == word
