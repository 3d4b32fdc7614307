"""A step drawn: each equation as matrices, and the chosen cell as a line of arithmetic."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from pages.learn.parts import story
from pages.ui import chrome, pictures, session
from viz_model.computation import Equation, Matrix, Step
from viz_model.figures import calculation_view as view
from viz_model.figures.arithmetic_line import arithmetic_line, weighted_sum_line
from viz_model.terms import Arithmetic, arithmetic
from viz_model.textbook import LARGEST, Change

EDITABLE = ("E", "P", "X", "W_Q", "W_K", "W_V", "W_O", "Q", "K", "V")
RULES: dict[str, Any] = {
    "affine": "matmul",
    "dots": "matmul",
    "matmul": "matmul",
    "sum": "elementwise",
    "scale": "elementwise",
    "mask": "elementwise",
    "edit": "elementwise",
    "softmax": "row",
    "norm": "row",
    "rms": "row",
}
SIGNS = {
    "lookup": "→",
    "mask": "mask →",
    "softmax": "softmax →",
    "edit": "by hand →",
}
WRITTEN_OUT = ("norm", "rms", "rotation")  # rules whose cells the picture does not write out itself


def show(lesson: story.Lesson, step: Step) -> None:
    """The step's equations, one below the other, then the arithmetic of the chosen cell."""
    at, cell = _chosen(lesson, step)
    for i, equation in enumerate(step.equations):
        payload = view.pack(
            _items(lesson, equation),
            step=f"{step.name}.{i}",
            rule=_rule(equation),
            selected=_selected(equation, cell) if i == at else None,
            summary=f"{step.title}: {equation.result.name}, {len(equation.result.rows)} rows, "
            f"{len(equation.result.columns)} columns.",
            focus="offer",
            limits=(-LARGEST, LARGEST),
        )
        pictures.calculation(
            f"calculation_{i}",
            payload,
            on_cell=partial(_choose, i, equation),
            on_edit=partial(_edit, lesson, equation),
        )
    _arithmetic(lesson, step, at, cell)


def _items(lesson: story.Lesson, equation: Equation) -> list[view.Matrix | view.Operator]:
    items: list[view.Matrix | view.Operator] = []
    for i, operand in enumerate(equation.operands):
        if i:
            items.append(view.Operator(_between(equation, i)))
        items.append(_matrix(lesson, operand))
    if equation.operands:
        if equation.rule == "scale":
            items.append(view.Operator(f"× {equation.factor:.3g} ="))
        else:
            items.append(view.Operator(SIGNS.get(equation.rule, "=")))
    items.append(_matrix(lesson, equation.result, result=bool(equation.operands)))
    return items


def _between(equation: Equation, i: int) -> str:
    if equation.rule in ("affine", "dots", "matmul"):
        return "×" if i == 1 else "+"
    if equation.rule in ("norm", "rms"):
        return "scaled ×" if i == 1 else "+"
    return {"sum": "+", "scale": "+", "rotation": "turned by" if i == 1 else ","}.get(equation.rule, "")


def _matrix(lesson: story.Lesson, matrix: Matrix, *, result: bool = False) -> view.Matrix:
    n = len(lesson.tokens)
    lit = view.Lit(rows=(lesson.query,)) if len(matrix.rows) == n and matrix.rows == lesson.tokens else None
    symbol, of = matrix.name, None
    if matrix.name.startswith("q("):
        symbol, of = "q", lesson.tokens[lesson.query]
    elif matrix.name == "Kᵀ":
        symbol = "K^T"
    elif matrix.name == "resid_pre":
        symbol = "resid_{pre}"
    return view.Matrix(
        name=_key(matrix, result),
        values=matrix.values,
        rows=matrix.rows,
        columns=matrix.columns,
        role=matrix.role,
        symbol=symbol,
        of=of,
        masked=matrix.masked,
        masked_text="−∞" if matrix.role == "signed" else None,
        lit=lit,
        editable=lesson.textbook and not chrome.locked("what_if") and _place(matrix, lesson, 0, 0) is not None,
    )


