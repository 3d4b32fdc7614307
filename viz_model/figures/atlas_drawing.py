"""The atlas of heads (`atlas_grid`) as a vector drawing, for files."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from viz_model.figures.atlas_picture import UNNAMED, Head
from viz_model.figures.svg_parts import drawing, text_width
from viz_model.figures.theme import LIGHT, Theme, format_number

WIDE, HIGH, LEFT, TOP, BAR = 176, 96, 64, 26, 110
SMALL = 12


def atlas_drawing(heads: Sequence[Head], *, selected: tuple[int, int] | None = None, theme: Theme = LIGHT) -> str:
    """Layers down the side, heads along the top; in each cell the role, its score as a bar and chance as a line.

    A head without a role has the kind of key that it reads most. `selected` (layer, head) is framed.
    """
    layers = sorted({one.layer for one in heads})
    n_heads = max((one.head for one in heads), default=-1) + 1
    parts = [f'<g fill="{theme.muted}">']
    parts += [f'<text x="{LEFT + WIDE * i + 10}" y="16">head {i}</text>' for i in range(n_heads)]
    parts += [f'<text x="0" y="{TOP + HIGH * i + 24}">layer {layer}</text>' for i, layer in enumerate(layers)]
    parts.append("</g>")
    for one in heads:
        x, y = LEFT + WIDE * one.head, TOP + HIGH * layers.index(one.layer)
        chosen = (one.layer, one.head) == selected
        colour, thick = (theme.accent, 2.5) if chosen else (theme.line, 1)
        parts.append(
            f'<rect x="{x + 1}" y="{y + 1}" width="{WIDE - 4}" height="{HIGH - 4}" fill="none" stroke="{colour}" '
            f'stroke-width="{thick}"/>'
        )
        most = one.roles[0] if one.role in UNNAMED and one.roles else one
        parts.append(f'<text x="{x + 10}" y="{y + 24}" font-weight="600">{escape(one.role)}</text>')
        if most is not one:
            quiet = f'font-size="{SMALL}" fill="{theme.muted}"'
            parts.append(f'<text x="{x + 10}" y="{y + 40}" {quiet}>most: {escape(_cut(most.role))}</text>')
        filled, chance = (BAR * min(max(share, 0.0), 1.0) for share in (most.score, most.chance))
        box = f'x="{x + 10}" y="{y + 50}" height="10"'
        parts.append(f'<rect {box} width="{BAR}" fill="{theme.surface}" stroke="{theme.line}"/>')
        parts.append(f'<rect class="score" {box} width="{filled:.2f}" fill="{theme.series[0]}"/>')
        parts.append(f'<path d="M{x + 10 + chance:.2f} {y + 47}v16" stroke="{theme.text}" stroke-width="2"/>')
        said = f"{format_number(most.score)} (chance {format_number(most.chance)})"
        parts.append(f'<text x="{x + 10}" y="{y + 80}" font-size="{SMALL}">{said}</text>')
    width, height = LEFT + WIDE * n_heads, TOP + HIGH * len(layers) + 4
    return drawing(width, height, "".join(parts), theme)


def _cut(role: str) -> str:
    return role if text_width(role, SMALL) < WIDE - 50 else f"{role[:18]}…"
