"""All heads at once as one Plotly figure: layers down the side, heads along the top, one small map each.

One heatmap holds every tile (a subplot a head costs the browser a second at 12 x 12), and an invisible marker on each
tile names it, states its strongest link and carries (layer, head) for selection.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from viz_model.figures.maps import colour_scale, finished, hatch_image, plotly_label, unit_bar
from viz_model.figures.theme import LIGHT, Theme, format_number

TILE = 48  # cells a tile may have on a side before it is pooled

Floats = NDArray[np.float32]


def head_grid(
    weights: ArrayLike,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    mask: ArrayLike | None = None,
    selected: tuple[int, int] | None = None,
    title: str = "",
    theme: Theme = LIGHT,
) -> go.Figure:
    """Weights [layer, head, query, key] (or [head, query, key]) as a grid of maps, violet, 0..1 for every head.

    `mask` [query, key] is bool, True = may attend. `selected` (layer, head) is framed in the accent colour. Tiles of
    more than 48 cells a side show the maximum of each block, so that one sharp link does not vanish.
    """
    array = np.asarray(weights, dtype=np.float32)
    array = array[None] if array.ndim == 3 else array
    if array.ndim != 4 or array.size == 0 or array.shape[2:] != (len(queries), len(keys)):
        raise ValueError(f"weights: expected [layer, head, {len(queries)}, {len(keys)}], got shape {array.shape}")
    if mask is not None:
        allowed = np.broadcast_to(np.asarray(mask, dtype=np.bool_), array.shape[2:])
        array = np.where(allowed, array, np.float32("nan"))
    tiles = _pooled(array)
    n_layers, n_heads, height, width = tiles.shape
    canvas = np.full((n_layers, height + 1, n_heads, width + 1), np.nan, dtype=np.float32)
    canvas[:, :-1, :, :-1] = tiles.transpose(0, 2, 1, 3)
    canvas = canvas.reshape(n_layers * (height + 1), n_heads * (width + 1))[:-1, :-1]
    scale = {"zmin": 0, "zmax": 1, "colorscale": colour_scale(theme.attention), "colorbar": unit_bar("weight")}
    maps = {"type": "heatmap", "z": canvas, "hoverinfo": "skip", **scale}
    centres_y = [layer * (height + 1) + (height - 1) / 2 for layer in range(n_layers)]
    centres_x = [head * (width + 1) + (width - 1) / 2 for head in range(n_heads)]
    marks = {
        "type": "scatter",
        "x": centres_x * n_layers,
        "y": np.repeat(centres_y, n_heads).tolist(),
        "mode": "markers",
        "marker": {"opacity": 0, "symbol": "square", "size": 30},
        "text": _strongest(array, queries, keys),
        "customdata": [[layer, head] for layer in range(n_layers) for head in range(n_heads)],
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
    }
    x: dict[str, Any] = {"tickvals": centres_x, "ticktext": [str(head) for head in range(n_heads)], "side": "top"}
    y: dict[str, Any] = {"tickvals": centres_y, "ticktext": [str(layer) for layer in range(n_layers)]}
    x |= {"title": {"text": "head  (in each map: key along the top)"}, "range": [-1, canvas.shape[1]]}
    y |= {"title": {"text": "layer  (query down the side)"}, "range": [canvas.shape[0], -1]}
    shapes = _gaps(tiles.shape, theme) + _frame(selected, tiles.shape, theme)
    layout: dict[str, Any] = {"xaxis": x, "yaxis": y, "shapes": shapes}
    if mask is not None:
        layout["images"] = [hatch_image(canvas.shape, theme)]
    return finished([maps, marks], layout, 84 * n_layers + 120, title, theme)


def _pooled(weights: Floats) -> Floats:
    """[layer, head, query, key] with both last sizes at most TILE: the maximum of each block."""
    for axis in (2, 3):
        block = -(-weights.shape[axis] // TILE)
        if block > 1:
            starts = np.arange(0, weights.shape[axis], block)
            # fmax, not max: a block counts as masked only where all of it is.
            weights = np.fmax.reduceat(weights, starts, axis=axis)
    return weights


def _strongest(weights: Floats, queries: Sequence[str], keys: Sequence[str]) -> list[str]:
    filled = np.nan_to_num(weights, nan=-1.0).reshape(weights.shape[0], weights.shape[1], -1)
    texts = []
    for layer, head in np.ndindex(*filled.shape[:2]):
        query, key = divmod(int(filled[layer, head].argmax()), len(keys))
        reads = f"\u2068{plotly_label(queries[query])}\u2069 reads \u2068{plotly_label(keys[key])}\u2069"
        value = format_number(float(filled[layer, head].max()))
        texts.append(f"<b>layer {layer}, head {head}</b><br>strongest: {reads}, {value}")
    return texts


def _gaps(shape: tuple[int, ...], theme: Theme) -> list[dict[str, Any]]:
    """Strips of background between the tiles: the hatch lies behind everything that is not a weight."""
    n_layers, n_heads, height, width = shape
    strip: dict[str, Any] = {"type": "rect", "fillcolor": theme.background, "line": {"width": 0}}
    right, bottom = n_heads * (width + 1) - 1.5, n_layers * (height + 1) - 1.5
    columns = [h * (width + 1) - 1.5 for h in range(1, n_heads)]
    rows = [layer * (height + 1) - 1.5 for layer in range(1, n_layers)]
    strips = [{**strip, "x0": x, "x1": x + 1, "y0": -0.5, "y1": bottom} for x in columns]
    return strips + [{**strip, "x0": -0.5, "x1": right, "y0": y, "y1": y + 1} for y in rows]


def _frame(selected: tuple[int, int] | None, shape: tuple[int, ...], theme: Theme) -> list[dict[str, Any]]:
    n_layers, n_heads, height, width = shape
    frames = []
    for layer in range(n_layers):
        for head in range(n_heads):
            chosen = (layer, head) == selected
            y, x = layer * (height + 1) - 0.5, head * (width + 1) - 0.5
            line = {"color": theme.accent if chosen else theme.line, "width": 3 if chosen else 1}
            frames.append({"type": "rect", "x0": x, "x1": x + width, "y0": y, "y1": y + height, "line": line})
    return sorted(frames, key=lambda frame: frame["line"]["width"])
