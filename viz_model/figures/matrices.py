"""Matrices with axes as Plotly figures: attention, positional encodings, any tensor, the logit lens.

Arrays and labels in, figure out. Axes are integers whose tick text is the label: a category axis would merge repeated
tokens. Labels are escaped, since Plotly reads a small HTML and would drop '<s>'. Masked cells are gaps in the map
through which a hatched picture shows: not a colour of the ramp, and the same small payload for every mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from viz_model.figures.maps import (
    allowed_cells,
    cell_text,
    cell_values,
    framed,
    map_trace,
    matrix,
    plotly_label,
    unit_bar,
)
from viz_model.figures.theme import LIGHT, Theme, format_number

HOVERED_MASK = 128 * 128  # masked cells answer the pointer up to this size: a second layer doubles the payload


def attention_heatmap(
    weights: ArrayLike,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    mask: ArrayLike | None = None,
    title: str = "",
    theme: Theme = LIGHT,
) -> go.Figure:
    """Attention weights [query, key] as a map: query down the side, key along the top, violet, always 0..1.

    `mask` [query, key] is bool, True = may attend; masked cells are hatched. Raises ValueError on shapes that differ.
    """
    z, allowed = matrix(weights, queries, keys, "weights"), allowed_cells(mask, len(queries), len(keys))
    shown = np.where(allowed, z, np.float32("nan"))
    trace = map_trace(shown, theme.attention, (0.0, 1.0), ("query", "key"), "weight")
    trace |= cell_values(z, allowed, (0.0, 1.0), theme.attention) | {"colorbar": unit_bar("weight")}
    hatched = not bool(allowed.all())
    traces = [trace, _masked_hover(allowed)] if hatched and z.size <= HOVERED_MASK else [trace]
    return framed(traces, (queries, keys), ("query (reads)", "key (is read)"), title, theme, hatched)


def tensor_heatmap(
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    signed: bool = True,
    bound: float | None = None,
    axes: tuple[str, str] = ("position", "dimension"),
    title: str = "",
    theme: Theme = LIGHT,
) -> go.Figure:
    """Any matrix [row, column]: signed values on the diverging ramp, symmetric about 0, else from 0 up in greys.

    `bound` fixes the end of the scale (to compare pictures); None takes the largest finite magnitude.
    `axes` names the rows and the columns. What is not finite is left blank.
    """
    z = matrix(values, rows, columns, "values")
    finite = np.isfinite(z)
    end = float(bound) if bound is not None else float(np.abs(z[finite]).max(initial=0.0)) or 1.0
    shown = np.where(finite, z, np.float32("nan"))
    ramp, low = (theme.signed, -end) if signed else (theme.magnitude, 0.0)
    ticks = [low, 0.0, end] if signed else [0.0, end / 2, end]
    trace = map_trace(shown, ramp, (low, end), axes, "value") | cell_values(z, finite, (low, end), ramp)
    trace["colorbar"] = {"tickvals": ticks, "ticktext": [format_number(tick) for tick in ticks]}
    return framed([trace], (rows, columns), axes, title, theme)


def positional_encoding(
    encoding: ArrayLike, *, start: int = 0, title: str = "Positional encoding", theme: Theme = LIGHT
) -> go.Figure:
    """Positional encodings [position, d_model], signed; `start` is the number of the first position."""
    array = np.asarray(encoding)
    if array.ndim != 2:
        raise ValueError(f"encoding: expected [position, d_model], got shape {array.shape}")
    rows = [str(start + i) for i in range(array.shape[0])]
    bound = max(1.0, float(np.abs(array).max(initial=0.0)))
    return tensor_heatmap(array, rows, [str(i) for i in range(array.shape[1])], bound=bound, title=title, theme=theme)


def logit_lens(
    tokens: Sequence[Sequence[str]],
    probabilities: ArrayLike,
    *,
    positions: Sequence[str] | None = None,
    layers: Sequence[str] | None = None,
    title: str = "What each layer would say next",
    theme: Theme = LIGHT,
) -> go.Figure:
    """The likeliest token [layer][position] after every layer with its probability [layer, position], 0..1.

    The idea is nostalgebraist's (2020, 'interpreting GPT: the logit lens'). `positions` are the tokens read,
    `layers` the row names. Later layers are lower down: the picture is read as the computation runs.
    """
    p = np.asarray(probabilities, dtype=np.float32)
    if p.ndim != 2 or len(tokens) != p.shape[0] or any(len(row) != p.shape[1] for row in tokens):
        raise ValueError(f"tokens and probabilities: expected one token for each of {p.shape}")
    rows = layers if layers is not None else [f"layer {i}" for i in range(p.shape[0])]
    columns = positions if positions is not None else [str(i) for i in range(p.shape[1])]
    p = matrix(p, rows, columns, "probabilities")
    trace = map_trace(p, theme.magnitude, (0.0, 1.0), ("after", "reading"), "probability")
    words = [[plotly_label(token) for token in row] for row in tokens]
    trace |= cell_text(words, p, theme.magnitude) | {"customdata": words, "colorbar": unit_bar("probability")}
    trace["hovertemplate"] = "says next   <b>\u2068%{customdata}\u2069</b><br>" + trace["hovertemplate"]
    return framed([trace], (rows, columns), ("after", "having read"), title, theme)


def _masked_hover(allowed: NDArray[np.bool_]) -> dict[str, Any]:
    """A clear layer over the masked cells that says so under the pointer."""
    scale = {"colorscale": [[0, "rgba(0,0,0,0)"], [1, "rgba(0,0,0,0)"]], "showscale": False, "hoverongaps": False}
    names = "query   <b>\u2068%{y}\u2069</b><br>key   <b>\u2068%{x}\u2069</b><br>"
    z = np.where(allowed, np.float32("nan"), np.float32(0))
    return {"type": "heatmap", "z": z, **scale, "hovertemplate": names + "masked: may not be read<extra></extra>"}
