"""The study 'scale' before its first step: what the softmax's gradient is where learning begins."""

from __future__ import annotations

import torch

from viz_model.analysis.head_scaling import HeadScaling, head_scaling
from viz_model.tasks.names import make_task
from viz_model.training.build import build
from viz_model.training.recipe import Recipe

N_TEXTS = 32


@torch.no_grad()
def scaling_at_start(recipe: Recipe, *, seed: int = 0, n_texts: int = N_TEXTS) -> HeadScaling:
    """A recipe's heads on held-out texts, before anything was learned.

    Two runs that differ in the division alone start with equal weights, and so with equal queries and keys in the first
    layer.
    """
    task = make_task(recipe.task)
    batch = task.held_out()
    ids, present = batch.ids[:n_texts], batch.present[:n_texts]
    return head_scaling(build(recipe, task, seed=seed).eval()(ids), present=present)
