"""Curves beside what they are measured against: theory lines with samples as points, bands, named reference lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import ArrayLike

from viz_model.figures.templates import altair_config
from viz_model.figures.theme import LIGHT, Theme

DASHES = ((1, 0), (7, 3), (2, 3), (9, 3, 2, 3), (4, 4))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")


def marked_curve(
    lines: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    x_title: str,
    y_title: str,
    points: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    bands: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]] | None = None,
    x_marks: Mapping[str, float] | None = None,
    y_marks: Mapping[str, float] | None = None,
    x_values: Sequence[float] | None = None,
    x_domain: tuple[float, float] | None = None,
    y_domain: tuple[float, float] | None = None,
    colours: Mapping[str, str] | None = None,
    known: Sequence[str] = (),
    title: str = "",
    log_x: bool = False,
    log_y: bool = False,
    height: int = 280,
    legend_columns: int = 3,
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """Lines (x, y), points (x, y) and bands (x, low, high) by name; equal names share a colour.

    `x_marks` and `y_marks` are named lines across the plot at one x or y. `x_values` are the ticks along x. `colours`:
    of names that have a colour of their own. `known`: all names that there may be, so that each keeps its looks
    whichever are drawn. What is not finite leaves a gap; a logarithmic axis leaves out what is not positive. Raises
    ValueError for arrays of unequal length.
    """
    points, bands = points or {}, bands or {}
    names = list(dict.fromkeys((*lines, *points, *bands)))
    order = list(dict.fromkeys((*known, *names)))
    own = [order.index(name) for name in names]
    palette = {name: theme.series[i % len(theme.series)] for i, name in zip(own, names, strict=True)}
    palette |= dict(colours or {})
    x_scale = alt.Scale(type="log", base=2, nice=False) if log_x else alt.Scale(nice=False, zero=False)
    if x_domain is not None:
        x_scale.domain = list(x_domain)
    y_scale = alt.Scale(type="log") if log_y else alt.Scale(zero=False)
    if y_domain is not None:
        y_scale = alt.Scale(type="log" if log_y else "linear", domain=list(y_domain), nice=False)
    ticks: dict[str, Any] = {"values": list(x_values)} if x_values is not None else {"tickCount": 8}
    x = alt.X("x:Q", title=x_title, scale=x_scale, axis=alt.Axis(grid=False, labelFlush=True, format="~f", **ticks))
    y_ticks: dict[str, Any] = {"tickCount": 5}
    if log_y and y_domain is not None:  # else every digit of every power of ten has its line
        y_ticks = {"values": [10.0**k for k in range(-12, 13) if y_domain[0] <= 10.0**k <= y_domain[1]]}
    y_axis = alt.Axis(domain=False, ticks=False, **y_ticks)
    y = alt.Y("y:Q", title=y_title, scale=y_scale, axis=y_axis)
    symbol: dict[str, Any] = {"symbolType": "stroke", "symbolSize": 360} if lines else {}
    legend = alt.Legend(columns=legend_columns, **symbol) if len(names) > 1 else None
    hues = alt.Scale(domain=names, range=[palette[name] for name in names])
    colour = alt.Color("curve:N", sort=names, legend=legend, scale=hues)
    tooltip = [
        alt.Tooltip("curve:N", title="curve"),
        alt.Tooltip("x:Q", title=x_title, format=".7~g"),
        alt.Tooltip("y:Q", title=y_title, format=".7~g"),
    ]
    layers: list[Any] = []
    if bands:
        rows = _rows(bands, ("x", "y", "top"), log_x, log_y)
        layers.append(_of(rows).mark_area(opacity=0.22).encode(x=x, y=y, y2="top:Q", color=colour))
    if lines:
        rows = _rows(lines, ("x", "y"), log_x, log_y)
        dash = alt.Scale(domain=names, range=[list(DASHES[i % len(DASHES)]) for i in own])
        strokes = alt.StrokeDash("curve:N", sort=names, scale=dash, legend=legend)
        drawn = _of(rows).encode(x=x, y=y, color=colour)
        layers.append(drawn.mark_line(strokeWidth=2.25).encode(strokeDash=strokes))
        layers.append(drawn.mark_circle(size=90, opacity=0).encode(tooltip=tooltip))
    for i, name in zip(own, names, strict=True):
        if name in points:  # a layer each, so that the legend of the lines keeps its dashes
            rows = _rows({name: points[name]}, ("x", "y"), log_x, log_y)
            drawn = _of(rows).mark_point(size=64, filled=True, opacity=0.95, shape=SHAPES[i % len(SHAPES)])
            hue = alt.value(palette[name]) if lines else colour
            layers.append(drawn.encode(x=x, y=y, color=hue, tooltip=tooltip))
    layers += _marks(x_marks or {}, "x", x, theme) + _marks(y_marks or {}, "y", y, theme)
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    chart = alt.layer(*layers).properties(height=height, width="container", autosize=fit)
    titled = chart.properties(title=title) if title else chart
    done: alt.LayerChart = titled.configure(**altair_config(theme))
    return done


def _rows(
    series: Mapping[str, tuple[ArrayLike, ...]], fields: tuple[str, ...], log_x: bool, log_y: bool
) -> list[dict[str, Any]]:
    """One row a point; an x without a finite y stays, with a gap at it."""
    found: list[dict[str, Any]] = []
    for name, given in series.items():
        columns = [np.asarray(values, dtype=np.float64) for values in given]
        if any(column.ndim != 1 or column.shape != columns[0].shape for column in columns):
            shapes = " and ".join(str(column.shape) for column in columns)
            raise ValueError(f"{name}: expected arrays of one length, got {shapes}")
        for values in zip(*(column.tolist() for column in columns), strict=True):
            x, *ys = values
            if not np.isfinite(x) or (log_x and x <= 0):
                continue
            drawn = all(np.isfinite(y) and (y > 0 or not log_y) for y in ys)
            numbers = ys if drawn else [None] * len(ys)
            found.append({"curve": name, **dict(zip(fields, (x, *numbers), strict=True))})
    return found


def _marks(marks: Mapping[str, float], axis: str, encoded: alt.X | alt.Y, theme: Theme) -> list[Any]:
    """A thin line across the plot at each mark, and its name at the line's end; of several, the lowest has it below."""
    layers: list[Any] = []
    lowest = min(marks.values()) if axis == "y" and len(marks) > 1 else None
    for name, at in marks.items():
        one = _of([{"name": name, axis: float(at)}])
        layers.append(one.mark_rule(color=theme.muted, strokeWidth=1.25, strokeDash=[3, 3]).encode(**{axis: encoded}))
        below = axis == "x" or at == lowest
        words: dict[str, Any] = {"baseline": "top" if below else "bottom", "dy": 3 if below else -3}
        words |= {"align": "right", "dx": -4} if axis == "y" else {"align": "left", "dx": 5}
        across = {"x": alt.value("width")} if axis == "y" else {"y": alt.value(0)}
        named = one.mark_text(color=theme.muted, fontSize=12, **words)
        layers.append(named.encode(**{axis: encoded}, **across, text="name:N"))
    return layers


def _of(rows: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))
