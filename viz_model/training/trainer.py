"""The training loop: a run that advances step by step, says what it sees, and can be put down and taken up again."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from viz_model.analysis.roles import role_patterns, role_scores
from viz_model.models import ConvolutionalTrace, RecurrentTrace
from viz_model.tasks.names import make_task
from viz_model.tasks.task import Batch, Expected, Task
from viz_model.training.build import build
from viz_model.training.optimisers import make_optimisers, rate_at
from viz_model.training.recipe import Recipe, recipes
from viz_model.training.snapshot import PICTURES, Picture, Snapshot, picture_steps

WATCHED = 128  # held-out examples that a picture's accuracy is measured on


class Diverged(RuntimeError):
    """The loss or the gradient was no longer a finite number; the message names the step and the likely cause."""


class Trainer:
    """One run. The same recipe and seed give the same curve, in one piece or in several, however often it is looked at.

    looks: how many pictures are taken at most, from the beginning to the end.
    """

    def __init__(self, recipe: Recipe, task: Task, *, seed: int = 0, looks: int = PICTURES) -> None:
        self.recipe, self.task, self.seed = recipe, task, seed
        self.model: Any = build(recipe, task, seed=seed)
        self.optimisers = make_optimisers(self.model, recipe)
        self._base = [group["lr"] for optimiser in self.optimisers for group in optimiser.param_groups]
        self.generator = torch.Generator().manual_seed(seed)
        self.step = 0
        self.rate_factor = 1.0  # what the person has made of the learning rate while the run went on
        self.stopped = ""
        self._pictures = picture_steps(recipe.steps, looks)

    @property
    def done(self) -> bool:
        return bool(self.stopped) or self.step >= self.recipe.steps

    def advance(self, *, watched: bool = True) -> Snapshot:
        """One step; `watched`: with a picture, where one is due.

        A step that is no longer finite ends the run: its snapshot says why, and the weights stay as before.
        """
        if self.done:
            raise RuntimeError(f"run: expected steps left, got one that ended at step {self.step}. {self.stopped}")
        started = time.perf_counter()
        step = self.step + 1
        rate = self._set_rate(step)
        self.model.train()
        batch = self.task.batch(self.recipe.batch_size, self.generator)
        loss = self.task.loss(self.model, batch)
        for optimiser in self.optimisers:
            optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        found, size = loss.item(), norm.item()
        if math.isfinite(found) and math.isfinite(size):
            for optimiser in self.optimisers:
                optimiser.step()
            self.step = step
        else:
            self.stopped = f"Step {step}: {_cause(found, size, rate, self.recipe)}"
        seconds = time.perf_counter() - started
        # A whole mask in place of the padding (a prefix) says nothing of padding: there is none.
        read = batch.present.sum() if batch.present.dim() == 2 else batch.ids.numel()
        tokens = int(read) + (0 if batch.target_present is None else int(batch.target_present.sum()))
        due = watched and step in self._pictures and not self.stopped
        picture = self.picture() if due else None
        return Snapshot(step, found, size, rate, tokens, seconds, picture, self.stopped)

    def look(self) -> Snapshot:
        """The run as it stands, without a step: what an untrained model shows."""
        batch = self.task.held_out()
        with torch.inference_mode():
            loss = self.task.loss(self.model.eval(), _first(batch, WATCHED)).item()
        return Snapshot(self.step, loss, 0.0, 0.0, 0, 0.0, self.picture(masks=True))

    def picture(self, *, masks: bool = False) -> Picture:
        """The probe's attention as it is now; `masks`: with who may read whom."""
        self.model.eval()
        _, batch = self.task.probe()
        with torch.inference_mode():
            trace = self.model(*_arguments(batch))
        accuracy = self.task.accuracy(self.model, _first(self.task.held_out(), WATCHED))
        seen = _masks(trace) if masks else {}
        return Picture(accuracy, _attention(trace), _roles(trace, self.task.expected(batch), batch), seen)

    def _set_rate(self, step: int) -> float:
        share = rate_at(step, self.recipe) * self.rate_factor
        groups = [group for optimiser in self.optimisers for group in optimiser.param_groups]
        for group, base in zip(groups, self._base, strict=True):
            group["lr"] = base * share
        return self.recipe.learning_rate * share


