"""Words as they were written, one a row: how likely each was, and which word of the source was read for it."""

from __future__ import annotations

import html
from collections.abc import Sequence

from viz_model.figures.html_table import bar, full, head, number, table
from viz_model.figures.theme import format_number, visible_token


def written_table(
    written: Sequence[str],
    probabilities: Sequence[float],
    sources: Sequence[str],
    weights: Sequence[float],
    copied: Sequence[tuple[str, float] | None] | None = None,
    *,
    caption: str,
) -> str:
    """A row a word written: its probability (a number), the source word read most and the weight on it (a bar).

    copied: for each word, which head reads the same word in the source most, and its weight; None where there is none.
    """
    heads = ["written", "probability", "reads", "weight"]
    rows = []
    for i, (word, share, source, weight) in enumerate(zip(written, probabilities, sources, weights, strict=True)):
        cells = (
            head(word, "query")
            + number(share)
            + f'<td class="key"><bdi>{html.escape(visible_token(source))}</bdi></td>'
            + bar(weight, "attention")
        )
        if copied is not None:
            one = copied[i]
            by, on = ("not in the text", "<td></td>") if one is None else (one[0], bar(one[1], "attention"))
            cells += f'<td class="{"muted" if one is None else ""}">{html.escape(by)}</td>{on}'
        rows.append(cells)
    left = [2]
    if copied is not None:
        heads, left = [*heads, "the same word: best head", "weight on it"], [2, 4]
    return table(caption, heads, rows, left=left)


def length_table(rows: Sequence[tuple[int, int, int, bool]], *, caption: str) -> str:
    """Rows (words, sentences, right ones, whether the length was trained) with the share right as a bar."""
    made = []
    for words, n, right, trained in rows:
        share = right / n if n else 0.0
        cells = f'<th scope="row">{words} words</th>' + bar(share, "attention" if trained else "")
        made.append(
            cells + f'<td class="n" title="{full(share)}">{right} of {n}</td>'
            f"<td>{'trained' if trained else 'never trained'}</td>"
        )
    return table(caption, ["length", "share right", "sentences", "length was"], made, left=[3])


def choices_table(characters: Sequence[str], choices: Sequence[Sequence[tuple[str, float]]], *, caption: str) -> str:
    """A row a character written, with its likeliest choices and their probabilities, the chosen one first."""
    n = max((len(row) for row in choices), default=0)
    rows = []
    for character, row in zip(characters, choices, strict=True):
        cells = head(character, "query")
        for token, share in row:
            cells += (
                f'<td title="{full(share)}"><bdi>{html.escape(visible_token(token))}</bdi> '
                f'<span class="muted">{format_number(share)}</span></td>'
            )
        rows.append(cells)
    heads = ["written", *["first choice", "second", "third", *(f"{i}th" for i in range(4, n + 1))][:n]]
    return table(caption, heads, rows, left=range(1, n + 1))
