"""How values are written in a link: parsers that raise ValueError, and what writes their values back."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from urllib.parse import quote_plus

OWN_MODEL = "trained-"  # how the name of a model begins that was trained or loaded here
LONGEST_TEXT = 20_000  # characters of a text in a link, counted as the address writes them: a Hebrew letter takes 6


def whole(low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number from low to high."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,12}", text) or not low <= int(text) <= high:
            raise ValueError(f"expected a whole number from {low} to {high}")
        return int(text)

    return parse


def number(low: float, high: float) -> Callable[[str], float]:
    """Reads a number from low to high."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise ValueError(f"expected a number from {low} to {high}")
        return value

    return parse


def one_of(*choices: str) -> Callable[[str], str]:
    """Reads one of the given words."""

    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"expected one of {', '.join(choices)}")
        return text

    return parse


def one_of_numbers(*choices: int) -> Callable[[str], int]:
    """Reads one of the given whole numbers."""

    def parse(text: str) -> int:
        if text not in map(str, choices):
            raise ValueError(f"expected one of {', '.join(map(str, choices))}")
        return int(text)

    return parse


def model_name(*shipped: str) -> Callable[[str], str]:
    """Reads the name of a model that ships, or of one that was trained here."""

    def parse(text: str) -> str:
        if text not in shipped and not re.fullmatch(OWN_MODEL + "[0-9a-f]{16}", text):
            raise ValueError(f"expected one of {', '.join(shipped)}")
        return text

    return parse


def flag(text: str) -> bool:
    """Reads 1 or 0."""
    if text not in ("0", "1"):
        raise ValueError("expected 1 or 0")
    return text == "1"


def words(text: str) -> tuple[str, ...]:
    """Reads words joined by ~; none from an empty text."""
    return tuple(word for word in text.split("~") if word)


def free_text(text: str) -> str:
    """Takes any text as it is."""
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"expected at most {LONGEST_TEXT:,} characters")
    return text


def cut_to_link(text: str) -> str:
    """As much of the text, from its beginning, as a link carries: a browser may send 64 KB, and a server take it."""
    cut = text[:LONGEST_TEXT]
    while (over := len(quote_plus(cut, errors="replace")) - LONGEST_TEXT) > 0:
        cut = cut[: len(cut) - max(1, over // 12)]  # no character takes more than 12
    return cut


def selected_cell(text: str) -> str:
    """Reads equation.matrix.row.column, or nothing."""
    if not re.fullmatch(r"([0-9]{1,6}(\.[0-9]{1,6}){3})?", text):
        raise ValueError("expected equation.matrix.row.column as in 0.2.1.0")
    return text


def write_flag(value: bool) -> str:
    return "1" if value else "0"
