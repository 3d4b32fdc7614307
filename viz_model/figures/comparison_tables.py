"""The tables of 'why not RNNs or CNNs': bodies of equal size, a layer's costs beside the paper's, any curves."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from viz_model.figures.html_table import bar, head, number, table
from viz_model.figures.theme import format_number

MOST_ROWS = 130


@dataclass(frozen=True, slots=True)
class BodyRow:
    """One body of a comparison."""

    name: str
    parameters: int
    d_model: int
    n_layers: int
    sees: str  # 'all', or how many positions
    accuracy: float | None  # None where it has not been measured yet
    step: int
    seconds: float | None = None  # of training; None where the clock was not kept


@dataclass(frozen=True, slots=True)
class CostRow:
    """One kind of layer in the paper's Table 1, and what was counted in a model of that kind (None: no model)."""

    name: str
    formulas: tuple[str, str, str]  # complexity per layer, sequential operations, maximum path length
    multiplications: int | None
    steps: int | None
    path: str | None


def bodies_table(rows: Sequence[BodyRow], *, metric: str, caption: str) -> str:
    """Bodies with their size, and the share that each gets right as bar and number."""
    timed = any(row.seconds is not None for row in rows)
    heads = ["body", metric, "after step", "parameters", "d_model", "layers", "sees (tokens)"]
    body = []
    for row in rows:
        accuracy = _none() if row.accuracy is None else bar(row.accuracy)
        wholes = "".join(_whole(n) for n in (row.step, row.parameters, row.d_model, row.n_layers))
        clock = "" if not timed else _none() if row.seconds is None else number(row.seconds)
        body.append(head(row.name) + accuracy + wholes + _words(row.sees) + clock)
    return table(caption, [*heads, "seconds"] if timed else heads, body)


def costs_table(rows: Sequence[CostRow], *, n: int, caption: str) -> str:
    """The paper's formulas, each beside what was counted in the lesson's own model for n positions."""
    heads = [
        "layer",
        "complexity per layer",
        f"multiplications, n = {n}",
        "sequential operations",
        f"steps, n = {n}",
        "maximum path length",
        f"longest way, n = {n}",
    ]
    body = []
    for row in rows:
        counted = (
            _whole(row.multiplications) if row.multiplications is not None else _none(),
            _whole(row.steps) if row.steps is not None else _none(),
            _words(row.path) if row.path is not None else _none(),
        )
        pairs = zip(row.formulas, counted, strict=True)
        body.append(head(row.name) + "".join(f'<td class="n muted">{html.escape(f)}</td>{cell}' for f, cell in pairs))
    return table(caption, heads, body)


def curves_table(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]], *, x_title: str, caption: str, none: str = "none"
) -> str:
    """Curves (x, y) by name as a table over x; a value of exactly 0 is said as `none`, one that is not there as '–'."""
    columns = {
        name: dict(
            zip(
                np.asarray(x, dtype=np.float64).tolist(),
                np.asarray(y, dtype=np.float64).tolist(),
                strict=True,
            )
        )
        for name, (x, y) in curves.items()
    }
    places = sorted({x for column in columns.values() for x in column})
    if len(places) > MOST_ROWS:
        caption += f" (the first {MOST_ROWS} of {len(places)} rows)"
    rows = []
    for x in places[:MOST_ROWS]:
        cells = []
        for column in columns.values():
            value = column.get(x)
            if value is None or not np.isfinite(value):
                cells.append(_none())
            else:
                cells.append(_words(none) if value == 0 and none else number(value))
        rows.append(head(format_number(int(x) if x == int(x) else x)) + "".join(cells))
    return table(caption, [x_title, *columns], rows)


def _whole(n: int) -> str:
    return f'<td class="n">{n:,}</td>'


def _words(words: str) -> str:
    return f'<td class="n">{html.escape(words)}</td>'


def _none() -> str:
    return '<td class="n muted">\u2013</td>'
