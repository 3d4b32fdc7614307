"""What a link carries: one table of keys, defaults and parsers, restored from the URL and written back to it.

A page reads and sets `st.session_state[key]`; its widgets carry the same key and no value. `restore` comes first in
every run, `publish` last. A bad value in a link falls back to its default and leaves a note for the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

VERSION = "1"
LONGEST_TEXT = 20_000  # characters of a text that a page reads


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of the state. `parse` reads a link's text and raises ValueError; `write` is its inverse."""

    default: Any
    parse: Callable[[str], Any]
    write: Callable[[Any], str] = str


def whole(low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number from low to high."""

    def parse(text: str) -> int:
        if not text.isascii() or not text.lstrip("-").isdigit() or not low <= int(text) <= high:
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


def write_flag(value: bool) -> str:
    return "1" if value else "0"


def on_off(default: bool) -> Entry:
    return Entry(default, flag, write_flag)


def some_words() -> Entry:
    return Entry((), words, "~".join)


MODELS = ("english-causal", "english-masked", "untrained")
VIEWS = ("map", "arcs")
PANELS = ("query-key", "lens", "rollout", "values", "attribution", "generate", "tokens")

TABLE: dict[str, Entry] = {
    # what is looked at, on every page
    "text": Entry("The cat sat on the mat", free_text),
    "text_b": Entry("", free_text),
    "model": Entry("english-causal", one_of(*MODELS)),
    "layer": Entry(0, whole(0, 63)),
    "head": Entry(0, whole(0, 63)),
    "query": Entry(2, whole(0, 4095)),
    "key": Entry(1, whole(0, 4095)),
    "edits": some_words(),
    # learn: the cat sat
    "mode": Entry("textbook", one_of("textbook", "sentence")),
    "step": Entry("tokens", free_text),
    "word": Entry(1, whole(0, 4095)),
    "cell": Entry("", free_text),
    "changes": some_words(),
    "scaled": on_off(True),
    "causal": on_off(False),
    "softmax_temperature": Entry(1.0, number(0.1, 10.0)),
    # explore: the workbench
    "view": Entry("map", one_of(*VIEWS)),
    "share": Entry(1.0, number(0.0, 1.0)),
    "panel": Entry("query-key", one_of(*PANELS)),
    "hide_specials": on_off(False),
    "renormalise": on_off(False),
    "merge_words": on_off(False),
    "first": Entry(0, whole(0, 4095)),
    "last": Entry(0, whole(0, 4095)),  # 0: to the end
    "temperature": Entry(1.0, number(0.0, 5.0)),
    "top_k": Entry(0, whole(0, 1000)),
    "top_p": Entry(1.0, number(0.0, 1.0)),
    "n_new": Entry(8, whole(1, 64)),
    "seed": Entry(0, whole(0, 2**31 - 1)),
    # how a teacher shares it
    "present": on_off(False),
    "hide": some_words(),
    "lock": some_words(),
}


def restore() -> None:
    """Fills the state: from the link on a session's first run, from the session on every other."""
    state = st.session_state
    if "notes" not in state:
        state["notes"] = []
        _read_link()
    for key in TABLE:
        state[key] = state[key]  # keeps a widget's value alive on pages that do not draw the widget


def publish() -> None:
    """Writes what differs from the defaults into the URL, so that the address bar is always the page's link."""
    link = link_parameters()
    if dict(st.query_params) != link:
        st.query_params.from_dict(link)


def link_parameters() -> dict[str, str]:
    """The state as a link's parameters: what differs from the defaults, and the version."""
    changed = {
        key: entry.write(st.session_state[key])
        for key, entry in TABLE.items()
        if st.session_state[key] != entry.default
    }
    return {"v": VERSION, **changed} if changed else {}


def put(**values: Any) -> None:
    """Sets several values at once: what the buttons of a page do (as a callback, before the widgets are drawn)."""
    for key, value in values.items():
        if key not in TABLE:
            raise KeyError(f"state: expected one of {', '.join(TABLE)}, got {key!r}")
        st.session_state[key] = value


def note(sentence: str) -> None:
    """Leaves a plain sentence that the page shows once."""
    if sentence not in st.session_state["notes"]:
        st.session_state["notes"].append(sentence)


def take_notes() -> list[str]:
    """The notes that wait to be shown; they wait no more."""
    notes, st.session_state["notes"] = st.session_state["notes"], []
    return notes


def keep_within(key: str, low: int, high: int, what: str) -> int:
    """The value of `key`, moved into low..high, with a note where it was outside."""
    value: int = st.session_state[key]
    if not low <= value <= high:
        inside = min(max(value, low), high)
        note(f"This model and text have {what} {low} to {high}; {value} was asked for, {inside} is shown.")
        st.session_state[key] = value = inside
    return value


def _read_link() -> None:
    given = st.query_params.to_dict()
    version = given.pop("v", VERSION)
    if version != VERSION:
        note(f"This link is of version {version[:20]!r}, this page of version {VERSION}: what it knows was read.")
    for key, entry in TABLE.items():
        st.session_state[key] = entry.default
        if key in given:
            try:
                st.session_state[key] = entry.parse(given.pop(key))
            except ValueError as error:
                note(f"The link's {key} was not read ({error}); the usual value is shown.")
    unknown = sorted(key for key in given if not key.startswith("embed"))
    if unknown:
        note(f"The link says {', '.join(key[:40] for key in unknown)}, which this page does not know.")
