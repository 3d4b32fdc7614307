"""Experiments worth doing: each button sets the recipe, starts the run and lays the usual one beside it."""

from __future__ import annotations

import streamlit as st

from pages.train.parts import buttons, setup
from pages.ui import chrome, session
from pages.ui.training import recorded

# label, why, task, what is changed of its recipe
TRIES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("Induction: see the head appear", "The loss falls in one step, and a head is born in it.", "induction", ()),
    (
        "Sort without positions",
        "What is sorted does not depend on the order: the causal mask alone says enough.",
        "sort",
        ("position=none",),
    ),
    (
        "Reverse without positions",
        "What is reversed is the order itself: without positions it is hard to know.",
        "reverse",
        ("position=none",),
    ),
    ("One head against four", "The same width, all of it in one head.", "sort", ("n_heads=1",)),
    ("One layer cannot induce", "An induction head needs a head before it.", "induction", ("n_layers=1",)),
    (
        "Learning rate 10 times too high",
        "Each step overshoots: the loss comes down a little and stays there.",
        "addition",
        ("learning_rate=0.03",),
    ),
    (
        "Post-norm without warm-up",
        "At a high rate its first steps are too large, and it never recovers. Next: the same with warm-up.",
        "copy",
        ("norm_place=post", "warm_up=0", "learning_rate=0.03"),
    ),
    (
        "Post-norm with warm-up",
        "The same model at the same high rate, reached in 50 steps.",
        "copy",
        ("norm_place=post", "learning_rate=0.03"),
    ),
    (
        "Diverge on purpose",
        "Plain gradient descent at a rate of 1000.",
        "copy",
        ("optimiser=sgd", "learning_rate=1000", "clip=1000"),
    ),
)


def show(plan: setup.Plan) -> None:
    if not chrome.shown("experiments"):
        return
    st.subheader("Try this", anchor=False)
    off = chrome.locked("experiments") or chrome.locked("training") or chrome.locked("task") or chrome.locked("recipe")
    with st.container(horizontal=True, key="experiments_row"):
        for i, (label, why, task, words) in enumerate(TRIES):
            st.button(label, key=f"try_{i}", help=why, on_click=_try, args=(task, words), disabled=off)


def _try(task: str, words: tuple[str, ...]) -> None:
    session.put(task=task, recipe=words)
    buttons.ask_to_start()
    shipped = recorded(task)
    st.session_state["compare"] = [shipped.name] if shipped is not None else []
