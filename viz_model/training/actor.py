"""A trainer that lives in a worker: it trains for a while at each call and gives back what it saw."""

from __future__ import annotations

import time

from viz_model.tasks.names import make_task
from viz_model.training.recipe import Recipe
from viz_model.training.snapshot import Snapshot
from viz_model.training.state import load_run, save_run
from viz_model.training.trainer import Trainer


class Trainee:
    """One run in one worker, as a Dask actor. `state` is what `save` gave, to go on from there."""

    def __init__(self, recipe: Recipe, seed: int, state: bytes | None = None) -> None:
        task = make_task(recipe.task)
        self.trainer = Trainer(recipe, task, seed=seed) if state is None else load_run(state, task)

    def begin(self) -> Snapshot:
        """The untrained model's picture, before the first step."""
        return self.trainer.look()

    def advance(self, seconds: float, rate_factor: float, most: int = 0) -> list[Snapshot]:
        """Trains for about `seconds` (at most `most` steps, where given) and returns the new snapshots."""
        self.trainer.rate_factor = rate_factor
        ends, seen = time.perf_counter() + seconds, []
        while not self.trainer.done:
            seen.append(self.trainer.advance())
            if time.perf_counter() >= ends or len(seen) == most:
                break
        return seen

    def save(self) -> tuple[int, bytes]:
        """The step and the whole run, to be taken up elsewhere."""
        return self.trainer.step, save_run(self.trainer)
