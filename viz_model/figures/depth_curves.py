"""Curves over depth: the length of the stream at each place of a stack, and the gradient's size layer by layer."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import altair as alt
import numpy as np
from numpy.typing import ArrayLike

from viz_model.figures.templates import altair_config
from viz_model.figures.theme import LIGHT, Theme, visible_token

DASHES = ((1, 0), (7, 3), (2, 3), (9, 3, 2, 3), (4, 4))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")
MOST_TICKS = 7
MOST_NAMES = 13  # places along the stream that are all named, on a projector too
# As `format_number` writes them: plain near 1, with an exponent far from it.
POWERS = "format(datum.value, datum.value < 0.001 || datum.value > 100000 ? '~e' : '~g')"


def depth_curves(
    series: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    x_title: str = "layer",
    y_title: str = "norm of the gradient",
    title: str = "",
    height: int = 300,
    known: Sequence[str] = (),
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """Named curves (x, y) over a logarithmic axis of powers of ten, one a variant, at most five.

    x: whole numbers, layers or counts of them. They differ in dashes and in the shape of their points as well as in
    colour. `known`: all names that there may be, so that each keeps its looks whichever are drawn. What is not finite
    or not above 0 leaves a gap. Raises ValueError for x and y of unequal length and for more curves than can be told
    apart.
    """
    order = list(dict.fromkeys((*known, *series)))
    if len(order) > len(DASHES):
        raise ValueError(f"series: expected at most {len(DASHES)} curves, got {len(order)}")
    rows: list[dict[str, Any]] = []
    for name, (x_values, y_values) in series.items():
        x, y = np.asarray(x_values, dtype=np.float64), np.asarray(y_values, dtype=np.float64)
        if x.ndim != 1 or x.shape != y.shape:
            raise ValueError(f"{name}: expected x and y of one length, got {x.shape} and {y.shape}")
        fine = np.isfinite(y) & (y > 0)
        rows += [
            {"curve": name, "x": a, "y": b if ok else None}
            for a, b, ok in zip(x.tolist(), y.tolist(), fine.tolist(), strict=True)
        ]
    names = [name for name in order if name in series]
    own = [order.index(name) for name in names]
    places = sorted({row["x"] for row in rows})
    low, ticks, high = powers_of_ten([row["y"] for row in rows if row["y"] is not None])
    base = _chart(rows).encode(
        x=alt.X(
            "x:Q",
            title=x_title,
            scale=alt.Scale(nice=False, padding=14),
            axis=alt.Axis(grid=False, values=places, format="d", labelOverlap=True),
        ),
        y=alt.Y(
            "y:Q",
            title=y_title,
            scale=alt.Scale(type="log", domain=[low, high], nice=False),
            axis=alt.Axis(values=ticks, labelExpr=POWERS, domain=False, ticks=False),
        ),
    )
    legend = alt.Legend(columns=2, symbolSize=90, symbolStrokeWidth=0) if len(names) > 1 else None
    colour = alt.Color(
        "curve:N", sort=names, legend=legend, scale=alt.Scale(domain=names, range=[theme.series[i] for i in own])
    )
    dash = alt.Scale(domain=names, range=[list(DASHES[i]) for i in own])
    shape = alt.Scale(domain=names, range=[SHAPES[i] for i in own])
    lines = base.mark_line(strokeWidth=2.25).encode(
        color=colour, strokeDash=alt.StrokeDash("curve:N", sort=names, scale=dash, legend=None)
    )
    points = base.mark_point(size=54, filled=True, opacity=1).encode(
        color=colour,
        shape=alt.Shape("curve:N", sort=names, scale=shape, legend=legend),
        tooltip=[
            alt.Tooltip("curve:N", title="curve"),
            alt.Tooltip("x:Q", title=x_title),
            alt.Tooltip("y:Q", title=y_title, format=".3~g"),
        ],
    )
    return _finished(alt.layer(points, lines), title, height, theme)


def stream_norms(
    places: Sequence[str],
    norms: ArrayLike,
    tokens: Sequence[str],
    chosen: int,
    *,
    title: str = "",
    height: int = 260,
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """The length of every position's vector along the stream, the chosen position's in front of the others.

    The chosen one and the one that ends longest have their token beside them.

    places: names of the places from the embedding on; norms: [place, position]; tokens: one a position. Raises
    ValueError for norms of another shape and for a position that is not there.
    """
    array = np.asarray(norms, dtype=np.float64)
    if array.shape != (len(places), len(tokens)) or array.size == 0:
        raise ValueError(f"norms: expected [{len(places)}, {len(tokens)}] as labelled, got shape {array.shape}")
    if not 0 <= chosen < len(tokens):
        raise ValueError(f"chosen: expected a position from 0 to {len(tokens) - 1}, got {chosen}")
    rows = [
        {"place": i, "name": place, "position": p, "token": visible_token(tokens[p]), "norm": value}
        for i, (place, line) in enumerate(zip(places, array.tolist(), strict=True))
        for p, value in enumerate(line)
        if math.isfinite(value)
    ]
    # Vega-Lite would sort by text: the axis holds integers and an expression looks the words up.
    words = json.dumps(list(places))
    # Slanted names are narrower than the boxes around them, which Vega-Lite looks at: up to MOST_NAMES all have room.
    overlap: Literal["greedy"] | bool = "greedy" if len(places) > MOST_NAMES else False
    x = alt.X("place:O", title=None).axis(
        labelExpr=f"{words}[datum.value]", labelAngle=-35, labelOverlap=overlap, labelLimit=140, ticks=False
    )
    y = alt.Y("norm:Q", title="length of the vector", axis=alt.Axis(tickCount=5, domain=False, ticks=False))
    tooltip = [
        alt.Tooltip("token:N"),
        alt.Tooltip("position:Q"),
        alt.Tooltip("name:N", title="place"),
        alt.Tooltip("norm:Q", title="length", format=".3~g"),
    ]
    others = _chart([row for row in rows if row["position"] != chosen]).encode(
        x=x, y=y, detail="position:N", tooltip=tooltip
    )
    own = _chart([row for row in rows if row["position"] == chosen]).encode(x=x, y=y, tooltip=tooltip)
    ends = [row for row in rows if row["place"] == len(places) - 1]
    longest = max(ends, key=lambda row: float(row["norm"]), default=None)
    named = [row for row in ends if row is longest or row["position"] == chosen]
    layers = [] if len(tokens) == 1 else [others.mark_line(color=theme.masked_line, strokeWidth=1.25, opacity=0.8)]
    layers += [own.mark_line(color=theme.text, strokeWidth=2.5), own.mark_circle(color=theme.text, size=56, opacity=1)]
    words_beside = _chart(named).mark_text(align="left", dx=8, color=theme.text, fontSize=13, limit=90)
    layers.append(words_beside.encode(x=x, y=y, text="token:N"))
    return _finished(alt.layer(*layers), title, height, theme)


def powers_of_ten(values: Sequence[float]) -> tuple[float, list[float], float]:
    """(lowest, ticks, highest) of a logarithmic axis that holds positive values: whole powers of ten at both ends."""
    if not values:
        return 0.1, [0.1, 1.0], 1.0
    first, last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    last = max(last, first + 1)
    step = math.ceil((last - first) / (MOST_TICKS - 1))
    return 10.0**first, [10.0**power for power in range(first, last + 1, step)], 10.0**last


def _chart(rows: list[dict[str, Any]]) -> alt.Chart:
    """Rows go in as they are: through a data frame, tokens such as '1984' could change their type."""
    return alt.Chart(alt.InlineData(values=rows))


def _finished(chart: Any, title: str, height: int, theme: Theme) -> alt.LayerChart:
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    sized = chart.properties(height=height, width="container", autosize=fit)
    done: alt.LayerChart = (sized.properties(title=title) if title else sized).configure(**altair_config(theme))
    return done
