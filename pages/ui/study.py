"""A study on a page: runs that belong together, as they were recorded, until they are run live in their place.

A lesson asks `arms(name)` for what is on show, draws its pictures of it inside `watch`, and has the buttons from
`controls`. Both kinds say which they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import streamlit as st

from pages.ui import chrome
from pages.ui.training import desk, runner, task_named
from viz_model.training import studies
from viz_model.training.live_run import LiveRun
from viz_model.training.saved import model_of
from viz_model.training.studies import Arm

TICK = 1.5  # seconds between looks at live runs: drawing takes time from the workers
LOOKS = 25  # at accuracy, of a live run: each takes about as long as a step, and a curve needs no more


@dataclass(eq=False)
class Live:
    """A study's runs, live."""

    runs: dict[str, LiveRun]
    measures: dict[str, studies.Measures] = field(default_factory=dict)  # of the runs that have ended

    @property
    def alive(self) -> bool:
        return any(run.alive for run in self.runs.values())


def is_live(name: str) -> bool:
    """Whether the runs on show are this viewer's own."""
    return name in desk().studies


def arms(name: str) -> Mapping[str, Arm]:
    """The study's runs as they stand: the viewer's own where they have been started, else the recorded ones."""
    live: Live | None = desk().studies.get(name)
    if live is None:
        return studies.recorded(name)
    return {
        label: Arm(run.recipe, list(run.snapshots), _measures(name, live, label)) for label, run in live.runs.items()
    }


def controls(name: str, *, key: str = "study") -> None:
    """Start, Stop, and back to the recorded runs."""
    live: Live | None = desk().studies.get(name)
    off = chrome.locked("training")
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_row"):
        st.button(
            "Train them now",
            icon=":material/play_arrow:",
            type="primary",
            key=f"{key}_start",
            on_click=start,
            args=(name,),
            disabled=off or (live is not None and live.alive),
            help="Trains the same runs again, in front of you, in processes beside the server.",
        )
        st.button(
            "Stop",
            icon=":material/stop:",
            key=f"{key}_stop",
            on_click=stop,
            args=(name,),
            disabled=off or live is None or not live.alive,
            help="Ends the runs after the step that they are at.",
        )
        st.button(
            "Back to the recorded runs",
            key=f"{key}_back",
            on_click=put_away,
            args=(name,),
            disabled=off or live is None,
            help="Puts your own runs away.",
        )
    for label, run in live.runs.items() if live is not None else ():
        if run.message:
            st.warning(chrome.literal(f"{label}: {run.message}"), icon=":material/warning:")


def watch(name: str, draw: Callable[[Mapping[str, Arm]], None]) -> None:
    """Draws the study's pictures, and draws them again while it trains."""
    live: Live | None = desk().studies.get(name)
    was_alive = live is not None and live.alive

    def look() -> None:
        st.markdown(_said(live))
        draw(arms(name))
        if was_alive and live is not None and not live.alive:
            st.rerun()

    st.fragment(look, run_every=TICK if was_alive else None)()


def start(name: str) -> None:
    """Starts every run of the study, in place of those on show."""
    put_away(name)
    recipes = studies.STUDIES[name].recipes()
    runs = {label: runner().start(recipe, seed=studies.SEED, looks=LOOKS) for label, recipe in recipes.items()}
    desk().studies[name] = Live(runs)


def stop(name: str) -> None:
    for run in desk().studies[name].runs.values():
        run.stop()


def put_away(name: str) -> None:
    """The recorded runs are on show again."""
    live = desk().studies.pop(name, None)
    for run in live.runs.values() if live is not None else ():
        runner().forget(run)


def _said(live: Live | None) -> str:
    if live is None:
        return f"On show: **recorded** runs, seed {studies.SEED}."
    if not live.alive:
        return "On show: **your own** runs."
    steps = ", ".join(f"{label} {run.step}/{run.recipe.steps}" for label, run in live.runs.items())
    return f"On show: **your own** runs, training: {chrome.literal(steps)}."


def _measures(name: str, live: Live, label: str) -> studies.Measures:
    """What is measured of a run that has come to its end."""
    run = live.runs[label]
    if label not in live.measures and run.state == "done" and run.saved is not None and not run.thread.is_alive():
        task = task_named(run.recipe.task)
        live.measures[label] = studies.measured(name, model_of(run.saved[1], task), task)
    return live.measures.get(label, {})
