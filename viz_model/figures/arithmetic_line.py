"""One cell's arithmetic as a line: term by term in the colours of its factors, the sum, the check."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np

from viz_model.figures.html_table import STYLE, either
from viz_model.figures.theme import format_number, visible_token

SHOWN = 8  # terms before the rest is folded away


def arithmetic_line(
    row: str,
    column: str,
    terms: Sequence[tuple[str, Sequence[float]]],
    value: float,
    *,
    divisor: float = 1.0,
    divisor_name: str = "",
    adds_up: bool = True,
    roles: tuple[str, str] = ("", ""),
    name: str = "",
) -> str:
    """terms: (where it is from, factors that are multiplied). roles: the colours of first and second factor."""
    parts = [_term(factors, label, roles) for label, factors in terms]
    shown, rest = " + ".join(parts[:SHOWN]), parts[SHOWN:]
    if rest:
        more = f"<details><summary>and {len(rest)} more terms</summary>{' + '.join(rest)}</details>"
        shown += f" + … {more}"
    if divisor_name:
        shown = f"( {shown} ) ÷ {_number(divisor)} <small>({html.escape(divisor_name)})</small>"
    check = "" if adds_up else ' <span class="less">✗ the parts do not add up: please report it</span>'
    mark = (
        '<span class="good" title="The parts, computed anew, give the model’s own number.">✓</span>' if adds_up else ""
    )
    where = f"{html.escape(name)} [{_label(row)}, {_label(column)}]"
    return (
        f"<style>{STYLE}{_OWN}</style>"
        f'<div class="glass-table glass-line" role="status"><span class="where">{where}</span> = {shown} '
        f'= <strong title="{np.float32(value)!s}">{format_number(value)}</strong> {mark}{check}</div>'
    )


def weighted_sum_line(weights: Sequence[float], tokens: Sequence[str]) -> str:
    """0.100 v(The) + 0.700 v(cat) + 0.200 v(sat), in the colours of attention and value."""
    parts = [
        f'<span class="attention" title="{np.float32(w)!s}">{format_number(w)}</span> '
        f'<span class="value">v({_label(token)})</span>'
        for w, token in zip(weights, tokens, strict=True)
    ]
    shown = " + ".join(parts[:SHOWN]) + (f" + … ({len(parts) - SHOWN} more)" if len(parts) > SHOWN else "")
    return (
        f'<style>{STYLE}{_OWN}</style><div class="glass-table glass-line">'
        f'<span class="where">output</span> = {shown}</div>'
    )


def _term(factors: Sequence[float], label: str, roles: tuple[str, str]) -> str:
    written = []
    for i, factor in enumerate(factors):
        role = roles[i] if i < len(roles) and len(factors) > 1 else ""
        number = format_number(factor)
        title = f"{html.escape(visible_token(label))}: {np.float32(factor)!s}"
        written.append(f'<span class="{role}" title="{title}">{f"({number})" if factor < 0 else number}</span>')
    return f'<span class="term">{" × ".join(written)}</span>'


def _number(value: float) -> str:
    return f'<span title="{np.float32(value)!s}">{format_number(value)}</span>'


def _label(text: str) -> str:
    return f"<bdi>{html.escape(visible_token(text))}</bdi>"


_OWN = (
    ".glass-line{font-size:1.0625rem;line-height:1.9;font-variant-numeric:tabular-nums;overflow-wrap:anywhere;"
    f"color:{either('text')}}}"
    f".glass-line .where{{color:{either('muted')}}}.glass-line .term{{white-space:nowrap}}"
    ".glass-line details{display:inline}"
    ".glass-line summary{display:inline;cursor:pointer;text-decoration:underline dotted}"
    ".glass-line details[open]{display:block}"
    ".glass-line small{font-size:.8125rem}"
)
