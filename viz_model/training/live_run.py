"""One viewer's run. What was seen stays here, whatever becomes of the worker."""

from __future__ import annotations

import math
import threading
import time
from asyncio import CancelledError
from collections import deque
from concurrent.futures import CancelledError as OtherCancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from viz_model.tasks.task import Task
from viz_model.training.actor import Refused, Trainee
from viz_model.training.recipe import LARGEST_FACTOR, Recipe
from viz_model.training.snapshot import PICTURES, Snapshot

if TYPE_CHECKING:
    from viz_model.training.runner import Runner

SLICE = 0.25  # seconds of training in a call; runs on one worker share them, so that each is soon heard
SHORTEST = 0.05
SAVED_EVERY = 5.0  # seconds between the checkpoints that a lost worker's run goes on from
TRIES = 3  # workers that a run may lose without a step in between before it gives up
LOOK = 0.5  # seconds between looks at whether the worker is still there

LOST = "lost"

State = Literal["starting", "running", "paused", "done", "stopped", "failed"]


class Lost(Exception):
    """The worker is gone."""


class Unable(Exception):
    """There is nowhere to train; the message is a plain sentence."""


class LiveRun:
    """A run somewhere else: its curve so far, and the buttons. Every method returns at once."""

    def __init__(self, runner: Runner, recipe: Recipe, seed: int, task: Task | None, state: bytes | None) -> None:
        self.recipe, self.seed, self.looks = recipe, seed, PICTURES  # looks: pictures at most
        self.snapshots: list[Snapshot] = []  # in the order of their steps, none left out
        self.state: State = "starting"
        self.message = ""  # what happened, as a plain sentence
        self.worker = ""  # its address
        self.lost = set[str]()  # addresses of workers that died under it
        self.rate_factor = 1.0
        self.saved = None if state is None else (-1, state)  # the newest checkpoint: step, bytes for `load_run`
        self.farewell: threading.Timer | None = None
        self.thread = threading.Thread(target=self._live, name="training run", daemon=True)
        self._runner, self._task = runner, task
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._left = False
        self._single = 0  # steps asked for one by one while paused
        self._call = 0  # calls of `advance` so far
        self._trainee: Any = None
        self._early: list[tuple[Snapshot, float]] = []  # came before their turn, with their rate factor
        self._past: list[tuple[int, float]] = []  # first step, rate factor

    @property
    def alive(self) -> bool:
        return self.state in ("starting", "running", "paused")

    @property
    def step(self) -> int:
        return self.snapshots[-1].step if self.snapshots else 0

    def pause(self) -> None:
        self._move("paused", "starting", "running")

    def resume(self) -> None:
        self._move("running", "paused")

    def stop(self) -> None:
        """Ends the run after the step that it is at; its last state is saved."""
        self._move("stopped", "starting", "running", "paused")

    def one_step(self) -> None:
        """One step more of a paused run."""
        self._single += self.state == "paused"
        self._wake.set()

    def change_rate(self, factor: float) -> None:
        """Multiplies the recipe's learning rate from the next step on. Raises ValueError."""
        if not 0 < factor <= LARGEST_FACTOR or math.isnan(factor):
            raise ValueError(f"learning rate: expected a factor above 0, at most a million, got {factor}.")
        self.rate_factor = factor
        self._halt()

    def leave(self) -> None:
        """Ends the run for good, its worker's memory too; nothing is saved any more."""
        self._left = True
        self.stop()

    def _move(self, to: State, *origins: State) -> bool:
        with self._lock:
            moved = self.state in origins
            if moved:
                self.state = to
        if moved and to != "running":
            self._halt()
        self._wake.set()
        return moved

    def _halt(self) -> None:
        """Slices in flight end after their step."""
        trainee, call = self._trainee, self._call
        if trainee is not None:
            with suppress(RuntimeError):  # the worker is lost: the thread finds out by itself
                trainee.halt(call)

    def _fail(self, message: str) -> None:
        if self._move("failed", "starting", "running", "paused"):
            self.message = message

    def _live(self) -> None:
        tries = 0
        while self.alive:
            before = self.step
            trouble = self._train()
            if not trouble:
                return
            tries = 1 if self.step > before else tries + 1
            if trouble is not LOST:
                self._fail(trouble)
            elif tries >= TRIES:
                self._fail(f"{TRIES} workers were lost; what was seen up to step {self.step} is kept.")
            elif self.alive:
                at = max(self.saved[0], 0) if self.saved else 0
                self.message = f"The worker was lost at step {self.step}; the run goes on from step {at} on another."

    def _train(self) -> str:
        """Trains on one worker, to the end; returns why that failed, '' where it did not."""
        try:
            self._runner.seat(self)
            client = self._runner.client()
            with client.as_current():  # where an actor's calls look for their connection
                self._train_with(client)
        except (Refused, Unable) as error:
            return str(error)
        except (Lost, CancelledError, OtherCancelledError):
            self.lost.add(self.worker)
            return LOST
        except Exception as error:
            if not _is_loss(error):
                return f"Training failed ({type(error).__name__}: {str(error)[:200]})."
            self.lost.add(self.worker)
            return LOST
        return ""

    def _train_with(self, client: Any) -> None:
        state = self.saved[1] if self.saved else None
        arguments = (self.recipe, self.seed, self._task, state, tuple(self._past), self.step, self.looks)
        whole = client.submit(Trainee, *arguments, actor=True, workers=[self.worker], pure=False)
        try:
            trainee = self._result(whole, whole)
            self._early.clear()
            look = self._result(trainee.begin(), whole)
            if not self.snapshots:
                self.snapshots.append(look)
            self._trainee = trainee
            self._move("running", "starting")
            self._advance(trainee, whole)
        finally:
            self._trainee = None
            with suppress(Exception):
                # Not just released: calls and their actor refer to each other, so that it would live on here.
                client.cancel([whole], force=True)

    def _advance(self, trainee: Any, whole: Any) -> None:
        flight: deque[tuple[float, Any]] = deque()  # rate factor (nan: a save), call
        saved = time.monotonic()
        while self.alive or flight:
            if self.state == "running":
                while len(flight) < 2:
                    flight.append(self._send(trainee))
            elif self.state == "paused" and self._single and not flight:
                self._single -= 1
                flight.append(self._send(trainee, 1))
            if not flight:
                self._wake.wait(LOOK)
                self._wake.clear()
                if whole.status != "finished":
                    raise Lost
                continue
            factor, call = flight.popleft()
            found = self._result(call, whole)
            if math.isnan(factor):
                self.saved = found
                continue
            self._take(found, factor)
            if self.step >= self.recipe.steps:
                self._move("done", "starting", "running", "paused")
            if self.alive and time.monotonic() - saved > SAVED_EVERY:
                flight.append((math.nan, trainee.save()))
                saved = time.monotonic()
        if not self._left:
            self.saved = self._result(trainee.save(), whole)

    def _send(self, trainee: Any, most: int = 0) -> tuple[float, Any]:
        self._call += 1
        factor, seconds = self.rate_factor, max(SLICE / max(self._runner.beside(self), 1), SHORTEST)
        return factor, trainee.advance(self._call, seconds, factor, most)

    def _result(self, call: Any, whole: Any) -> Any:
        """What a call gives; raises Refused, or Lost where the worker will not answer any more."""
        while not call.done():
            try:
                call.result(timeout=LOOK)
            except TimeoutError:
                if call.done():
                    break
            else:
                break
            if self._left:
                raise Lost
            if self._runner.is_down() or whole.status in ("error", "lost", "cancelled"):
                raise Lost
            if whole.status == "pending" and self.worker not in self._runner.workers_up():
                raise Lost
        found = call.result()
        if isinstance(found, Refused):
            raise found
        return found

    def _take(self, seen: list[Snapshot], factor: float) -> None:
        """New snapshots, in order; steps done again after a lost worker are known already."""
        self._early += [(snapshot, factor) for snapshot in seen]
        self._early.sort(key=lambda pair: pair[0].step)
        while self._early and self._early[0][0].step <= self.step + 1:
            snapshot, factor = self._early.pop(0)
            if snapshot.step <= self.step:
                continue
            if not self._past or self._past[-1][1] != factor:
                self._past.append((snapshot.step, factor))
            self.snapshots.append(snapshot)
            if snapshot.stopped:
                self._fail(snapshot.stopped)


def _is_loss(error: Exception) -> bool:
    """Whether Dask says by this error that a worker died: our own errors arrive as Refused."""
    from distributed.scheduler import KilledWorker

    return isinstance(error, OSError | KilledWorker) or "Worker holding Actor was lost" in str(error)
