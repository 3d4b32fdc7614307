"""How large the gradient of the loss is at each depth of a stack."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from viz_model.analysis.results import Result
from viz_model.edits import StackName


@dataclass(frozen=True, slots=True)
class GradientByDepth(Result):
    """Euclidean norms of the loss' gradient, each over a whole batch.

    A layer whose weights get a gradient a thousand times smaller than another's learns a thousand times less by plain
    gradient descent; Adam divides much of that difference out again.
    """

    loss: float
    stream: tuple[float, ...]  # n_layers + 1: at what enters each block, and at what leaves the last
    weights: tuple[float, ...]  # n_layers: all weights of a block as one vector
    total: float  # all weights of the model as one vector, as `clip_grad_norm_` has it

    @property
    def first_to_last(self) -> float:
        """Gradient at the first block's input over that at the last block's output; NaN without the latter."""
        return self.stream[0] / self.stream[-1] if self.stream[-1] else math.nan


class _Watched:
    """A model's `logits` by way of its trace, which is kept."""

    def __init__(self, model: Any) -> None:
        self.model, self.trace = model, None

    def logits(self, *arguments: Any) -> Tensor:
        self.trace = self.model(*arguments)
        found: Tensor = self.trace.logits  # type: ignore[attr-defined]
        return found


def gradient_by_depth(model: Any, loss: Callable[[Any], Tensor], *, stack: StackName = "") -> GradientByDepth:
    """The norms for one batch; the model's parameters are left untouched: no .grad, safe among threads.

    loss: a scalar from something with the model's method `logits`, for instance `lambda m: task.loss(m, batch)`.
    stack: 'encoder' or 'decoder' where the model has two. The weights must require a gradient. What is not finite stays
    so: an exploding gradient is infinite or not a number here.
    """
    # Grad and inference mode belong to the thread: a caller inside vm.run's mode must get gradients all the same.
    with torch.inference_mode(False), torch.enable_grad():
        watched = _Watched(model)
        value = loss(watched)
        trace: Any = watched.trace
        module = getattr(model, stack or "stack")
        blocks = (getattr(trace, stack) if stack else trace).blocks
        if not blocks:
            raise ValueError("model: expected at least one layer, got none.")
        # A pre-norm block's resid_post is the very tensor that the next one reads.
        streams = [*(block.resid_pre for block in blocks), blocks[-1].resid_post]
        weights = list(model.parameters())
        gradients = torch.autograd.grad(value, [*streams, *weights], allow_unused=True)
    at_stream, at_weights = gradients[: len(streams)], gradients[len(streams) :]
    place = {id(weight): i for i, weight in enumerate(weights)}
    by_block = [[at_weights[place[id(weight)]] for weight in block.parameters()] for block in module.blocks]
    return GradientByDepth(
        value.item(),
        tuple(_norm([gradient]) for gradient in at_stream),
        tuple(_norm(part) for part in by_block),
        _norm(at_weights),
    )


def _norm(gradients: Any) -> float:
    """Of all as one vector, in double precision: a vanishing gradient's square is no float32."""
    squares = [gradient.double().square().sum() for gradient in gradients if gradient is not None]
    return math.sqrt(torch.stack(squares).sum().item()) if squares else 0.0
