"""The curves of 'why not RNNs or CNNs': learning, gradient by distance, costs by length, what a probe finds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import ArrayLike

from viz_model.figures.depth_curves import powers_of_ten
from viz_model.figures.marked_curves import DASHES, marked_curve
from viz_model.figures.templates import altair_config
from viz_model.figures.theme import LIGHT, Theme, format_number

Series = Mapping[str, tuple[ArrayLike, ArrayLike]]
BODIES = ("attention", "LSTM", "CNN", "RNN")  # each has its colour in every picture
ROOM = 1.5  # powers of ten between the smallest gradient and the row of those that are exactly 0


def body_colours(names: Mapping[str, Any], theme: Theme) -> dict[str, str]:
    """A name begins with its body: 'LSTM, forget bias 3' has the LSTM's colour."""
    return {
        name: theme.series[next((i for i, body in enumerate(BODIES) if name.startswith(body)), 4)] for name in names
    }


def accuracy_curves(
    curves: Series,
    *,
    levels: Mapping[str, float],
    y_title: str,
    x_title: str = "training step",
    x_domain: tuple[float, float] | None = None,
    legend_columns: int = 2,
    title: str = "",
    height: int = 320,
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """Shares of right answers (x, 0 to 1) by the name of the body; `levels` are named lines across."""
    return marked_curve(
        curves,
        x_title=x_title,
        x_domain=x_domain,
        y_title=y_title,
        y_marks={f"{name} {format_number(at)}": at for name, at in levels.items()},
        y_domain=(0.0, 1.04),
        colours=body_colours(curves, theme),
        legend_columns=legend_columns,
        title=title,
        height=height,
        theme=theme,
    )


def gradient_curves(
    curves: Series, *, far: int | None = None, title: str = "", height: int = 340, theme: Theme = LIGHT
) -> alt.LayerChart:
    """Gradients (distance, size) by the name of the body, on powers of ten; those that are exactly 0 stand as crosses
    in a row of their own, 'none'. `far`: a distance with a line at it.
    """
    rows: list[dict[str, Any]] = []
    for name, (x_values, y_values) in curves.items():
        at, size = np.asarray(x_values, dtype=np.float64), np.asarray(y_values, dtype=np.float64)
        if at.ndim != 1 or at.shape != size.shape:
            raise ValueError(f"{name}: expected x and y of one length, got {at.shape} and {size.shape}")
        rows += [{"curve": name, "x": a, "y": b} for a, b in zip(at.tolist(), size.tolist(), strict=True)]
    some = [row for row in rows if row["y"] > 0]
    low, ticks, high = powers_of_ten([row["y"] for row in some])
    none = [{**row, "at": low / 10 ** (ROOM * 2 / 3)} for row in rows if row["y"] == 0]
    floor = low / 10**ROOM if none else low
    marks = [low / 10 ** (ROOM * 2 / 3), *ticks] if none else ticks
    said = f"datum.value < {low * 0.99!r} ? 'none' : format(datum.value, datum.value < 0.001 ? '~e' : '~g')"
    names = list(curves)
    hues = body_colours(curves, theme)
    x = alt.X(
        "x:Q", title="distance (tokens back)", scale=alt.Scale(nice=False), axis=alt.Axis(grid=False, tickCount=8)
    )
    axis = alt.Axis(values=marks, labelExpr=said, domain=False, ticks=False)
    scale = alt.Scale(type="log", domain=[floor, high], nice=False)
    y = alt.Y("y:Q", title="size of the gradient", scale=scale, axis=axis)
    legend = alt.Legend(columns=2, symbolType="stroke", symbolSize=360)
    colour = alt.Color(
        "curve:N", sort=names, legend=legend, scale=alt.Scale(domain=names, range=[hues[name] for name in names])
    )
    dash = alt.Scale(domain=names, range=[list(DASHES[i % len(DASHES)]) for i in range(len(names))])
    tips = [alt.Tooltip("curve:N", title="body"), alt.Tooltip("x:Q", title="distance")]
    value = alt.Tooltip("y:Q", title="gradient", format=".3~g")
    drawn = _chart(some).encode(x=x, y=y, color=colour)
    layers: list[Any] = [
        drawn.mark_line(strokeWidth=2.25).encode(
            strokeDash=alt.StrokeDash("curve:N", sort=names, scale=dash, legend=legend)
        ),
        drawn.mark_circle(size=90, opacity=0).encode(tooltip=[*tips, value]),
    ]
    if none:
        crosses = _chart(none).mark_point(shape="cross", size=34, filled=True, opacity=1)
        exact = alt.Tooltip("y:Q", title="gradient, exactly")
        layers.append(
            crosses.encode(x=x, y=alt.Y("at:Q", scale=scale, axis=axis), color=colour, tooltip=[*tips, exact])
        )
    if far is not None:
        rule = _chart([{"x": far}]).mark_rule(color=theme.muted, strokeWidth=1.25, strokeDash=[3, 3])
        layers.append(rule.encode(x=x))
    return _finished(alt.layer(*layers), title, height, theme)


def length_curves(
    curves: Series, *, y_title: str, length: int | None = None, title: str = "", height: int = 260, theme: Theme = LIGHT
) -> alt.LayerChart:
    """What bodies take (positions, amount) by the number of positions, both axes logarithmic; a mark at `length`."""
    found = [
        y for _, ys in curves.values() for y in np.asarray(ys, dtype=np.float64).tolist() if math.isfinite(y) and y > 0
    ]
    lengths = sorted({float(x) for xs, _ in curves.values() for x in np.asarray(xs, dtype=np.float64).tolist()})
    low, high = (min(found), max(found)) if found else (1.0, 1.0)
    return marked_curve(
        curves,
        points=curves,
        x_title="n (positions)",
        y_title=y_title,
        x_marks={f"n = {length}": float(length)} if length is not None else None,
        x_values=lengths,
        y_domain=(low / 1.6, high * 1.6) if low * 10 > high else (10 ** math.floor(math.log10(low)), high * 1.6),
        colours=body_colours(curves, theme),
        legend_columns=2,
        title=title,
        log_x=True,
        log_y=True,
        height=height,
        theme=theme,
    )


def _chart(rows: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))


def _finished(chart: Any, title: str, height: int, theme: Theme) -> alt.LayerChart:
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    sized = chart.properties(height=height, width="container", autosize=fit)
    done: alt.LayerChart = (sized.properties(title=title) if title else sized).configure(**altair_config(theme))
    return done
