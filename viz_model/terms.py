"""Where does this number come from? One cell of an equation's result, written out in its terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from viz_model.computation import Equation


@dataclass(frozen=True, slots=True)
class Term:
    """One part of the number: factors that are multiplied. `name` says where it is from."""

    name: str
    factors: tuple[float, ...]

    @property
    def product(self) -> float:
        return float(np.prod(np.array(self.factors, dtype=np.float64)))


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A cell as terms that are summed, then divided.

    value = sum of the terms' products / divisor, to float32's precision (`adds_up`).
    """

    row: str
    column: str
    kind: str  # sum, scale, softmax, masked, kept, norm, rotation; a rule without arithmetic: given, lookup, edit
    terms: tuple[Term, ...]
    divisor: float
    divisor_name: str  # '' where nothing is divided
    value: float  # the cell itself, the model's own number

    @property
    def recomputed(self) -> float:
        return sum(term.product for term in self.terms) / self.divisor

    @property
    def adds_up(self) -> bool:
        scale = sum(abs(term.product) for term in self.terms) / abs(self.divisor)
        return abs(self.recomputed - self.value) <= 1e-4 * max(scale, 1e-3)


def arithmetic(equation: Equation, row: int, column: int) -> Arithmetic:
    """The terms of one cell of the result. Raises ValueError for a cell that the result does not have."""
    result, operands = equation.result, equation.operands
    if not (0 <= row < len(result.rows) and 0 <= column < len(result.columns)):
        raise ValueError(
            f"cell: expected a row below {len(result.rows)} and a column below {len(result.columns)}, "
            f"got row {row}, column {column}."
        )
    value = float(result.values[row, column])
    names = (result.rows[row], result.columns[column])
    rule = equation.rule
    if rule in ("affine", "dots", "matmul"):
        left, right = operands[0], operands[1]
        terms = tuple(
            Term(name, (float(a), float(b)))
            for name, a, b in zip(left.columns, left.values[row], right.values[:, column], strict=True)
        )
        terms += tuple(Term("bias", (float(bias.values[0, column]),)) for bias in operands[2:])
        return Arithmetic(*names, "sum", terms, 1.0, "", value)
    if rule == "sum":
        terms = tuple(Term(part.name, (float(part.values[row, column]),)) for part in operands)
        return Arithmetic(*names, "sum", terms, 1.0, "", value)
    if rule == "scale":
        terms = (Term("dots", (float(operands[0].values[row, column]), equation.factor)),)
        terms += tuple(Term("bias", (float(bias.values[row, column]),)) for bias in operands[1:])
        return Arithmetic(*names, "scale", terms, 1.0, "", value)
    if rule == "softmax":
        return _softmax(equation, row, column, value, names)
    if rule in ("norm", "rms"):
        return _norm(equation, row, column, value, names)
    if rule == "rotation":
        plain, cos, sin = (part.values[row] for part in operands)
        half = len(result.columns) // 2
        partner = column + half if column < half else column - half
        sign = -1.0 if column < half else 1.0
        terms = (
            Term(f"{result.columns[column]} · cos", (float(plain[column]), float(cos[column]))),
            Term(f"{result.columns[partner]} · sin", (sign * float(plain[partner]), float(sin[column]))),
        )
        return Arithmetic(*names, "rotation", terms, 1.0, "", value)
    if rule == "mask":
        blocked = result.masked is not None and bool(result.masked[row, column])
        return Arithmetic(*names, "masked" if blocked else "kept", (Term("score", (value,)),), 1.0, "", value)
    return Arithmetic(*names, rule, (Term(result.name, (value,)),), 1.0, "", value)


def _norm(equation: Equation, row: int, column: int, value: float, names: tuple[str, str]) -> Arithmetic:
    resid, gain, *shift = equation.operands
    x = resid.values[row].astype(np.float64)
    mean = x.mean() if equation.rule == "norm" else 0.0
    deviation = float(np.sqrt(((x - mean) ** 2).mean() + equation.factor))
    g = float(gain.values[0, column])
    terms: tuple[Term, ...] = (Term("x", (float(x[column]), g)),)
    terms += (Term("- mean", (-float(mean), g)),) if equation.rule == "norm" else ()
    # The shift is added after the division: as a term it is multiplied by what it will be divided by.
    terms += tuple(Term("shift", (float(part.values[0, column]), deviation)) for part in shift)
    return Arithmetic(*names, "norm", terms, deviation, "deviation", value)


def _softmax(equation: Equation, row: int, column: int, value: float, names: tuple[str, str]) -> Arithmetic:
    scores = equation.operands[0]
    open_keys = np.ones(len(scores.columns), bool) if scores.masked is None else ~scores.masked[row]
    if not open_keys[column]:
        return Arithmetic(*names, "masked", (Term("masked", (0.0,)),), 1.0, "", value)
    exact = scores.values[row].astype(np.float64)
    exponentials = np.where(open_keys, np.exp(exact - exact[open_keys].max()), 0.0)
    terms = (Term(scores.columns[column], (float(exponentials[column]),)),)
    return Arithmetic(*names, "softmax", terms, float(exponentials.sum()), "sum of exponentials", value)
