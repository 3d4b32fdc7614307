"""The pieces of our HTML tables: cells, bars, the check below, and their style in both appearances.

Colours are custom properties with fallbacks, so that one string serves light and dark.
"""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from viz_model.figures.theme import DARK, LIGHT, format_number, visible_token

ADDS_UP = 1e-4  # relative: sums of float32 terms in another order differ by about 1e-6


def head(token: str, role: str = "") -> str:
    """A row's name: a token, literally."""
    # bdi: a right-to-left token must not reorder its neighbours.
    return f'<th scope="row" class="{role}"><bdi>{html.escape(visible_token(token))}</bdi></th>'


def full(value: float) -> str:
    """The shortest digits that give the float32 back: what the model computed, without noise from widening."""
    return str(np.float32(value))


def number(value: float, role: str = "", *, signed: bool = False) -> str:
    """A cell with three significant digits, the full value on hovering."""
    text = ("+" if signed and value > 0 else "") + format_number(value)
    return f'<td class="n {role}" title="{full(value)}">{text}</td>'


def bar(share: float, role: str = "") -> str:
    """A cell with a share from 0 to 1 as bar and number."""
    width = 100 * min(max(share, 0.0), 1.0) if np.isfinite(share) else 0.0
    bar = f'<span class="bar"><span class="fill {role}" style="width:{width:.4g}%"></span></span>'
    return f'<td class="n" title="{full(share)}">{bar}<span class="beside">{format_number(share)}</span></td>'


def check_line(parts: float, total: float, what: str = "the model's own number") -> str:
    """The line below a sum: whether the parts give the total."""
    if abs(parts - total) <= ADDS_UP * max(1.0, abs(total)):
        said = f"\u2713 The parts add up to {what}."
    else:
        said = f"\u2717 The parts give {format_number(parts)}, {what} is {format_number(total)}."
    return f'<p class="check">{html.escape(said)}</p>'


def table(
    caption: str, heads: Sequence[str], rows: Iterable[str], foot: str = "", check: str = "", left: Collection[int] = ()
) -> str:
    """The whole table: rows and foot are HTML rows' cells, already escaped; `left`: columns of words, not numbers."""
    top = "".join(
        f'<th scope="col" class="{"n" if i and i not in left else ""}">{html.escape(h)}</th>'
        for i, h in enumerate(heads)
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<div class="glass-table" tabindex="0" role="region" aria-label="{html.escape(caption)}">'
        f"<style>{STYLE}</style><table><caption>{html.escape(caption)}</caption><thead><tr>{top}</tr></thead>"
        f"<tbody>{body}</tbody>{f'<tfoot>{foot}</tfoot>' if foot else ''}</table>{check}</div>"
    )


def either(name: str) -> str:
    """A colour of the theme by its name, for CSS: light or dark as the page is."""
    light, dark = getattr(LIGHT, name), getattr(DARK, name)
    return f"var(--glass-{name.replace('_', '-')}, light-dark({light}, {dark}))"


def stop(ramp: str, i: int) -> str:
    """One stop of a ramp of the theme, for CSS."""
    return f"var(--glass-{ramp}-{i}, light-dark({getattr(LIGHT, ramp)[i]}, {getattr(DARK, ramp)[i]}))"


STYLE = (
    ".glass-table{overflow-x:auto;max-width:100%}"
    f".glass-table:focus-visible{{outline:2px solid {either('accent')};outline-offset:2px}}"
    f".glass-table table{{border-collapse:collapse;font-size:.875rem;line-height:1.35;color:{either('text')};"
    "font-variant-numeric:tabular-nums lining-nums;margin:0}"
    f".glass-table caption{{text-align:left;caption-side:top;padding:0 0 .5rem;color:{either('muted')}}}"
    f".glass-table th,.glass-table td{{padding:.3rem .9rem .3rem 0;border:0;border-bottom:1px solid {either('line')};"
    "text-align:left;font-weight:400;white-space:nowrap;vertical-align:middle}"
    f".glass-table thead th{{color:{either('muted')};font-size:.8125rem;white-space:normal;vertical-align:bottom}}"
    ".glass-table .n{text-align:right}"
    f".glass-table .muted{{color:{either('muted')}}}"
    + "".join(f".glass-table .{role}{{color:{either(role)}}}" for role in ("query", "key", "value"))
    + f".glass-table .attention{{color:{stop('series', 0)}}}"
    f".glass-table .more{{color:{stop('signed', 9)}}}.glass-table .less{{color:{stop('signed', 1)}}}"
    ".glass-table .sum th,.glass-table .sum td{border-bottom:0;font-weight:600;"
    f"border-top:1px solid {either('muted')}}}"
    f".glass-table .check{{margin:.5rem 0 0;font-size:.875rem;color:{either('muted')}}}"
    ".glass-table .beside{display:inline-block;min-width:3.6em}"
    f".glass-table .bar{{display:inline-block;width:4.5rem;height:.5rem;background:{either('surface')};"
    "margin-right:.6rem;border-radius:2px;overflow:hidden;text-align:left;vertical-align:middle}"
    f".glass-table .fill{{display:block;height:100%;background:{either('muted')}}}"
    f".glass-table .fill.was{{background:{stop('magnitude', 2)}}}"
    f".glass-table .fill.attention{{background:{stop('series', 0)}}}"
)
