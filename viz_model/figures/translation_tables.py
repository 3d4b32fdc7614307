"""Tables of the lesson on encoder and decoder: what is read for each word, hypotheses, guesses, and the components."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from viz_model.figures.html_table import bar, head, number, table
from viz_model.figures.theme import visible_token


@dataclass(frozen=True, slots=True)
class Read:
    """A written word, the word that a head read most for it, and what it should have read."""

    written: str
    read: str
    weight: float
    known: str  # "" where it is not known
    on_known: float | None


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A text that a beam search came to."""

    text: str
    length: int
    total: float
    factor: float
    score: float
    right: bool | None  # None where nobody knows
    greedy: bool


def reads_table(rows: Sequence[Read], *, caption: str) -> str:
    """One row a written word."""
    cells = [
        head(row.written, "query")
        + _word(row.read, "key")
        + bar(row.weight, "attention")
        + _word(row.known or "–", "" if row.known else "muted")
        + ('<td class="n muted">–</td>' if row.on_known is None else bar(row.on_known, "attention"))
        for row in rows
    ]
    return table(caption, ["written", "reads most", "weight", "known alignment", "weight there"], cells)


def hypotheses_table(rows: Sequence[Hypothesis], *, caption: str) -> str:
    """The hypotheses in their order, with how the score comes about."""
    judged = any(row.right is not None for row in rows)
    cells = [
        f'<th scope="row">{html.escape(row.text)}{" <span class=muted>(greedy)</span>" if row.greedy else ""}</th>'
        f'<td class="n">{row.length}</td>'
        + number(row.total)
        + number(row.factor)
        + number(row.score)
        + (_judged(row.right) if judged else "")
        for row in rows
    ]
    heads = ["hypothesis", "tokens", "log P", "divided by", "score", *(["grammar"] if judged else [])]
    return table(caption, heads, cells)


def tree_table(rows: Sequence[tuple[int, str, str, float, float, bool]], *, caption: str) -> str:
    """Every candidate: word number, what stood before it, token, log probability, score, kept."""
    cells = [
        head(token)
        + f'<td class="n">{n}</td><td><bdi>{html.escape(before)}</bdi></td>'
        + number(log_probability)
        + number(score)
        + f'<td class="n">{"kept" if kept else "pruned"}</td>'
        for n, before, token, log_probability, score, kept in rows
    ]
    return table(caption, ["candidate", "word", "after", "log probability", "score", ""], cells)


def guesses_table(
    right: Sequence[str], columns: Sequence[tuple[str, Sequence[str]]], *, caption: str, first: str = "right word"
) -> str:
    """For each right word what is said instead of it, under each name; a tick where it is the same."""
    cells = []
    for i, word in enumerate(right):
        row = head(word)
        for _, said in columns:
            if i >= len(said):
                row += '<td class="muted">–</td>'
            else:
                row += _word(f"{visible_token(said[i])} {'✓' if said[i] == word else '✗'}", "")
        cells.append(row)
    return table(caption, [first, *(name for name, _ in columns)], cells)


def components_table(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], *, caption: str) -> str:
    """Encoder and decoder side by side, in words."""
    cells = [head(name) + "".join(f"<td>{html.escape(said)}</td>" for said in words) for name, words in rows]
    return (
        "<style>.glass-parts .glass-table td{white-space:normal;max-width:26rem;vertical-align:top}"
        ".glass-parts .glass-table th{vertical-align:top;text-align:left !important}</style>"
        f'<div class="glass-parts">{table(caption, ["", *columns], cells)}</div>'
    )


def _word(word: str, role: str) -> str:
    return f'<td class="{role}"><bdi>{html.escape(visible_token(word))}</bdi></td>'


def _judged(right: bool | None) -> str:
    return '<td class="n muted">–</td>' if right is None else f'<td class="n">{"✓ right" if right else "✗ wrong"}</td>'
