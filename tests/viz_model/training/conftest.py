"""One local cluster for all tests that need one: it takes seconds to start."""

from __future__ import annotations

from collections.abc import Iterator

import psutil
import pytest

from viz_model.training.runner import Runner

from .waiting import tree, until


@pytest.fixture(scope="session")
def shared_runner() -> Iterator[Runner]:
    runner = Runner(workers=2)
    runner.client()
    processes = tree(runner)
    assert len(processes) >= 3
    yield runner
    processes += tree(runner)
    runner.close()
    assert until(lambda: not any(alive(process) for process in processes), 20), "processes were left behind"


def alive(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


@pytest.fixture
def runner(shared_runner: Runner) -> Iterator[Runner]:
    """The cluster with both workers up and no runs."""
    assert until(lambda: len(shared_runner.workers_up()) == 2, 60)
    yield shared_runner
    for run in list(shared_runner.runs):
        shared_runner.forget(run)
        run.thread.join(20)
