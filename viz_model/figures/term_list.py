"""A number as the sum of named parts: bars to either side of zero, the largest first, the total and its check."""

from __future__ import annotations

from collections.abc import Sequence

from viz_model.figures.html_table import check_line, head, number, table

SHOWN = 12


def term_list(parts: Sequence[tuple[str, float]], total: float, *, caption: str) -> str:
    """parts: (name, value), in any order. Beyond the 12 largest the rest is one row: the sum stays whole."""
    ranked = sorted(parts, key=lambda part: -abs(part[1]))
    shown, rest = ranked[:SHOWN], ranked[SHOWN:]
    if rest:
        shown.append((f"{len(rest)} smaller parts", sum(value for _, value in rest)))
    largest = max((abs(value) for _, value in shown), default=1.0) or 1.0
    rows = [head(name) + _two_sided(value / largest) + number(value, signed=True) for name, value in shown]
    whole = sum(value for _, value in parts)
    foot = f'<tr class="sum"><th scope="row">logit</th><td></td>{number(total)}</tr>'
    return table(caption, ["part", "", "adds"], rows, foot, check_line(whole, total))


def _two_sided(share: float) -> str:
    left = 50 * min(0.0, share) + 50
    colour = "more" if share > 0 else "less"
    frame = "display:block;position:relative;width:12rem;max-width:35vw;height:.6rem"
    zero = "position:absolute;left:50%;top:-.2rem;bottom:-.2rem;opacity:.35;border-left:1px solid currentColor"
    bar = f"position:absolute;top:0;height:100%;left:{left:.3g}%;width:{50 * abs(share):.3g}%;background:currentColor"
    parts = f'<span style="{zero}"></span><span class="{colour}" style="{bar}"></span>'
    return f'<td><span style="{frame}">{parts}</span></td>'
