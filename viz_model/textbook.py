"""The textbook example: "The cat sat", one head, four dimensions, numbers that a pencil can check.

The word "cat" reads The, cat and sat with the weights 0.1, 0.7 and 0.2, so its output is 0.1 v(The) + 0.7 v(cat) +
0.2 v(sat). Any number can be changed (`Change`); all that follows is computed anew by the library's own attention.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from viz_model import masks
from viz_model.attention import AttentionTrace, MultiHeadAttention, attend
from viz_model.computation import Array, Equation, Matrix, Step, array, attention_steps, columns
from viz_model.config import TransformerConfig

TOKENS = ("The", "cat", "sat")
IDS = (11, 42, 7)
D = 4

# Chosen so that q(cat) . k = 0, 3.89, 1.39: halved (sqrt(4)) and through the softmax that is 0.100, 0.700, 0.200.
MATRICES: dict[str, tuple[tuple[float, ...], ...]] = {
    "E": ((1.0, -0.1, 1.0, -0.1), (-0.1, 1.0, 0.9, 0.0), (-0.1, -0.1, 0.9, 1.0)),
    "P": ((0.0, 0.1, 0.0, 0.1), (0.1, 0.0, 0.1, 0.0), (0.1, 0.1, 0.1, 0.0)),
    "W_Q": ((0.5, 0.0, 0.0, 1.0), (1.0, 0.0, 0.5, 0.0), (0.0, 1.0, 0.5, 0.0), (1.0, -1.0, 0.0, 0.5)),
    "W_K": ((0.0, -0.7, 0.2, 0.4), (1.3, 1.19, 0.9, 0.2), (0.2, 0.2, 0.1, 0.0), (0.4, 0.09, 0.4, -0.3)),
    "W_V": ((1.0, 0.0, 0.0, 0.5), (0.0, 1.0, 0.0, 0.5), (0.0, 0.0, 0.0, 0.5), (0.0, 0.0, 1.0, 0.5)),
    "W_O": ((0.5, 0.5, 0.0, 0.0), (-0.5, 0.5, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0)),
}
COMPUTED = ("X", "Q", "K", "V")  # computed matrices that may be overwritten
LARGEST = 1000.0


@dataclass(frozen=True, slots=True)
class Change:
    """One number set by hand: in E, P, W_Q, W_K, W_V, W_O, or in X, Q, K, V over what was computed."""

    matrix: str
    row: int
    column: int
    value: float

    def __post_init__(self) -> None:
        if self.matrix not in MATRICES and self.matrix not in COMPUTED:
            raise ValueError(f"matrix: expected one of {', '.join((*MATRICES, *COMPUTED))}, got {self.matrix!r}.")
        n_rows = D if self.matrix.startswith("W_") else len(TOKENS)
        if not (0 <= self.row < n_rows and 0 <= self.column < D):
            raise ValueError(
                f"{self.matrix}: expected a row below {n_rows} and a column below {D}, got {self.row}, {self.column}."
            )
        if not (math.isfinite(self.value) and abs(self.value) <= LARGEST):
            raise ValueError(f"value: expected a number from -{LARGEST:.0f} to {LARGEST:.0f}, got {self.value}.")

    @property
    def code(self) -> str:
        """The change as a word for a link: 'W_Q-0-1:0.5'."""
        return f"{self.matrix}-{self.row}-{self.column}:{float(self.value)!r}"

    @classmethod
    def parse(cls, code: str) -> Change:
        """Reads `code` back; raises ValueError."""
        match = re.fullmatch(r"([A-Z_]+)-([0-9])-([0-9]):(-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?)", code)
        if match is None:
            raise ValueError(f"change: expected matrix-row-column:value as in W_Q-0-1:0.5, got {code!r}.")
        return cls(match[1], int(match[2]), int(match[3]), float(match[4]))


@dataclass(frozen=True, slots=True)
class WhatIf:
    """Other rules for the same numbers."""

    scaled: bool = True  # dots divided by sqrt(d_k)
    causal: bool = False  # no word reads what comes after it
    temperature: float = 1.0  # scores divided by it too

    def __post_init__(self) -> None:
        if not 0.01 <= self.temperature <= 100.0:
            raise ValueError(f"temperature: expected a number from 0.01 to 100, got {self.temperature}.")


@dataclass(frozen=True, slots=True, eq=False)
class Textbook:
    """The example, computed: its steps for one query, and the attention trace behind them."""

    attention: AttentionTrace
    steps: tuple[Step, ...]


def textbook_example(*, query: int = 1, changes: tuple[Change, ...] = (), what_if: WhatIf | None = None) -> Textbook:
    """Computes the example for the word at `query`, after the changes, under other rules where asked."""
    what_if = what_if or WhatIf()
    given = {name: torch.tensor(values) for name, values in MATRICES.items()}
    given = {name: _changed(name, values, changes) for name, values in given.items()}
    x = _changed("X", given["E"] + given["P"], changes)
    module = _module(given, what_if)
    with torch.inference_mode():
        trace = _with_overwritten(module, x, changes, what_if)
    d = columns(D, "d")
    ids = Matrix("ids", np.array(IDS, np.float32)[:, None], TOKENS, ("id",))
    places = Matrix("tokens", np.arange(len(TOKENS), dtype=np.float32)[:, None], TOKENS, ("position",))
    named = {name: Matrix(name, array(given[name]), TOKENS, d, "signed") for name in "EP"}
    stream = Matrix("X", array(x), TOKENS, d, "signed")
    summed: tuple[Equation, ...] = (Equation((named["E"], named["P"]), "sum", stream),)
    if any(change.matrix == "X" for change in changes):
        plain = Matrix("E + P", array(given["E"] + given["P"]), TOKENS, d, "signed")
        summed = (Equation((named["E"], named["P"]), "sum", plain), Equation((plain,), "edit", stream))
    divisor = {(True, True): r"\sqrt{d_k}\,T", (True, False): r"\sqrt{d_k}", (False, True): "T", (False, False): "1"}
    steps = (
        Step("tokens", "Tokens", r"\text{text} \to \text{tokens}", (Equation((), "given", places),)),
        Step("ids", "Token ids", r"\text{token} \to \text{id}", (Equation((places,), "lookup", ids),)),
        Step("embedding", "Embeddings", r"E = W_E[\text{ids}]", (Equation((ids,), "lookup", named["E"]),)),
        Step("positions", "Add positions", "X = E + P", summed),
        *attention_steps(
            module, trace, stream, head=0, query=query, divisor=divisor[what_if.scaled, what_if.temperature != 1.0]
        ),
    )
    return Textbook(trace, _with_hand_set(steps, changes))


def _module(given: dict[str, Tensor], what_if: WhatIf) -> MultiHeadAttention:
    config = TransformerConfig(vocab_size=1, d_model=D, n_heads=1, bias=False, scaled=what_if.scaled)
    module = MultiHeadAttention(config).requires_grad_(False)
    module.w_qkv.weight.copy_(torch.cat([given[name].T for name in ("W_Q", "W_K", "W_V")]))
    module.w_o.weight.copy_(given["W_O"].T)
    module.scale /= what_if.temperature
    return module


def _with_overwritten(
    module: MultiHeadAttention, x: Tensor, changes: tuple[Change, ...], what_if: WhatIf
) -> AttentionTrace:
    mask = masks.causal(len(TOKENS)) if what_if.causal else masks.full(len(TOKENS))
    trace: AttentionTrace = module(x[None], mask)
    q, k, v = (
        _changed(n, t[0, 0], changes)[None, None] for n, t in zip("QKV", (trace.q, trace.k, trace.v), strict=True)
    )
    weights, heads = attend(q, k, v, mask, scale=module.scale)
    out = module.w_o(heads.transpose(1, 2).flatten(2))
    return AttentionTrace(q, k, v, module.scale, None, mask, weights, heads, out)


def _with_hand_set(steps: tuple[Step, ...], changes: tuple[Change, ...]) -> tuple[Step, ...]:
    """Where Q, K or V was overwritten, the step shows what was computed and then what was set by hand."""
    overwritten = {change.matrix for change in changes} & set("QKV")
    made: list[Step] = []
    for step in steps:
        equations: list[Equation] = []
        for equation in step.equations:
            result = equation.result
            if step.name == "qkv" and result.name in overwritten:
                left, right = equation.operands[:2]
                plain = Matrix(
                    f"{left.name} {right.name}", left.values @ right.values, result.rows, result.columns, result.role
                )
                equations += [Equation(equation.operands, "affine", plain), Equation((plain,), "edit", result)]
            else:
                equations.append(equation)
        made.append(Step(step.name, step.title, step.formula, tuple(equations)))
    return tuple(made)


def _changed(name: str, values: Tensor, changes: tuple[Change, ...]) -> Tensor:
    values = values.clone()
    for change in changes:
        if change.matrix == name:
            values[change.row, change.column] = change.value
    return values


def default_value(matrix: str, row: int, column: int) -> float:
    """What a number was before any change, to see whether a change is one."""
    if matrix in MATRICES:
        return MATRICES[matrix][row][column]
    example = textbook_example().steps
    found: Array = next(eq.result.values for step in example for eq in step.equations if eq.result.name == matrix)
    return float(found[row, column])
