"""The gradient's size by depth, at the start and during training: what residual connections and norms are for.

After He et al. (2016, section 4.1), who trained stacks with and without, and Xiong et al. (2020, section 3), who set
pre-norm against post-norm. The task is small, so that a stack of 24 layers takes a fraction of a second a look.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from viz_model.analysis.gradient_depth import GradientByDepth, gradient_by_depth
from viz_model.analysis.residual_norms import residual_norms
from viz_model.analysis.results import Result
from viz_model.edits import StackName
from viz_model.initialization import initialise
from viz_model.tasks.names import make_task
from viz_model.tasks.task import Batch, Task
from viz_model.training.build import build
from viz_model.training.recipe import Recipe
from viz_model.training.trainer import Trainer

DEPTHS = (2, 6, 12, 24)
BASE = Recipe(
    task="copy",
    d_model=32,
    n_heads=2,
    d_ff=64,
    context_length=32,
    position="learned",
    steps=150,
    batch_size=32,
)
# The name of a variant, and what it changes in BASE.
variants: dict[str, dict[str, Any]] = {
    "pre-norm": {},
    "post-norm": {"norm_place": "post"},
    "pre-norm, RMSNorm": {"norm": "rms"},
    "post-norm, RMSNorm": {"norm": "rms", "norm_place": "post"},
    "no norm": {"norm": "none"},
    "pre-norm, no residual": {"residual": False},
    "post-norm, no residual": {"norm_place": "post", "residual": False},
    "neither": {"norm": "none", "residual": False},
}


@dataclass(frozen=True, slots=True)
class DepthSnapshot(Result):
    """A stack in training, looked at on one and the same batch."""

    step: int  # steps done
    accuracy: float  # on held-out examples, what the task's metric counts
    gradient: GradientByDepth
    alike: tuple[float, ...]  # n_layers + 1: mean cosine of two positions of the probe, where the gradient is measured
    stopped: str = ""  # why the run ended before its time


@dataclass(frozen=True, slots=True)
class Start:
    """An untrained stack."""

    variant: str
    n_layers: int
    seed: int
    small_start: bool
    gradient: GradientByDepth


@dataclass(frozen=True, slots=True)
class Run:
    """A stack in training, from before the first step on."""

    variant: str
    n_layers: int
    seed: int
    snapshots: tuple[DepthSnapshot, ...]


@dataclass(frozen=True, slots=True)
class DepthResults(Result):
    """What a page opens with, before anything has been run live."""

    starts: tuple[Start, ...]
    runs: tuple[Run, ...]


def depth_recipe(variant: str, n_layers: int) -> Recipe:
    """The recipe of a variant (a name in `variants`) with so many layers."""
    if variant not in variants:
        raise ValueError(f"variant: expected one of {'; '.join(variants)}, got {variant!r}.")
    return replace(BASE, n_layers=n_layers, **variants[variant])


def gradient_at_start(
    recipe: Recipe, task: Task | None = None, *, seed: int = 0, small_start: bool = True
) -> GradientByDepth:
    """One batch's gradient in an untrained model.

    small_start: what enters the residual stream starts the smaller the deeper the stack is, as everywhere here; False:
    each matrix by its own width alone, which shows what depth does to a stack that does not allow for it.
    """
    task = task or make_task(recipe.task)
    model = build(recipe, task, seed=seed)
    _restart(model, recipe, seed, small_start)
    return _look(model, task, _watched(recipe, task, seed))


def gradients_while_training(
    recipe: Recipe, task: Task | None = None, *, seed: int = 0, every: int = 10, small_start: bool = True
) -> Iterator[DepthSnapshot]:
    """The same each `every` steps of a run, before the first and after the last. A diverged run says so and ends."""
    if every < 1:
        raise ValueError(f"every: expected at least 1, got {every}.")
    task = task or make_task(recipe.task)
    return _run(Trainer(recipe, task, seed=seed), every, small_start)


def depth_results(
    *,
    depths: Sequence[int] = DEPTHS,
    seeds: Sequence[int] = (0, 1, 2),
    trained: int = 6,
    steps: int = BASE.steps,
    every: int = 10,
) -> DepthResults:
    """Every variant untrained at each depth, from each seed and either start; and trained at one depth, `trained`.

    Some two minutes on one core.
    """
    task = make_task(BASE.task)
    recipes = [(name, n, depth_recipe(name, n)) for name in variants for n in depths]
    starts = tuple(
        Start(name, n, seed, small, gradient_at_start(recipe, task, seed=seed, small_start=small))
        for name, n, recipe in recipes
        for small in ((True, False) if recipe.residual else (True,))  # without residual connections both are one
        for seed in seeds
    )
    runs = tuple(
        Run(name, trained, seeds[0], tuple(gradients_while_training(recipe, task, seed=seeds[0], every=every)))
        for name in variants
        for recipe in [replace(depth_recipe(name, trained), steps=steps)]
    )
    return DepthResults(starts, runs)


def _run(trainer: Trainer, every: int, small_start: bool) -> Iterator[DepthSnapshot]:
    recipe, task, model = trainer.recipe, trainer.task, trainer.model
    _restart(model, recipe, trainer.seed, small_start)
    batch = _watched(recipe, task, trainer.seed)
    while True:
        accuracy = task.accuracy(model.eval())
        yield DepthSnapshot(trainer.step, accuracy, _look(model, task, batch), _alike(model, task), trainer.stopped)
        if trainer.done:
            return
        for _ in range(min(every, recipe.steps - trainer.step)):
            if trainer.advance(watched=False).stopped:
                break


def _restart(model: Any, recipe: Recipe, seed: int, small_start: bool) -> None:
    if not small_start:
        initialise(model, n_layers=recipe.n_layers, seed=seed, residual=False)


def _watched(recipe: Recipe, task: Task, seed: int) -> Batch:
    return task.batch(recipe.batch_size, torch.Generator().manual_seed(seed))


def _look(model: Any, task: Task, batch: Batch) -> GradientByDepth:
    return gradient_by_depth(model, lambda watched: task.loss(watched, batch), stack=_stack(task))


def _alike(model: Any, task: Task) -> tuple[float, ...]:
    _, batch = task.probe()
    given = (batch.ids, batch.present)
    if batch.target_ids is not None:
        given = (batch.ids, batch.target_ids)
    with torch.inference_mode():
        places = residual_norms(model, model(*given), stack=_stack(task)).places
    return tuple(place.alike for place in places if place.name in ("resid_pre", "resid_post"))


def _stack(task: Task) -> StackName:
    return "decoder" if task.kind == "encoder-decoder" else ""
