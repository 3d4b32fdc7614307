"""A sentence with its known links as arcs over the words, and on each arc how much of it one head reads: our own SVG.

A dot in the query's blue stands where the link is read from, a point in the key's orange at what should be read. The
link itself is a thin dashed line (it is true whatever the head does); the head's weight thickens and colours it, on the
violet ramp from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from viz_model.figures.svg_parts import attribute, framed_image, text_width
from viz_model.figures.theme import LIGHT, Theme, format_number, sample, visible_token

Link = tuple[str, int, int]  # relation, query, key: indices of the words

WORD, SMALL = 16, 12  # font sizes in pixels
LEVEL, FIRST, CORNER = 42, 34, 10  # height of a level of arcs, of the lowest, and the radius of a bend
GAP, SIDE, FOOT = 18, 14, 34
FEET = 9  # between the feet of two arcs on one word


def sentence_arcs(
    words: Sequence[str],
    links: Sequence[Link],
    weights: Sequence[float],
    hits: Sequence[bool],
    *,
    chosen: Sequence[bool] | None = None,
    theme: Theme = LIGHT,
) -> str:
    """The picture as SVG text with title and description: words in a row, an arc with relation and weight a link.

    weights: 0..1, of one head. hits: where the right word has the largest weight; those are ticked. chosen: which links
    the talk is of: their words stand out, those of the others step back.
    """
    if not len(links) == len(weights) == len(hits):
        raise ValueError(f"links: expected a weight and a hit for each, got {len(links)}, {len(weights)}, {len(hits)}")
    if chosen is not None and len(chosen) != len(links):
        raise ValueError(f"chosen: expected one for each of {len(links)} links, got {len(chosen)}")
    for _, query, key in links:
        if not (0 <= query < len(words) and 0 <= key < len(words)):
            raise ValueError(f"links: expected places from 0 to {len(words) - 1}, got {query} and {key}")
    shown = [visible_token(word, 24) for word in words]
    x = _places(shown, links)
    levels = _levels(links)
    base = 14 + FIRST + LEVEL * max(levels, default=0) + SMALL
    width = round(x[-1] + text_width(shown[-1], WORD) / 2 + SIDE) if shown else 2 * SIDE
    width, height = max(width, 330), base + WORD + 14 + FOOT
    said = description(words, links, weights, hits)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-labelledby="t d" font-family="{attribute()}" fill="{theme.text}">',
        f'<title id="t">Known links of the sentence and one head\'s weights</title><desc id="d">{escape(said)}</desc>',
        f'<rect width="100%" height="100%" fill="{theme.background}"/>',
    ]
    order = sorted(range(len(links)), key=lambda i: -levels[i])  # the low arcs lie on top
    tops = [base - FIRST - LEVEL * level for level in levels]
    ends = [_ends(links, i, x) for i in range(len(links))]
    parts += [_arc(weights[i], ends[i], base, tops[i], theme) for i in order]
    for i in order:  # after all arcs: no line runs through a number
        strong = None if chosen is None else bool(chosen[i])
        parts.append(_label(links[i][0], weights[i], hits[i], strong, sum(ends[i]) / 2, tops[i], theme))
    for i, word in enumerate(shown):
        at = f'x="{x[i]:.1f}" y="{base + WORD + 6}"'
        parts.append(f'<text {at} font-size="{WORD}" text-anchor="middle">{escape(word)}</text>')
    return "".join(parts) + _legend(height, theme) + "</svg>"


def sentence_arcs_html(
    words: Sequence[str],
    links: Sequence[Link],
    weights: Sequence[float],
    hits: Sequence[bool],
    *,
    chosen: Sequence[bool] | None = None,
    theme: Theme = LIGHT,
) -> str:
    """The same as HTML for a page: an image that scrolls in its own frame, described in words for screen readers.

    An image, since pages sanitise SVG elements away; so it takes the theme and does not follow the page by itself.
    """
    svg = sentence_arcs(words, links, weights, hits, chosen=chosen, theme=theme)
    said = description(words, links, weights, hits)
    return framed_image(svg, said=said, label="Known links of the sentence", name="glass-arcs")


def description(words: Sequence[str], links: Sequence[Link], weights: Sequence[float], hits: Sequence[bool]) -> str:
    """Every link in words: 'sat reads cat (subject-verb): 0.713, its largest.'"""
    if not links:
        return "No links are known for this sentence."
    return " ".join(
        f"{visible_token(words[query])} reads {visible_token(words[key])} ({relation}): {format_number(weight)}"
        f"{', its largest' if hit else ''}."
        for (relation, query, key), weight, hit in zip(links, weights, hits, strict=True)
    )


def _share(weight: float) -> str:
    """A weight in three places: on an arc a small one is as good as none."""
    return f"{weight:.3f}" if weight >= 0.0005 else "< 0.001"


def _places(words: Sequence[str], links: Sequence[Link]) -> list[float]:
    """The middle of each word: no two touch, and every arc is as wide as its label."""
    own = [text_width(word, WORD) / 2 for word in words]
    for relation, query, key in links:
        if query == key:  # a word that reads itself: the label stands over it alone
            own[query] = max(own[query], text_width(relation, SMALL) / 2)
    x: list[float] = []
    for i in range(len(words)):
        at = SIDE + own[i] if not x else x[-1] + own[i - 1] + GAP + own[i]
        for relation, query, key in links:
            if max(query, key) == i and query != key:
                at = max(at, x[min(query, key)] + text_width(relation, SMALL) + GAP)
        x.append(at)
    return x


def _levels(links: Sequence[Link]) -> list[int]:
    """The height of each arc: above every shorter one that lies under it, or stands on the same words."""
    # In half words, so that a link of a word with itself has a width too.
    spans = [(2 * min(ends) - (ends[0] == ends[1]), 2 * max(ends) + (ends[0] == ends[1])) for _, *ends in links]
    levels = [0] * len(links)
    done: list[int] = []
    for i in sorted(range(len(links)), key=lambda i: (spans[i][1] - spans[i][0], spans[i])):
        begin, end = spans[i]
        levels[i] = 1 + max((levels[j] for j in done if spans[j][0] < end and begin < spans[j][1]), default=-1)
        done.append(i)
    return levels


def _ends(links: Sequence[Link], i: int, x: Sequence[float]) -> tuple[float, float]:
    """Where the arc stands on query and key: arcs that share a word stand side by side on it."""

    def on(word: int) -> list[float]:
        # A link of the word with itself is here twice: it has two feet.
        here = [(j, query + key - word) for j, (_, query, key) in enumerate(links) if query == word]
        here += [(j, query + key - word) for j, (_, query, key) in enumerate(links) if key == word]
        # Left to right: near to the left, far to the left, itself, far to the right, near to the right: none cross.
        here.sort(key=lambda foot: ((foot[1] > word) - (foot[1] < word), -foot[1], foot[0]))
        return [x[word] + FEET * (at - (len(here) - 1) / 2) for at, (j, _) in enumerate(here) if j == i]

    _, query, key = links[i]
    return on(query)[0], on(key)[-1]


def _arc(weight: float, ends: tuple[float, float], base: int, top: int, theme: Theme) -> str:
    query, key = ends
    bend = min(CORNER, abs(key - query) / 2)
    step = bend if key > query else -bend
    path = f"M{query:.1f} {base}V{top + bend:g}Q{query:.1f} {top} {query + step:.1f} {top}"
    path += f"H{key - step:.1f}Q{key:.1f} {top} {key:.1f} {top + bend:g}V{base - 7}"
    share = min(max(weight, 0.0), 1.0)
    return (
        f'<path d="{path}" fill="none" stroke="{theme.muted}" stroke-width="1" stroke-dasharray="3 3"/>'
        f'<path class="weight" d="{path}" fill="none" stroke="{sample(theme.attention, share)}" '
        f'stroke-width="{6 * share:.3g}"/>'
        f'<circle cx="{query:.1f}" cy="{base}" r="3.5" fill="{theme.query}"/>'
        f'<path d="M{key - 5:.1f} {base - 7}h10l-5 8z" fill="{theme.key}"/>'
    )


def _label(relation: str, weight: float, hit: bool, strong: bool | None, middle: float, top: int, theme: Theme) -> str:
    """What a link is, above its arc, and the weight on it below; strong: whether it stands out, None for no choice."""
    halo = f'stroke="{theme.background}" stroke-width="6" stroke-linejoin="round" paint-order="stroke"'
    said, ink = _share(weight), theme.muted if strong is False else theme.text
    # Drawn: where a font lacks the sign, the number beside it would be written in another font too.
    at = f"M{middle + text_width(said, SMALL) / 2 + 4:.1f} {top + 13}l3 3.5l6 -8"
    tick = f'<path class="hit" d="{at}" fill="none" stroke="{ink}" stroke-width="1.8"/>' if hit else ""
    name = f'fill="{theme.text}" font-weight="600"' if strong else f'fill="{theme.muted}"'
    share = f'fill="{theme.muted}"' if strong is False else 'font-weight="600"'
    return (
        f'<g font-size="{SMALL}" text-anchor="middle" {halo}>'
        f'<text x="{middle:.1f}" y="{top - 8}" {name}>{escape(relation)}</text>'
        f'<text x="{middle:.1f}" y="{top + 17}" {share}>{escape(said)}</text></g>{tick}'
    )


def _legend(height: int, theme: Theme) -> str:
    stops = "".join(
        f'<stop offset="{i / (len(theme.attention) - 1):.3f}" stop-color="{colour}"/>'
        for i, colour in enumerate(theme.attention)
    )
    y = height - 10
    return (
        f'<defs><linearGradient id="ramp">{stops}</linearGradient></defs><g font-size="{SMALL}" fill="{theme.muted}">'
        f'<circle cx="{SIDE + 4}" cy="{y - 4}" r="3.5" fill="{theme.query}"/><text x="{SIDE + 12}" y="{y}">reads</text>'
        f'<path d="M{SIDE + 56} {y - 8}h10l-5 8z" fill="{theme.key}"/><text x="{SIDE + 70}" y="{y}">is read</text>'
        f'<text x="{SIDE + 130}" y="{y}">weight 0</text><rect x="{SIDE + 190}" y="{y - 9}" width="90" height="9" '
        f'fill="url(#ramp)" stroke="{theme.line}"/><text x="{SIDE + 286}" y="{y}">1</text></g>'
    )
