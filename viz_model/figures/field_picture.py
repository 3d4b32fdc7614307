"""A stack of convolutions from the side: which vectors the last output is computed from, and which tokens move it."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from viz_model.figures.html_table import either
from viz_model.figures.theme import FONT, LIGHT, Theme, format_number, sample

Node = tuple[int, int]  # (layer, position), 0 the tokens
LEFT, TOP, STRIP, LEGEND = 92, 26, 22, 316
NARROWEST = 620  # pixels on the page, below which the picture scrolls


def field_picture(
    n: int,
    n_layers: int,
    cone: Mapping[Node, Sequence[Node]],
    influence: Sequence[float],
    *,
    theme: Theme = LIGHT,
) -> str:
    """SVG: layers upwards, positions across; below, how far each token moves the last output, hatched where exactly 0.

    cone: the vectors that the last output is computed from, each with those that it reads. influence: [position].
    """
    if len(influence) != n:
        raise ValueError(f"influence: expected a number for each of {n} positions, got {len(influence)}")
    cell = 30 if n <= 40 else 14
    row = 58 if n_layers <= 3 else 48
    bottom = TOP + row * n_layers
    width, height = LEFT + cell * n + 14, bottom + 20 + STRIP + 44

    def place(node: Node) -> tuple[float, float]:
        return LEFT + cell * (node[1] + 0.5), bottom - row * node[0]

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="{escape(FONT, {chr(34): "&quot;"})}" font-size="13" fill="{theme.text}">',
        f"<title>{escape(description(n, n_layers, cone, influence))}</title>",
        '<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<rect width="5" height="5" fill="{theme.masked}"/><path d="M0 0V5" stroke="{theme.masked_line}"/></pattern>'
        "</defs>",
        f'<rect width="100%" height="100%" fill="{theme.background}"/>',
        f'<g stroke="{theme.series[0]}" stroke-opacity=".5" stroke-width="1.25">',
    ]
    for node, reads in cone.items():
        x, y = place(node)
        for read in reads:
            a, b = place(read)
            parts.append(f'<path d="M{x:g} {y:g}L{a:g} {b:g}"/>')
    parts.append("</g>")
    size = 6 if cell >= 30 else 3.5
    for layer in range(n_layers + 1):
        name = "tokens" if layer == 0 else f"layer {layer - 1}"
        parts.append(f'<text x="{LEFT - 12}" y="{bottom - row * layer + 5}" text-anchor="end">{name}</text>')
        for at in range(n):
            x, y = place((layer, at))
            fill = theme.series[0] if (layer, at) in cone else theme.background
            edge = theme.series[0] if (layer, at) in cone else theme.masked_line
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{size}" fill="{fill}" stroke="{edge}"/>')
    top = bottom + 20
    largest = max(influence)
    parts.append(f'<text x="{LEFT - 12}" y="{top + 16}" text-anchor="end">moves it</text>')
    for at, value in enumerate(influence):
        fill = "url(#hatch)" if value == 0 else sample(theme.magnitude, _shade(value, largest))
        parts.append(
            f'<rect x="{LEFT + cell * at + 1}" y="{top}" width="{cell - 2}" height="{STRIP}" rx="2" fill="{fill}" '
            f'stroke="{theme.line}"><title>{_said(n, at, value)}</title></rect>'
        )
    parts.append(_legend(width - 14 - LEGEND, top + STRIP + 12, largest, theme))
    return "".join(parts) + "</svg>"


def field_html(
    n: int,
    n_layers: int,
    cone: Mapping[Node, Sequence[Node]],
    influence: Sequence[float],
    *,
    theme: Theme = LIGHT,
) -> str:
    """The same for a page: an image that scrolls in its own frame, described in words for screen readers."""
    svg = field_picture(n, n_layers, cone, influence, theme=theme)
    natural = int(svg.split('width="', 1)[1].split('"', 1)[0])
    source = "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
    focus = f"<style>.glass-field:focus-visible{{outline:2px solid {either('accent')}}}</style>"
    return (
        f'{focus}<div class="glass-field" tabindex="0" role="region" aria-label="Receptive field" '
        f'style="overflow-x:auto;max-width:100%;direction:rtl"><img alt="'
        f'{html.escape(description(n, n_layers, cone, influence))}" src="{source}" '
        f'style="width:100%;max-width:{natural}px;min-width:{NARROWEST}px;display:block;direction:ltr;margin-right:auto">'
        "</div>"
    )


def description(n: int, n_layers: int, cone: Mapping[Node, Sequence[Node]], influence: Sequence[float]) -> str:
    """The picture in one sentence."""
    wired = sum(layer == 0 for layer, _ in cone)
    moving = sum(value != 0 for value in influence)
    return (
        f"{n_layers} convolutional layers over {n} tokens. The last output is computed from {wired} tokens; "
        f"changing any of {moving} moves it, changing any other does nothing."
    )


def _shade(value: float, largest: float) -> float:
    """0.2 to 1: a token that moves the output at all is seen."""
    return 0.2 + 0.8 * value / largest


def _said(n: int, at: int, value: float) -> str:
    back = n - 1 - at
    return f"{back} back: {format_number(value) if value else 'nothing moves'}"


def _legend(x: float, y: float, largest: float, theme: Theme) -> str:
    steps = "".join(
        f'<rect x="{x + 18 * i}" y="{y}" width="18" height="12" fill="{sample(theme.magnitude, 0.2 + 0.8 * i / 3)}"/>'
        for i in range(4)
    )
    quiet = f'fill="{theme.muted}" font-size="12"'
    return (
        f'{steps}<text x="{x + 78}" y="{y + 11}" {quiet}>0 to {format_number(largest)}</text>'
        f'<rect x="{x + 138}" y="{y}" width="18" height="12" fill="url(#hatch)" stroke="{theme.line}"/>'
        f'<text x="{x + 162}" y="{y + 11}" {quiet}>nothing at all (exactly 0)</text>'
    )
