"""A Plotly map of ours (`matrices`, `heads`) as a vector drawing, for files: from the figure, without a browser."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import plotly.graph_objects as go

from viz_model.figures.svg import STEPS, definitions, painted_cells, runs
from viz_model.figures.svg_parts import drawing, text_width
from viz_model.figures.theme import LIGHT, Theme

LABEL, WRITTEN, TITLE = 13, 11, 16  # font sizes in pixels
NARROWEST, WIDEST, CELL = 380, 900, 58  # pixels of the plot; of a cell at most
BESIDE = 120  # pixels of a figure's height that are not its plot
BAR = 190

Labels = Sequence[tuple[float, str]]  # where each stands, and what it says


def map_drawing(figure: go.Figure, *, theme: Theme = LIGHT) -> str:
    """The figure's map as SVG: cells, hatch, numbers, frames, labels of both axes, title and colour bar.

    `theme` is the one that the figure was made with. Raises ValueError for a figure that holds no map.
    """
    spec = figure.to_plotly_json()
    layout = spec["layout"]
    maps = [i for i, one in enumerate(spec["data"]) if one["type"] == "heatmap" and one.get("showscale", True)]
    if len(maps) != 1:
        raise ValueError(f"figure: expected one map with a colour bar, got {len(maps)}")
    trace, z = spec["data"][maps[0]], np.asarray(figure.data[maps[0]].z, dtype=np.float32)
    x, y = (sorted(layout[axis]["range"]) for axis in ("xaxis", "yaxis"))
    high = max(1.0, (layout["height"] - BESIDE) / (y[1] - y[0]))
    wide = min(max((x[1] - x[0]) * min(1.8 * high, CELL), NARROWEST), WIDEST) / (x[1] - x[0])
    size = (round(wide * (x[1] - x[0])), round(high * (y[1] - y[0])))
    rows, columns = _labels(layout["yaxis"], z.shape[0]), _labels(layout["xaxis"], z.shape[1])
    every = columns[1][0] - columns[0][0] if len(columns) > 1 else 1.0
    turned = max(text_width(said, LABEL) for _, said in columns) > wide * every - 4
    title = html.unescape((layout.get("title") or {}).get("text") or "")
    names = [layout[axis]["title"]["text"] for axis in ("yaxis", "xaxis")]
    said = f"down: {names[0]} · across: {names[1]}"
    left = 10 + round(max(text_width(said, LABEL) for _, said in rows))
    top = (TITLE + 18 if title else 0) + 26
    top += round(max(text_width(said, LABEL) for _, said in columns)) + 10 if turned else LABEL + 12
    across = max(left + max(size[0], BAR + 60), text_width(said, LABEL))
    total = (round(across) + 24, top + size[1] + 50)

    def at(across: float, down: float) -> tuple[float, float]:
        return (across - x[0]) * wide, (down - y[0]) * high

    ramp = tuple(colour for _, colour in trace["colorscale"])
    parts = [
        definitions(ramp, theme, across=True),
        f'<rect width="100%" height="100%" fill="{theme.background}"/>',
        f'<text x="0" y="{TITLE + 4}" font-size="{TITLE}" font-weight="600">{escape(title)}</text>' if title else "",
        f'<g transform="translate({left} {top})">',
        _cells(z, trace, ramp, at(-0.5, -0.5), (wide, high), hatched=bool(layout.get("images"))),
        "".join(_shape(one, at) for one in layout.get("shapes") or ()),
        _written(trace, at, wide),
        *(f'<text x="-8" y="{at(0, i)[1] + 4.5:.1f}" text-anchor="end">{escape(name)}</text>' for i, name in rows),
    ]
    for i, name in columns:
        middle = at(i, 0)[0]
        place = f'x="{middle:.1f}" y="-8" text-anchor="middle"'
        if turned:
            place = f'transform="translate({middle + 4.5:.1f} -8) rotate(-90)"'
        parts.append(f"<text {place}>{escape(name)}</text>")
    above = (TITLE + 18 if title else 0) + LABEL + 2 - top
    parts.append(f'<g fill="{theme.muted}"><text x="{-left}" y="{above}">{escape(said)}</text>')
    inside = "".join(parts) + _bar(trace, size[1] + 20, theme) + "</g></g>"
    return drawing(*total, inside, theme, size=LABEL)


def _labels(axis: Mapping[str, Any], n: int) -> Labels:
    """What is written along an axis: names of integers, every second, third ...; or of places of its own."""
    if "ticktext" in axis:
        return [(place, html.unescape(said)) for place, said in zip(axis["tickvals"], axis["ticktext"], strict=True)]
    every = max(1, int(axis.get("dtick", 1)))
    return [(i, html.unescape(axis["labelalias"][str(i)])) for i in range(0, n, every)]


def _cells(
    z: np.ndarray[Any, np.dtype[np.float32]],
    trace: Mapping[str, Any],
    ramp: tuple[str, ...],
    corner: tuple[float, float],
    cell: tuple[float, float],
    *,
    hatched: bool,
) -> str:
    shown = np.isfinite(z)
    low, high = trace["zmin"], trace["zmax"]
    level = np.rint(np.clip((np.where(shown, z, low) - low) / (high - low), 0, 1) * STEPS)
    parts = []
    if hatched:
        boxes = ((x * cell[0], y * cell[1], run * cell[0]) for y, x, run in runs(~shown))
        path = "".join(f"M{x:.2f} {y:.2f}h{run:.2f}v{cell[1]:.2f}h{-run:.2f}z" for x, y, run in boxes)
        parts.append(f'<path class="masked" fill="url(#hatch)" d="{path}"/>')
    scale = f'transform="scale({cell[0]:.4f} {cell[1]:.4f})" shape-rendering="crispEdges"'
    drawn = f"<g {scale}>{painted_cells(level, shown, ramp)}</g>"
    return f'<g transform="translate({corner[0]:.2f} {corner[1]:.2f})">{"".join(parts)}{drawn}</g>'


def _shape(shape: Mapping[str, Any], at: Any) -> str:
    (x0, y0), (x1, y1) = at(shape["x0"], shape["y0"]), at(shape["x1"], shape["y1"])
    line = shape.get("line", {})
    stroke = f'stroke="{line.get("color", "none")}" stroke-width="{line.get("width", 1)}"'
    if shape["type"] == "line":
        return f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" {stroke}/>'
    box = f'x="{x0:.1f}" y="{y0:.1f}" width="{x1 - x0:.1f}" height="{y1 - y0:.1f}"'
    return f'<rect {box} fill="{shape.get("fillcolor", "none")}" {stroke}/>'


def _written(trace: Mapping[str, Any], at: Any, wide: float) -> str:
    """What stands in the cells, where there is room for it."""
    inked = [
        (at(j, i), re.fullmatch(r'<span style="color:(#\w+)">(.*)</span>', cell))
        for i, row in enumerate(trace.get("text") or ())
        for j, cell in enumerate(row)
    ]
    cells = [(place, found[1], html.unescape(found[2])) for place, found in inked if found]
    if not cells or max(text_width(said, WRITTEN) for _, _, said in cells) > wide - 2:
        return ""
    texts = [f'<text x="{x:.1f}" y="{y + 4:.1f}" fill="{ink}">{escape(said)}</text>' for (x, y), ink, said in cells]
    return f'<g font-size="{WRITTEN}" text-anchor="middle">{"".join(texts)}</g>'


def _bar(trace: Mapping[str, Any], y: int, theme: Theme) -> str:
    bar, low, high = trace["colorbar"], trace["zmin"], trace["zmax"]
    name = (bar.get("title") or {}).get("text") or ""
    ticks = "".join(
        f'<text x="{BAR * (value - low) / (high - low):.1f}" y="{y + 26}" text-anchor="middle">{escape(said)}</text>'
        for value, said in zip(bar["tickvals"], bar["ticktext"], strict=True)
    )
    beside = f'<text x="{BAR + 14}" y="{y + 10}">{escape(name)}</text>'
    frame = f'<rect y="{y}" width="{BAR}" height="10" fill="url(#bar)" stroke="{theme.line}"/>'
    return f'{frame}<g font-size="12" fill="{theme.muted}">{ticks}{beside}</g>'
