"""The tree of a beam search as our own SVG: a column for each word, its candidates one below another.

A full line leads to a candidate that was kept, a dashed one to a pruned one, a thick one along the best hypothesis: the
way through can be followed without any colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from viz_model.figures.svg_parts import attribute, text_width
from viz_model.figures.theme import LIGHT, Theme, format_number, visible_token

WORD, SMALL = 15, 12
ROW, GAP, TOP, PAD = 40, 30, 40, 11


@dataclass(frozen=True, slots=True)
class Branch:
    """One candidate, in the order of the search."""

    token: str
    parent: int | None  # place among the branches
    depth: int
    probability: float  # of the token after its parents
    score: float
    kept: bool
    finished: bool
    best: bool  # on the way to the best hypothesis


def beam_picture(branches: Sequence[Branch], *, pruned: bool = True, theme: Theme = LIGHT) -> str:
    """The picture as SVG text; `pruned`: with the candidates that were not kept."""
    if not branches:
        raise ValueError("branches: expected at least one candidate, got none")
    columns: list[list[int]] = [[] for _ in range(max(one.depth for one in branches) + 1)]
    for i, one in enumerate(branches):
        if one.kept or pruned:
            columns[one.depth].append(i)
    row: dict[int, int] = {}
    for column in columns:
        # The best way along the top; the rest below their parents as far as their scores allow.
        column.sort(key=lambda i: (not branches[i].best, not branches[i].kept, -branches[i].score))
        row |= {i: at for at, i in enumerate(column)}
    wide = [max((_wide(branches[i]) for i in column), default=0.0) for column in columns]
    left = [20.0]
    for width in wide[:-1]:
        left.append(left[-1] + width + GAP)
    total = (round(left[-1] + wide[-1] + 16), TOP + ROW * max(map(len, columns)) + 34)
    total = (max(total[0], 420), total[1])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total[0]}" height="{total[1]}" '
        f'viewBox="0 0 {total[0]} {total[1]}" role="img" aria-labelledby="t d" font-family="{attribute()}" '
        f'fill="{theme.text}">',
        f'<title id="t">The tree of the beam search</title><desc id="d">{escape(beam_in_words(branches))}</desc>',
        f'<rect width="100%" height="100%" fill="{theme.background}"/>',
        f'<g font-size="{SMALL}" fill="{theme.muted}">',
        *(f'<text x="{left[d]:.1f}" y="16">word {d + 1}</text>' for d in range(len(columns))),
        "</g>",
    ]
    drawn = sorted(row, key=lambda i: (branches[i].best, branches[i].kept))  # the best way on top
    parts += [_line(branches, i, row, left, wide, theme) for i in drawn]
    parts += [_box(branches[i], left[branches[i].depth], row[i], theme) for i in drawn]
    y = total[1] - 10
    parts.append(
        f'<g font-size="{SMALL}" fill="{theme.muted}"><path d="M4 {y - 4}h26" stroke="{theme.text}" stroke-width="3"/>'
        f'<text x="36" y="{y}">best</text><path d="M76 {y - 4}h26" stroke="{theme.muted}" stroke-width="1.5"/>'
        f'<text x="108" y="{y}">kept</text><path d="M150 {y - 4}h26" stroke="{theme.muted}" stroke-dasharray="3 3"/>'
        f'<text x="182" y="{y}">pruned</text><text x="238" y="{y}">below each word: score</text></g>'
    )
    return "".join(parts) + "</svg>"


def beam_in_words(branches: Sequence[Branch]) -> str:
    """The best hypothesis and how many candidates were compared."""
    best = " ".join(visible_token(one.token) for one in branches if one.best)
    kept = sum(one.kept for one in branches)
    score = next((one.score for one in reversed(branches) if one.best), float("nan"))
    return f"{len(branches)} candidates compared, {kept} kept. Best: {best}, score {format_number(score)}."


def _wide(one: Branch) -> float:
    return max(text_width(visible_token(one.token, 18), WORD), text_width(format_number(one.score), SMALL)) + 2 * PAD


def _middle(row: int) -> float:
    return TOP + ROW * row + ROW / 2 - 8


def _line(
    branches: Sequence[Branch],
    i: int,
    row: dict[int, int],
    left: Sequence[float],
    wide: Sequence[float],
    theme: Theme,
) -> str:
    one = branches[i]
    x1, y1 = left[one.depth], _middle(row[i])
    if one.parent is None:
        x0, y0 = 4.0, _middle(0)
    else:
        parent = branches[one.parent]
        x0, y0 = left[parent.depth] + _wide(parent), _middle(row[one.parent])
    bend = (left[one.depth] + x0) / 2 if one.parent is None else left[one.depth] - GAP / 2
    colour, width = (theme.text, "3") if one.best else (theme.muted, "1.5" if one.kept else "1")
    dash = "" if one.kept else ' stroke-dasharray="3 3"'
    path = f"M{x0:.1f} {y0:g}C{bend:.1f} {y0:g} {bend:.1f} {y1:g} {x1:.1f} {y1:g}"
    return f'<path class="branch" d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>'


def _box(one: Branch, x: float, row: int, theme: Theme) -> str:
    y, width = _middle(row) - 16, _wide(one)
    ink = theme.text if one.kept else theme.muted
    edge, thick = (theme.text, "2") if one.best else (theme.line, "1")
    dash = "" if one.kept else ' stroke-dasharray="3 3"'
    weight = ' font-weight="700"' if one.best else ""
    said = f"{visible_token(one.token)}: probability {format_number(one.probability)}, score {format_number(one.score)}"
    return (
        f'<g class="candidate"><title>{escape(said)}</title>'
        f'<rect x="{x:.1f}" y="{y:g}" width="{width:.1f}" height="34" rx="5" fill="{theme.surface}" stroke="{edge}" '
        f'stroke-width="{thick}"{dash}/>'
        f'<text x="{x + width / 2:.1f}" y="{y + 15:g}" font-size="{WORD}" text-anchor="middle" fill="{ink}"{weight}>'
        f"{escape(visible_token(one.token, 18))}</text>"
        f'<text x="{x + width / 2:.1f}" y="{y + 29:g}" font-size="{SMALL}" text-anchor="middle" fill="{theme.muted}">'
        f"{format_number(one.score)}</text></g>"
    )
