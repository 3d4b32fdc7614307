"""Live runs for the page's tests that go nowhere: what a viewer may have on the desk, in every phase."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from streamlit.testing.v1 import AppTest

from pages.ui import training as ui
from tests.pages.seeing import sound
from viz_model.checkpoint import BUNDLED
from viz_model.tasks.names import make_task
from viz_model.training.recipe import Recipe
from viz_model.training.snapshot import Snapshot
from viz_model.training.state import save_run
from viz_model.training.trainer import Trainer

RECORDED = sorted(path.parent.name for path in BUNDLED.glob("*/history.npz"))
SMALL = Recipe(
    task="copy", d_model=16, n_layers=2, n_heads=2, d_ff=16, context_length=32, steps=12, batch_size=8, warm_up=2
)
PHASES = {
    "starting": {"start", "pause", "stop", "reset", "open_workbench"},
    "running": {"start", "pause", "stop", "reset", "open_workbench"},
    "paused": {"start", "pause", "one_step", "stop", "reset", "open_workbench"},
    "stopped": {"start", "pause", "reset", "open_workbench"},
    "done": {"start", "reset", "open_workbench"},
    "failed": {"start", "reset", "open_workbench"},
}


class FakeRun:
    """A live run that goes nowhere, and remembers what it was asked."""

    def __init__(self, state: str, seen: list[Snapshot], saved: tuple[int, bytes] | None = None) -> None:
        self.state, self.snapshots, self.saved = state, seen, saved
        self.recipe, self.seed, self.message, self.worker = SMALL, 0, "", "nowhere"
        self.rate_factor, self.farewell = 1.0, None
        self.asked: list[str] = []

    @property
    def alive(self) -> bool:
        return self.state in ("starting", "running", "paused")

    @property
    def step(self) -> int:
        return self.snapshots[-1].step if self.snapshots else 0

    def pause(self) -> None:
        self.asked.append("pause")
        self.state = "paused"

    def resume(self) -> None:
        self.asked.append("resume")
        self.state = "running"

    def stop(self) -> None:
        self.asked.append("stop")
        self.state = "stopped"

    def one_step(self) -> None:
        self.asked.append("step")

    def change_rate(self, factor: float) -> None:
        self.asked.append(f"rate {factor:g}")
        self.rate_factor = factor

    def leave(self) -> None:
        self.asked.append("leave")
        self.state = "stopped"


class FakeRunner:
    """Starts nothing, and remembers what it was asked to start."""

    def __init__(self) -> None:
        self.started: list[tuple[Recipe, int, Any, bytes | None]] = []
        self.looks: list[int] = []
        self.forgotten: list[FakeRun] = []

    def start(
        self, recipe: Recipe, *, seed: int = 0, task: Any = None, state: bytes | None = None, looks: int = 120
    ) -> FakeRun:
        self.started.append((recipe, seed, task, state))
        self.looks.append(looks)
        run = FakeRun("starting", [], None if state is None else (-1, state))
        run.recipe = recipe
        return run

    def forget(self, run: FakeRun) -> None:
        self.forgotten.append(run)
        run.leave()

    def beside(self, run: FakeRun) -> int:
        return 3

    def come_back(self, run: FakeRun) -> bool:
        return True

    def leave(self, run: FakeRun) -> None:
        return


@cache
def trained() -> tuple[tuple[Snapshot, ...], bytes]:
    """Seven steps of a small model that copies: what was seen, and its checkpoint."""
    trainer = Trainer(SMALL, make_task("copy"), seed=4)
    seen = (trainer.look(), *(trainer.advance() for _ in range(7)))
    return seen, save_run(trainer)


def shown(state: str = "running", *, steps: int = 7, saved: bool = True) -> ui.Shown:
    seen, checkpoint = trained()
    run = FakeRun(state, list(seen[: steps + 1]), (steps, checkpoint) if saved else None)
    return ui.Shown("copy, for this test", SMALL, 4, make_task("copy"), None, run, origin="live", id="run-1")  # type: ignore[arg-type]


def opened(visit: Callable[..., AppTest], on_show: ui.Shown | None, **link: str) -> AppTest:
    """The page with that run on the viewer's desk."""
    page = visit("live", **{"task": "copy", **link})
    desk = ui.Desk()
    desk.current = on_show
    page.session_state["desk"] = desk
    return sound(page.run())


def desk_of(page: AppTest) -> ui.Desk:
    found: ui.Desk = page.session_state["desk"]
    return found


def enabled(page: AppTest) -> set[str]:
    return {button.key for button in page.button if not button.disabled and not str(button.key).startswith("try_")}


def labels(page: AppTest) -> dict[str, str]:
    return {button.key: button.label for button in page.button}
