"""Small HTML tables that a page shows at no cost: no script, no plotting library, every label escaped.

Numbers have three significant digits in tabular figures, with the full value as their title. Captions and `scope` let a
screen reader say what each number is.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from viz_model.figures.html_table import bar, check_line, full, head, number, table
from viz_model.figures.theme import format_number, visible_token

Floats = NDArray[np.float64]


def prediction_table(
    tokens: Sequence[str], probabilities: ArrayLike, before: ArrayLike | None = None, *, caption: str = "Next word"
) -> str:
    """Candidates with their probability as bar and number; with `before`, also what it was and the change."""
    after = _vector(probabilities, tokens, "probabilities")
    then = None if before is None else _vector(before, tokens, "before")
    names = ["token", "probability"] if then is None else ["token", "before", "after", "change"]
    rows = []
    for i, token in enumerate(tokens):
        cells = [head(token)]
        if then is None:
            cells.append(bar(after[i]))
        else:
            change = after[i] - then[i]
            cells += [bar(then[i], "was"), bar(after[i]), number(change, _direction(change), signed=True)]
        rows.append("".join(cells))
    return table(caption, names, rows)


def terms_table(
    names: Sequence[str],
    left: ArrayLike,
    right: ArrayLike,
    total: SupportsFloat | None = None,
    *,
    caption: str = "q \u00b7 k, term by term",
    headings: tuple[str, str, str, str] = ("dimension", "q", "k", "q \u00d7 k"),
    roles: tuple[str, str] = ("query", "key"),
    total_name: str = "sum",
) -> str:
    """A dot product written out: each pair, its product and the sum, checked against the model's own `total`.

    `roles` colour the two factors ('query', 'key', 'value', 'attention' or ''). For a weighted sum of values pass the
    weights and one dimension of the values with roles ('attention', 'value').
    """
    a, b = _vector(left, names, "left"), _vector(right, names, "right")
    products = a * b
    body = zip(names, a, b, products, strict=True)
    rows = [head(n) + number(x, roles[0]) + number(y, roles[1]) + number(p) for n, x, y, p in body]
    foot = _footer(total_name, [None, None, float(products.sum())])
    check = "" if total is None else check_line(float(products.sum()), float(total))
    return table(caption, list(headings), rows, foot, check)


def softmax_table(
    keys: Sequence[str],
    scores: ArrayLike,
    weights: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    caption: str = "Softmax of one row of scores",
) -> str:
    """Scores of one query, their exponentials, the sum, and the weights [key], checked against the model's own.

    Exponentials are of score minus the largest score, which changes no weight and cannot overflow. Keys where `mask`
    is False say 'masked' and count nothing; with none left the table says 'no key available'.
    """
    s, w = _vector(scores, keys, "scores"), _vector(weights, keys, "weights")
    allowed = np.ones(len(keys), dtype=np.bool_) if mask is None else np.asarray(mask, dtype=np.bool_).reshape(-1)
    if allowed.shape != s.shape:
        raise ValueError(f"mask: expected {len(keys)} entries, got {allowed.size}")
    top = float(s[allowed].max(initial=-np.inf))
    powers = np.where(allowed, np.exp(np.where(allowed, s - top, 0.0)), 0.0) if allowed.any() else np.zeros_like(s)
    hidden = '<td class="n muted">masked</td>' + '<td class="n muted">0</td>' * 2
    rows = [
        head(key, "key") + (number(s[i]) + number(powers[i]) + bar(w[i], "attention") if allowed[i] else hidden)
        for i, key in enumerate(keys)
    ]
    total = f'<td class="n" title="{full(w.sum())}">{format_number(w.sum(), 4)}</td>'
    foot = _footer("sum", [None, float(powers.sum())], total)
    if not allowed.any():
        check = '<p class="check">No key available: every weight is 0.</p>'
    else:
        worst = int(np.abs(powers / powers.sum() - w).argmax())
        check = check_line(float(powers[worst] / powers.sum()), float(w[worst]), "the model's own weights")
    return table(caption, ["key", "score", "exp(score \u2212 max)", "weight"], rows, foot, check)


def matrix_table(
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    mask: ArrayLike | None = None,
    corner: str = "query \u2193  key \u2192",
    caption: str = "Attention weights",
    limit: int = 64,
) -> str:
    """The numbers of a picture as a table, masked cells said in words; beyond `limit` rows or columns it says so."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (len(rows), len(columns)):
        raise ValueError(f"values: expected [{len(rows)}, {len(columns)}] as labelled, got shape {array.shape}")
    allowed = np.broadcast_to(True if mask is None else np.asarray(mask, dtype=np.bool_), array.shape)
    body = []
    for i, row in enumerate(rows[:limit]):
        masked = '<td class="n muted">masked</td>'
        cells = (number(array[i, j]) if allowed[i, j] else masked for j in range(min(limit, len(columns))))
        body.append(head(row) + "".join(cells))
    if max(array.shape) > limit:
        caption += f" (the first {limit} of {array.shape[0]} rows and {array.shape[1]} columns)"
    heads = [corner, *(visible_token(column) for column in columns[:limit])]
    return table(caption, heads, body)


def _vector(values: ArrayLike, labels: Sequence[str], name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (len(labels),):
        raise ValueError(f"{name}: expected one value for each of {len(labels)} labels, got shape {array.shape}")
    return array


def _direction(change: float) -> str:
    return "more" if change > 0 else "less" if change < 0 else ""


def _footer(name: str, values: Sequence[float | None], last: str = "") -> str:
    cells = ("<td></td>" if value is None else number(value) for value in values)
    return f'<tr class="sum"><th scope="row">{html.escape(name)}</th>{"".join(cells)}{last}</tr>'
