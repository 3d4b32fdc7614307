"""Where training runs: in Dask workers, never in the server's interpreter. The only file that knows.

By default a local cluster is started as a child process; with GLASS_SCHEDULER set to a scheduler's address the same
code trains on that cluster. Each run keeps two calls in flight from a thread of its own, so that it advances whether
or not a browser tab is polling; runs on one worker take turns call by call.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import replace
from typing import Any, Literal

from viz_model.training.actor import Trainee
from viz_model.training.recipe import Recipe
from viz_model.training.snapshot import Snapshot

SCHEDULER = "GLASS_SCHEDULER"  # environment variable: a scheduler's address
SLICE = 0.25  # seconds of training in a call
SAVED_EVERY = 5.0  # seconds between checkpoints that a lost worker's run resumes from
TRIES = 3  # workers that a run may lose before it gives up

State = Literal["starting", "running", "paused", "done", "stopped", "failed"]


class Runner:
    """The cluster, and the runs on it. One for the whole server."""

    def __init__(self, *, workers: int | None = None) -> None:
        self._child: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._workers = workers
        self._client: Any = None
        self.runs: list[LiveRun] = []

    def client(self) -> Any:
        """The connection, made at the first call."""
        from distributed import Client

        with self._lock:
            if self._client is None:
                address = os.environ.get(SCHEDULER) or self._start_local()
                self._client = Client(address, set_as_default=False, name="glass-transformer")
            return self._client

    def start(self, recipe: Recipe, *, seed: int = 0) -> LiveRun:
        """Begins a run; it starts as soon as its worker has a turn for it."""
        run = LiveRun(self, recipe, seed)
        with self._lock:
            self.runs.append(run)
        run.thread.start()
        return run

    def quietest_worker(self) -> str:
        """The address of the worker with the fewest runs."""
        known = list(self.client().scheduler_info(n_workers=-1)["workers"])
        if not known:
            raise RuntimeError("no worker is up")
        with self._lock:
            busy = [run.worker for run in self.runs if run.alive]
        return min(known, key=lambda address: (busy.count(address), address))

    def beside(self, run: LiveRun) -> int:
        """How many runs take turns on this run's worker, itself included."""
        with self._lock:
            return sum(other.worker == run.worker and other.state == "running" for other in self.runs)

    def forget(self, run: LiveRun) -> None:
        """Lets a run go: its worker is free for others."""
        run.stop()
        with self._lock:
            self.runs = [other for other in self.runs if other is not run]

    def close(self) -> None:
        """Ends all runs and the local cluster."""
        for run in list(self.runs):
            self.forget(run)
        if self._client is not None:
            self._client.close(timeout=2)
        if self._child is not None:
            assert self._child.stdin is not None
            self._child.stdin.close()
            try:
                self._child.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._child.kill()

    def _start_local(self) -> str:
        """A child that ends when its standard input does: with this process, however that ends."""
        command = [sys.executable, "-m", "viz_model.training.local_cluster"]
        command += [str(self._workers)] if self._workers else []
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._child.stdout is not None
        address = self._child.stdout.readline().strip()
        if not address:
            raise RuntimeError("training: expected the local cluster to start, it did not.")
        return address


class LiveRun:
    """One viewer's run. What was seen stays here, whatever becomes of the worker."""

    def __init__(self, runner: Runner, recipe: Recipe, seed: int) -> None:
        self.runner, self.recipe, self.seed = runner, recipe, seed
        self.snapshots: list[Snapshot] = []
        self.state: State = "starting"
        self.message = ""
        self.worker = ""
        self.rate_factor = 1.0
        self.saved: tuple[int, bytes] | None = None
        self._single = 0  # steps asked for one by one while paused
        self._wake = threading.Event()
        self.thread = threading.Thread(target=self._live, daemon=True)

    @property
    def alive(self) -> bool:
        return self.state in ("starting", "running", "paused")

    @property
    def step(self) -> int:
        return self.snapshots[-1].step if self.snapshots else 0

    def pause(self) -> None:
        if self.state == "running":
            self.state = "paused"

    def resume(self) -> None:
        if self.state == "paused":
            self.state = "running"
            self._wake.set()

    def one_step(self) -> None:
        """One step more of a paused run."""
        self._single += 1
        self._wake.set()

    def stop(self) -> None:
        """Ends the run at once; what it showed stays."""
        if self.alive:
            self.state = "stopped"
        self._wake.set()

    def _live(self) -> None:
        for _ in range(TRIES):
            try:
                self._train()
                return
            except Exception as lost:  # a worker that dies shows as whatever Dask was doing at that moment
                if not self.alive:
                    return
                at = self.saved[0] if self.saved else 0
                self.message = (
                    f"The worker was lost at step {self.step}; the run goes on from step {at} on another. "
                    f"({type(lost).__name__})"
                )
                time.sleep(0.5)
        self.state = "failed"
        self.message = f"{TRIES} workers were lost; what was seen up to step {self.step} is kept."

    def _train(self) -> None:
        self.worker = self.runner.quietest_worker()
        state = self.saved[1] if self.saved else None
        future = self.runner.client().submit(
            Trainee,
            self.recipe,
            self.seed,
            state,
            actor=True,
            workers=[self.worker],
            allow_other_workers=False,
            pure=False,
        )
        trainee = future.result()
        if not self.snapshots:
            self._take([trainee.begin().result()])
        if self.state == "starting":
            self.state = "running"
        flight: deque[Any] = deque()
        saved = time.monotonic()
        while self.alive:
            if self.state == "running":
                while len(flight) < 2:
                    flight.append(trainee.advance(SLICE, self.rate_factor))
            elif self._single and not flight:
                flight.append(trainee.advance(SLICE, self.rate_factor, self._single))
                self._single = 0
            if not flight:
                self._wake.wait(0.5)
                self._wake.clear()
                continue
            self._take(flight.popleft().result())
            if self.alive and self.snapshots and self.step >= self.recipe.steps:
                self.state = "done"
            if time.monotonic() - saved > SAVED_EVERY or self.state == "done":
                self.saved, saved = trainee.save().result(), time.monotonic()

    def _take(self, seen: list[Snapshot]) -> None:
        """New snapshots; steps done again after a lost worker are known already."""
        self.snapshots += [snapshot for snapshot in seen if not self.snapshots or snapshot.step > self.step]
        if seen and seen[-1].stopped:
            self.state, self.message = "failed", seen[-1].stopped


__all__ = ["LiveRun", "Runner", "replace"]
