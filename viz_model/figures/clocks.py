"""Pairs of sinusoids as clocks: in HTML, dials that wrap with the page, numbers as text below them; and as SVG."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from viz_model.figures.html_table import STYLE, either, stop
from viz_model.figures.svg_parts import drawing
from viz_model.figures.theme import LIGHT, Theme, format_number

RADIUS = 56  # pixels of a dial of the drawing


def clocks(
    angles: ArrayLike,
    wavelengths: ArrayLike,
    *,
    pairs: Sequence[int] | None = None,
    trail: ArrayLike | None = None,
    caption: str,
) -> str:
    """One dial a pair: the tip of its hand lies at (sine, cosine), so that 0 points up and it turns clockwise.

    angles: [pair] radians; wavelengths: [pair] positions a turn; pairs: their numbers, 0, 1, 2 ... if not
    given; trail: [earlier position, pair] radians, dots where the tip has been. Light and dark follow the page. Raises
    ValueError for arrays that do not fit each other.
    """
    dials = [_dial(*one) for one in _checked(angles, wavelengths, pairs, trail)]
    return (
        f"<style>{STYLE}{_OWN}</style>"
        f'<div class="glass-table glass-clocks"><p class="caption">{html.escape(caption)}</p>'
        f"<ol>{''.join(dials)}</ol></div>"
    )


def clocks_drawing(
    angles: ArrayLike,
    wavelengths: ArrayLike,
    *,
    pairs: Sequence[int] | None = None,
    trail: ArrayLike | None = None,
    theme: Theme = LIGHT,
) -> str:
    """The same dials as SVG, three in a row, for a file."""
    dials = _checked(angles, wavelengths, pairs, trail)
    parts = ['<g text-anchor="middle">']
    for place, (number, angle, wavelength, past) in enumerate(dials):
        x, y = 75 + 200 * (place % 3), 66 + 190 * (place // 3)
        parts.append(f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="none" stroke="{theme.line}" stroke-width="1.5"/>')
        parts.append(f'<path d="M{x} {y - RADIUS - 5}v10" stroke="{theme.muted}" stroke-width="2"/>')
        for before in past:
            dot = f'cx="{x + RADIUS * math.sin(before):.2f}" cy="{y - RADIUS * math.cos(before):.2f}"'
            parts.append(f'<circle {dot} r="3" fill="{theme.series[1]}" opacity="0.5"/>')
        tip = (x + RADIUS * math.sin(angle), y - RADIUS * math.cos(angle))
        parts.append(f'<path d="M{x} {y}L{tip[0]:.2f} {tip[1]:.2f}" stroke="{theme.text}" stroke-width="2"/>')
        parts.append(f'<circle class="tip" cx="{tip[0]:.2f}" cy="{tip[1]:.2f}" r="6" fill="{theme.series[1]}"/>')
        said = f"sin {format_number(math.sin(angle))}, cos {format_number(math.cos(angle))}"
        for i, line in enumerate((f"pair {number}", f"a turn in {format_number(wavelength)}", said)):
            look = 'font-weight="600"' if i == 0 else f'fill="{theme.muted}"'
            parts.append(f'<text x="{x}" y="{y + RADIUS + 22 + 17 * i}" {look}>{line}</text>')
    width, height = 200 * min(len(dials), 3), 190 * -(-len(dials) // 3) or 20
    return drawing(width, height, "".join([*parts, "</g>"]), theme)


def _checked(
    angles: ArrayLike, wavelengths: ArrayLike, pairs: Sequence[int] | None, trail: ArrayLike | None
) -> list[tuple[int, float, float, list[float]]]:
    """Number, angle, wavelength and earlier angles of each pair."""
    angle, turn = np.asarray(angles, dtype=np.float64), np.asarray(wavelengths, dtype=np.float64)
    numbers = list(range(angle.size)) if pairs is None else list(pairs)
    if angle.ndim != 1 or turn.shape != angle.shape or len(numbers) != angle.size:
        raise ValueError(
            f"clocks: expected an angle, a wavelength and a number for each pair, got {angle.shape}, {turn.shape} "
            f"and {len(numbers)}"
        )
    past = np.empty((0, angle.size)) if trail is None else np.asarray(trail, dtype=np.float64)
    if past.ndim != 2 or past.shape[1] != angle.size:
        raise ValueError(f"trail: expected [earlier position, {angle.size}] angles, got shape {past.shape}")
    return list(zip(numbers, angle.tolist(), turn.tolist(), past.T.tolist(), strict=True))


def _dial(number: int, angle: float, wavelength: float, past: Sequence[float]) -> str:
    sine, cosine = math.sin(angle), math.cos(angle)
    turned = "".join(f'<span class="past" style="transform:rotate({a:.4f}rad)"></span>' for a in past)
    hand = f'<span class="hand" style="transform:rotate({angle:.4f}rad)"></span>'
    words = f"pair {number}: sine {format_number(sine)}, cosine {format_number(cosine)}"
    parts = (("sin", sine), ("cos", cosine))
    values = ", ".join(f'<span title="{np.float64(x)!s}">{name} {format_number(x)}</span>' for name, x in parts)
    return (
        f'<li><span class="dial" role="img" aria-label="{words}">{turned}{hand}</span>'
        f'<span class="name">pair {number}</span>'
        f'<span class="turn" title="{np.float64(wavelength)!s}">a turn in {format_number(wavelength)}</span>'
        f'<span class="turn">{values}</span></li>'
    )


# Boxes turned by CSS: Streamlit takes SVG out of a page's HTML.
_OWN = (
    f".glass-clocks .caption{{margin:0 0 .5rem;color:{either('muted')};font-size:.875rem;max-width:none}}"
    ".glass-clocks ol{list-style:none;margin:0;padding:0;display:grid;gap:1rem .75rem;"
    "grid-template-columns:repeat(auto-fill,minmax(8rem,1fr))}"
    f".glass-clocks li{{margin:0;padding:0;text-align:center;font-size:.8125rem;color:{either('text')};"
    "font-variant-numeric:tabular-nums}"
    ".glass-clocks .dial{display:block;position:relative;box-sizing:border-box;width:100%;max-width:7rem;"
    f"aspect-ratio:1;margin:.4rem auto .6rem;border:1.5px solid {either('line')};border-radius:50%}}"
    ".glass-clocks .dial::before{content:'';position:absolute;left:calc(50% - 1px);top:-.3rem;width:2px;height:.6rem;"
    f"background:{either('muted')}}}"
    ".glass-clocks .dial span{position:absolute;left:50%;bottom:50%;height:50%;width:0;transform-origin:50% 100%}"
    f".glass-clocks .dial .hand{{width:2px;margin-left:-1px;background:{either('text')}}}"
    ".glass-clocks .dial span::after{content:'';position:absolute;left:50%;top:0;border-radius:50%;"
    f"transform:translate(-50%,-50%);background:{stop('series', 1)}}}"
    ".glass-clocks .hand::after{width:.8rem;height:.8rem}"
    ".glass-clocks .past::after{width:.35rem;height:.35rem;opacity:.5}"
    ".glass-clocks .name{display:block;font-weight:600}"
    f".glass-clocks .turn{{display:block;color:{either('muted')}}}"
)
