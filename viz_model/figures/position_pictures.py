"""The pictures of 'positions': distances, dots by offset, and losses beyond the trained length.

The encoding itself, position down and dimension across, is `matrices.positional_encoding`; its clocks are in `clocks`.
"""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from viz_model.figures.marked_curves import marked_curve
from viz_model.figures.matrices import tensor_heatmap
from viz_model.figures.theme import LIGHT, Theme


def distance_map(distance: ArrayLike, *, title: str = "Distance between positions", theme: Theme = LIGHT) -> go.Figure:
    """Distances [position, position] as a map from 0 (the background) up; the diagonal is 0."""
    array = np.asarray(distance)
    names = [str(i) for i in range(len(array))]
    return tensor_heatmap(
        array, names, names, signed=False, axes=("position", "other position"), title=title, theme=theme
    )


def dots_by_offset_curve(
    offset: ArrayLike,
    mean: ArrayLike,
    lowest: ArrayLike,
    highest: ArrayLike,
    *,
    name: str = "sinusoidal",
    title: str = "Dot product of two positions by their offset",
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """PE(p)·PE(p + k) by k: the mean over p as a line, lowest to highest as a band (a hair where k alone decides)."""
    return marked_curve(
        {name: (offset, mean)},
        bands={name: (offset, lowest, highest)},
        x_title="offset k (positions)",
        y_title="PE(p) · PE(p + k)",
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
