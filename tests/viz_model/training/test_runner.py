"""Runs in workers: the same curve as here, the buttons, fair turns, and what becomes of a run whose worker dies."""

from __future__ import annotations

import math
import os
import signal
import time
from dataclasses import replace

import pytest

from viz_model.training import live_run
from viz_model.training.runner import Runner
from viz_model.training.state import load_run
from viz_model.training.trainer import Trainer

from .counting import TINY, Counting
from .curves import LONG, begun, changes_in, curve_here, curve_of
from .waiting import slack, until, worker_pids


def test_a_run_is_the_run_that_it_would_be_here(runner: Runner) -> None:
    recipe = replace(TINY, steps=60)
    run = runner.start(recipe, seed=3, task=Counting())
    assert (run.state, run.snapshots, run.step) == ("starting", [], 0)
    run.thread.join(60 * slack())
    assert (run.state, run.message) == ("done", "")
    assert curve_of(run) == curve_here(recipe, 3, 60)
    look = Trainer(recipe, Counting(), seed=3).look()
    assert (run.snapshots[0].step, run.snapshots[0].loss) == (0, look.loss)
    assert all(snapshot.picture is not None for snapshot in run.snapshots)
    assert run.saved is not None
    again = load_run(run.saved[1], Counting())
    assert (run.saved[0], again.step, again.done) == (60, 60, True)


def test_the_buttons(runner: Runner) -> None:
    run = begun(runner)
    run.pause()
    assert run.state == "paused"
    time.sleep(0.5 * slack())
    stands = run.step
    time.sleep(0.7)
    assert run.step == stands
    for more in (1, 2):
        run.one_step()
        assert until(lambda at=stands + more: run.step == at, 10)
    time.sleep(0.5)
    assert run.step == stands + 2
    run.resume()
    assert until(lambda: run.step > stands + 5, 10)
    run.stop()
    assert run.state == "stopped"
    run.thread.join(20 * slack())
    assert not run.thread.is_alive()
    assert run.saved is not None
    assert run.saved[0] == run.step
    assert curve_of(run) == curve_here(LONG, 0, run.step)
    run.resume()
    run.one_step()
    assert (run.state, run.thread.is_alive()) == ("stopped", False)


def test_a_changed_learning_rate_holds_from_some_step_on(runner: Runner) -> None:
    run = begun(runner)
    run.change_rate(0.5)
    at = run.step
    assert until(lambda: run.step > at + 10, 20)
    run.change_rate(3.0)
    at = run.step
    assert until(lambda: run.step > at + 10, 20)
    run.stop()
    run.thread.join(20 * slack())
    changes = changes_in(run)
    assert list(changes.values()) == [0.5, 3.0]
    assert curve_of(run) == curve_here(LONG, 0, run.step, changes)
    for wrong in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="learning rate: expected a factor above 0"):
            run.change_rate(wrong)


def test_a_saved_run_goes_on_in_a_worker(runner: Runner) -> None:
    recipe = replace(TINY, steps=30)
    first = runner.start(recipe, task=Counting())
    first.pause()  # before it could begin
    for _ in range(5):
        first.one_step()
    assert until(lambda: first.step == 5, 30)
    first.stop()
    first.thread.join(20 * slack())
    assert first.saved is not None
    second = runner.start(recipe, task=Counting(), state=first.saved[1])
    second.thread.join(60 * slack())
    assert second.state == "done", second.message
    assert second.snapshots[0].step == first.step == 5
    assert curve_of(first) + curve_of(second) == curve_here(recipe, 0, 30)


def test_runs_take_turns_fairly_and_know_how_many_they_are(runner: Runner) -> None:
    runs = [begun(runner, seed=seed, steps=0) for seed in range(5)]
    assert until(lambda: all(run.step > 20 for run in runs), 60)
    sharing = [runner.beside(run) for run in runs]
    assert sorted(sharing) == [2, 2, 3, 3, 3]
    before = [sum(s.seconds for s in run.snapshots) for run in runs]
    time.sleep(4 * slack())
    spent = [sum(s.seconds for s in run.snapshots) - then for run, then in zip(runs, before, strict=True)]
    for worker in {run.worker for run in runs}:
        shares = [seconds for run, seconds in zip(runs, spent, strict=True) if run.worker == worker]
        assert min(shares) > 0.4 * max(shares)
    runs[0].pause()
    assert runner.beside(runs[1]) == sharing[1] - (runs[1].worker == runs[0].worker)


@pytest.mark.parametrize("checkpoints", [True, False])
def test_a_killed_worker_costs_nothing_that_was_seen(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, checkpoints: bool
) -> None:
    monkeypatch.setattr(live_run, "SAVED_EVERY", 0.3 if checkpoints else 1e9)
    run = begun(runner, seed=7)
    run.change_rate(0.5)
    at = run.step
    assert until(lambda: run.step > at + 10 and (run.saved is not None) == checkpoints, 30)
    monkeypatch.setattr(live_run, "SAVED_EVERY", 1e9)
    run.change_rate(0.25)
    at = run.step
    assert until(lambda: run.step > at + 10, 30)
    first, saved = run.worker, run.saved
    os.kill(worker_pids(runner)[first], signal.SIGKILL)
    assert until(lambda: run.message, 30)
    seen = list(run.snapshots)
    assert run.alive
    assert until(lambda: run.step > seen[-1].step + 10, 60), run.message
    assert run.worker != first
    assert run.message == (
        f"The worker was lost at step {seen[-1].step}; the run goes on from step {saved[0] if saved else 0} on another."
    )
    run.stop()
    run.thread.join(20 * slack())
    assert all(a is b for a, b in zip(seen, run.snapshots, strict=False))
    assert [s.step for s in run.snapshots] == list(range(run.step + 1))
    changes = changes_in(run)
    assert list(changes.values()) == [0.5, 0.25]
    assert curve_of(run) == curve_here(LONG, 7, run.step, changes)


def test_a_run_that_loses_worker_after_worker_gives_up(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "seat", lambda run: (_ for _ in ()).throw(live_run.Lost))
    run = runner.start(TINY, task=Counting())
    run.thread.join(20)
    assert (run.state, run.message) == ("failed", "3 workers were lost; what was seen up to step 0 is kept.")
