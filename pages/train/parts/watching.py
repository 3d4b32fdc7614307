"""The picture of the run: curves and the watched example's attention, brought up to date while it trains."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from math import ceil, log2
from typing import Any

import numpy as np
import streamlit as st

from pages.train.parts.setup import Plan, on_show
from pages.ui import chrome, pictures, session
from pages.ui.training import Shown, desk, recorded, runner
from viz_model.figures import training_view
from viz_model.training.history import History, history

TICK = 0.25  # seconds between looks at a live run that has its worker to itself
OVERLAP = 4  # what was sent in the last so many looks is sent again: the browser may leave one out
COMPARED = 3  # runs beside the one on show
LONG = 10.0  # seconds after which a run that still starts says why


def show(plan: Plan) -> None:
    shown = on_show(plan)
    if shown is None:
        st.caption("Nothing is trained yet: press Start, and the picture of the run stands here.")
        return
    if shown.message:
        st.warning(chrome.literal(shown.message), icon=":material/warning:")
    first = {"whole": True}
    look = partial(_look, shown, first, _said(shown))
    st.fragment(look, run_every=_tick(shown))()


def compared(shown: Shown) -> list[Shown]:
    """The runs that the person chose to compare with."""
    chosen = st.session_state.get("compare", [])
    return [each for each in comparable(shown) if each.name in chosen][:COMPARED]


def comparable(shown: Shown | None) -> list[Shown]:
    """The runs that can be drawn beside the one on show: the session's earlier ones, and the recorded one."""
    shipped = recorded(st.session_state["task"])
    others = [*desk().earlier, *([shipped] if shipped is not None else [])]
    return [each for each in others if each is not shown]


def _look(shown: Shown, first: dict[str, bool], said: tuple[Any, ...]) -> None:
    """One look at the run: the whole of it in a run of the page, what is new of it in between."""
    if shown.alive is False and not first["whole"]:
        st.rerun()
    _await_first(shown)
    phase = shown.phase
    seen = list(shown.snapshots)
    missing = st.session_state.pop("training_missing", False)
    begin, whole = 0, first["whole"] or missing
    if not whole:
        looks = list(shown.sent)
        begin = looks[-OVERLAP][1] if len(looks) >= OVERLAP else 0
    first["whole"] = False
    steps, tokens = shown.pace()
    if not seen:
        _wait(shown, whole=whole)
        return
    begin = max(min(begin, len(seen) - 1), 0)
    pictures.training("training", _payload(shown, seen, begin, phase, _status(shown, steps, tokens)), _choose, _missing)
    st.session_state["last_shown"] = shown
    if said != _said(shown):
        st.rerun()


def _said(shown: Shown) -> tuple[Any, ...]:
    """What the page outside the picture says of a run: where it changes between two looks, the page runs again."""
    phase = "running" if shown.phase == "starting" else shown.phase
    return phase, shown.message, shown.saved() is not None, _tick(shown)


def _tick(shown: Shown) -> float | None:
    """Seconds between looks; None for a run that is not alive.

    Runs that take turns give less to see, and eight viewers who look four times a second each leave the server no time
    to send what they see: with the runs on a worker the tick grows, in doublings, so that it seldom changes.
    """
    if shown.run is None or not shown.alive:
        return None
    return float(TICK * 2 ** ceil(log2(max(runner().beside(shown.run), 1))))


def _payload(shown: Shown, seen: list[Any], begin: int, phase: str, status: dict[str, str]) -> bytes:
    """What the picture is told: of the run that `shown` is, all that was seen from `begin` on."""
    pictures_before = sum(one.picture is not None for one in seen[:begin])
    part = history(seen[begin:]) if begin else shown.history(seen)
    watch = shown.watched
    kinds = {role: kind for kind, side in watch.items() for role in side.right}
    films = [
        training_view.Film(kind, frames, side.queries, side.keys, _mask(seen, kind), side.right)
        for kind, frames in part.attention.items()
        for side in (watch[kind],)
    ]
    return training_view.pack(
        shown.id,
        track(shown.name, part, kinds),
        films,
        total_steps=shown.recipe.steps,
        state=phase,
        status=status,
        metric=shown.task.metric,
        compare=[track(each.name, each.history(), kinds) for each in compared(shown)],
        first_row=begin,
        first_picture=pictures_before,
        rows=len(seen),
        pictures=pictures_before + len(part.picture_row),
        kind=_kind(watch),
        layer=st.session_state["layer"],
        head=st.session_state["head"],
        title=shown.name,
        caption=f"{shown.name} · watched: {shown.example[:120]}",
    )


