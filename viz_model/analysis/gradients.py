"""Attribution by gradients: how a small change of each token's embedding would move an outcome."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from viz_model.analysis.from_embedding import logits_from_embedding, one_text, stack_index, token_embeddings
from viz_model.analysis.outcome import Outcome
from viz_model.edits import Edit, StackName
from viz_model.models import Model


def gradient_times_input(
    model: Model,
    ids: Tensor,
    outcome: Outcome,
    *,
    target_ids: Tensor | None = None,
    stack: StackName = "",
    edits: Sequence[Edit] = (),
) -> Tensor:
    """sum_d e_d * d outcome / d e_d over the token embedding e of each position: [position].

    Shrikumar et al. (2016). Positive: more of this token raises the outcome. The
    embedding is the token's alone, without its position. ids: [1, position]; stack says whose positions are
    explained where there are two. The model's parameters are left untouched: no .grad, safe among threads.
    """
    index = stack_index(model, stack)
    embeddings = token_embeddings(model, one_text(model, ids, target_ids), edits=edits)
    return (embeddings[index] * _gradient(model, embeddings, index, outcome, edits)).sum(-1)[0]


def integrated_gradients(
    model: Model,
    ids: Tensor,
    outcome: Outcome,
    *,
    n_steps: int = 32,
    target_ids: Tensor | None = None,
    stack: StackName = "",
    edits: Sequence[Edit] = (),
) -> Tensor:
    """sum_d e_d * mean over a in 0..1 of d outcome / d (a e)_d: [position] (Sundararajan et al., 2017, section 3).

    The baseline is a zero token embedding at every position of the stack. As n_steps (midpoints) grows, the
    attributions sum to the outcome minus the baseline's outcome.
    """
    index = stack_index(model, stack)
    embeddings = token_embeddings(model, one_text(model, ids, target_ids), edits=edits)
    if n_steps < 1:
        raise ValueError(f"n_steps: expected at least 1, got {n_steps}.")
    whole = embeddings[index]
    total = torch.zeros_like(whole)
    for step in range(n_steps):
        embeddings[index] = whole * ((step + 0.5) / n_steps)
        total += _gradient(model, embeddings, index, outcome, edits)
    return (whole * total / n_steps).sum(-1)[0]


def _gradient(model: Model, embeddings: list[Tensor], index: int, outcome: Outcome, edits: Sequence[Edit]) -> Tensor:
    """d outcome / d embeddings[index], without a word to the parameters."""
    # Grad and inference mode belong to the thread: a caller inside vm.run's mode must get gradients all the same.
    with torch.inference_mode(False), torch.enable_grad():
        inputs = [embedding.detach() for embedding in embeddings]
        inputs[index] = inputs[index].requires_grad_()
        value = outcome.value(logits_from_embedding(model, *inputs, edits=edits)).sum()
        return torch.autograd.grad(value, inputs[index])[0]
