"""The pictures of 'why scale': what grows with d_k, what the scale keeps still, and two softmaxes of one row."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import ArrayLike, NDArray

from viz_model.figures.marked_curves import marked_curve
from viz_model.figures.templates import altair_config
from viz_model.figures.theme import LIGHT, Theme, format_number, visible_token

PLAIN, SCALED = "dots q·k", "scores q·k / √d_k"  # the two names and their colours, in every picture
WIDTH_TITLE = "d_k (components of a query)"


def variance_curve(
    d_k: ArrayLike,
    dots_variance: ArrayLike,
    scores_variance: ArrayLike,
    *,
    chosen: int | None = None,
    title: str = "",
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """Variance of dots and of scores by d_k, on logarithmic axes: points are samples, lines the theory, d_k and 1.

    `chosen`: a width to be marked, here as in the curves below.
    """
    widths = np.asarray(d_k, dtype=np.float64)
    theory = {PLAIN: (widths, widths), SCALED: (widths, np.ones_like(widths))}
    largest = float(np.nanmax(np.asarray(dots_variance, dtype=np.float64), initial=1.0))
    limits, heading = {"log_y": True, "y_domain": (0.5, 2 * largest)}, title or "Variance of q·k"
    return _by_width(widths, dots_variance, scores_variance, "variance", theory, heading, theme, chosen, **limits)


def entropy_curve(
    d_k: ArrayLike,
    dots_entropy: ArrayLike,
    scores_entropy: ArrayLike,
    *,
    n_keys: int,
    dots_theory: ArrayLike | None = None,
    scores_theory: ArrayLike | None = None,
    chosen: int | None = None,
    title: str = "",
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """Mean entropy of the softmax over n_keys by d_k: points are samples, lines the theory where it is given."""
    theory = _theory(d_k, dots_theory, scores_theory)
    marks = {f"even over {n_keys} keys: {format_number(math.log(n_keys))}": math.log(n_keys)}
    heading = title or "Entropy of the softmax"
    top = (0.0, math.log(n_keys) * 1.12 or 1.0)
    return _by_width(
        d_k, dots_entropy, scores_entropy, "entropy (nats)", theory, heading, theme, chosen, y_marks=marks, y_domain=top
    )


def gradient_curve(
    d_k: ArrayLike,
    dots_gradient: ArrayLike,
    scores_gradient: ArrayLike,
    *,
    dots_theory: ArrayLike | None = None,
    scores_theory: ArrayLike | None = None,
    chosen: int | None = None,
    title: str = "",
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """Mean size of the softmax's gradient, Σ w (1 - w), by d_k: points are samples, lines the theory where given."""
    theory = _theory(d_k, dots_theory, scores_theory)
    heading = title or "Size of the softmax's gradient"
    axis = "Σ w(1 − w), the Jacobian's nuclear norm"
    return _by_width(d_k, dots_gradient, scores_gradient, axis, theory, heading, theme, chosen, y_domain=(0.0, 1.05))


