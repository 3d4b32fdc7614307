"""What is to be trained: the task, the model, the optimiser, the seed. They make the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.train.parts import own_text
from pages.ui import chrome, link_table, session
from pages.ui.training import desk, recorded, task_named
from viz_model.training.recipe import Recipe, own_text_recipes, recipes
from viz_model.training.recipe_words import changed, words_for

TITLES = {
    "induction": "Induction: find what came next last time",
    "copy": "Copy letters",
    "reverse": "Reverse letters",
    "sort": "Sort letters",
    "addition": "Add two numbers",
    "brackets": "Match brackets",
    "english-causal": "English: the next word",
    "english-masked": "English: the hidden word",
    "english-french": "English to French",
    "sentiment": "Sentiment with negation",
    "question-answering": "Question answering",
    "summarising": "Summarising",
    "digits": "Hand-written digits",
    "code": "Python code: the next character",
    "own-text": "Your own text",
}
LARGEST_SEED = 2**31 - 1
OPTIMISERS = {"adamw": "AdamW", "adam": "Adam", "sgd": "SGD", "muon": "Muon"}
# field -> how its control is drawn: label, choices (None: a number), help
MODEL: dict[str, tuple[str, tuple[Any, ...], str]] = {
    "n_layers": ("Layers", (1, 2, 3, 4, 6), "Blocks, one after the other."),
    "n_heads": ("Heads a layer", (1, 2, 4, 8), "Each reads on its own; together they are as wide as the model."),
    "d_model": ("Width d_model", (16, 32, 64, 128), "Numbers in the vector of each position."),
    "position": (
        "Positions",
        ("sinusoidal", "learned", "rotary", "alibi", "t5", "none"),
        "How the model knows the order; with none it does not, but for the mask.",
    ),
    "norm_place": ("Normalisation", ("pre", "post"), "Before each layer, or after it as in the paper of 2017."),
    "feed_forward": ("Feed-forward layers", (True, False), "Without them there is nothing but attention."),
}
OPTIMISER: dict[str, tuple[str, tuple[Any, ...], str]] = {
    "optimiser": ("Optimiser", tuple(OPTIMISERS), "How a gradient becomes a step."),
    "learning_rate": (
        "Learning rate",
        (3e-4, 1e-3, 2e-3, 3e-3, 8e-3, 0.01, 0.02, 0.03, 0.1, 0.3, 1.0),
        "The size of a step; it can be changed while the run goes on.",
    ),
    "adamw_rate": (
        "AdamW's rate",
        (3e-3, 0.015, 0.02, 0.03),
        "Muon trains the matrices of the blocks alone: all else, the embeddings above all, has AdamW at this rate.",
    ),
    "warm_up": ("Warm-up steps", (0, 10, 50, 100, 200), "The rate rises over so many steps, then falls as a cosine."),
    "batch_size": ("Batch", (8, 16, 32, 64, 128, 256, 512), "Examples in a step."),
    "steps": ("Steps", (60, 120, 200, 300, 500, 800, 1000, 2000, 3000, 6000), "When the run ends."),
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What Start would train."""

    task: str
    usual: Recipe  # the task's own
    recipe: Recipe
    seed: int

    @property
    def name(self) -> str:
        """The run's name in legends: the task, what is not usual, the seed."""
        words = ", ".join(words_for(self.recipe, self.usual))
        return f"{self.task}{f', {words}' if words else ''}, seed {self.seed}"


def choose() -> Plan:
    """Draws the controls and reads the plan from them."""
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="bottom", key="plan_row"):
        st.selectbox(
            "Task",
            link_table.TASKS,
            key="task",
            format_func=TITLES.get,
            help="Each has known right answers, and most a known right attention.",
            on_change=_forget_changes,
            disabled=chrome.locked("task"),
            width=340,
        )
        plan = _plan()
        with st.popover("Model", icon=":material/layers:", disabled=chrome.locked("recipe")):
            _controls(MODEL, plan)
        with st.popover("Optimiser", icon=":material/tune:", disabled=chrome.locked("recipe")):
            _controls(OPTIMISER, plan)
        st.number_input(
            "Seed",
            0,
            LARGEST_SEED,
            key="seed",
            help="The same recipe and seed give the same curve.",
            disabled=chrome.locked("recipe"),
            width=120,
        )
        if state["recipe"]:
            st.button(
                "The usual recipe",
                key="usual_recipe",
                on_click=_forget_changes,
                help="Undoes the changes of model and optimiser.",
            )
    if state["task"] == "own-text":
        own_text.controls()
        about = own_text.about()
    else:
        about = task_named(state["task"]).about
    changes = words_for(plan.recipe, plan.usual)
    said = f" Not as usual: {', '.join(changes)}." if changes else ""
    st.caption(chrome.literal(f"{about}{said}"))
    return replace(plan, seed=state["seed"])


def usual_recipe(task: str) -> Recipe:
    """The recipe of a task of this page."""
    if task == "own-text":
        return own_text_recipes[f"own-text-{st.session_state['objective']}"]
    return recipes[task]


def _plan() -> Plan:
    state = st.session_state
    usual = usual_recipe(state["task"])
    try:
        recipe = changed(usual, state["recipe"])
    except ValueError:
        state["recipe"], recipe = _usable(usual, state["recipe"])
    return Plan(state["task"], usual, recipe, state["seed"])


def _usable(usual: Recipe, words: Sequence[str]) -> tuple[tuple[str, ...], Recipe]:
    """The changes of a link that make a recipe, in order; the others are left out, which one note says."""
    taken: tuple[str, ...] = ()
    recipe, refused = usual, []
    for word in words:
        try:
            recipe = changed(usual, (*taken, word))
            taken = (*taken, word)
        except ValueError as error:
            refused.append(str(error))
    more = f" ({len(refused) - 1} more were left out.)" if len(refused) > 1 else ""
    session.note(f"The recipe is {'the usual one but for what fits' if taken else 'as usual'}: {refused[0]}{more}")
    return taken, recipe


def _forget_changes() -> None:
    st.session_state["recipe"] = ()


def _controls(table: dict[str, tuple[str, tuple[Any, ...], str]], plan: Plan) -> None:
    for name, (label, choices, why) in table.items():
        if name == "adamw_rate" and plan.recipe.optimiser != "muon":
            continue
        value = getattr(plan.recipe, name)
        key = f"recipe_{name}"
        st.session_state[key] = value
        options = sorted({*choices, value}) if not isinstance(value, str | bool) else choices
        if isinstance(value, bool):
            st.toggle(label, key=key, help=why, on_change=_change, args=(name, plan))
        else:
            st.selectbox(label, options, key=key, help=why, on_change=_change, args=(name, plan), format_func=_written)


def _written(value: Any) -> str:
    return OPTIMISERS.get(value, str(value)) if isinstance(value, str) else f"{value:g}"


def _change(name: str, plan: Plan) -> None:
    """A control was moved: the change goes into the link's words, if it makes a recipe."""
    made = replace(plan.recipe, **{name: st.session_state[f"recipe_{name}"]})
    words = words_for(made, plan.usual)
    try:
        changed(plan.usual, words)
    except ValueError as error:
        session.note(f"The model is as before: {error}")
        return
    st.session_state["recipe"] = words


def on_show(plan: Plan) -> Any:
    """The run on the page: the session's own, else the recorded one of the task; None where there is neither."""
    current = desk().current
    return current if current is not None else recorded(plan.task)