def _kind(watched: Mapping[str, Any]) -> str:
    """The kind of attention that is asked for; where a run has none of it, what reads from one text to the other."""
    asked: str = st.session_state["film"]
    return "cross" if asked not in watched and "cross" in watched else asked


def _wait(shown: Shown, *, whole: bool) -> None:
    """The picture before it stays, and says that a run starts, until there is one of that run.

    A browser that has it is sent its end alone: a class that presses Start together waits for workers, not for this.
    """
    before: Shown | None = st.session_state.get("last_shown")
    short, long = waits_for(shown)
    if before is not None and (seen := list(before.snapshots)):
        begin = 0 if whole else len(seen) - 1
        pictures.training("training", _payload(before, seen, begin, "starting", short), _choose, _missing)
    st.caption(long)


def waits_for(shown: Shown) -> tuple[dict[str, str], str]:
    """What a run that starts waits for: a fact beside the picture's numbers, and a sentence. Longer, it says why."""
    waited = time.monotonic() - shown.began
    if waited < LONG or shown.run is None:
        sentence = "Starting: a worker makes the model and looks at it before its first step."
        return {"a worker": "makes the model"}, sentence
    said = f"Starting for {waited:.0f} seconds:"
    if not shown.run.worker:
        slow = "no worker is up yet. Each loads its library first, slowly on a busy machine."
        return {"waits for": "a worker"}, f"{said} {slow}"
    if (others := runner().beside(shown.run) - 1) > 0:
        runs = f"{others} other run{'s' if others > 1 else ''}"
        turns = f"its worker takes turns with {runs}, and makes this model when it comes to it."
        return {"waits for": runs}, f"{said} {turns}"
    busy = "Other programs use this machine's processors, or the model is large: the run begins by itself."
    return {"waits for": "a busy machine"}, f"{said} a worker has it, and is slow to make the model. {busy}"


def _await_first(shown: Shown) -> None:
    """A run that starts is watched closely, so that its first picture is shown the moment it is there.

    Not for as long as a tick: the next look would break this one off before it has drawn, and so each in turn.
    """
    until = time.monotonic() + TICK / 2
    while shown.alive and not shown.snapshots and time.monotonic() < until:
        time.sleep(0.01)


def track(name: str, part: History, kinds: dict[str, str]) -> training_view.Track:
    """A run's numbers for the picture; before its first step a run has no gradient."""
    stepped = part.learning_rate > 0
    return training_view.Track(
        name,
        part.step,
        part.loss.astype(np.float32),
        np.where(stepped, part.gradient_norm, np.nan).astype(np.float32),
        np.where(stepped, part.learning_rate, np.nan).astype(np.float32),
        part.picture_step,
        part.accuracy,
        part.roles,
        {role: kinds[role] for role in part.roles if role in kinds},
    )


def _mask(seen: list[Any], kind: str) -> Any:
    first = next((one.picture for one in seen if one.picture is not None and one.picture.masks), None)
    return None if first is None else first.masks.get(kind)


def _status(shown: Shown, steps: float, tokens: float) -> dict[str, str]:
    """Small facts beside the numbers of the curve."""
    said = {}
    if tokens:
        said["tokens a second"] = f"{tokens:,.0f}"
    if shown.alive and steps:
        said["time left"] = _duration((shown.recipe.steps - shown.step) / steps)
    if shown.alive and shown.run is not None and (others := runner().beside(shown.run) - 1) > 0:
        said["in turns with"] = f"{others} other run{'s' if others > 1 else ''}"
    return said


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _choose(look: dict[str, Any]) -> None:
    if look.get("kind") in ("self", "encoder", "decoder", "cross"):
        session.put(film=look["kind"])
    session.put(**{name: int(look[name]) for name in ("layer", "head") if isinstance(look.get(name), int)})


def _missing() -> None:
    st.session_state["training_missing"] = True
