"""How a token was chosen: logit, temperature, probability, what was kept, what it was drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from viz_model.figures.html_table import bar, head, number, table


class Choice(Protocol):
    """One token's numbers."""

    @property
    def logit(self) -> float: ...
    @property
    def scaled(self) -> float: ...
    @property
    def probability(self) -> float: ...
    @property
    def kept(self) -> bool: ...
    @property
    def final(self) -> float: ...


def choice_table(tokens: Sequence[str], choices: Sequence[Choice], chosen: str | None, *, caption: str) -> str:
    """The likeliest tokens through every stage of sampling; the chosen one is marked."""
    rows = []
    for token, choice in zip(tokens, choices, strict=True):
        mark = '<td class="n">← chosen</td>' if token == chosen else "<td></td>"
        kept = "<td>kept</td>" if choice.kept else '<td class="muted">cut</td>'
        final = bar(choice.final) if choice.kept else '<td class="n muted">0</td>'
        rows.append(
            head(token) + number(choice.logit) + number(choice.scaled) + bar(choice.probability) + kept + final + mark
        )
    names = ["token", "logit", "÷ temperature", "probability", "top-k, top-p", "drawn from", ""]
    return table(caption, names, rows)
