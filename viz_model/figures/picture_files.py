"""A picture as a file: SVG or PNG on white, its title above and its caption below, whatever drew it.

Charts of Altair are drawn by vl-convert, which carries Vega and needs neither a browser nor a network; maps of Plotly
by `map_drawing`; our own SVG is taken as it is. PNG is painted from the SVG, so that both say the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

import vl_convert

from viz_model.figures.svg_parts import attribute, text_width
from viz_model.figures.theme import LIGHT, visible_token

MARGIN, TITLE, CAPTION, LINE = 20, 17, 13, 19  # pixels: around, font sizes, from line to line
NARROWEST = 420
CHART = 640  # pixels of a chart that is as wide as its page
SHARPNESS = 2  # pixels of a PNG for each of the drawing


def svg_file(picture: Any, *, title: str = "", caption: str = "") -> str:
    """The picture (an Altair chart, a Vega-Lite specification, a Plotly map or SVG text, in the light theme) as SVG.

    `title` heads a picture that has none of its own. `caption` (model, text, edits) is what a screen reader is told
    too. Both are literal.
    """
    drawing, titled = _drawing(picture)
    head = re.match(r"<svg [^>]*?width=\"([\d.]+)\" height=\"([\d.]+)\"", drawing)
    if head is None:
        raise ValueError(f"picture: expected an SVG with width and height, got {drawing[:60]!r}")
    width = max(float(head[1]), NARROWEST)
    said = "" if titled else title
    titles, captions = (_lines(text, size, width) for text, size in ((said, TITLE), (caption, CAPTION)))
    top = MARGIN + (LINE + 4) * len(titles) + (8 if titles else 0)
    below = top + float(head[2]) + 14
    total = (round(width + 2 * MARGIN), round(below + LINE * len(captions) + MARGIN - 8))
    told = escape(" ".join((*titles, *captions)))
    above = _written(titles, TITLE, MARGIN + TITLE, LINE + 4, f'fill="{LIGHT.text}" font-weight="600"')
    under = _written(captions, CAPTION, below + CAPTION, LINE, f'fill="{LIGHT.muted}"')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total[0]}" height="{total[1]}" '
        f'viewBox="0 0 {total[0]} {total[1]}" role="img" font-family="{attribute()}"><desc>{told}</desc>'
        f'<rect width="100%" height="100%" fill="{LIGHT.background}"/>{above}'
        f'<svg x="{MARGIN}" y="{top}"{drawing[4:]}{under}</svg>'
    )


def png_file(svg: str) -> bytes:
    """The drawing as PNG, sharp on a screen of twice as many pixels."""
    return bytes(vl_convert.svg_to_png(svg, scale=SHARPNESS))


def _drawing(picture: Any) -> tuple[str, bool]:
    """The picture as SVG text, and whether it has a title of its own."""
    if isinstance(picture, str):
        return picture, False
    if hasattr(picture, "to_plotly_json"):
        from viz_model.figures.map_drawing import map_drawing  # a chart needs no Plotly

        return map_drawing(picture), bool(picture.layout.title.text)
    spec = dict(picture if isinstance(picture, Mapping) else picture.to_dict())
    if spec.get("width") == "container":  # there is no page around it
        spec["width"] = CHART
    titled = spec.get("title")
    return str(vl_convert.vegalite_to_svg(spec)), bool(titled.get("text") if isinstance(titled, Mapping) else titled)


def _written(lines: list[str], size: int, y: float, step: int, look: str) -> str:
    return "".join(
        f'<text x="{MARGIN}" y="{y + step * i:g}" font-size="{size}" {look}>{escape(line)}</text>'
        for i, line in enumerate(lines)
    )


def _lines(text: str, size: int, width: float) -> list[str]:
    """A text in lines that are no wider than the picture; a word that is wider is cut."""
    most = max(8, int(width / text_width("n", size)))
    lines: list[str] = []
    for word in visible_token(text).split() if text else ():
        pieces = [word[i : i + most] for i in range(0, len(word), most)]
        for piece in pieces:
            if lines and text_width(f"{lines[-1]} {piece}", size) <= width:
                lines[-1] += f" {piece}"
            else:
                lines.append(piece)
    return lines
