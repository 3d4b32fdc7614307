"""The textbook example: 0.1, 0.7, 0.2, numbers for a pencil, and changes that run through to the end."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from viz_model.computation import Equation, Matrix, Step
from viz_model.terms import arithmetic
from viz_model.textbook import COMPUTED, MATRICES, TOKENS, Change, Textbook, WhatIf, default_value, textbook_example

Floats = NDArray[np.float64]
ALL = (*MATRICES, *COMPUTED)
ORDER = ["tokens", "ids", "embedding", "positions", "qkv", "dots", "scale", "mask", "softmax", "heads", "out"]


def n_rows(matrix: str) -> int:
    return 4 if matrix.startswith("W_") else 3


@st.composite
def changes(draw: st.DrawFn, size: float = 3.0) -> Change:
    matrix = draw(st.sampled_from(ALL))
    row, column = draw(st.integers(0, n_rows(matrix) - 1)), draw(st.integers(0, 3))
    return Change(matrix, row, column, draw(st.floats(-size, size)))


def oracle(made: tuple[Change, ...], what_if: WhatIf) -> dict[str, Floats]:
    """The example by numpy alone, from the paper's formula, with the changes written in where they belong."""

    def changed(name: str, values: Floats) -> Floats:
        values = values.copy()
        for change in made:
            if change.matrix == name:
                values[change.row, change.column] = change.value
        return values

    given = {name: changed(name, np.array(values)) for name, values in MATRICES.items()}
    x = changed("X", given["E"] + given["P"])
    q, k, v = (changed(name, x @ given[f"W_{name}"]) for name in "QKV")
    scores = q @ k.T / (math.sqrt(4) if what_if.scaled else 1.0) / what_if.temperature
    if what_if.causal:
        scores = np.where(np.tri(3, dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(1, keepdims=True))
    weights = powers / powers.sum(1, keepdims=True)
    return {"X": x, "Q": q, "K": k, "V": v, "weights": weights, "heads": weights @ v, "out": weights @ v @ given["W_O"]}


def shown(example: Textbook, name: str) -> Matrix:
    step = {step.name: step for step in example.steps}
    if name in "QKV":
        return next(eq.result for eq in step["qkv"].equations if eq.result.name == name)
    return step[{"X": "positions", "weights": "softmax"}.get(name, name)].equations[-1].result


def test_cat_reads_a_tenth_seven_tenths_and_two_tenths() -> None:
    example = textbook_example()
    weights = shown(example, "weights")
    assert [f"{w:.3f}" for w in weights.values[0]] == ["0.100", "0.700", "0.200"]
    assert (weights.rows, weights.columns) == (("cat",), TOKENS)
    v = shown(example, "V").values
    np.testing.assert_allclose(shown(example, "heads").values[0], 0.1 * v[0] + 0.7 * v[1] + 0.2 * v[2], atol=1e-3)
    assert [step.name for step in example.steps] == ORDER


@pytest.mark.parametrize("query", range(3))
def test_each_word_may_ask(query: int) -> None:
    example, want = textbook_example(query=query), oracle((), WhatIf())
    for name in ("weights", "heads", "out"):
        np.testing.assert_allclose(shown(example, name).values[0], want[name][query], atol=1e-5)
    assert shown(example, "weights").rows == (TOKENS[query],)
    np.testing.assert_allclose(example.attention.weights[0, 0], want["weights"], atol=1e-6)


def test_a_pencil_can_check_each_number() -> None:
    for name, rows in MATRICES.items():
        assert len(rows) == n_rows(name)
        for value in (value for row in rows for value in row):
            assert Decimal(repr(value)) == round(Decimal(repr(value)), 2)
    want = oracle((), WhatIf())
    for name in COMPUTED:
        np.testing.assert_allclose(want[name], np.round(want[name], 2), atol=1e-9)
    assert want["X"].tolist() == [[1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 1, 1]]


def test_the_four_value_columns_differ() -> None:
    """So that a sum along the wrong axis, or of the wrong word, shows."""
    v = shown(textbook_example(), "V").values
    assert len({tuple(row) for row in v.tolist()}) == 3


what_ifs = st.builds(WhatIf, st.booleans(), st.booleans(), st.sampled_from([1.0, 0.1, 0.5, 2.0, 100.0]))


@given(st.lists(changes(), max_size=4).map(tuple), what_ifs, st.integers(0, 2))
@settings(max_examples=60)
def test_changes_run_through_to_the_end(made: tuple[Change, ...], what_if: WhatIf, query: int) -> None:
    example, want = textbook_example(query=query, changes=made, what_if=what_if), oracle(made, what_if)
    for name in "XQKV":
        np.testing.assert_allclose(shown(example, name).values, want[name], atol=1e-3, rtol=1e-5)
    np.testing.assert_allclose(shown(example, "weights").values[0], want["weights"][query], atol=2e-3)
    np.testing.assert_allclose(shown(example, "heads").values[0], want["heads"][query], atol=2e-2, rtol=1e-3)
    np.testing.assert_allclose(shown(example, "out").values[0], want["out"][query], atol=5e-2, rtol=1e-3)
    for step in example.steps:
        for equation in step.equations:
            for row in range(len(equation.result.rows)):
                for column in range(len(equation.result.columns)):
                    assert arithmetic(equation, row, column).adds_up


@pytest.mark.parametrize("matrix", [name for name in ALL if name != "W_O"])
def test_one_number_of_each_matrix_moves_the_output(matrix: str) -> None:
    made = (Change(matrix, 1, 1, 2.5),)
    before, after = textbook_example(), textbook_example(changes=made)
    assert not np.allclose(shown(before, "heads").values, shown(after, "heads").values, atol=1e-3)
    np.testing.assert_allclose(shown(after, "heads").values[0], oracle(made, WhatIf())["heads"][1], atol=1e-5)


def equations(example: Textbook, name: str) -> tuple[Equation, ...]:
    step: Step = next(step for step in example.steps if step.name == name)
    return step.equations


def test_a_number_set_over_a_computed_one_is_shown_as_set() -> None:
    example = textbook_example(changes=(Change("K", 2, 0, 9.0), Change("X", 0, 0, -1.0)))
    rules = [(eq.rule, eq.result.name) for eq in equations(example, "qkv")]
    assert rules == [("affine", "Q"), ("affine", "X W_K"), ("edit", "K"), ("affine", "V")]
    computed, set_by_hand = (eq.result.values for eq in equations(example, "qkv")[1:3])
    assert set_by_hand[2, 0] == 9.0
    differs = computed != set_by_hand
    assert differs.sum() == 1
    assert [(eq.rule, eq.result.name) for eq in equations(example, "positions")] == [("sum", "E + P"), ("edit", "X")]
    assert [eq.rule for eq in equations(textbook_example(), "qkv")] == ["affine"] * 3
    assert [eq.rule for eq in equations(textbook_example(), "positions")] == ["sum"]


def test_the_last_change_of_a_number_counts() -> None:
    example = textbook_example(changes=(Change("E", 0, 0, 5.0), Change("E", 0, 0, 7.0)))
    assert shown(example, "X").values[0, 0] == 7.0


def test_what_if_nothing_is_scaled_masked_or_hotter() -> None:
    unscaled = shown(textbook_example(what_if=WhatIf(scaled=False)), "weights").values[0]
    plain = shown(textbook_example(), "weights").values[0]
    assert unscaled[1] > plain[1]
    causal = textbook_example(what_if=WhatIf(causal=True))
    assert shown(causal, "weights").values[0, 2] == 0
    assert shown(causal, "weights").masked is not None
    assert shown(causal, "weights").masked.tolist() == [[False, False, True]]  # type: ignore[union-attr]
    hot = shown(textbook_example(what_if=WhatIf(temperature=100.0)), "weights").values[0]
    np.testing.assert_allclose(hot, 1 / 3, atol=0.01)
    # Twice as cold as sqrt(4) is hot: temperature 0.5 undoes the scale.
    undone = shown(textbook_example(what_if=WhatIf(temperature=0.5)), "weights").values[0]
    np.testing.assert_allclose(undone, unscaled, atol=1e-6)


@pytest.mark.parametrize(
    ("what_if", "divisor"),
    [
        (WhatIf(), r"{\sqrt{d_k}}"),
        (WhatIf(scaled=False), "{1}"),
        (WhatIf(temperature=2.0), r"{\sqrt{d_k}\,T}"),
        (WhatIf(scaled=False, temperature=2.0), "{T}"),
    ],
)
def test_the_formula_says_what_is_divided(what_if: WhatIf, divisor: str) -> None:
    scale = next(step for step in textbook_example(what_if=what_if).steps if step.name == "scale")
    assert divisor in scale.formula
    assert scale.equations[0].factor == pytest.approx((0.5 if what_if.scaled else 1.0) / what_if.temperature)


@given(changes(size=1000.0))
def test_a_change_survives_its_link(change: Change) -> None:
    assert Change.parse(change.code) == change
    assert not set(change.code) & set(" &#?%/+")


def test_a_change_of_a_tables_number_has_a_plain_code() -> None:
    """Numbers that come from a table are numpy's; their own way of writing themselves would break the link."""
    assert Change("Q", 0, 1, np.float64(0.5)).code == "Q-0-1:0.5"
    assert Change("Q", 0, 1, 2).code == "Q-0-1:2.0"
    assert Change.parse("W_Q-0-1:2") == Change("W_Q", 0, 1, 2.0)


@pytest.mark.parametrize(
    "code",
    [
        "", "W_Q", "W_Q-0-1", "W_Q-0-1:", "W_Q-0-1:x", "W_Q-0-1:nan", "W_Q-0-1:inf", "W_Q-0-1:1e400", "W_Q-0-1:1.2.3",
        "W_Q-0-1:.", "W_Q-0-1:--1", "W_Q-4-0:1", "W_Q-0-4:1", "E-3-0:1", "Q-3-0:1", "W_Z-0-0:1", "w_q-0-0:1",
        "W_Q-0-1:1001", "W_Q--1-0:1", "W_Q-0-1:1\n", " W_Q-0-1:1", "W_Q-٣-1:1", "W_Q-0-1:٣",
    ],
)  # fmt: skip
def test_a_bad_code_is_refused_in_words(code: str) -> None:
    with pytest.raises(ValueError, match=r"expected .*, got"):
        Change.parse(code)


@pytest.mark.parametrize("temperature", [0.0, -1.0, 0.001, 101.0, math.nan, math.inf])
def test_a_temperature_out_of_range_is_refused(temperature: float) -> None:
    with pytest.raises(ValueError, match=r"temperature: expected a number from 0\.01 to 100"):
        WhatIf(temperature=temperature)


def test_defaults_are_what_is_shown_unchanged() -> None:
    example = textbook_example()
    for name in COMPUTED:
        for row in range(3):
            for column in range(4):
                assert default_value(name, row, column) == shown(example, name).values[row, column]
    assert default_value("W_K", 1, 1) == 1.19
    assert default_value("P", 0, 1) == 0.1
