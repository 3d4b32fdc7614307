"""A matrix as a vector picture of our own: no browser, no plotting library, labels and description inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viz_model.figures.svg_parts import attribute
from viz_model.figures.theme import LIGHT, Theme, format_number, readable_on, sample, visible_token

STEPS = 254  # distinct colours of a map, about as many as a screen can show of one ramp; 0 has the middle one
MOST_LABELS = 64  # labels on a side; beyond it every second, third ... is written
MOST_VALUES = 150  # cells that carry their number
CELL_CHOICES = ((16, 40), (40, 22), (64, 16), (128, 8), (256, 4))  # (up to this many cells a side, pixels a cell)


def svg_of_matrix(
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    kind: Literal["attention", "signed"] = "attention",
    mask: ArrayLike | None = None,
    caption: str = "",
    *,
    axes: tuple[str, str] = ("query", "key"),
    theme: Theme = LIGHT,
) -> str:
    """A matrix [row, column] as a self-contained vector picture with labels, hatched masked cells and its colour bar.

    'attention' is violet over 0..1, 'signed' symmetric about 0. `mask` is bool, True = may attend. `caption` (model,
    seed, layer, head, text) is drawn below and is the description that a screen reader speaks.
    """
    if kind not in ("attention", "signed"):
        raise ValueError(f"kind: expected 'attention' or 'signed', got {kind!r}")
    array = labelled_matrix(values, rows, columns)
    shown = np.isfinite(array)
    if mask is not None:
        shown &= np.broadcast_to(np.asarray(mask, dtype=np.bool_), array.shape)
    bound = 1.0 if kind == "attention" else float(np.abs(array[shown]).max(initial=0.0)) or 1.0
    ramp, low = (theme.attention, 0.0) if kind == "attention" else (theme.signed, -bound)
    n_rows, n_columns = array.shape
    cell = next((size for most, size in CELL_CHOICES if max(array.shape) <= most), 2)
    left, top = 24 + _room(rows), 44 + _room(columns)
    width, height = cell * n_columns, cell * n_rows
    lines = _wrapped(caption, max(30, (left + width + 70) // 7))
    total = (left + max(width, 120) + 86, top + max(height, 96) + 24 + 18 * len(lines))
    level = np.rint(np.clip((array - low) / (bound - low), 0, 1) * STEPS)
    title = f"{axes[0]} down the side, {axes[1]} along the top, {n_rows} by {n_columns}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total[0]}" height="{total[1]}" '
        f'viewBox="0 0 {total[0]} {total[1]}" role="img" aria-labelledby="t d" font-family="{attribute()}" '
        f'font-size="13" fill="{theme.text}">',
        f'<title id="t">{_text(title)}</title><desc id="d">{_text(caption or title)}</desc>',
        definitions(ramp, theme),
        f'<rect width="100%" height="100%" fill="{theme.background}"/>',
        f'<g transform="translate({left} {top})"><g transform="scale({cell})" shape-rendering="crispEdges">',
        painted_cells(level, shown, ramp),
        "</g>",
    ]
    if not shown.all():
        path = "".join(f"M{x * cell} {y * cell}h{run * cell}v{cell}h-{run * cell}z" for y, x, run in runs(~shown))
        parts.append(f'<path class="masked" fill="url(#hatch)" d="{path}"/>')
    parts.append(f'<rect width="{width}" height="{height}" fill="none" stroke="{theme.line}"/>')
    if array.size <= MOST_VALUES and cell >= 40:
        parts.append(_numbers(array, shown, level, ramp, cell))
    parts.append(_names(rows, columns, cell, theme, axes, (left, top)))
    parts.append(_colour_bar(max(width, 120) + 24, low, bound, theme))
    for i, line in enumerate(lines):
        y = max(height, 96) + 26 + 18 * i
        parts.append(f'<text x="{12 - left}" y="{y}" fill="{theme.muted}">{_text(line)}</text>')
    return "".join(parts) + "</g></svg>"


def labelled_matrix(values: ArrayLike, rows: Sequence[str], columns: Sequence[str]) -> NDArray[np.float32]:
    """Values as float32 [row, column]; ValueError unless there is a label for each."""
    array = np.asarray(values, dtype=np.float32)
    if array.shape != (len(rows), len(columns)) or array.size == 0:
        raise ValueError(f"values: expected [{len(rows)}, {len(columns)}] as labelled, got shape {array.shape}")
    return array


def _text(text: str, limit: int | None = None) -> str:
    return escape(visible_token(text, limit))


def _room(labels: Sequence[str]) -> int:
    return min(150, 12 + 8 * max(len(visible_token(label, 18)) for label in labels))


def _wrapped(text: str, width: int) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + len(word) < width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def definitions(ramp: Sequence[str], theme: Theme, *, across: bool = False) -> str:
    """The colour bar's gradient `bar`, upwards or across, and the masked cells' pattern `hatch`."""
    stops = "".join(f'<stop offset="{i / (len(ramp) - 1):.4f}" stop-color="{c}"/>' for i, c in enumerate(ramp))
    end = 'x1="0" x2="1"' if across else 'x1="0" y1="1" x2="0" y2="0"'
    return (
        f'<defs><linearGradient id="bar" {end}>{stops}</linearGradient>'
        '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<rect width="6" height="6" fill="{theme.masked}"/>'
        f'<path d="M0 0V6" stroke="{theme.masked_line}" stroke-width="1.6"/></pattern></defs>'
    )


def runs(cells: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Horizontal runs of True as (row, first column, length)."""
    padded = np.pad(cells, ((0, 0), (1, 1))).astype(np.int8)
    changes = np.diff(padded, axis=1)
    starts, ends = np.argwhere(changes == 1), np.argwhere(changes == -1)
    return [(int(y), int(x), int(end - x)) for (y, x), (_, end) in zip(starts, ends, strict=True)]


