"""Tokens, ids, the characters that they cover, their bytes."""

from __future__ import annotations

import html
from collections.abc import Sequence

from viz_model.figures.html_table import head, table
from viz_model.figures.theme import visible_token

LONGEST = 256


def token_table(
    tokens: Sequence[str],
    ids: Sequence[int],
    text: str,
    offsets: Sequence[tuple[int, int]],
    raw: Sequence[bytes],
    special: Sequence[bool],
) -> str:
    """One row a token; what is beyond the first 256 is said, not shown."""
    rows = []
    for i, token in enumerate(tokens[:LONGEST]):
        start, end = offsets[i]
        covers = "added" if start == end else html.escape(visible_token(text[start:end]))
        where = "" if start == end else f"{start}–{end}"
        rows.append(
            f'<td class="n">{i}</td>{head(token)}<td class="n">{ids[i]}</td><td><bdi>{covers}</bdi></td>'
            f'<td class="n">{where}</td><td class="muted">{raw[i].hex(" ").upper()}</td>'
            f"<td>{'special' if special[i] else ''}</td>"
        )
    more = f", the first {LONGEST}" if len(tokens) > LONGEST else ""
    names = ["position", "token", "id", "covers", "characters", "bytes", ""]
    return table(f"{len(tokens)} tokens{more}", names, rows)
