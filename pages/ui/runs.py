"""Models and runs, cached for the whole server: read-only, bounded, keyed by plain strings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

import viz_model as vm
from pages.ui import models, session
from pages.ui.link_values import cut_to_link
from viz_model.edits import SetWeight
from viz_model.inference import resolve_edits
from viz_model.token_display import label

MOST_EDITS = 64
SPECIAL_NAMES = re.compile(r"\[(?:MASK|CLS|SEP|BOS|EOS|PAD|UNK)\]")
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


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """What the state asks for, as the model and the text have it."""

    text: str
    run: Run  # without edits
    layer: int
    head: int
    query: int


def chosen() -> Chosen:
    """Runs the state's model on its text, moves layer, head and query inside, and notes how the text was read."""
    name = st.session_state["model"]
    text = last_good_text(name)
    plain = run(name, text)
    for sentence in plain.reading.notes:
        session.note(sentence)
    config = plain.model.config
    layer = session.keep_within("layer", 0, config.n_layers - 1, "layers")
    head = session.keep_within("head", 0, config.n_heads - 1, "heads")
    query = session.keep_within("query", 0, len(plain.reading.encoding) - 1, "positions")
    return Chosen(text, plain, layer, head, query)


def model(name: str) -> Any:
    """A model, shared by all sessions: in eval mode, never changed."""
    own = models.find(name)
    return _shipped(name) if own is None else own.model


@st.cache_resource(max_entries=16, show_spinner=False)
def _shipped(name: str) -> Any:
    return vm.load(name)


@st.cache_resource(max_entries=64, show_spinner=False)
def read(name: str, text: str) -> Reading:
    """The text's tokens, cut to what the model reads, and plain sentences on how it was read."""
    loaded = model(name)
    tokenizer, limit = loaded.tokenizer, loaded.config.context_length
    encoding = tokenizer.encode(text)
    notes = list(encoding.notes)
    foreign = [name for name in dict.fromkeys(SPECIAL_NAMES.findall(text)) if name not in tokenizer.specials.names]
    if foreign:
        notes.append(f"{', '.join(foreign)}: no special token of this model, so read as the characters typed.")
        if "[MASK]" in foreign:
            notes.append("The model “english-masked” guesses a word that stands as [MASK].")
    unknown = [word for word in tokenizer.unknown_words(text) if not any(word in name for name in foreign)]
    if unknown:
        few = ", ".join(f"“{label(word[:40])}”" for word in unknown[:5])
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
    if len(edits) > MOST_EDITS:
        session.note(f"There are {len(edits)} edits: the first {MOST_EDITS} are in force.")
    asked = tuple(edits[:MOST_EDITS])
    if not asked or _fits(name, text, asked, text_b) is None:  # one run where all fit, as they mostly do
        return asked
    taken: tuple[str, ...] = ()
    for code in asked:
        error = _fits(name, text, (*taken, code), text_b)
        if error is None:
            taken = (*taken, code)
        else:
            session.note(f"The edit {code[:60]} was left out: {error}")
    return taken


def _fits(name: str, text: str, edits: tuple[str, ...], text_b: str) -> ValueError | None:
    """None where the model can take the edits, else why not."""
    if not text_b.strip() and any(code.startswith("patch") for code in edits):
        return ValueError("expected a second sentence to take the head from, got none")
    try:
        made = run(name, text, edits, text_b)
    except ValueError as error:
        return error
    for edit in made.edits:
        if isinstance(edit, SetWeight) and not made.trace.blocks[edit.layer].attention.mask[0, 0, edit.query, edit.key]:
            query, key = made.trace.tokens[edit.query], made.trace.tokens[edit.key]
            return ValueError(f"expected a key that “{query}” may read, got “{key}”, which is masked for it")
    return None


def last_good_text(name: str) -> str:
    """The text of the state, or the last one that the model could read; asks for text where there is none."""
    state = st.session_state
    text: str = state["text"]
    if has_words(name, text):
        state["last_text"] = text
        if cut_to_link(text) != text:
            session.note("The text is longer than a link: the page's link carries its beginning.")
        return text
    previous: str = state.get("last_text", "")
    if not has_words(name, previous):
        previous = models.example(name)
    why = "this model finds no word in it" if text.strip() else "there is none"
    session.note(f"Type a sentence: {why}, so the picture is still of “{previous[:60]}”.")
    return previous


def has_words(name: str, text: str) -> bool:
    """Whether the model finds a token in the text, beside those that it adds."""
    return bool(text.strip()) and any(end > start for start, end in read(name, text).encoding.offsets)
