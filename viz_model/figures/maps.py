"""The parts of every Plotly map: labels, colours, hatch, cell text, axes, frame. `matrices` and `heads` use it."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from viz_model.figures.templates import plotly_template
from viz_model.figures.theme import Theme, format_number, readable_on, sample, visible_token

LABEL_LIMIT = 18  # characters of a token beside the picture
MOST_TICKS = 24  # labels along the top; with more, every second, third ... is left out (hovering shows each)
LINE = 15  # pixels that a label needs down the side
MOST_WRITTEN = (24, 7)  # rows and columns up to which cells carry their text
CELL = ((8, 46), (12, 40), (24, 28), (40, 16))  # (up to this many rows, pixels a row)

Floats = NDArray[np.float32]


def plotly_label(token: str, limit: int | None = LABEL_LIMIT) -> str:
    """A token as Plotly text that shows literally: its HTML and its TeX are switched off."""
    return html.escape(visible_token(token, limit), quote=False).replace("$", "&#36;")


def hatch_image(shape: tuple[int, ...], theme: Theme) -> dict[str, Any]:
    """A layout image behind all cells: diagonal lines of fixed pitch, whatever the size of the picture."""
    svg = (
        "<svg xmlns='http://www.w3.org/2000/svg'><defs><pattern id='h' width='7' height='7' "
        "patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
        f"<rect width='7' height='7' fill='{theme.masked}'/><path d='M0 0V7' stroke='{theme.masked_line}' "
        "stroke-width='1.6'/></pattern></defs><rect width='100%' height='100%' fill='url(#h)'/></svg>"
    )
    source = "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
    box = {"x": -0.5, "y": -0.5, "sizex": shape[1], "sizey": shape[0], "xref": "x", "yref": "y"}
    return {"source": source, **box, "sizing": "stretch", "layer": "below"}


def colour_scale(ramp: Sequence[str]) -> list[list[float | str]]:
    """Evenly spaced stops as a Plotly colour scale."""
    return [[i / (len(ramp) - 1), colour] for i, colour in enumerate(ramp)]


def matrix(values: ArrayLike, rows: Sequence[str], columns: Sequence[str], name: str) -> Floats:
    """Values as float32 [row, column]; ValueError unless there is one label for each row and column."""
    array = np.asarray(values, dtype=np.float32)
    if array.shape != (len(rows), len(columns)):
        raise ValueError(f"{name}: expected [{len(rows)}, {len(columns)}] as labelled, got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name}: expected at least one row and one column, got shape {array.shape}")
    return array


def allowed_cells(mask: ArrayLike | None, n_queries: int, n_keys: int) -> NDArray[np.bool_]:
    """A mask as bool [query, key], all True without one."""
    if mask is None:
        return np.ones((n_queries, n_keys), dtype=np.bool_)
    array = np.asarray(mask)
    if array.dtype != np.bool_:
        raise ValueError(f"mask: expected bool, True = may attend, got {array.dtype}")
    if array.shape not in {(n_queries, n_keys), (1, n_keys)}:
        raise ValueError(f"mask: expected [{n_queries}, {n_keys}], got shape {array.shape}")
    return np.broadcast_to(array, (n_queries, n_keys))


def map_trace(
    z: Floats, ramp: Sequence[str], limits: tuple[float, float], axes: tuple[str, str], value: str
) -> dict[str, Any]:
    """The heatmap: colours, colour bar, and a hover text with both labels, both positions and the full value."""
    # Isolates keep a Hebrew or Arabic token from pulling the position number to its other side.
    places = ((axes[0], "y", 0), (axes[1], "x", 1))
    lines = [f"{name}   <b>\u2068%{{{letter}}}\u2069</b>  at %{{pointNumber[{i}]}}" for name, letter, i in places]
    template = "<br>".join([*lines, f"{value}   <b>%{{z:.7~g}}</b><extra></extra>"])
    scale = {"zmin": limits[0], "zmax": limits[1], "colorscale": colour_scale(ramp), "showscale": True}
    return {"type": "heatmap", "z": z, **scale, "hovertemplate": template, "hoverongaps": False}


def cell_text(text: list[list[str]], share: Floats, ramp: tuple[str, ...]) -> dict[str, Any]:
    """Trace options that write `text` into cells coloured by `share` (0..1 of the ramp), where there is room.

    The ink is the readable one (Plotly's own choice falls below 4.5:1); the size is fixed, since the automatic one
    counts the markup.
    """
    if len(text) > MOST_WRITTEN[0] or len(text[0]) > MOST_WRITTEN[1]:
        return {}
    ink = [readable_on(sample(ramp, step / 64)) for step in range(65)]
    steps = np.rint(np.clip(share, 0, 1) * 64).astype(int).tolist()
    inked = [
        [f'<span style="color:{ink[step]}">{word}</span>' if word else "" for word, step in zip(*row, strict=True)]
        for row in zip(text, steps, strict=True)
    ]
    return {"text": inked, "texttemplate": "%{text}", "textfont": {"size": 12}}


def cell_values(
    z: Floats, shown: NDArray[np.bool_], limits: tuple[float, float], ramp: tuple[str, ...]
) -> dict[str, Any]:
    """Trace options that write the numbers into the cells that are `shown`, where there is room."""
    if z.shape[0] > MOST_WRITTEN[0] or z.shape[1] > MOST_WRITTEN[1]:
        return {}
    pairs = zip(z.tolist(), shown.tolist(), strict=True)
    text = [[format_number(x) if show else "" for x, show in zip(*row, strict=True)] for row in pairs]
    share = (np.where(shown, z, limits[0]) - limits[0]) / (limits[1] - limits[0])
    return cell_text(text, share.astype(np.float32), ramp)


def unit_bar(name: str) -> dict[str, Any]:
    """The colour bar of a 0..1 scale."""
    return {"title": {"text": name}, "tickvals": [0, 0.5, 1], "ticktext": ["0", "0.5", "1"]}


def framed(
    traces: list[dict[str, Any]],
    labels: tuple[Sequence[str], Sequence[str]],
    names: tuple[str, str],
    title: str,
    theme: Theme,
    hatched: bool = False,
) -> go.Figure:
    """Traces on integer axes with tick text (rows down, columns along the top), cell lines, size and title."""
    rows, columns = labels
    cell = next((pixels for most, pixels in CELL if len(rows) <= most), max(1, 640 // len(rows)))
    x = _axis(columns, names[1], max(1, -(-len(columns) // MOST_TICKS)))
    x |= {"side": "top", "range": [-0.5, len(columns) - 0.5]} | (
        {"tickfont": {"size": 11}} if len(columns) > 12 else {}
    )
    y = _axis(rows, names[0], -(-LINE // cell)) | {"range": [len(rows) - 0.5, -0.5]}
    layout: dict[str, Any] = {"xaxis": x, "yaxis": y}
    if max(len(rows), len(columns)) <= 24:
        layout["shapes"] = _cell_lines(len(rows), len(columns), theme)
    if hatched:
        layout["images"] = [hatch_image((len(rows), len(columns)), theme)]
    longest = max(len(visible_token(column, LABEL_LIMIT)) for column in columns)
    return finished(traces, layout, cell * len(rows) + 130 + (4 * longest if len(columns) > 6 else 0), title, theme)


def finished(
    traces: list[dict[str, Any]], layout: dict[str, Any], height: float, title: str, theme: Theme
) -> go.Figure:
    """The figure with template, height in pixels and title; the page decides the width.

    Built in one call: Plotly's `update_` methods check everything again each time, which is twenty times slower.
    """
    if title:
        layout["title"] = {"text": plotly_label(title, None), "automargin": True, "yref": "container", "y": 0.99}
    layout |= {"template": plotly_template(theme), "height": int(min(860, max(200, height))), "dragmode": False}
    return go.Figure(data=traces, layout=layout)


def _axis(labels: Sequence[str], name: str, step: int) -> dict[str, Any]:
    """With a label for every integer, hovering and zooming show the right text even where ticks are left out."""
    alias = {str(i): plotly_label(label) for i, label in enumerate(labels)}
    ticks = {"tickmode": "linear", "tick0": 0, "dtick": step, "tickformat": "d", "labelalias": alias}
    return {**ticks, "title": {"text": name}}


def _cell_lines(n_rows: int, n_columns: int, theme: Theme) -> list[dict[str, Any]]:
    """Hairlines between cells; gaps of the heatmap would let the hatch shine through."""
    line = {"type": "line", "line": {"color": theme.background, "width": 1}}
    across = [{**line, "x0": -0.5, "x1": n_columns - 0.5, "y0": i - 0.5, "y1": i - 0.5} for i in range(1, n_rows)]
    down = [{**line, "y0": -0.5, "y1": n_rows - 0.5, "x0": j - 0.5, "x1": j - 0.5} for j in range(1, n_columns)]
    return across + down
