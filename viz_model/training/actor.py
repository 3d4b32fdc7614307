"""A trainer that lives in a worker: it trains for a while at each call and gives back what it saw."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

import torch

from viz_model.tasks.names import make_task
from viz_model.tasks.task import Task
from viz_model.training.recipe import Recipe
from viz_model.training.snapshot import Snapshot
from viz_model.training.state import load_run, save_run
from viz_model.training.trainer import Trainer

named_task = lru_cache(maxsize=8)(make_task)  # a task keeps no run's state: all runs in a worker share it


class Refused(Exception):
    """What is wrong with the run itself, as one plain sentence: another worker would say the same."""


class Trainee:
    """One run in one worker, as a Dask actor. `state` is what `save` gave, to go on from there.

    `past` tells what the person made of the learning rate, as (first step, factor): steps that are done again after
    a lost worker come out as they were, up to step `known`.
    """

    def __init__(
        self,
        recipe: Recipe,
        seed: int,
        task: Task | None = None,
        state: bytes | None = None,
        past: Sequence[tuple[int, float]] = (),
        known: int = 0,
    ) -> None:
        self._past, self._known, self._halted = tuple(past), known, 0
        with _plainly():
            torch.set_num_threads(1)
            task = task or named_task(recipe.task)
            self.trainer = Trainer(recipe, task, seed=seed) if state is None else load_run(state, task)

    def begin(self) -> Snapshot:
        """The model's picture before the first step of all, or before the next."""
        with _plainly():
            return self.trainer.look()

    def advance(self, call: int, seconds: float, rate_factor: float, most: int = 0) -> list[Snapshot]:
        """Trains for about `seconds` (at most `most` steps, where given) and returns the new snapshots.

        call: a number that grows from call to call, for `halt`.
        """
        ends, seen = time.perf_counter() + seconds, list[Snapshot]()
        while not self.trainer.done and call > self._halted:
            step = self.trainer.step + 1
            self.trainer.rate_factor = self._then(step) if step <= self._known else rate_factor
            with _plainly(f"Step {step}: "):
                seen.append(self.trainer.advance())
            if time.perf_counter() >= ends or len(seen) == most:
                break
        return seen

    async def halt(self, call: int) -> None:
        """Calls up to this number end after the step that they are at. Heard at once: it does not wait for its turn."""
        self._halted = max(self._halted, call)

    def save(self) -> tuple[int, bytes]:
        """The step and the whole run, to be taken up elsewhere."""
        return self.trainer.step, save_run(self.trainer)

    def _then(self, step: int) -> float:
        return next((factor for first, factor in reversed(self._past) if first <= step), self.trainer.rate_factor)


@contextmanager
def _plainly(where: str = "") -> Iterator[None]:
    """Any error inside as Refused."""
    try:
        yield
    except ValueError as error:
        raise Refused(f"{where}{error}") from None
    except MemoryError:
        raise Refused(f"{where}the model or its batch does not fit in memory.") from None
    except Exception as error:
        raise Refused(f"{where}training failed ({type(error).__name__}: {error}).") from None
