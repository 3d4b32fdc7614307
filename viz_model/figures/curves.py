"""Curves and bars as Altair charts: training curves, attribution beside attention, predictions before and after.

Arrays and labels in, chart out. Bars stand on an integer axis whose label text is looked up, so that two equal tokens
stay two bars. The config travels inside the chart: nothing is registered globally, where sessions would share it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import ArrayLike

from viz_model.figures.templates import altair_config
from viz_model.figures.theme import LIGHT, Theme, format_number, visible_token

LABEL_LIMIT = 18
BAR = 22  # pixels for a bar and the gap below it


def curve(
    series: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    x_title: str,
    y_title: str,
    title: str = "",
    log_x: bool = False,
    log_y: bool = False,
    height: int = 260,
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """Named curves (x, y) over one pair of axes; titles carry the units. What is not finite leaves a gap.

    Curves differ in dashes as well as in colour. A logarithmic axis leaves out what is not positive.
    """
    rows: list[dict[str, Any]] = []
    for name, (x_values, y_values) in series.items():
        x, y = np.asarray(x_values, dtype=np.float64), np.asarray(y_values, dtype=np.float64)
        if x.ndim != 1 or x.shape != y.shape:
            raise ValueError(f"{name}: expected x and y of one length, got {x.shape} and {y.shape}")
        drawn = np.isfinite(x) & np.isfinite(y) & ((x > 0) | (not log_x)) & ((y > 0) | (not log_y))
        placed = np.flatnonzero(np.isfinite(x) & ((x > 0) | (not log_x))).tolist()
        rows += [{"curve": name, "x": float(x[i]), "y": float(y[i]) if drawn[i] else None} for i in placed]
    names = list(series)
    base = _chart(rows).encode(
        x=alt.X("x:Q", title=x_title, scale=alt.Scale(type="log" if log_x else "linear", nice=log_x), axis=_plain(8)),
        y=alt.Y("y:Q", title=y_title, scale=alt.Scale(type="log" if log_y else "linear", zero=False), axis=_grid()),
    )
    legend = _legend(names, symbolType="stroke", symbolSize=360)
    colour = alt.Color("curve:N", sort=names, legend=legend, scale=_scale(names, theme))
    dashes = alt.Scale(domain=names, range=[[1, 0], [7, 3], [2, 3], [9, 3, 2, 3], [4, 4]])
    lines = base.mark_line(strokeWidth=2.25, interpolate="linear").encode(
        color=colour, strokeDash=alt.StrokeDash("curve:N", sort=names, scale=dashes, legend=legend)
    )
    points = base.mark_circle(size=90, opacity=0).encode(
        color=colour,
        tooltip=[
            alt.Tooltip("curve:N", title="curve"),
            alt.Tooltip("x:Q", title=x_title),
            alt.Tooltip("y:Q", title=y_title),
        ],
    )
    return _finished(alt.layer(lines, points), title, height, theme)


def bars(
    labels: Sequence[str],
    values: ArrayLike,
    *,
    value_title: str,
    label_title: str = "",
    title: str = "",
    domain: tuple[float, float] | None = None,
    colour: str | None = None,
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """One bar a label, in the order given, with its number beside it. `domain` fixes the value axis."""
    groups, colours = {value_title: values}, [colour or theme.series[3]]
    return _grouped(labels, groups, colours, value_title, label_title, title, theme, domain)


def prediction_bars(
    tokens: Sequence[str],
    probabilities: ArrayLike,
    before: ArrayLike | None = None,
    *,
    title: str = "Next word",
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """Probabilities (0..1) of candidate tokens, in the order given; `before`: before an edit."""
    groups: dict[str, ArrayLike] = {"probability": probabilities}
    colours = [theme.series[3]]
    if before is not None:
        groups, colours = {"before": before, "after": probabilities}, [theme.magnitude[2], theme.series[3]]
    values = np.concatenate([np.ravel(np.asarray(v, dtype=np.float64)) for v in groups.values()])
    top = min(1.0, float(np.nanmax(values, initial=0.0)) * 1.15) or 1.0
    return _grouped(tokens, groups, colours, "probability", "token", title, theme, (0.0, top))


def attribution_bars(
    tokens: Sequence[str],
    methods: Mapping[str, ArrayLike],
    *,
    title: str = "What mattered, by each measure",
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """Scores of every token by several measures ('attention', 'ablation', 'gradient', ...) side by side.

    The measures have different units, so a bar is the share of its measure's largest magnitude (-1..1);
    the number beside it and the tooltip are the measure's own value. Attention keeps its violet.
    """
    others = iter(theme.series[1:] * len(methods))
    colours = [theme.series[0] if name == "attention" else next(others) for name in methods]
    axis = "share of the measure's largest value"
    return _grouped(tokens, methods, colours, axis, "token", title, theme, None, relative=True)


def _grouped(
    labels: Sequence[str],
    groups: Mapping[str, ArrayLike],
    colours: Sequence[str],
    value_title: str,
    label_title: str,
    title: str,
    theme: Theme,
    domain: tuple[float, float] | None,
    relative: bool = False,
) -> alt.LayerChart:
    rows: list[dict[str, Any]] = []
    for name, values in groups.items():
        array = np.asarray(values, dtype=np.float64)
        if array.shape != (len(labels),):
            raise ValueError(f"{name}: expected one value for each of {len(labels)} labels, got shape {array.shape}")
        largest = float(np.abs(array[np.isfinite(array)]).max(initial=0.0)) if relative else 1.0
        for i, value in enumerate(array.tolist()):
            finite = bool(np.isfinite(value))
            shown = {"value": value if finite else None, "text": format_number(value)}
            bar = value / (largest or 1.0) if finite else 0.0
            rows.append({"index": i, "token": visible_token(labels[i]), "measure": name, "bar": bar, **shown})
    names = list(groups)
    low, high = domain or _around([row["bar"] for row in rows])
    # Vega-Lite would sort by text: the axis holds integers and an expression looks the words up.
    words = json.dumps([visible_token(label, LABEL_LIMIT) for label in labels])
    y = alt.Y("index:O", title=label_title or None, sort=None).axis(
        labelExpr=f"{words}[datum.value]", labelLimit=160, ticks=False, domain=False, labelOverlap=False
    )
    base = _chart(rows).encode(y=y)
    if len(names) > 1:
        base = base.encode(yOffset=alt.YOffset("measure:N", sort=names))
    tooltip = [alt.Tooltip("token:N"), alt.Tooltip("measure:N"), alt.Tooltip("value:Q", format=".7~g")]
    x = alt.X("bar:Q", title=value_title, scale=alt.Scale(domain=[low, high], nice=False), axis=_plain(5))
    colour = alt.Color("measure:N", sort=names, scale=alt.Scale(domain=names, range=list(colours)))
    colour = colour.legend(_legend(names))
    drawn = base.mark_bar(cornerRadiusEnd=2).encode(x=x, color=colour, tooltip=tooltip)
    beyond = base.mark_text(align="left", dx=5).encode(x=x, text="text:N").transform_filter("datum.bar >= 0")
    before = base.mark_text(align="right", dx=-5).encode(x=x, text="text:N").transform_filter("datum.bar < 0")
    height = max(1, len(labels)) * (BAR if len(names) == 1 else 17 * len(names) + 10)
    return _finished(alt.layer(drawn, beyond, before), title, height, theme)


def _chart(rows: list[dict[str, Any]]) -> alt.Chart:
    """Rows go in as they are: through a data frame, tokens such as '1984' could change their type."""
    return alt.Chart(alt.InlineData(values=rows))


def _around(values: Sequence[float]) -> tuple[float, float]:
    """The range of the bars, 0 within it, with room for the numbers at both ends."""
    low, high = min([0.0, *values]), max([0.0, *values])
    room = (high - low or 1.0) * 0.22
    return (low - room if low < 0 else 0.0, high + room if high > 0 or low == 0 else 0.0)


def _scale(names: Sequence[str], theme: Theme) -> alt.Scale:
    return alt.Scale(domain=list(names), range=list(theme.series))


def _legend(names: Sequence[str], **options: Any) -> alt.Legend | None:
    """Above the plot, in rows that a narrow page still holds; a single name needs none."""
    return alt.Legend(columns=3 if len(names) <= 3 else 2, **options) if len(names) > 1 else None


def _plain(ticks: int) -> alt.Axis:
    return alt.Axis(grid=False, tickCount=ticks, labelFlush=True)


def _grid() -> alt.Axis:
    return alt.Axis(tickCount=5, domain=False, ticks=False)


def _finished(chart: Any, title: str, height: int, theme: Theme) -> alt.LayerChart:
    # The height is that of the plot: a title or a legend comes on top instead of squeezing the bars.
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    sized = chart.properties(height=height, width="container", autosize=fit)
    titled = sized.properties(title=title) if title else sized
    done: alt.LayerChart = titled.configure(**altair_config(theme))
    return done
