"""The numbers of 'positions' as HTML tables: losses over stretches of a text, and columns beside each other."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

from viz_model.figures.html_table import head, number, table


def loss_stretches(
    losses: Mapping[str, Sequence[float]],
    stretches: Sequence[tuple[int, int]],
    *,
    chance: float,
    caption: str,
    missing: str = "no vector",
) -> str:
    """Mean losses (nats) by the kind of positions over stretches start <= position < stop.

    A loss above `chance`, that of who knows nothing, is marked; NaN is said as `missing`. Raises ValueError unless each
    kind has a loss for each stretch.
    """
    rows = []
    for name, found in losses.items():
        if len(found) != len(stretches):
            raise ValueError(f"{name}: expected {len(stretches)} losses, got {len(found)}")
        rows.append(head(name) + "".join(_cell(loss, chance, missing) for loss in found))
    return table(caption, ["positions", *(f"{start}–{stop - 1}" for start, stop in stretches)], rows)


def columns_table(columns: Mapping[str, Sequence[object]], *, caption: str) -> str:
    """Columns of equal length: numbers with three digits and their full value on hovering, None as a dash."""
    rows = ["".join(map(_any_cell, row)) for row in zip(*columns.values(), strict=True)]
    return table(caption, list(columns), rows)


def _any_cell(value: object) -> str:
    if isinstance(value, float):
        return number(value)
    text = "–" if value is None else html.escape(str(value))
    return f'<td class="{"n" if isinstance(value, int) else ""}">{text}</td>'


def _cell(loss: float, chance: float, missing: str) -> str:
    if math.isnan(loss):
        return f'<td class="n muted">{html.escape(missing)}</td>'
    return number(loss, "more" if loss > chance else "")
