"""Parts of our own SVG pictures: the drawing itself, how wide a text is, the legend of weights, the frame in a page."""

from __future__ import annotations

import base64
import html
import unicodedata
from xml.sax.saxutils import escape

from viz_model.figures.html_table import either
from viz_model.figures.theme import FONT, Theme

SMALL = 12


def attribute() -> str:
    """The font as the value of an attribute."""
    return escape(FONT, {'"': "&quot;"})


def drawing(width: int, height: int, inside: str, theme: Theme, *, size: int = 13) -> str:
    """SVG elements as a whole drawing, pixel for pixel; `size` is that of texts which say no other."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="{attribute()}" font-size="{size}" fill="{theme.text}">{inside}</svg>'
    )


def text_width(text: str, size: int) -> float:
    """About how wide a text is: no font is at hand to measure it with."""
    units = sum(
        0.0 if unicodedata.combining(c) else 1.0 if unicodedata.east_asian_width(c) in "WF" else 0.56 for c in text
    )
    return units * size


def ramp_definition(theme: Theme) -> str:
    """The violet ramp of weights as the gradient `ramp`."""
    stops = "".join(
        f'<stop offset="{i / (len(theme.attention) - 1):.3f}" stop-color="{colour}"/>'
        for i, colour in enumerate(theme.attention)
    )
    return f'<defs><linearGradient id="ramp">{stops}</linearGradient></defs>'


def weight_legend(x: int, y: int, theme: Theme) -> str:
    """Which end of a line is which, and the violet ramp from 0 to 1; `y` is the line that the words stand on."""
    return (
        f'{ramp_definition(theme)}<g font-size="{SMALL}" fill="{theme.muted}">'
        f'<circle cx="4" cy="{y - 4}" r="3.5" fill="{theme.query}"/><text x="12" y="{y}">writes</text>'
        f'<path d="M{x - 5} {y - 1}h10l-5 -8z" fill="{theme.key}"/><text x="{x + 10}" y="{y}">is read</text>'
        f'<text x="{x + 64}" y="{y}">weight 0</text><rect x="{x + 120}" y="{y - 9}" width="90" height="9" '
        f'fill="url(#ramp)" stroke="{theme.line}"/><text x="{x + 216}" y="{y}">1</text></g>'
    )


def framed_image(svg: str, *, said: str, label: str, name: str) -> str:
    """An SVG as HTML for a page: an image that scrolls in its own frame, described in words for screen readers.

    An image, since pages sanitise SVG elements away; so it takes the theme and does not follow the page by itself.
    `name` is the frame's class.
    """
    source = "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
    focus = f"<style>.{name}:focus-visible{{outline:2px solid {either('accent')}}}</style>"
    return (
        f'{focus}<div class="{name}" tabindex="0" role="region" aria-label="{html.escape(label)}" '
        f'style="overflow-x:auto;max-width:100%"><img alt="{html.escape(said)}" src="{source}" '
        f'style="max-width:none;display:block"></div>'
    )
