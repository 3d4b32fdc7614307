"""What is kept of a run: compare, save, load, open in the workbench."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import streamlit as st

from pages.train.parts import setup
from pages.train.parts.setup import LARGEST_SEED, Plan, on_show
from pages.train.parts.watching import comparable
from pages.ui import chrome, downloads, link_table, models, session
from pages.ui.training import Shown, desk
from viz_model.training.recipe_words import words_for
from viz_model.training.saved import LARGEST, Saved, model_of, read_run, write_run

WORKBENCH = Path(__file__).parents[2] / "explore" / "workbench.py"
NOT_YET = "There is no checkpoint yet: one is made every few seconds, and at the end."
READABLE = ("decoder", "encoder")  # what the workbench reads: one stack of tokens


def show(plan: Plan) -> None:
    shown = on_show(plan)
    with st.container(horizontal=True, vertical_alignment="bottom", key="keeping_row"):
        _compare(shown)
        if shown is None:
            _load()
            return
        if chrome.shown("downloads"):
            _save(shown)
        _load()
        _workbench(shown)


def _compare(shown: Shown | None) -> None:
    names = [each.name for each in comparable(shown)]
    state = st.session_state
    state["compare"] = [name for name in state.get("compare", []) if name in names]
    if names:
        st.multiselect(
            "Compare with",
            names,
            key="compare",
            max_selections=3,
            help="Earlier runs of this session and the recorded one, over the same axes, dashed.",
            width=420,
        )


def _save(shown: Shown) -> None:
    state, name = shown.saved(), re.sub(r"[^a-z0-9]+", "-", shown.name.lower()).strip("-")

    def make() -> bytes:
        assert state is not None
        return write_run(state, shown.snapshots, shown.own)

    why = "Weights, optimiser, curve and pictures as one safetensors file, which Load reads and which can go on."
    if shown.origin == "recorded":
        why = "This run came with the app: what you train here can be saved."
    elif state is None:
        why = NOT_YET
    downloads.button(
        "Save the run",
        make,
        f"{name}.safetensors",
        mime="application/octet-stream",
        key="save_run",
        about=why,
        ready=state is not None,
    )


def _load() -> None:
    with st.popover("Load", icon=":material/upload:", disabled=chrome.locked("training")):
        st.file_uploader(
            f"A run that was saved here (at most {LARGEST // 1_000_000} MB)",
            key="run_file",
            on_change=_read,
            max_upload_size=LARGEST // 1_000_000,
            help="The run on show is put away first, and can be compared with.",
        )
        if st.session_state["run_file"] is not None and (why := st.session_state.get("run_refused")):
            st.warning(chrome.literal(why))  # the note at the top of the page is out of sight from here


def _read() -> None:
    file = st.session_state["run_file"]
    st.session_state["run_refused"] = ""
    if file is None:
        return
    try:
        saved = read_run(file.getvalue())
    except ValueError as error:
        st.session_state["run_refused"] = f"{file.name} was not loaded: {error}"
        session.note(st.session_state["run_refused"])
        return
    desk().show_loaded(_shown(file.name, saved))
    if saved.own is not None:
        session.put(task="own-text", source="yours", objective=saved.own.objective, tokenizer=saved.own.tokenizer)
    elif saved.recipe.task in link_table.TASKS:
        session.put(task=saved.recipe.task)
    else:
        return
    usual = setup.usual_recipe(st.session_state["task"])
    session.put(recipe=words_for(saved.recipe, usual))
    if 0 <= saved.seed <= LARGEST_SEED:  # a notebook's may be another
        session.put(seed=saved.seed)


def _shown(file: str, saved: Saved) -> Shown:
    name = file.removesuffix(".safetensors")
    return Shown(
        f"{name} (loaded)",
        saved.recipe,
        saved.seed,
        saved.task,
        saved.own,
        kept=saved.snapshots,
        state=saved.state,
        origin="failed" if saved.snapshots[-1].stopped else "loaded",
    )


def _workbench(shown: Shown) -> None:
    fits = shown.task.kind in READABLE
    ready = shown.origin == "recorded" or shown.saved() is not None
    why = "Every head of this model on a text of its kind, with edits."
    if not fits:
        why = f"The workbench reads one stack of tokens; this is a model of another kind ({shown.task.kind})."
    elif not ready:
        why = NOT_YET
    if st.button(
        "Open in the workbench",
        icon=":material/grid_view:",
        key="open_workbench",
        help=why,
        disabled=not (fits and ready),
    ):
        models.open_text(_name(shown))
        st.switch_page(WORKBENCH)


def _name(shown: Shown) -> str:
    """The name under which other pages find the model."""
    if shown.origin == "recorded":
        return shown.recipe.task
    state: Any = shown.saved()
    return models.keep(f"trained here: {shown.name}", shown.example, model_of(state, shown.task), state)
