"""The buttons of a run: start, pause, one step, stop, put away; and the learning rate while it runs."""

from __future__ import annotations

import streamlit as st

from pages.train.parts import own_text
from pages.train.parts.setup import Plan, on_show
from pages.ui import chrome, session
from pages.ui.training import Desk, desk, task_named

FACTORS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


def show(plan: Plan) -> None:
    if st.session_state.pop("start_asked", False):
        begin(plan)
    shown, mine = on_show(plan), desk()
    run = shown.run if shown is not None else None
    phase = shown.phase if shown is not None else "none"
    off = chrome.locked("training")
    with st.container(horizontal=True, vertical_alignment="bottom", key="run_buttons"):
        st.button(
            "Start",
            icon=":material/play_arrow:",
            type="primary",
            key="start",
            on_click=ask_to_start,
            help="Trains the plan above from its beginning, in a process beside the server.",
            disabled=off,
        )
        paused = phase == "paused"
        st.button(
            "Go on" if paused or phase in ("stopped", "loaded") else "Pause",
            icon=":material/resume:" if paused else ":material/pause:",
            key="pause",
            on_click=_go_on if paused or phase in ("stopped", "loaded") else _pause,
            args=(mine,),
            help="Holds the run where it is; going on continues the same curve exactly.",
            disabled=off or not _can_pause(phase, shown),
        )
        st.button(
            "Step",
            icon=":material/skip_next:",
            key="one_step",
            on_click=_step,
            args=(mine,),
            help="One step more of a run that is paused.",
            disabled=off or not paused,
        )
        st.button(
            "Stop",
            icon=":material/stop:",
            key="stop",
            on_click=_stop,
            args=(mine,),
            help="Ends the run after the step that it is at; its checkpoint is kept.",
            disabled=off or not (shown is not None and shown.alive),
        )
        st.button(
            "Reset",
            icon=":material/restart_alt:",
            key="reset",
            on_click=mine.put_away,
            help="Puts the run away: it can be compared with later.",
            disabled=off or mine.current is None,
        )
        st.session_state["rate_factor"] = _nearest(run.rate_factor if run is not None else 1.0)
        st.select_slider(
            "Learning rate times",
            FACTORS,
            key="rate_factor",
            format_func=lambda factor: f"× {factor:g}",
            on_change=_change_rate,
            args=(mine,),
            help="From the next step on, whatever the schedule says is multiplied by this.",
            disabled=off or not (shown is not None and shown.alive),
            width=260,
        )


def ask_to_start() -> None:
    """The plan of the coming run of the page is to be started in it."""
    st.session_state["start_asked"] = True


def begin(plan: Plan) -> None:
    """Starts the plan; a note where its text is none to learn from."""
    if plan.task != "own-text":
        desk().start(plan.recipe, plan.seed, task_named(plan.task), None, plan.name)
        return
    own = None
    try:
        own = own_text.chosen()
        with st.spinner("Making the tokenizer and cutting the text into tokens"):
            task = own.task()
    except ValueError as error:
        session.note(f"Nothing was started: {own_text.why_not(error, own)}")
        return
    desk().start(plan.recipe, plan.seed, task, own, plan.name)


def _can_pause(phase: str, shown: object) -> bool:
    if phase in ("stopped", "loaded"):
        return shown is not None and shown.saved() is not None and shown.step < shown.recipe.steps  # type: ignore[attr-defined]
    return phase in ("starting", "running", "paused")


def _pause(mine: Desk) -> None:
    if mine.current is not None and mine.current.run is not None:
        mine.current.run.pause()


def _go_on(mine: Desk) -> None:
    if mine.current is None:
        return
    if mine.current.alive and mine.current.run is not None:
        mine.current.run.resume()
    else:
        mine.go_on()


def _step(mine: Desk) -> None:
    if mine.current is not None and mine.current.run is not None:
        mine.current.run.one_step()


def _stop(mine: Desk) -> None:
    if mine.current is not None and mine.current.run is not None:
        mine.current.run.stop()


def _change_rate(mine: Desk) -> None:
    if mine.current is not None and mine.current.run is not None:
        mine.current.run.change_rate(float(st.session_state["rate_factor"]))


def _nearest(factor: float) -> float:
    return min(FACTORS, key=lambda each: abs(each - factor))
