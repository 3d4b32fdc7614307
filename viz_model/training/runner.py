"""Where training runs: in Dask workers, never in the server's interpreter. The only file that knows.

By default a local cluster is started as a child process; with the environment variable GLASS_SCHEDULER set to a
scheduler's address the same code trains on that cluster. Each run keeps two calls in flight from a thread of its own,
so that it advances whether or not a browser tab is polling; runs on one worker take turns call by call.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from viz_model.tasks.task import Task
from viz_model.training.live_run import LiveRun, Lost, Unable
from viz_model.training.recipe import Recipe
from viz_model.training.snapshot import PICTURES

SCHEDULER = "GLASS_SCHEDULER"  # environment variable: a scheduler's address, such as tcp://10.0.0.5:8786
PATIENCE = 60.0  # seconds to wait for a worker to come up
ROOT = Path(__file__).parents[2]


class Runner:
    """The cluster, and the runs on it. One for the whole server; all methods return at once but `client`."""

    def __init__(self, *, workers: int | None = None) -> None:
        """workers: of the local cluster, 2 where it is not said."""
        self.runs: list[LiveRun] = []
        self._workers = workers
        self._lock = threading.Lock()
        self._connecting = threading.Lock()
        self._client: Any = None
        self._child: subprocess.Popen[str] | None = None
        self._closed = False

    def warm(self) -> None:
        """Starts the cluster in the background, so that the first run need not wait for it."""
        threading.Thread(target=_quietly, args=(self.client,), daemon=True).start()

    def start(
        self,
        recipe: Recipe,
        *,
        seed: int = 0,
        task: Task | None = None,
        state: bytes | None = None,
        looks: int = PICTURES,
    ) -> LiveRun:
        """Begins a run. task: one that has no name (one's own text); state: what a run saved, to go on with it.

        looks: pictures at most; each takes about as long as a step.
        """
        run = LiveRun(self, recipe, seed, task, state)
        run.looks = looks
        with self._lock:
            self.runs.append(run)
        run.thread.start()
        return run

    def beside(self, run: LiveRun) -> int:
        """How many runs take turns on this run's worker, itself included."""
        with self._lock:
            return sum(other.worker == run.worker and other.state in ("starting", "running") for other in self.runs)

    def forget(self, run: LiveRun) -> None:
        """Lets a run go: its worker's turns and memory are for others."""
        run.leave()
        with self._lock:
            self.runs = [other for other in self.runs if other is not run]

    def leave(self, run: LiveRun, *, grace: float = 20.0) -> None:
        """Forgets the run after `grace` seconds, unless its viewer is back (`come_back`) by then."""
        self.come_back(run)
        run.farewell = threading.Timer(grace, self.forget, (run,))
        run.farewell.daemon = True
        run.farewell.start()

    def come_back(self, run: LiveRun) -> bool:
        """The viewer of a run that was left is here again; False where the run is forgotten already."""
        if run.farewell is not None:
            run.farewell.cancel()
        with self._lock:
            return any(other is run for other in self.runs)

    def close(self) -> None:
        """Ends all runs and the local cluster."""
        self._closed = True
        for run in list(self.runs):
            self.forget(run)
        with self._connecting:
            self._disconnect()

    def client(self) -> Any:
        """The connection, made at the first call and again where it broke. Raises Unable."""
        with self._connecting:
            if self._client is not None and not self.is_down():
                return self._client
            self._disconnect()
            if self._closed:
                raise Unable("Training: the server is closing.")
            self._client = _connect(os.environ.get(SCHEDULER) or self._start_local())
            return self._client

    def is_down(self) -> bool:
        """Whether the cluster itself is gone, not just a worker."""
        ended = self._child is not None and self._child.poll() is not None
        return ended or self._client is None or self._client.status not in ("running", "connecting")

    def workers_up(self) -> list[str]:
        """The addresses of the workers that the scheduler knows."""
        return list(self.client().scheduler_info(n_workers=-1)["workers"])

    def seat(self, run: LiveRun) -> None:
        """Sets the run's worker: of those up and not lost to it, the one with the fewest runs. Raises Lost, Unable."""
        ends = time.monotonic() + PATIENCE
        while run.alive:
            known = set(self.workers_up()) - run.lost
            with self._lock:
                busy = [other.worker for other in self.runs if other.alive and other is not run]
                if known:
                    run.worker = min(known, key=lambda address: (busy.count(address), address))
                    return
            if time.monotonic() > ends:
                raise Unable(f"Training: no worker was up for {PATIENCE:.0f} seconds.")
            time.sleep(0.2)
        raise Lost

    def _start_local(self) -> str:
        """A child that ends when its standard input does: with this process, however that ends."""
        quiet = ["-W", "ignore:resource_tracker:UserWarning"]  # said by Python where the cluster has to end at once
        command = [sys.executable, *quiet, "-m", "viz_model.training.local_cluster"]
        command += [str(self._workers)] if self._workers else []
        # A session of its own: Ctrl-C is for the server, whose end the child then sees.
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
        )
        assert self._child.stdout is not None
        address = self._child.stdout.readline().strip()
        if not address:
            raise Unable("Training: the local cluster did not start; the server's log says why.")
        return address

    def _disconnect(self) -> None:
        if self._client is not None:
            _quietly(lambda: self._client.close(timeout=2))
            self._client = None
        if self._child is not None:
            for pipe in (self._child.stdin, self._child.stdout):
                if pipe is not None:
                    pipe.close()
            try:
                self._child.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._child.kill()
                self._child.wait()
            self._child = None


def _connect(address: str) -> Any:
    from distributed import Client

    try:
        return Client(  # type: ignore[no-untyped-call]
            address, set_as_default=False, name="glass-transformer", timeout=10
        )
    except (OSError, ValueError, TypeError) as error:
        raise Unable(f"Training: no scheduler answers at {address} ({type(error).__name__}).") from None


def _quietly(do: Callable[[], Any]) -> None:
    """Runs it; what goes wrong shows where the result is needed."""
    try:
        do()
    except Exception:
        return
