"""Runs in workers and the same curves made here."""

from __future__ import annotations

from dataclasses import replace

from viz_model.training.live_run import LiveRun
from viz_model.training.recipe import Recipe
from viz_model.training.runner import Runner
from viz_model.training.snapshot import Snapshot
from viz_model.training.trainer import Trainer

from .counting import TINY, Counting
from .waiting import until

LONG = replace(TINY, steps=100_000)
Point = tuple[int, float, float, float]


def point(snapshot: Snapshot) -> Point:
    return snapshot.step, snapshot.loss, snapshot.gradient_norm, snapshot.learning_rate


def curve_of(run: LiveRun) -> list[Point]:
    return [point(snapshot) for snapshot in run.snapshots[1:]]


def curve_here(recipe: Recipe, seed: int, n: int, changes: dict[int, float] | None = None) -> list[Point]:
    """The first n steps in this process; changes: step -> rate factor from there on."""
    trainer, found = Trainer(recipe, Counting(), seed=seed), []
    for step in range(1, n + 1):
        trainer.rate_factor = (changes or {}).get(step, trainer.rate_factor)
        found.append(point(trainer.advance(watched=False)))
    return found


def changes_in(run: LiveRun) -> dict[int, float]:
    """Where the learning rate left its schedule, as the snapshots show it."""
    plain = curve_here(replace(run.recipe, batch_size=1), 0, run.step)
    found, factor = dict[int, float](), 1.0
    for (step, _, _, rate), (_, _, _, scheduled) in zip(curve_of(run), plain, strict=True):
        now = round(rate / scheduled, 6)
        if now != factor:
            found[step] = factor = now
    return found


def begun(runner: Runner, recipe: Recipe = LONG, *, seed: int = 0, steps: int = 3) -> LiveRun:
    run = runner.start(recipe, seed=seed, task=Counting())
    assert until(lambda: run.step >= steps or not run.alive, 30), (run.state, run.message)
    assert run.alive, run.message
    return run
