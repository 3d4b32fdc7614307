"""Which application is on show, and what its toy can and cannot read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import streamlit as st

import viz_model as vm
from pages.families.parts import (
    application_answers,
    application_code,
    application_feeling,
    application_heads,
    application_summary,
    application_translation,
)
from pages.ui import chrome, link_table, runs, session
from viz_model.checkpoint import read_card
from viz_model.figures.theme import format_number


class OnShow(Protocol):
    """One application, run on what was typed."""

    key: str  # what a prediction was asked about

    def draw(self, words: Mapping[str, str]) -> None:
        """The output, the pictures and their words."""

    def limits(self) -> str:
        """What is said of the text on show: whether it is of the kind that the model learned from."""

    def ask(self, words: Mapping[str, str]) -> str: ...
    def choices(self) -> list[str]: ...
    def answer(self, words: Mapping[str, str]) -> tuple[str, str]: ...


# name in the link -> the part that draws it
APPLICATIONS: dict[str, Any] = {
    "answers": application_answers,
    "feeling": application_feeling,
    "summary": application_summary,
    "translation": application_translation,
    "code": application_code,
}
TITLES = {
    "answers": "Answer a question",
    "feeling": "Praise or blame",
    "summary": "Summarise",
    "translation": "Translate",
    "code": "Complete code",
}


def choose(words: Mapping[str, str]) -> str:
    """Draws the control; gives the application on show."""
    state = st.session_state
    shipped = vm.bundled()
    here = [name for name, part in APPLICATIONS.items() if part.MODEL in shipped]
    if state["application"] not in here:
        session.note(words["no such model"])
        state["application"] = link_table.TABLE["application"].default
    st.segmented_control(
        "Application",
        here,
        key="application",
        format_func=TITLES.get,
        required=True,
        label_visibility="collapsed",
        disabled=chrome.locked("panel"),
        on_change=session.put,
        kwargs={"app_layer": -1, "app_head": -1},
    )
    name: str = state["application"]
    application_heads.keep_within(APPLICATIONS[name].MODEL)
    st.markdown(words[name])
    return name


def honest(name: str, words: Mapping[str, str], on_this_text: str) -> None:
    """The figures of held-out texts, and the whole of the vocabulary."""
    model = APPLICATIONS[name].MODEL
    st.subheader("What this model can and cannot read", anchor=False)
    st.markdown(on_this_text)
    st.markdown(words[f"limits {name}"])
    figures = "\n".join(f"- {what}: **{_figure(value)}**" for what, value in read_card(model).figures.items())
    st.markdown(words["figures"].format(model=model) + "\n\n" + figures)
    tokenizer = runs.model(model).tokenizer
    if tokenizer.kind == "word":
        known = tokenizer.tokens[len(tokenizer.specials.names) :]
        with st.expander(f"All {len(known)} words that it knows"):
            st.markdown(chrome.literal(", ".join(known)))


def _figure(value: float) -> str:
    return f"{100 * value:.1f} %" if 0 <= value <= 1 else format_number(value)
