"""The table: a row says what was measured, ours, the peer's, their ratio, the bound and whether it holds."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import astuple, dataclass

NOT_INSTALLED = "not installed: pip install -r tests/bench/requirements.txt"
NONE = "-"


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison, as text. `note` says why something could not be measured; what is missing is a dash."""

    what: str
    ours: str = NONE
    peer: str = NONE
    ratio: str = NONE
    bound: str = NONE
    holds: str = NONE
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bound:
    """What the ratio (or our own number, where `of` says so) must be."""

    limit: float
    most: bool  # True: at most the limit; False: at least
    of: str = ""
    unit: str = "x"

    def __str__(self) -> str:
        return f"{self.of} {'<=' if self.most else '>='} {self.limit:g}{self.unit}".strip()

    def holds(self, number: float) -> str:
        return "yes" if (number <= self.limit if self.most else number >= self.limit) else "NO"


def missing(what: str, bound: Bound | None, because: str) -> Row:
    """The row of what could not be measured."""
    return Row(what, bound=NONE if bound is None else str(bound), note=because)


def why(error: Exception) -> str:
    """What a row says where its measurement failed."""
    if isinstance(error, ModuleNotFoundError):
        return NOT_INSTALLED
    return f"broke off: {type(error).__name__}: {(str(error).splitlines() or [''])[0][:80]}"


def count(rows: Iterable[Row]) -> str:
    """How many bounds hold, in a sentence."""
    judged = [row.holds for row in rows if row.holds != NONE]
    return f"{judged.count('yes')} of {len(judged)} bounds hold."


def text(rows: list[Row]) -> str:
    """The table in columns, the numbers to the right."""
    lines = [("what", "ours", "peer", "ratio", "bound", "holds", ""), *(astuple(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(6)]
    shown = []
    for what, *numbers, note in lines:
        cells = [f"{number:>{width}}" for number, width in zip(numbers, widths[1:], strict=True)]
        shown.append("  ".join([f"{what:<{widths[0]}}", *cells, note]).rstrip())
    shown.insert(1, "-" * (sum(widths) + 2 * (len(widths) - 1)))
    return "\n".join(shown)


def tell(message: str) -> None:
    """Progress, apart from the table."""
    print(message, file=sys.stderr, flush=True)
