"""Each viewer's training runs: what is on show, what was trained before, and who frees the worker when they leave."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import streamlit as st

from viz_model.checkpoint import BUNDLED
from viz_model.tasks.names import make_task
from viz_model.tasks.own_text import OwnText
from viz_model.tasks.task import Task
from viz_model.training.history import History, history, read_history
from viz_model.training.live_run import LiveRun
from viz_model.training.recipe import Recipe, recipes
from viz_model.training.runner import Runner
from viz_model.training.snapshot import Snapshot
from viz_model.training.watched import Watched, watched

MOST_EARLIER = 8  # runs that a session keeps to compare with
MEASURED = 4.0  # seconds that the rate is measured over


@st.cache_resource(show_spinner=False)
def runner() -> Runner:
    """Where training runs: one for the whole server."""
    return Runner()


@dataclass(eq=False)
class Shown:
    """A run on the page: a live one, a loaded one, or the recorded one of a model that ships."""

    name: str  # for legends and files
    recipe: Recipe
    seed: int
    task: Task
    own: OwnText | None = None
    run: LiveRun | None = None
    kept: Sequence[Snapshot] = ()  # where there is no live run, or before it went on
    state: bytes | None = None  # the saved state of a loaded run
    origin: str = "recorded"
    sent: deque[tuple[float, int]] = field(default_factory=deque)  # when, how many snapshots the browser was sent
    id: str = ""
    began: float = field(default_factory=time.monotonic)
    _stacked: History | None = None

    @cached_property
    def watched(self) -> dict[str, Watched]:
        """The example that is watched, by kind of attention."""
        return watched(self.task)

    @cached_property
    def example(self) -> str:
        """The watched example as text."""
        return self.task.probe()[0].text

    def history(self, seen: Sequence[Snapshot] | None = None) -> History:
        """The whole run as arrays; kept until there is more of it. seen: the snapshots of one look at a live one."""
        seen = self.snapshots if seen is None else seen
        count = len(seen)  # of a live run there may be more by the next line
        if self._stacked is None or len(self._stacked.step) != count:
            self._stacked = history(list(seen[:count]))
        return self._stacked

    @property
    def snapshots(self) -> Sequence[Snapshot]:
        if self.run is None:
            return self.kept
        return [*self.kept, *self.run.snapshots[1:]] if self.kept else self.run.snapshots  # a look begins each run

    @property
    def phase(self) -> str:
        return self.run.state if self.run is not None else self.origin

    @property
    def alive(self) -> bool:
        return self.run is not None and self.run.alive

    @property
    def message(self) -> str:
        if self.run is not None:
            return self.run.message
        return self.kept[-1].stopped if self.kept else ""

    @property
    def step(self) -> int:
        seen = self.snapshots
        return seen[-1].step if seen else 0

    def saved(self) -> bytes | None:
        """The newest checkpoint: of the last step where the run is not alive."""
        if self.run is not None and self.run.saved is not None:
            return self.run.saved[1]
        return self.state

    def pace(self) -> tuple[float, float]:
        """Steps and tokens a second over the last seconds; zeros where they are not known."""
        seen, now = self.snapshots, time.monotonic()
        self.sent.append((now, len(seen)))
        while len(self.sent) > 2 and self.sent[0][0] < now - MEASURED:
            self.sent.popleft()
        began, had = self.sent[0]
        if now - began < 0.5 or len(seen) <= had:
            return 0.0, 0.0
        return (len(seen) - had) / (now - began), sum(one.tokens for one in seen[had:]) / (now - began)


class Desk:
    """One viewer's runs. It lives in the session; `presence` ends its runs when the viewer has gone."""

    def __init__(self) -> None:
        self.current: Shown | None = None
        self.earlier: list[Shown] = []
        self.studies: dict[str, Any] = {}  # the lessons' runs by the study's name (study.Live)
        self._numbers = 0

    def start(self, recipe: Recipe, seed: int, task: Task, own: OwnText | None, name: str) -> Shown:
        """Begins a run in place of the one on show."""
        self.put_away()
        passed = task if own else None  # a task that has a name is made in the worker
        run = runner().start(recipe, seed=seed, task=passed)
        return self._show(Shown(name, recipe, seed, task, own, run, origin="live"))

    def go_on(self) -> None:
        """A loaded run, or one that was stopped, from its checkpoint."""
        shown = self.current
        if shown is None or shown.alive or (state := shown.saved()) is None:
            return
        passed = shown.task if shown.own else None
        at = shown.run.saved[0] if shown.run is not None and shown.run.saved is not None else shown.step
        if at < 0:  # no step was done since it last went on
            at = shown.kept[-1].step if shown.kept else 0
        kept = [one for one in shown.snapshots if one.step <= at]
        self.forget(shown)
        run = runner().start(shown.recipe, seed=shown.seed, task=passed, state=state)
        self._show(Shown(shown.name, shown.recipe, shown.seed, shown.task, shown.own, run, kept, state, "live"))

    def put_away(self) -> None:
        """The run on show ends and can be compared with from now on."""
        shown, self.current = self.current, None
        if shown is None or shown.origin == "recorded":
            return
        self.forget(shown)
        if len(shown.snapshots) > 1:
            self.earlier = [*self.earlier, shown][-MOST_EARLIER:]

    def show_loaded(self, shown: Shown) -> None:
        self.put_away()
        self._show(shown)

    def runs(self) -> list[LiveRun]:
        """All that trains or has trained for this viewer, and is not put away."""
        current = [self.current.run] if self.current is not None and self.current.run is not None else []
        return [*current, *(run for live in self.studies.values() for run in live.runs.values())]

    @staticmethod
    def forget(shown: Shown) -> None:
        if shown.run is not None:
            runner().forget(shown.run)

    def _show(self, shown: Shown) -> Shown:
        self._numbers += 1
        shown.id = f"{id(self):x}-{self._numbers}"
        self.current = shown
        return shown


def desk() -> Desk:
    """The session's desk."""
    if "desk" not in st.session_state:
        st.session_state["desk"] = Desk()
    found: Desk = st.session_state["desk"]
    return found


class _Presence:
    """Says that the viewer is here; let go when their connection ends."""

    def __init__(self, of: Desk) -> None:
        self.desk = of
        for run in of.runs():
            runner().come_back(run)

    def release(self) -> None:
        for run in self.desk.runs():
            runner().leave(run)


@st.cache_resource(scope="session", max_entries=1, on_release=_Presence.release, show_spinner=False)
def _presence() -> _Presence:
    return _Presence(st.session_state["desk"])


def presence() -> None:
    """To be said in every run of a session that trains: the connection's end then frees the worker."""
    if "desk" in st.session_state:
        _presence()


@st.cache_resource(max_entries=24, show_spinner=False)
def task_named(name: str) -> Task:
    """A task by its name, shared by all sessions: it keeps no run's state."""
    return make_task(name)


@st.cache_resource(max_entries=24, show_spinner=False)
def recorded(name: str) -> Shown | None:
    """The training of a model that ships, as it was recorded when it was made; None where there is none."""
    path = BUNDLED / name / "history.npz"
    if not path.is_file():
        return None
    seen = read_history(path.read_bytes())
    return Shown(f"{name}, as shipped", recipes[name], 0, task_named(name), kept=seen, id=f"recorded-{name}")
