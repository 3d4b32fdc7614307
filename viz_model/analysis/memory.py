"""How much of each earlier token can still move the last output: the gradient by distance."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import Tensor

from viz_model.models import Convolutional, ConvolutionalTrace, Decoder, ModelTrace, Recurrent, RecurrentTrace

CausalModel = Decoder | Recurrent | Convolutional  # those that the lesson compares
ROWS = 2048  # sequences in one backward pass


def read_out(trace: ModelTrace | RecurrentTrace | ConvolutionalTrace) -> Tensor:
    """What the unembedding reads at each position: [batch, position, d_model]."""
    return trace.final_norm if isinstance(trace, ModelTrace) else trace.output


def gradient_by_distance(model: CausalModel, ids: Tensor) -> Tensor:
    """||d y_last / d x_t|| by distance from the last position: [distance], the last token itself first.

    y is what the unembedding reads, x the token embeddings; the norm is Frobenius' over sqrt(d_model), so that 1 means
    that a change of the token moves the output by as much, on average over directions. Mean over the batch of ids
    [batch, position]. After Hochreiter (1991) and Bengio et al. (1994), who follow the loss instead: that has no
    gradient left where a model has learnt its task, whatever it remembers.
    """
    model = _differentiable(model)
    width = model.config.d_model
    total = torch.zeros(ids.shape[1], dtype=torch.float64)
    for row in ids:
        squares = torch.zeros(ids.shape[1], dtype=torch.float64)
        at_once = max(1, ROWS // ids.shape[1])
        for first in range(0, width, at_once):
            squares += _squares(model, row, first, min(first + at_once, width))
        total += (squares / width).sqrt()
    return (total / len(ids)).flip(0)


def _squares(model: CausalModel, row: Tensor, first: int, end: int) -> Tensor:
    """Summed squares of the derivatives of outputs `first` to before `end`: [position]."""
    # Grad and inference mode belong to the thread: a caller inside vm.run's mode must get gradients all the same.
    with torch.inference_mode(False), torch.enable_grad():
        outputs = torch.arange(first, end)
        trace = model(row.clone().expand(len(outputs), -1))  # a copy of the text for each output: one pass for all
        value = read_out(trace)[torch.arange(len(outputs)), -1, outputs].sum()
        (gradient,) = torch.autograd.grad(value, trace.token_embedding)
        squares: Tensor = gradient.double().square().sum((0, 2))
    return squares


def _differentiable(model: CausalModel) -> CausalModel:
    """The model, or where it is frozen a copy of it that is not."""
    if all(parameter.requires_grad for parameter in model.parameters()):
        return model
    with torch.inference_mode(False):
        return deepcopy(model).requires_grad_(True)
