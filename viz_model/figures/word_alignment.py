"""Two sentences, and lines from each written word to those that a head read for it: our own SVG.

A dot in the query's blue stands on the word that is written, a point in the key's orange at a word that is read. A thin
dashed line is the known alignment (true whatever the head does); the head's weight thickens and colours a line, on the
violet ramp from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import ArrayLike

from viz_model.figures.svg_parts import attribute, text_width, weight_legend
from viz_model.figures.theme import LIGHT, Theme, format_number, sample, visible_token

WORD, SMALL, GAP, SIDE = 20, 13, 28, 66
TOP, BETWEEN, FOOT = 34, 156, 70
LEAST = 0.05  # weights below it are left out of the picture (the table has them)


def word_alignment(
    source: Sequence[str],
    written: Sequence[str],
    weights: ArrayLike,
    known: Sequence[Collection[int]] = (),
    *,
    shown: int | None = None,
    at: int | None = None,
    names: tuple[str, str] = ("English", "French"),
    theme: Theme = LIGHT,
) -> str:
    """The picture as SVG text. weights: [written, source], 0..1, what one head read when each word was written.

    known: for each written word the places that it translates, () where unknown. shown: how many written words are
    there yet, None for all; at: the one that the talk is of.
    """
    array = np.asarray(weights, dtype=np.float32)
    if array.shape != (len(written), len(source)):
        raise ValueError(f"weights: expected [{len(written)}, {len(source)}] as labelled, got {list(array.shape)}")
    if known and len(known) > len(written):
        raise ValueError(f"known: expected at most {len(written)} words, got {len(known)}")
    n = len(written) if shown is None else min(shown, len(written))
    above, below = ([visible_token(word, 24) for word in words] for words in (source, written))
    (x_above, wide_above), (x_below, wide_below) = _places(above), _places(below)
    content = max(wide_above, wide_below)
    x_above = [x + (content - wide_above) / 2 for x in x_above]
    x_below = [x + (content - wide_below) / 2 for x in x_below]
    width, height = max(round(content + 16), 370), TOP + BETWEEN + FOOT
    begin, end = TOP + 10, TOP + BETWEEN - 20
    said = alignment_in_words(source, written[:n], array[:n])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-labelledby="t d" font-family="{attribute()}" fill="{theme.text}">',
        f'<title id="t">What one head reads as each word is written</title><desc id="d">{escape(said)}</desc>',
        f'<rect width="100%" height="100%" fill="{theme.background}"/>',
        f'<g font-size="{SMALL}" fill="{theme.muted}"><text x="0" y="{TOP}">{names[0]}</text>'
        f'<text x="0" y="{TOP + BETWEEN + 6}">{names[1]}</text></g>',
    ]
    strong = sorted((float(array[i, j]), i, j) for i in range(n) for j in range(len(source)) if array[i, j] >= LEAST)
    for weight, i, j in strong:  # the strong ones lie on top
        path = _path(x_below[i], end, x_above[j], begin)
        parts.append(
            f'<path class="weight" d="{path}" fill="none" stroke="{sample(theme.attention, min(weight, 1.0))}" '
            f'stroke-width="{1 + 6 * weight:.3g}"><title>{escape(below[i])} reads {escape(above[j])}: '
            f"{format_number(weight)}</title></path>"
        )
    for i, places in enumerate(known[:n]):
        for j in sorted(places):
            path = _path(x_below[i], end, x_above[j], begin)
            # Dashes of two colours: seen on paper and on a strong violet line alike.
            parts.append(f'<path class="known" d="{path}" fill="none" stroke="{theme.background}" stroke-width="2.5"/>')
            parts.append(
                f'<path d="{path}" fill="none" stroke="{theme.text}" stroke-width="1" stroke-dasharray="3 3"/>'
            )
    read = {j for _, _, j in strong}
    for j, word in enumerate(above):
        parts.append(_word(word, x_above[j], TOP, theme, strong=at is not None and at < n and array[at, j] >= 0.5))
        if j in read:
            parts.append(f'<path d="M{x_above[j] - 5:.1f} {begin + 8}h10l-5 -8z" fill="{theme.key}"/>')
    for i, word in enumerate(below[:n]):
        parts.append(_word(word, x_below[i], TOP + BETWEEN + 6, theme, strong=i == at))
        parts.append(f'<circle cx="{x_below[i]:.1f}" cy="{end}" r="3.5" fill="{theme.query}"/>')
    key = f'<path d="M0 {height - 14}h24" stroke="{theme.text}" stroke-dasharray="3 3"/>' if known else ""
    label = "known alignment" if known else "alignment not known"
    parts.append(
        weight_legend(SIDE, height - 10, theme) + f'<g transform="translate(0 -22)">{key}'
        f'<text x="{30 if known else 0}" y="{height - 10}" font-size="{SMALL}" fill="{theme.muted}">{label}</text></g>'
    )
    return "".join(parts) + "</svg>"


def alignment_in_words(source: Sequence[str], written: Sequence[str], weights: ArrayLike) -> str:
    """What is read most for each word: 'chat reads cat: 0.98.'"""
    array = np.asarray(weights, dtype=np.float32)
    if not len(written):
        return "Nothing is written yet."
    return " ".join(
        f"{visible_token(word)} reads {visible_token(source[int(row.argmax())])}: {format_number(row.max())}."
        for word, row in zip(written, array, strict=True)
    )


def _places(words: Sequence[str]) -> tuple[list[float], float]:
    """The middle of each word, and where the row ends."""
    at, x = float(SIDE), []
    for word in words:
        wide = max(text_width(word, WORD), 14)
        x.append(at + wide / 2)
        at += wide + GAP
    return x, at - GAP


def _path(x0: float, y0: float, x1: float, y1: float) -> str:
    middle = (y0 + y1) / 2
    return f"M{x0:.1f} {y0}C{x0:.1f} {middle:g} {x1:.1f} {middle:g} {x1:.1f} {y1}"


def _word(word: str, x: float, y: float, theme: Theme, *, strong: bool) -> str:
    weight = ' font-weight="700"' if strong else ""
    return f'<text x="{x:.1f}" y="{y}" font-size="{WORD}" text-anchor="middle"{weight}>{escape(word)}</text>'
