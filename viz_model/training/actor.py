"""A trainer that lives in a worker: it trains for a while at each call and gives back what it saw."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

import torch

from viz_model.tasks.names import make_task
from viz_model.tasks.task import Task
from viz_model.training.recipe import Recipe
from viz_model.training.snapshot import PICTURES, Snapshot
from viz_model.training.state import load_run, save_run
from viz_model.training.trainer import Trainer

P = ParamSpec("P")
T = TypeVar("T")

named_task = lru_cache(maxsize=8)(make_task)  # a task keeps no run's state: all runs in a worker share it


class Refused(Exception):
    """What is wrong with the run itself, as one plain sentence: another worker would say the same.

    Calls give it back instead of raising it, for a traceback would keep the run in the worker's memory.
    """


def _plainly(method: Callable[Concatenate[Trainee, P], T]) -> Callable[Concatenate[Trainee, P], T | Refused]:
    """Any error in the method as Refused."""

    @wraps(method)
    def told(self: Trainee, /, *args: P.args, **kwargs: P.kwargs) -> T | Refused:
        try:
            return method(self, *args, **kwargs)
        except ValueError as error:
            why = str(error)
        except MemoryError:
            why = "the model or its batch does not fit in memory."
        except Exception as error:
            why = f"training failed ({type(error).__name__}: {error})."
        return Refused(f"Step {self.at}: {why}" if self.at else why)

    return told


class Trainee:
    """One run in one worker, as a Dask actor. `state` is what `save` gave, to go on from there.

    `past` tells what the person made of the learning rate, as (first step, factor): steps that are done again after
    a lost worker come out as they were, up to step `known`.
    """

    trainer: Trainer

    def __init__(
        self,
        recipe: Recipe,
        seed: int,
        task: Task | None = None,
        state: bytes | None = None,
        past: Sequence[tuple[int, float]] = (),
        known: int = 0,
        looks: int = PICTURES,
    ) -> None:
        self.recipe, self.seed, self.task, self.state = recipe, seed, task, state
        self.looks = looks  # pictures at most
        self.at = 0  # the step that is being done
        self._past, self._known, self._halted = tuple(past), known, 0

    @_plainly
    def begin(self) -> Snapshot:
        """Makes the model; its picture before the first step of all, or before the next."""
        torch.set_num_threads(1)
        task = self.task or named_task(self.recipe.task)
        if self.state is None:
            self.trainer = Trainer(self.recipe, task, seed=self.seed, looks=self.looks)
        else:
            self.trainer, self.state = load_run(self.state, task, looks=self.looks), None
        return self.trainer.look()

    @_plainly
    def advance(self, call: int, seconds: float, rate_factor: float, most: int = 0) -> list[Snapshot]:
        """Trains for about `seconds` (at most `most` steps, where given) and returns the new snapshots.

        call: a number that grows from call to call, for `halt`.
        """
        ends, seen = time.perf_counter() + seconds, list[Snapshot]()
        while not self.trainer.done and call > self._halted:
            self.at = self.trainer.step + 1
            self.trainer.rate_factor = self._then(self.at) if self.at <= self._known else rate_factor
            seen.append(self.trainer.advance())
            if time.perf_counter() >= ends or len(seen) == most:
                break
        return seen

    async def halt(self, call: int) -> None:
        """Calls up to this number end after the step that they are at. Heard at once: it does not wait for its turn."""
        self._halted = max(self._halted, call)

    @_plainly
    def save(self) -> tuple[int, bytes]:
        """The step and the whole run, to be taken up elsewhere."""
        return self.trainer.step, save_run(self.trainer)

    def _then(self, step: int) -> float:
        return next((factor for first, factor in reversed(self._past) if first <= step), self.trainer.rate_factor)
