"""The state of a visit: restored from the link (`link_table` says what one carries) and written back to it.

A page reads and sets `st.session_state[key]`; its widgets carry the same key and no value. `restore` comes first in
every run, `publish` last. A bad value in a link falls back to its default and leaves a note for the page.
"""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.ui.link_table import TABLE

VERSION = "1"


def restore() -> None:
    """Fills the state: from the link on a session's first run and after Back or Forward, else from the session."""
    state = st.session_state
    if "notes" not in state:
        state["notes"], state["published"] = [], {}
        _read_link()
    elif _went_back():
        _read_link()
    for key, entry in TABLE.items():
        # Set anew, a widget's value lives on over pages that do not draw the widget. (Where the page is left while a
        # part of it is running by itself, Streamlit drops the values of its widgets before we come here.)
        state[key] = state[key] if key in state else state["published"].get(key, entry.default)


def publish() -> None:
    """Writes what differs from the defaults into the URL, so that the address bar is always the page's link."""
    st.session_state["published"] = {key: st.session_state[key] for key in TABLE}
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
        if value != TABLE[key].default:  # nobody asked for the default
            note(f"This model and text have {what} {low} to {high}; {value} was asked for, {inside} is shown.")
        st.session_state[key] = value = inside
    return value


def _went_back() -> bool:
    """Whether the browser's Back or Forward asked for this run: the address bar then holds the link to go back to.

    (A link that differs from what was published would not tell: a click may come before the last one was written.)
    """
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


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
    for key, entry in TABLE.items():
        strange = [name for name in st.session_state[key] if name not in entry.known] if entry.known else []
        if strange:
            names = ", ".join(name[:40] for name in strange[:5])
            note(f"The link's {key} does not know {names}; it knows {', '.join(entry.known)}.")
            kept = tuple(name for name in st.session_state[key] if name in entry.known)
            st.session_state[key] = kept or entry.default
    unknown = sorted(key for key in given if not key.startswith("embed"))
    if unknown:
        note(f"The link says {', '.join(key[:40] for key in unknown)}, which this page does not know.")
