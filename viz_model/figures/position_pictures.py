"""The pictures of 'positions': distances, dots by offset, and losses beyond the trained length.

And the encoding with one position marked, and a model's outputs for two orders of one text. The clocks of an encoding
are in `clocks`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz_model.figures.marked_curves import marked_curve
from viz_model.figures.matrices import positional_encoding, tensor_heatmap
from viz_model.figures.theme import LIGHT, Theme

ENCODING_HEIGHT = 470  # pixels: with the controls above, all of it is in sight
EVERY = 8  # columns between two names


def marked_encoding(encoding: ArrayLike, position: int, *, theme: Theme = LIGHT) -> go.Figure:
    """Positional encodings [position, d_model] as a map, with a frame around the row of one position."""
    array = np.asarray(encoding)
    figure = positional_encoding(array, title="", theme=theme)
    n, width = array.shape
    edge = {"x0": -0.5, "x1": width - 0.5, "y0": position - 0.5, "y1": position + 0.5}
    figure.add_shape({"type": "rect", "line": {"color": theme.text, "width": 2}, **edge})
    figure.update_layout(height=ENCODING_HEIGHT, yaxis={"dtick": max(1, n // 8)})
    return figure


def two_orders(
    first: ArrayLike, second: ArrayLike, tokens: Sequence[str], *, bound: float | None = None, theme: Theme = LIGHT
) -> go.Figure:
    """A model's outputs [position, d_model] for two orders of one text, and their difference: three rows a token.

    `second` is in the order of the first text, so that a blank difference means equal outputs. `bound` is the end of
    the scale.
    """
    one, other = np.asarray(first), np.asarray(second)
    if one.ndim != 2 or one.shape != other.shape or len(one) != len(tokens):
        raise ValueError(f"first and second: expected a row for each of {len(tokens)}, got {one.shape}, {other.shape}")
    rows = [f"{token}, {text}" for token in tokens for text in ("first", "second", "difference")]
    stacked = np.stack((one, other, other - one), 1).reshape(3 * len(tokens), -1)
    columns = [str(i) for i in range(one.shape[1])]
    figure = tensor_heatmap(stacked, rows, columns, bound=bound, axes=("output of", "dimension"), theme=theme)
    figure.update_xaxes(dtick=EVERY)  # a name for each would be a smear on a phone
    line = {"type": "line", "line": {"color": theme.text, "width": 1}, "x0": -0.5, "x1": one.shape[1] - 0.5}
    for i in range(1, len(tokens)):
        figure.add_shape({**line, "y0": 3 * i - 0.5, "y1": 3 * i - 0.5})
    return figure


def distance_map(
    distance: ArrayLike,
    *,
    title: str = "Distance between positions",
    height: int | None = None,
    theme: Theme = LIGHT,
) -> go.Figure:
    """Distances [position, position] as a map from 0 (the background) up; the diagonal is 0. `height` in pixels."""
    array = np.asarray(distance)
    names = [str(i) for i in range(len(array))]
    figure = tensor_heatmap(
        array, names, names, signed=False, axes=("position", "other position"), title=title, theme=theme
    )
    if height is not None:
        every = max(1, len(array) // 8)
        figure.update_layout(height=height, xaxis={"dtick": every}, yaxis={"dtick": every})
    return figure


def dots_by_offset_curve(
    offset: ArrayLike,
    mean: ArrayLike,
    lowest: ArrayLike,
    highest: ArrayLike,
    *,
    marked: int | None = None,
    name: str = "sinusoidal",
    title: str = "Dot product of two positions by their offset",
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """PE(p)·PE(p + k) by k: the mean over p as a line, lowest to highest as a band (a hair where k alone decides).

    `marked`: the offset that a line stands at.
    """
    return marked_curve(
        {name: (offset, mean)},
        bands={name: (offset, lowest, highest)},
        x_title="offset k (positions)",
        y_title="PE(p) · PE(p + k)",
        x_marks=None if marked is None else {f"k = {marked}": marked},
        title=title,
        colours={name: theme.series[1]},
        theme=theme,
    )


def neighbour_curve(
    distances: Mapping[str, ArrayLike], *, title: str = "Distance to the next position", theme: Theme = LIGHT
) -> alt.LayerChart:
    """The distance from each position to the next [position], by the name of the encoding; even where it is smooth."""
    lines = {name: (np.arange(np.size(given)), given) for name, given in distances.items()}
    top = max((float(np.max(np.asarray(given), initial=0.0)) for given in distances.values()), default=0.0)
    return marked_curve(
        lines,
        x_title="position",
        y_title="distance to the next position",
        y_domain=(0.0, top * 1.1 or 1.0),
        title=title,
        theme=theme,
    )


def loss_by_position_curve(
    losses: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    trained: int,
    best: float | None = None,
    chance: float | None = None,
    title: str = "Loss beyond the trained length",
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """Losses (position, nats) by the kind of positions; a line stands where training ended, after `trained` positions.

    A curve whose model cannot read on (NaN to the end) ends in a point. `best` and `chance` are the losses of who knows
    all that can be known and of who knows nothing.
    """
    ends = {}
    for name, (position, loss) in losses.items():
        known = np.flatnonzero(np.isfinite(np.asarray(loss, dtype=np.float64)))
        if known.size and known[-1] < np.size(loss) - 1:
            ends[name] = (np.asarray(position)[known[-1:]], np.asarray(loss)[known[-1:]])
    marks = {"best possible": best, "knowing nothing": chance}
    return marked_curve(
        losses,
        points=ends,
        x_title="position",
        y_title="loss (nats a letter)",
        x_marks={f"trained on {trained} positions": trained - 0.5},
        y_marks={name: at for name, at in marks.items() if at is not None},
        title=title,
        height=320,
        theme=theme,
    )
