"""Optimisers by name, and the learning rate over a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import get_args

import torch
from torch import nn

from viz_model.training.recipe import OptimiserKind, Recipe


def make_optimisers(model: nn.Module, recipe: Recipe) -> Sequence[torch.optim.Optimizer]:
    """The optimisers of a recipe, one or two.

    adamw: Loshchilov & Hutter, 2019; adam: Kingma & Ba, 2015; sgd: with momentum .9; muon (Jordan et al., 2024): the
    hidden matrices by Muon at `learning_rate`, all else by AdamW at `adamw_rate`.
    """
    if recipe.optimiser not in get_args(OptimiserKind):
        raise ValueError(f"optimiser: expected one of {', '.join(get_args(OptimiserKind))}, got {recipe.optimiser!r}.")
    parameters = list(model.parameters())
    if recipe.optimiser == "muon":
        hidden = {id(p) for name, p in model.named_parameters() if p.dim() == 2 and ".blocks." in f".{name}"}
        matrices = [p for p in parameters if id(p) in hidden]
        others = [p for p in parameters if id(p) not in hidden]
        return (
            torch.optim.Muon(matrices, lr=recipe.learning_rate, weight_decay=recipe.weight_decay),
            torch.optim.AdamW(
                others, lr=recipe.adamw_rate, betas=(0.9, recipe.beta2), weight_decay=recipe.weight_decay, fused=True
            ),
        )
    if recipe.optimiser == "sgd":
        return (torch.optim.SGD(parameters, lr=recipe.learning_rate, momentum=0.9, weight_decay=recipe.weight_decay),)
    kind = torch.optim.AdamW if recipe.optimiser == "adamw" else torch.optim.Adam
    decay = recipe.weight_decay if recipe.optimiser == "adamw" else 0.0
    return (kind(parameters, lr=recipe.learning_rate, betas=(0.9, recipe.beta2), weight_decay=decay, fused=True),)


def rate_at(step: int, recipe: Recipe) -> float:
    """The share of the learning rate at a step (from 1): a linear warm-up, then a cosine."""
    if step <= recipe.warm_up:
        return step / recipe.warm_up
    done = (step - recipe.warm_up) / max(recipe.steps - recipe.warm_up, 1)
    return recipe.final_rate + (1 - recipe.final_rate) * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