def painted_cells(level: NDArray[np.float32], shown: NDArray[np.bool_], ramp: tuple[str, ...]) -> str:
    """One path a colour: a map of 512 x 512 stays a few megabytes."""
    parts = []
    for step in np.unique(level[shown]).tolist():
        path = "".join(f"M{x} {y}h{run}v1h-{run}z" for y, x, run in runs(shown & (level == step)))
        parts.append(f'<path fill="{sample(ramp, step / STEPS)}" d="{path}"/>')
    return "".join(parts)


def _numbers(
    array: NDArray[np.float32],
    shown: NDArray[np.bool_],
    level: NDArray[np.float32],
    ramp: tuple[str, ...],
    cell: int,
) -> str:
    parts = ['<g text-anchor="middle" font-size="11">']
    for y, x in np.argwhere(shown).tolist():
        colour = readable_on(sample(ramp, float(level[y, x]) / STEPS))
        at = f'x="{(x + 0.5) * cell:g}" y="{(y + 0.5) * cell + 4:g}"'
        parts.append(f'<text {at} fill="{colour}">{format_number(array[y, x])}</text>')
    return "".join(parts) + "</g>"


def _names(
    rows: Sequence[str], columns: Sequence[str], cell: int, theme: Theme, axes: tuple[str, str], corner: tuple[int, int]
) -> str:
    left, top = corner
    size = min(13, max(7, cell - 2))
    parts = [f'<g font-size="{size}" text-anchor="end">']
    parts += [
        f'<text x="-8" y="{(i + 0.5) * cell + size * 0.35:g}">{_text(rows[i], 18)}</text>'
        for i in range(0, len(rows), _every(len(rows), cell))
    ]
    parts.append(f'</g><g font-size="{size}">')
    flat = cell >= 40 and all(len(visible_token(column)) <= 5 for column in columns)
    for i in range(0, len(columns), _every(len(columns), cell)):
        middle = (i + 0.5) * cell
        place = f'x="{middle:g}" y="-8" text-anchor="middle"'
        if not flat:
            place = f'transform="translate({middle + size * 0.35:g} -8) rotate(-90)"'
        parts.append(f"<text {place}>{_text(columns[i], 18)}</text>")
    parts.append(f'</g><g fill="{theme.muted}" font-size="12">')
    parts.append(f'<text x="0" y="{20 - top}">{_text(axes[1])} \u2192</text>')
    side = f'transform="translate({16 - left} 0) rotate(-90)" text-anchor="end"'
    parts.append(f"<text {side}>\u2190 {_text(axes[0])}</text>")
    return "".join(parts) + "</g>"


def _every(count: int, cell: int) -> int:
    """Step between written labels: none overlaps (9 px a line) and at most MOST_LABELS are written."""
    return max(1, -(-9 // cell), -(-count // MOST_LABELS))


def _colour_bar(x: int, low: float, high: float, theme: Theme) -> str:
    ticks = ((4, high), (48, (low + high) / 2), (92, low))
    texts = "".join(f'<text x="{x + 18}" y="{y + 4}">{format_number(value)}</text>' for y, value in ticks)
    return (
        f'<rect x="{x}" y="0" width="10" height="96" fill="url(#bar)" stroke="{theme.line}"/>'
        f'<g font-size="12" fill="{theme.muted}">{texts}</g>'
    )
