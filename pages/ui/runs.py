"""Models and runs, cached for the whole server: read-only, bounded, keyed by plain strings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

import viz_model as vm
from pages.ui import session
from viz_model.inference import resolve_edits

SHORTEST_LINK_TEXT = 4000
CUT = "{what}: showing the first {shown:,} tokens of {total:,}, which is what this model reads at once."


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A text as a model reads it."""

    text: str  # what the model reads of it
    encoding: vm.Encoding
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run of a model: what it read and what it computed."""

    model: Any
    reading: Reading
    trace: Any
    edits: tuple[Any, ...] = ()  # as the model takes them: a patch holds the other run


@st.cache_resource(max_entries=8, show_spinner=False)
def model(name: str) -> Any:
    """A model, shared by all sessions: in eval mode, never changed."""
    return vm.load(name)


@st.cache_resource(max_entries=64, show_spinner=False)
def read(name: str, text: str) -> Reading:
    """The text's tokens, cut to what the model reads, and plain sentences on how it was read."""
    loaded = model(name)
    tokenizer, limit = loaded.tokenizer, loaded.config.context_length
    encoding = tokenizer.encode(text)
    notes = list(encoding.notes)
    unknown = tokenizer.unknown_words(text)
    if unknown:
        few = ", ".join(f"“{word[:40]}”" for word in unknown[:5])
        near = ", ".join(dict.fromkeys(word for bad in unknown[:3] for word in tokenizer.near(bad, 2)))
        more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
        notes.append(
            f"Not among this model's {tokenizer.vocab_size} words, so read as [UNK]: {few}{more}."
            + (f" Near ones: {near}." if near else "")
            + (" The model “untrained” reads any script." if name != "untrained" else "")
        )
    if len(encoding) > limit:
        total = len(encoding)
        room = limit - sum(1 for start, end in encoding.offsets if start == end == 0)
        ends = [end for start, end in encoding.offsets if end > start]
        while room > 0 and len(tokenizer.encode(text[: ends[room - 1]])) > limit:
            room -= 1
        text = text[: ends[room - 1]]
        encoding = tokenizer.encode(text)
        notes.append(CUT.format(what="Long text", shown=len(encoding), total=total))
    return Reading(text, encoding, tuple(notes))


@st.cache_resource(max_entries=24, show_spinner=False)
def run(name: str, text: str, edits: tuple[str, ...] = (), text_b: str = "") -> Run:
    """The model's trace of the text after the edits (their codes); a patch takes from `text_b`."""
    loaded, reading = model(name), read(name, text)
    source = read(name, text_b).text if text_b.strip() else ""
    made = resolve_edits(loaded, [vm.parse_edit(code, source=source) for code in edits])
    return Run(loaded, reading, vm.run(loaded, reading.text, edits=made), made)


def usable_edits(name: str, text: str, edits: Sequence[str], text_b: str) -> tuple[str, ...]:
    """The edits that this model and text can take, in order; the others are named in a note and left out."""
    taken: tuple[str, ...] = ()
    for code in edits:
        try:
            if code.startswith("patch") and not text_b.strip():
                raise ValueError("a second sentence to take the head from, got none")
            run(name, text, (*taken, code), text_b)
            taken = (*taken, code)
        except ValueError as error:
            session.note(f"The edit {code[:60]} was left out: {error}")
    return taken


def last_good_text(key: str = "text") -> str:
    """The text of the state, or the last one that was not empty; asks for text where it is."""
    text: str = st.session_state[key]
    kept = f"last_{key}"
    if text.strip():
        st.session_state[kept] = text
        return text
    previous: str = st.session_state.get(kept, session.TABLE[key].default)
    session.note(f"Type a sentence: there is none, so the picture is still of “{previous[:60]}”.")
    return previous
