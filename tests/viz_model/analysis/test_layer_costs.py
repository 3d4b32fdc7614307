"""Costs: the table as printed in the paper, and formulas against what was counted in a run."""

from __future__ import annotations

import pytest

from tests.viz_model.analysis.comparison_models import MODELS, attention
from viz_model.analysis.layer_costs import (
    attention_multiplications,
    counted_multiplications,
    layer_multiplications,
    table_1,
)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n", [1, 5, 12])
def test_the_formula_is_what_was_counted(name: str, n: int) -> None:
    assert counted_multiplications(MODELS[name], n) == layer_multiplications(MODELS[name], n)


@pytest.mark.parametrize(
    "changes", [{"n_kv_heads": 1}, {"feed_forward": False}, {"activation": "swiglu"}, {"d_head": 6, "n_layers": 2}]
)
def test_variants_of_attention_are_counted_too(changes: dict[str, object]) -> None:
    model = attention(**changes)
    assert counted_multiplications(model, 7) == layer_multiplications(model, 7)


def test_attention_multiplications_by_loops() -> None:
    """Every product of the formula, one by one."""
    n, d, heads, d_head = 3, 8, 2, 4
    projections = sum(1 for _ in range(n) for _ in range(4) for _ in range(heads * d_head) for _ in range(d))
    dots = sum(1 for _ in range(heads) for _ in range(n) for _ in range(n) for _ in range(d_head))
    assert attention_multiplications(attention().config, n) == projections + 2 * dots


def test_the_table_is_the_papers() -> None:
    rows = {row.kind: row for row in table_1(81, 64, kernel=3, reach=8)}
    assert [rows[kind].formulas for kind in rows] == [
        ("O(n² · d)", "O(1)", "O(1)"),
        ("O(n · d²)", "O(n)", "O(n)"),
        ("O(k · n · d²)", "O(1)", "O(log_k(n))"),
        ("O(r · n · d)", "O(1)", "O(n/r)"),
    ]
    assert [(row.multiplications, row.sequential, row.path) for row in rows.values()] == [
        (81 * 81 * 64, 1, 1),
        (81 * 64 * 64, 81, 81),
        (3 * 81 * 64 * 64, 1, 4),  # 3^4 = 81
        (8 * 81 * 64, 1, 11),
    ]
    assert table_1(82, 64)[2].path == 5


def test_attention_costs_less_than_recurrence_while_n_is_below_d() -> None:
    for n, d in ((10, 64), (63, 64), (64, 64), (65, 64)):
        attends, recurs, *_ = table_1(n, d)
        assert (attends.multiplications < recurs.multiplications) == (n < d)


@pytest.mark.parametrize("wrong", [{"n": 0}, {"d": 0}, {"kernel": 1}, {"reach": 0}])
def test_what_has_no_row_is_refused(wrong: dict[str, int]) -> None:
    (name,) = wrong
    with pytest.raises(ValueError, match=f"{name}: expected at least"):
        table_1(**({"n": 4, "d": 4} | wrong))
