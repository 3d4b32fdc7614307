"""What a person typed into an application, as its model reads it; what could not be read is said, nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

import viz_model as vm
from pages.ui import chrome, runs, session
from pages.ui.link_table import TABLE
from pages.ui.link_values import cut_to_link
from viz_model.token_display import label

NAMED = 5  # words outside the vocabulary that are named


@dataclass(frozen=True, slots=True)
class Typed:
    """A text, cut to what the model reads at once."""

    text: str
    encoding: vm.Encoding

    @property
    def own(self) -> tuple[int, ...]:
        """The positions of what was typed, without the tokens that the model adds."""
        return tuple(i for i, added in enumerate(self.encoding.special) if not added)

    @property
    def words(self) -> list[str]:
        return [self.encoding.tokens[i] for i in self.own]


def field(key: str, name: str, *, large: bool = False, why: str = "") -> None:
    """A field for one text of the state."""
    off = chrome.locked("text")
    if large:
        st.text_area(name, key=key, height=112, help=why or None, disabled=off, placeholder="Type sentences")
    else:
        st.text_input(name, key=key, live="200ms", help=why or None, disabled=off, placeholder="Type a sentence")


def last_good(key: str, name: str, *, of_words: bool = True) -> str:
    """The text of the state; where it has nothing to read, the last that had, and a note that asks for text.

    of_words: it takes a letter or a digit; otherwise any character that can be seen will do.
    """
    state = st.session_state
    text: str = state[key]
    if any(character.isalnum() for character in text) if of_words else text.strip():
        state[f"last_{key}"] = text
        if cut_to_link(text) != text:
            session.note("The text is longer than a link: the page's link carries its beginning.")
        return text
    previous: str = state.get(f"last_{key}", TABLE[key].default)
    found = "no word in it" if text.strip() else "nothing"
    start = " ".join(previous.split())[:60]
    session.note(f"{name}: there is {found}, so the picture is still of “{start}”. Type a text of your own.")
    return previous


def read(tokenizer: Any, text: str, limit: int, clean: Callable[[str], str] = str) -> Typed:
    """The text as the task spells it, its unknown words named with near ones, cut to `limit` tokens with a note."""
    text = clean(text) or text
    encoding = tokenizer.encode(text)
    note_unknown(tokenizer, text)
    if len(encoding) > limit:
        total, room = len(encoding), limit - sum(encoding.special)
        ends = [end for (_, end), added in zip(encoding.offsets, encoding.special, strict=True) if not added]
        text = text[: ends[room - 1]]
        encoding = tokenizer.encode(text)
        session.note(runs.CUT.format(what="Long text", shown=len(encoding), total=total))
    for sentence in encoding.notes:
        session.note(sentence)
    return Typed(text, encoding)


def note_unknown(tokenizer: Any, text: str) -> None:
    """Names the words outside the vocabulary, with near ones."""
    unknown = tokenizer.unknown_words(text)
    if not unknown:
        return
    few = ", ".join(f"“{label(word[:40])}”" for word in unknown[:NAMED])
    more = f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
    near = "; ".join(
        f"{', '.join(found)} for “{label(word[:40])}”" for word in unknown[:3] if (found := tokenizer.near(word, 2))
    )
    n = len(tokenizer.tokens) - len(tokenizer.specials.names)
    what = "characters" if tokenizer.kind == "character" else "words"
    session.note(
        f"Not among this model's {n} {what}, so read as [UNK]: {few}{more}." + (f" Near ones: {near}." if near else "")
    )