def score_distribution(dots: ArrayLike, *, d_k: int, title: str = "", theme: Theme = LIGHT) -> alt.LayerChart:
    """The density of sampled dots [sample] and of dots / √d_k: points, and normals of variance d_k and 1: lines."""
    values = np.asarray(dots, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or d_k < 1:
        raise ValueError(f"dots: expected [sample] and d_k of at least 1, got shape {values.shape} and d_k {d_k}")
    sigma = math.sqrt(d_k)
    lines, points = {}, {}
    for name, sample, spread in ((PLAIN, values, sigma), (SCALED, values / sigma, 1.0)):
        edges = np.linspace(-4 * spread, 4 * spread, 34)
        counts, _ = np.histogram(sample, edges)
        points[name] = ((edges[1:] + edges[:-1]) / 2, counts / (sample.size * (edges[1] - edges[0])))
        at = np.linspace(-4 * spread, 4 * spread, 161)
        lines[name] = (at, np.exp(-((at / spread) ** 2) / 2) / (spread * math.sqrt(2 * math.pi)))
    return marked_curve(
        lines,
        points=points,
        colours=_colours(theme),
        x_title="q·k",
        y_title="density",
        title=title or f"Distribution of q·k at d_k {d_k}",
        theme=theme,
    )


def softmax_bars(
    keys: tuple[str, ...] | list[str],
    dots_weights: ArrayLike,
    scores_weights: ArrayLike,
    *,
    title: str = "Weights of one query",
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """Both softmaxes of one row side by side: two bars a key, in the order given, always on 0..1."""
    rows: list[dict[str, Any]] = []
    for name, given in ((PLAIN, dots_weights), (SCALED, scores_weights)):
        weights = np.asarray(given, dtype=np.float64)
        if weights.shape != (len(keys),):
            raise ValueError(f"{name}: expected one weight for each of {len(keys)} keys, got shape {weights.shape}")
        for i, weight in enumerate(weights.tolist()):
            rows.append({"index": i, "key": visible_token(keys[i]), "curve": name, "weight": weight})
    names = [PLAIN, SCALED]
    words = "[" + ", ".join(_quoted(visible_token(key, 12)) for key in keys) + "]"
    axis = alt.Axis(labelExpr=f"{words}[datum.value]", labelAngle=0, ticks=False, grid=False, labelOverlap=True)
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=alt.X("index:O", title="key (is read)", sort=None, axis=axis),
            xOffset=alt.XOffset("curve:N", sort=names),
            y=alt.Y("weight:Q", title="weight", scale=alt.Scale(domain=[0, 1]), axis=_quiet()),
            color=alt.Color(
                "curve:N",
                sort=names,
                scale=alt.Scale(domain=names, range=[_colours(theme)[name] for name in names]),
                legend=alt.Legend(columns=2),
            ),
            tooltip=[
                alt.Tooltip("key:N"),
                alt.Tooltip("curve:N", title="softmax of"),
                alt.Tooltip("weight:Q", format=".7~g"),
            ],
        )
    )
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    chart = alt.layer(bars).properties(height=280, width="container", autosize=fit, title=title)
    done: alt.LayerChart = chart.configure(**altair_config(theme))
    return done


def training_curve(
    plain: tuple[ArrayLike, ArrayLike],
    scaled: tuple[ArrayLike, ArrayLike],
    *,
    names: tuple[str, str],
    y_title: str,
    title: str,
    y_domain: tuple[float, float] | None = None,
    theme: Theme = LIGHT,
) -> alt.LayerChart:
    """A number (step, value) of two trainings by step: one without the scale, one with it, under these names."""
    colours = dict(zip(names, _colours(theme).values(), strict=True))
    return marked_curve(
        dict(zip(names, (plain, scaled), strict=True)),
        colours=colours,
        x_title="step",
        y_title=y_title,
        y_domain=y_domain,
        title=title,
        theme=theme,
    )


def _by_width(
    d_k: ArrayLike,
    plain: ArrayLike,
    scaled: ArrayLike,
    y_title: str,
    theory: dict[str, tuple[NDArray[np.float64], Any]],
    title: str,
    theme: Theme,
    chosen: int | None,
    **options: Any,
) -> alt.LayerChart:
    widths = np.asarray(d_k, dtype=np.float64)
    marks = {} if chosen is None else {"": float(chosen)}  # the axis names it
    return marked_curve(
        theory,
        points={PLAIN: (widths, plain), SCALED: (widths, scaled)},
        colours=_colours(theme),
        x_title=WIDTH_TITLE,
        y_title=y_title,
        x_values=widths[:: 2 if widths.size > 6 else 1].tolist(),  # the last one would find no room among all
        title=title,
        log_x=True,
        x_marks=marks,
        theme=theme,
        **options,
    )


def _theory(
    d_k: ArrayLike, plain: ArrayLike | None, scaled: ArrayLike | None
) -> dict[str, tuple[NDArray[np.float64], Any]]:
    widths = np.asarray(d_k, dtype=np.float64)
    return {name: (widths, given) for name, given in ((PLAIN, plain), (SCALED, scaled)) if given is not None}


def _colours(theme: Theme) -> dict[str, str]:
    return {PLAIN: theme.series[2], SCALED: theme.series[1]}


def _quiet() -> alt.Axis:
    return alt.Axis(tickCount=5, domain=False, ticks=False)


def _quoted(word: str) -> str:
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
