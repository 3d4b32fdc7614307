"""The training loop, as an iterator of snapshots."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from viz_model.models import Decoder, Encoder
from viz_model.tasks.language import LanguageTask
from viz_model.training.recipe import Recipe


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Training after a step."""

    step: int  # steps done
    loss: float  # of this step's batch, in nats a predicted token
    gradient_norm: float  # before clipping
    learning_rate: float
    model: Encoder | Decoder  # the live model: it goes on changing


class Diverged(RuntimeError):
    """The loss or the gradient was no longer a finite number; the message names the step."""


def train(task: LanguageTask, model: Encoder | Decoder, recipe: Recipe, *, seed: int) -> Iterator[Snapshot]:
    """Trains `model` in place on batches of `task`, one snapshot a step; raises Diverged."""
    generator = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.AdamW(
        model.parameters(),
        lr=recipe.learning_rate,
        betas=(0.9, recipe.beta2),
        weight_decay=recipe.weight_decay,
        fused=True,
    )
    model.train()
    for step in range(1, recipe.steps + 1):
        rate = recipe.learning_rate * rate_at(step, recipe)
        for group in optimiser.param_groups:
            group["lr"] = rate
        batch = task.batch(recipe.batch_size, generator)
        logits = model.logits(batch.ids, batch.present)
        loss = F.cross_entropy(logits[batch.asked], batch.answers)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        if not (torch.isfinite(loss) and torch.isfinite(norm)):
            raise Diverged(f"step {step}: expected a finite loss and gradient, got {loss.item()} and {norm.item()}.")
        optimiser.step()
        yield Snapshot(step, loss.item(), norm.item(), rate, model)
    model.eval()


def rate_at(step: int, recipe: Recipe) -> float:
    """The share of the learning rate at a step (from 1): a linear warm-up, then a cosine."""
    if step <= recipe.warm_up:
        return step / recipe.warm_up
    done = (step - recipe.warm_up) / max(recipe.steps - recipe.warm_up, 1)
    return recipe.final_rate + (1 - recipe.final_rate) * 0.5 * (1 + math.cos(math.pi * done))
