"""The models that pages open: those that ship, and those that were trained or loaded here."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.ui.link_table import MODELS, TABLE
from pages.ui.link_values import OWN_MODEL
from pages.ui.session import note, put

MOST = 64  # trained models that one server holds; the oldest goes first

# name -> what it is, and a text that it was made for
CARDS = {
    "english-causal": ("next word", "The cat sat on the mat"),
    "english-masked": ("hidden words", "The cat sat on the mat"),
    "untrained": ("random weights, any script", "The cat sat on the mat"),
    "sentiment": ("praise or blame", "The music was lovely, but I did not like the film."),
    "code": ("next character of Python code", "for i in range(len("),
    "induction": ("finds what came next", "h c o a w k e r f z h c o a w k e r f z h c o a w k"),
    "copy": ("copies letters", "h c o a k e r f | h c o a k e r f"),
    "reverse": ("reverses letters", "h c o a k e r f | f r e k a o c h"),
    "sort": ("sorts letters", "h c o a k e r f | a c e f h k o r"),
    "addition": ("adds, last digit first", "3 4 + 5 8 = 2 9"),
    "brackets": ("matches brackets", "( [ ] { < ( ) [ { } ] > } ) < [ ( ) ] { } > { ("),
}


@dataclass(eq=False)
class Own:
    """A model of somebody's: who has its name can look at it."""

    label: str
    example: str
    model: Any


def select(**layout: Any) -> None:
    """The control that picks the model on show."""
    state = st.session_state
    if state["model"] not in offered():
        note(f"The link's model ({state['model']}) was trained by someone and is not held by this server any more.")
        state["model"] = TABLE["model"].default
    st.selectbox(
        "Model",
        offered(),
        key="model",
        format_func=label,
        help="Bundled models: each is small, and really trained (or says that it is not). And those that you trained.",
        on_change=_bring_example,
        **layout,
    )


def offered() -> tuple[str, ...]:
    """The names that this session can pick from."""
    mine = dict.fromkeys([*_mine(), *([st.session_state["model"]] if find(st.session_state["model"]) else [])])
    return (*MODELS, *mine)


def label(name: str) -> str:
    """What a model is, for people."""
    own = find(name)
    return own.label if own is not None else f"{name}: {CARDS[name][0]}"


def example(name: str) -> str:
    """A text that the model was made for."""
    own = find(name)
    return own.example if own is not None else CARDS[name][1]


def keep(title: str, text: str, model: Any, state: bytes) -> str:
    """Holds a trained model and gives its name, which a link carries; the session's list has it from now on."""
    name = OWN_MODEL + hashlib.blake2b(state, digest_size=8).hexdigest()
    own = Own(title, text, model)
    held = _held()
    held.pop(name, None)
    held[name] = own
    for old in list(held)[:-MOST]:
        held.pop(old, None)
    st.session_state.setdefault("own_models", {})[name] = own
    return name


def find(name: str) -> Own | None:
    """The session's own model, or one that the server still holds for whoever has its name; None for others."""
    found: Own | None = _mine().get(name)
    return found or _held().get(name)


def open_text(name: str) -> None:
    """Sets the model and a text that it was made for."""
    put(model=name, text=example(name), edits=())


def _mine() -> dict[str, Own]:
    found: dict[str, Own] = st.session_state.get("own_models", {})
    return found


def _bring_example() -> None:
    """A model of another language: the example on show gives way to its own, one's own text stays."""
    state = st.session_state
    examples = {text for _, text in CARDS.values()} | {own.example for own in _mine().values()}
    if state["text"] in examples | {TABLE["text"].default}:
        state["text"] = example(state["model"])


@st.cache_resource(show_spinner=False)
def _held() -> dict[str, Own]:
    return {}
