"""Runs that cannot begin, that fail by themselves, that are left, and what they leave behind: a sentence, no memory."""

from __future__ import annotations

import gc
import time
from dataclasses import replace

import psutil
import pytest
import torch

from viz_model.tasks.task import Batch
from viz_model.training.actor import Trainee
from viz_model.training.runner import SCHEDULER, Runner

from .counting import TINY, Counting
from .curves import LONG, begun, curve_here, curve_of
from .waiting import slack, tree, until


class Breaks(Counting):
    """A task that is wrong itself, like a broken network or not."""

    def __init__(self, error: Exception, at: int) -> None:
        super().__init__()
        self.error, self.at, self.asked = error, at, 0

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        self.asked += 1
        if self.asked == self.at:
            raise self.error
        return super().batch(size, generator)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError("text: expected words, got none."), "Step 4: text: expected words, got none."),
        (OSError("no file"), "Step 4: training failed (OSError: no file)."),
        (RuntimeError("Worker holding Actor was lost"), "Step 4: training failed (RuntimeError: Worker holding Act"),
        (MemoryError(), "Step 4: the model or its batch does not fit in memory."),
    ],
)
def test_an_error_of_the_task_is_no_lost_worker(runner: Runner, error: Exception, sentence: str) -> None:
    run = runner.start(LONG, task=Breaks(error, 4))
    run.thread.join(30 * slack())
    assert run.state == "failed"
    assert run.message.startswith(sentence)
    assert run.lost == set(), run.message
    assert run.step <= 3


def test_what_cannot_begin_says_why(runner: Runner) -> None:
    wild = replace(TINY, learning_rate=9e5, optimiser="sgd", warm_up=0, clip=9e5)
    unsendable = Counting()
    unsendable.drawn = (each for each in ())  # type: ignore[assignment]
    cases = {
        "task: expected one of ": runner.start(replace(TINY, task="telepathy")),
        "n_heads: expected a number that divides d_model 15": runner.start(replace(TINY, d_model=15), task=Counting()),
        "run: expected a saved run of counting, got": runner.start(TINY, task=Counting(), state=b"PK\3\4"),
        "Step ": runner.start(wild, task=Counting()),
        "Training failed (": runner.start(TINY, task=unsendable),
    }
    for start, run in cases.items():
        run.thread.join(60 * slack())
        assert run.state == "failed"
        assert run.message.startswith(start), run.message
        assert "\n" not in run.message
        assert run.lost == set()
    assert len(cases["Step "].snapshots) > 1
    assert begun(runner).alive


def test_who_leaves_frees_the_worker_and_who_comes_back_in_time_does_not(runner: Runner) -> None:
    gone, back = begun(runner), begun(runner)
    assert until(lambda: trainees(runner) == 2, 5)
    runner.leave(back, grace=1.0)
    assert runner.come_back(back)
    runner.leave(gone, grace=0.2)
    assert until(lambda: trainees(runner) == 1, 10)
    assert not runner.come_back(gone)
    assert runner.runs == [back]
    time.sleep(1.2)
    assert back.alive
    runner.forget(back)
    assert until(lambda: trainees(runner) == 0, 10)


def trainees(runner: Runner) -> int:
    """Trainers in the memory of all workers."""

    def count() -> int:
        gc.collect()
        return sum(type(each).__name__ == Trainee.__name__ for each in gc.get_objects())

    return sum(runner.client().run(count).values())


def test_fifty_runs_leave_no_memory_behind(runner: Runner) -> None:
    """A run of this size holds 15 MB: a tenth of them left behind would show."""
    recipe = replace(TINY, d_model=192, n_layers=3, d_ff=768, batch_size=2, steps=2)

    def size_after(n: int) -> float:
        for seed in range(n):
            run = runner.start(recipe, seed=seed, task=Counting())
            run.thread.join(60 * slack())
            assert run.state == "done", run.message
            runner.forget(run)
        assert until(lambda: trainees(runner) == 0, 10)
        return sum(process.memory_info().rss for process in tree(runner)) / 1e6

    before = size_after(10)
    here = psutil.Process().memory_info().rss / 1e6
    assert size_after(50) - before < 60
    assert psutil.Process().memory_info().rss / 1e6 - here < 60


def test_a_schedulers_address_serves_as_well(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SCHEDULER, runner.client().scheduler.address)
    other = Runner()
    run = other.start(replace(TINY, steps=20), task=Counting())
    run.thread.join(30 * slack())
    assert (run.state, curve_of(run)) == ("done", curve_here(replace(TINY, steps=20), 0, 20))
    other.close()
    assert len(runner.workers_up()) == 2
    monkeypatch.setenv(SCHEDULER, "tcp://127.0.0.1:1")
    nowhere = Runner()
    run = nowhere.start(TINY, task=Counting())
    run.thread.join(60)
    assert run.state == "failed"
    assert run.message == "Training: no scheduler answers at tcp://127.0.0.1:1 (OSError)."
