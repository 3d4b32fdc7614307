"""Waiting for other processes, longer on a machine that has more to do than it can."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import psutil

from viz_model.training.runner import Runner

PATIENCE = 8  # a wait that is over costs nothing, and how long it took is no test's matter


def slack() -> float:
    """How much longer all takes at the machine's load: 1 where a core is free. Workers give way to everything else."""
    return 1 + 2 * max(0.0, os.getloadavg()[0] / (os.cpu_count() or 1) - 0.5)


def until(holds: Callable[[], object], seconds: float) -> bool:
    """Whether it comes to hold; gives up after many times the seconds that an idle machine needs."""
    ends = time.monotonic() + PATIENCE * seconds * slack()
    while not holds():
        if time.monotonic() > ends:
            return False
        time.sleep(0.02)
    return True


def tree(runner: Runner) -> list[psutil.Process]:
    """The local cluster's process and all below it."""
    assert runner._child is not None
    top = psutil.Process(runner._child.pid)
    return [top, *top.children(recursive=True)]


def worker_pids(runner: Runner) -> dict[str, int]:
    """Address -> process of each worker."""
    found: dict[str, int] = runner.client().run(os.getpid)
    return found
