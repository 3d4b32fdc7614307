"""'Where does this number come from?': one query-key link as a short column of arithmetic, in HTML."""

from __future__ import annotations

import html

import numpy as np

from viz_model.figures.html_table import STYLE, either
from viz_model.figures.theme import format_number, visible_token


def link_summary(
    query: str,
    key: str,
    *,
    dot: float,
    scale: float,
    bias: float | None,
    score: float,
    allowed: bool,
    exponential: float,
    exponential_sum: float,
    softmax: float,
    weight: float,
    row_sum: float,
    adds_up: bool,
) -> str:
    """The link from dot product to weight, line by line, with its check. Every number is the model's own."""
    rows = [
        ("q · k", _n(dot), "the dot product"),
        ("× scale", _n(scale), f"1 / √d_k = {format_number(scale)}" if scale != 1 else "no scaling"),
    ]
    if bias is not None:
        rows.append(("+ bias", _n(bias), "of the positions"))
    rows.append(("score", _n(score), "before the mask"))
    if allowed:
        rows += [
            ("exp", _n(exponential), "of score − largest score"),
            ("÷ sum", _n(exponential_sum), "of the row’s exponentials"),
        ]
    else:
        rows.append(("mask", "masked", "this key may not be read" if exponential_sum else "no key available"))
    rows.append(("weight", _n(softmax), "the softmax"))
    if abs(softmax - weight) > 1e-6:
        rows.append(("edited", _n(weight), "after your edits"))
    rows.append(("row sum", format_number(row_sum, 4), "of this query’s weights"))
    body = "".join(
        f'<tr><th scope="row">{name}</th><td class="n">{value}</td><td class="muted why">{why}</td></tr>'
        for name, value, why in rows
    )
    check = (
        "✓ The parts add up to the model’s own number." if adds_up else "✗ The parts do not add up: please report it."
    )
    return (
        f"<style>{STYLE}{_OWN}</style>"
        f'<div class="glass-table glass-link" role="region" aria-label="Where does this number come from?">'
        f'<p class="reads"><span class="query">{_token(query)}</span> reads <span class="key">{_token(key)}</span>'
        f'<strong title="{np.float32(weight)!s}">{format_number(weight)}</strong></p>'
        f"<table><caption>Where does this number come from?</caption><tbody>{body}</tbody>"
        f'</table><p class="check">{check}</p></div>'
    )


def _n(value: float) -> str:
    return f'<span title="{np.float32(value)!s}">{format_number(value)}</span>'


def _token(token: str) -> str:
    shown = visible_token(token)
    return f"<bdi>{html.escape(shown if len(shown) <= 24 else shown[:23] + '…')}</bdi>"


_OWN = (
    ".glass-link .reads{margin:0 0 .75rem;font-size:1.0625rem;max-width:none}"
    f".glass-link .reads strong{{display:block;font-size:2.25rem;line-height:1.2;font-weight:600;"
    f"color:{either('text')}}}"
    ".glass-link table{width:100%;table-layout:auto}"
    ".glass-link th,.glass-link td{padding-right:.6rem;vertical-align:baseline}"
    ".glass-link .why{white-space:normal;font-size:.8125rem;padding-right:0}"
)
