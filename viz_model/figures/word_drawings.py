"""A marked text and bars of words (`marked_text`, `word_bars`) as vector drawings, for files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from xml.sax.saxutils import escape

from viz_model.figures.marked_text import CLOSING
from viz_model.figures.svg_parts import drawing, ramp_definition, text_width
from viz_model.figures.theme import LIGHT, Theme, format_number, readable_on, sample, visible_token

WORD, SMALL, LINE = 18, 13, 40  # font sizes in pixels, from line to line
WIDTH, PAD, SPACE = 680, 5, 4
ROW, BAR, BESIDE = 26, 150, 74


def marked_text_drawing(
    words: Sequence[str],
    weights: Sequence[float],
    chosen: Collection[int] = (),
    *,
    faint: Collection[int] = (),
    theme: Theme = LIGHT,
) -> str:
    """`marked_text` as SVG, each word's weight written below it. Raises ValueError unless every word has its weight."""
    if len(words) != len(weights):
        raise ValueError(f"weights: expected one for each of {len(words)} words, got {len(weights)}.")
    x, y, parts = 0.0, 4.0, []
    for i, (word, weight) in enumerate(zip(words, weights, strict=True)):
        shown, number = visible_token(word, 40), format_number(weight) if weight >= 0.001 else "0"
        wide = max(text_width(shown, WORD) * (1.06 if i in chosen else 1), text_width(number, SMALL - 2)) + 2 * PAD
        if x and x + wide > WIDTH and not (word in CLOSING and x + wide < WIDTH + 20):
            x, y = 0.0, y + LINE + 8
        colour = sample(theme.attention, min(max(weight, 0.0), 1.0))
        ink = theme.muted if i in faint and weight < 0.1 else readable_on(colour)
        middle = x + wide / 2
        frame = f'stroke="{theme.value}" stroke-width="2"' if i in chosen else ""
        bold = ' font-weight="600"' if i in chosen else ""
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="26" rx="3" fill="{colour}" {frame}/>'
            f'<text x="{middle:.1f}" y="{y + 19:.1f}" font-size="{WORD}" fill="{ink}"{bold}>{escape(shown)}</text>'
            f'<text x="{middle:.1f}" y="{y + 39:.1f}" font-size="{SMALL - 2}" fill="{theme.muted}">{number}</text>'
        )
        x += wide + SPACE
    below = round(y + LINE + 18)
    legend = (
        f'{ramp_definition(theme)}<g font-size="{SMALL}" fill="{theme.muted}">'
        f'<text x="0" y="{below}">weight 0</text><rect x="60" y="{below - 10}" width="90" height="10" '
        f'fill="url(#ramp)" stroke="{theme.line}"/><text x="156" y="{below}">1</text></g>'
    )
    return drawing(WIDTH + 24, below + 10, f'<g text-anchor="middle">{"".join(parts)}</g>{legend}', theme)


def word_bars_drawing(
    words: Sequence[str],
    columns: Mapping[str, Sequence[float]],
    *,
    signed: Collection[str] = (),
    chosen: Collection[int] = (),
    theme: Theme = LIGHT,
) -> str:
    """`word_bars` as SVG: a row a word, a bar and its number a column. Raises ValueError unless each word has both."""
    for name, values in columns.items():
        if len(values) != len(words):
            raise ValueError(f"{name}: expected {len(words)} numbers, one a word, got {len(values)}.")
    shown = [visible_token(word, 30) for word in words]
    left = round(max([text_width(word, SMALL) for word in shown] + [40])) + 16
    parts = [f'<g fill="{theme.muted}"><text x="0" y="14">word</text>']
    starts = {name: left + i * (BAR + BESIDE) for i, name in enumerate(columns)}
    parts += [f'<text x="{at}" y="14">{escape(name)}</text>' for name, at in starts.items()]
    parts.append("</g>")
    largest = {name: max((abs(value) for value in values), default=0.0) for name, values in columns.items()}
    for i, word in enumerate(shown):
        y = 26 + ROW * i
        bold = ' font-weight="700"' if i in chosen else ""
        parts.append(f'<text x="0" y="{y + 13}"{bold}>{escape(word)}</text>')
        for name, at in starts.items():
            value = columns[name][i]
            parts.append(f'<rect x="{at}" y="{y + 2}" width="{BAR}" height="12" fill="{theme.surface}"/>')
            if name in signed:
                half = BAR / 2 * abs(value) / largest[name] if largest[name] else 0.0
                x = at + BAR / 2 - (half if value < 0 else 0)
                colour = theme.signed[8 if value >= 0 else 2]
                parts.append(f'<rect x="{x:.2f}" y="{y + 2}" width="{half:.2f}" height="12" fill="{colour}"/>')
                parts.append(f'<path d="M{at + BAR / 2} {y}v16" stroke="{theme.muted}"/>')
            else:
                full = BAR * min(max(value, 0.0), 1.0)
                colour = theme.attention[6]
                parts.append(f'<rect x="{at}" y="{y + 2}" width="{full:.2f}" height="12" fill="{colour}"/>')
            sign = "+" if name in signed and value > 0 else ""
            parts.append(f'<text x="{at + BAR + 8}" y="{y + 13}">{sign}{format_number(value)}</text>')
    return drawing(left + len(columns) * (BAR + BESIDE), 32 + ROW * len(words), "".join(parts), theme)