def _key(matrix: Matrix, result: bool) -> str:
    return "result" if result else matrix.name


def _rule(equation: Equation) -> view.Rule | None:
    if not equation.operands or equation.rule not in RULES:
        return None
    names = tuple(operand.name for operand in equation.operands)
    if equation.rule in ("norm", "rms", "softmax"):
        names = names[:1]
    return view.Rule(RULES[equation.rule], _key(equation.result, True), names)


def _chosen(lesson: story.Lesson, step: Step) -> tuple[int, tuple[int, int, int]]:
    """Which equation, and in it (matrix, row, column); from the state, or the reading word's first result."""
    try:
        at, which, row, column = (int(part) for part in st.session_state["cell"].split("."))
        equation = step.equations[at]
        matrix = [*equation.operands, equation.result][which]
        if min(at, which, row, column) >= 0 and row < len(matrix.rows) and column < len(matrix.columns):
            return at, (which, row, column)
    except (ValueError, IndexError):
        pass
    result = step.equations[-1].result if step.name != "qkv" else step.equations[0].result
    at = 0 if step.name == "qkv" else len(step.equations) - 1
    row = lesson.query if len(result.rows) > 1 else 0
    return at, (len(step.equations[at].operands), row, 0)


def _selected(equation: Equation, cell: tuple[int, int, int]) -> tuple[str, int, int]:
    which, row, column = cell
    if which == len(equation.operands):
        return _key(equation.result, bool(equation.operands)), row, column
    return equation.operands[which].name, row, column


def _choose(i: int, equation: Equation, cell: dict[str, Any]) -> None:
    names = [operand.name for operand in equation.operands]
    which = names.index(cell["matrix"]) if cell.get("matrix") in names else len(names)
    session.put(cell=f"{i}.{which}.{int(cell['row'])}.{int(cell['column'])}")


def _edit(lesson: story.Lesson, equation: Equation, cell: dict[str, Any]) -> None:
    matrices = {operand.name: operand for operand in equation.operands} | {"result": equation.result}
    matrix = matrices.get(cell.get("matrix", ""), equation.result)
    place = _place(matrix, lesson, int(cell["row"]), int(cell["column"]))
    if place is None:
        return
    try:
        story.change(Change(*place, float(cell["value"])))
    except (TypeError, ValueError) as error:
        session.note(f"The number was not taken: {error}")


def _place(matrix: Matrix, lesson: story.Lesson, row: int, column: int) -> tuple[str, int, int] | None:
    """Where a cell stands among the numbers that can be changed: q(cat) is a row of Q, K^T a turned K."""
    if matrix.name in EDITABLE:
        return matrix.name, row, column
    if matrix.name.startswith("q("):
        return "Q", lesson.query, column
    if matrix.name == "Kᵀ":
        return "K", column, row
    return None


def _arithmetic(lesson: story.Lesson, step: Step, at: int, cell: tuple[int, int, int]) -> None:
    """The chosen number's terms where the picture itself does not write them, and whether they add up."""
    equation = step.equations[at]
    which, row, column = cell
    if which == len(equation.operands) and equation.rule not in ("given", "lookup", "edit", "mask"):
        found = arithmetic(equation, row, column)
        if equation.rule in WRITTEN_OUT:
            st.html(
                arithmetic_line(
                    found.row,
                    found.column,
                    [(term.name, term.factors) for term in found.terms],
                    found.value,
                    divisor=found.divisor,
                    divisor_name=found.divisor_name,
                    adds_up=found.adds_up,
                    name=equation.result.name,
                )
            )
        else:
            st.caption(_check(found, lesson))
    if step.name == "heads":
        st.html(weighted_sum_line(lesson.weights, lesson.tokens))


def _check(found: Arithmetic, lesson: story.Lesson) -> str:
    if not found.adds_up:
        return f"✗ The parts give {found.recomputed:.6g}, not {found.value:.6g}: please report it."
    row_sum = f" The row sums to {sum(lesson.weights):.3f}." if found.kind == "softmax" else ""
    return f"✓ The parts, computed anew, add up to this number.{row_sum}"
