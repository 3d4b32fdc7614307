"""What heads add and what they cost, as HTML tables: shares of an output, shapes and counts of a configuration."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from viz_model.figures.html_table import ADDS_UP, check_line, either, full, head, number, stop, table
from viz_model.figures.theme import format_number


class Matrix(Protocol):
    """A weight matrix [in, out] and its counts."""

    @property
    def name(self) -> str: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def n_weights(self) -> int: ...
    @property
    def n_biases(self) -> int: ...


class Step(Protocol):
    """A tensor: its formula, shape and number of entries."""

    @property
    def name(self) -> str: ...
    @property
    def formula(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def size(self) -> int: ...


def output_table(
    shares: ArrayLike, sizes: ArrayLike, residual: float, *, caption: str = "What each head adds to the output"
) -> str:
    """Each head's share of one position's output, the bias of W_O last: bars to either side of 0, and their sum, 1.

    shares: [head + 1]; sizes: [head + 1], the length of each term. residual: the largest difference between the sum of
    the terms and the output, which the check below compares with 1e-5.
    """
    share, size = (np.asarray(values, dtype=np.float64) for values in (shares, sizes))
    if share.ndim != 1 or share.shape != size.shape or share.size < 2:
        raise ValueError(f"shares: expected one share and size a head and the bias, got {share.shape}, {size.shape}")
    names = [*(f"head {i}" for i in range(len(share) - 1)), "bias of W_O"]
    widest = max(1.0, float(np.abs(share).max()))
    rows = [
        head(name) + _two_sided(float(part) / widest) + number(float(part)) + number(float(length))
        for name, part, length in zip(names, share, size, strict=True)
    ]
    total = float(share.sum())
    foot = f'<tr class="sum"><th scope="row">sum</th><td></td>{number(total)}<td></td></tr>'
    exact = residual <= 1e-5
    said = "\u2713 The terms add up to" if exact else "\u2717 The terms do not add up to"
    check = f'<p class="check">{said} the layer\'s output: the largest difference is {format_number(residual)}.</p>'
    if abs(total) > ADDS_UP:  # an output of nothing has no shares
        check += check_line(total, 1.0, "the whole")
    return table(caption, ["", "", "share of the output", "length"], rows, foot, check)


def budget_table(matrices: Sequence[Matrix], *, caption: str = "One attention layer") -> str:
    """W_Q, W_K, W_V and W_O with shape, weights and biases, and their sum."""
    rows = [
        head(one.name) + f'<td class="n">{_shape(one.shape)}</td>' + _count(one.n_weights) + _count(one.n_biases)
        for one in matrices
    ]
    sums = _count(sum(one.n_weights for one in matrices)) + _count(sum(one.n_biases for one in matrices))
    foot = f'<tr class="sum"><th scope="row">sum</th><td></td>{sums}</tr>'
    return table(caption, ["", "shape", "weights", "biases"], rows, foot)


def steps_table(steps: Sequence[Step], *, caption: str = "The tensors of one layer") -> str:
    """Formula, shape and size of each tensor, in order."""
    rows = [
        head(one.name)
        + f'<td style="white-space:normal">{html.escape(one.formula)}</td>'
        + f'<td class="n">{_shape(one.shape)}</td>'
        + _count(one.size)
        for one in steps
    ]
    return table(caption, ["", "formula", "shape", "numbers"], rows)


def head_choices_table(
    choices: Sequence[tuple[int, int]], *, chosen: int | None = None, caption: str = "d_model = h \u00d7 d_k"
) -> str:
    """Every split of a width into heads: h, d_k, and their product; the chosen number of heads is marked."""
    rows = []
    for n_heads, d_head in choices:
        mark = '<td class="n">\u2190 this model</td>' if n_heads == chosen else "<td></td>"
        cells = (
            f'<th scope="row">{n_heads}</th>' + f'<td class="n">{d_head}</td><td class="n">{n_heads * d_head:,}</td>'
        )
        rows.append(cells + mark)
    return table(caption, ["heads h", "width of a head d_k", "h \u00d7 d_k", ""], rows)


def _shape(shape: Sequence[int]) -> str:
    return " \u00d7 ".join(f"{side:,}" for side in shape)


def _count(n: int) -> str:
    return f'<td class="n">{n:,}</td>'


def _two_sided(share: float) -> str:
    """A cell with a bar from the middle: to the right where a head works with the output, to the left against it."""
    left = 50 + 50 * min(0.0, share)
    frame = "display:block;position:relative;width:12rem;max-width:35vw;height:.6rem"
    zero = f"position:absolute;left:50%;top:-.2rem;bottom:-.2rem;border-left:1px solid {either('muted')}"
    colour = stop("signed", 9) if share > 0 else stop("signed", 1)
    drawn = f"position:absolute;top:0;height:100%;left:{left:.4g}%;width:{50 * abs(share):.4g}%;background:{colour}"
    spans = f'<span style="{zero}"></span><span style="{drawn}"></span>'
    return f'<td title="{full(share)}"><span style="{frame}">{spans}</span></td>'