def train(recipe: Recipe | str, task: Task | None = None, *, seed: int = 0) -> Iterator[Snapshot]:
    """All the steps of a run, by a recipe or the name of one: `train("induction", seed=0)`.

    task: where the recipe's own is not meant. Raises ValueError for an unknown name, at once; Diverged where the run is
    no longer finite.
    """
    if isinstance(recipe, str):
        if recipe not in recipes:
            raise ValueError(f"recipe: expected one of {', '.join(recipes)}, got {recipe!r}.")
        recipe = recipes[recipe]
    return _run(recipe, task, seed)


def _run(recipe: Recipe, task: Task | None, seed: int) -> Iterator[Snapshot]:
    trainer = Trainer(recipe, task or make_task(recipe.task), seed=seed)
    while not trainer.done:
        snapshot = trainer.advance()
        yield snapshot
        if snapshot.stopped:
            raise Diverged(snapshot.stopped)


def _cause(loss: float, norm: float, rate: float, recipe: Recipe) -> str:
    what = f"the loss was {loss:g}" if not math.isfinite(loss) else f"the gradient's size was {norm:g}"
    if recipe.norm_place == "post" and recipe.warm_up < 10:
        return f"{what}. A post-norm model without warm-up is the likely cause."
    return f"{what}. A learning rate of {rate:.3g} is likely too high for this model."


def _arguments(batch: Batch) -> tuple[Tensor, ...]:
    if batch.target_ids is None:
        return batch.ids, batch.present
    assert batch.target_present is not None
    return batch.ids, batch.target_ids, batch.present, batch.target_present


def _first(batch: Batch, n: int) -> Batch:
    counts = batch.asked[:n].sum()
    cut = [None if part is None else part[:n] for part in (batch.target_ids, batch.target_present)]
    return Batch(batch.ids[:n], batch.present[:n], batch.asked[:n], batch.answers[: int(counts)], *cut)


def _layers(trace: Any) -> dict[str, list[Any]]:
    """Attention traces by kind: one stack's 'self', or 'encoder', 'decoder' and 'cross'; none without attention."""
    if isinstance(trace, RecurrentTrace | ConvolutionalTrace):
        return {}
    if not hasattr(trace, "encoder"):
        return {"self": [block.attention for block in trace.blocks]}
    return {
        "encoder": [block.attention for block in trace.encoder.blocks],
        "decoder": [block.attention for block in trace.decoder.blocks],
        "cross": [block.cross_attention for block in trace.decoder.blocks],
    }


def _attention(trace: Any) -> dict[str, np.ndarray[Any, np.dtype[np.uint8]]]:
    return {
        name: np.stack([(layer.weights[0] * 255).round().to(torch.uint8).numpy() for layer in layers])
        for name, layers in _layers(trace).items()
        if layers
    }


def _masks(trace: Any) -> dict[str, np.ndarray[Any, np.dtype[np.bool_]]]:
    return {name: layers[0].mask[0, 0].numpy() for name, layers in _layers(trace).items() if layers}


def _roles(
    trace: Any, expected: tuple[Expected, ...], batch: Batch
) -> dict[str, np.ndarray[Any, np.dtype[np.float32]]]:
    """Mean weight on the keys of each role: the task's own right attention, and the previous token."""
    layers = _layers(trace)
    if not layers:
        return {}
    main = layers.get("self") or layers["decoder"]
    ids = batch.ids if batch.target_ids is None else batch.target_ids
    found: dict[str, list[list[float]]] = {}
    for one in expected:
        name = "cross" if one.attention == "cross" else one.stack or "self"
        found[one.name] = [role_scores(layer.weights, layer.mask, one.keys)[0] for layer in layers[name]]
    if ids.dim() == 2:
        previous = role_patterns(ids)["previous"]
        if any(torch.equal(one.keys, previous) for one in expected):  # the task has a name of its own for it
            return {name: np.array(scores, np.float32) for name, scores in found.items()}
        found["the token before"] = [role_scores(layer.weights, layer.mask, previous)[0] for layer in main]
    return {name: np.array(scores, np.float32) for name, scores in found.items()}
