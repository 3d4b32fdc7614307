"""Attribution by ablation: take something away, run again, and see how far an outcome falls.

Every number is the outcome before minus the outcome after: positive means that what was taken away had helped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

from viz_model.analysis.from_embedding import (
    logits_from_embedding,
    one_text,
    stack_configs,
    stack_index,
    token_embeddings,
)
from viz_model.analysis.outcome import Outcome
from viz_model.edits import AblateHead, AttentionName, Edit, StackName
from viz_model.models import Decoder, Model

BATCH_WEIGHTS = 2**22  # attention weights of one layer in a batch: 16 MB


def token_ablation(
    model: Model,
    ids: Tensor,
    outcome: Outcome,
    *,
    how: Literal["cut", "zero"] = "cut",
    target_ids: Tensor | None = None,
    stack: StackName = "",
    edits: Sequence[Edit] = (),
) -> Tensor:
    """How far the outcome falls without each token: [position] (leave-one-out; Li et al., 2016).

    'cut': no query reads the token as a key, in any head of any layer, and the rows' other weights grow to 1 again:
    the edits KnockOut(query=None, key=token) everywhere (for a source token in cross-attention too), made at once by
    a mask. The residual stream is left, so at the outcome's own position only what it reads of itself goes.
    'zero': the token's embedding is zero, its position stays. ids: [1, position]; stack says whose tokens.
    """
    if how not in ("cut", "zero"):
        raise ValueError(f"how: expected 'cut' or 'zero', got {how!r}.")
    index = stack_index(model, stack)
    given = one_text(model, ids, target_ids)
    before = outcome.value(_logits(model, given, edits))
    longest = max(part.shape[1] for part in given)
    n_heads = max(config.n_heads for config in stack_configs(model))
    size = max(1, BATCH_WEIGHTS // (n_heads * longest * longest))
    n = given[index].shape[1]
    others = ~torch.eye(n, dtype=torch.bool, device=ids.device)  # row i: every token but i
    if not edits and (isinstance(model, Decoder) or stack == "decoder"):
        others = others[: outcome.position + 1]  # no way back from the future, unless an edit has set a masked link
    run = _without_keys if how == "cut" else _without_embeddings
    with torch.inference_mode():
        after = [outcome.value(run(model, given, index, left, edits)) for left in torch.split(others, size)]
    fall = before.new_zeros(n)
    fall[: len(others)] = before - torch.cat(after)
    return fall


def head_ablation(
    model: Model,
    ids: Tensor,
    outcome: Outcome,
    *,
    target_ids: Tensor | None = None,
    stack: StackName = "",
    attention: AttentionName = "self",
    edits: Sequence[Edit] = (),
) -> Tensor:
    """How far the outcome falls with each head silenced by itself: [layer, head] (Michel et al., 2019, section 3).

    ids: [1, position]. stack and attention say whose heads, as in an edit. One run for each head.
    """
    config = stack_configs(model)[stack_index(model, stack)]
    given = one_text(model, ids, target_ids)
    before = outcome.value(_logits(model, given, edits))
    fall = before.new_zeros(config.n_layers, config.n_heads)
    for layer in range(config.n_layers):
        for head in range(config.n_heads):
            silence = AblateHead(layer, head, stack=stack, attention=attention)
            fall[layer, head] = (before - outcome.value(_logits(model, given, (*edits, silence))))[0]
    return fall


def _logits(model: Model, given: tuple[Tensor, ...], edits: Sequence[Edit], **mask: Tensor) -> Tensor:
    with torch.inference_mode():
        logits: Tensor = model(*given, **mask, edits=edits).logits
    return logits


def _without_keys(model: Model, given: tuple[Tensor, ...], index: int, left: Tensor, edits: Sequence[Edit]) -> Tensor:
    """Logits [batch, ...] where row i of left [batch, position] says which keys can still be read."""
    many = tuple(part.expand(len(left), -1) for part in given)
    return _logits(model, many, edits, **{("mask", "target_mask")[index]: left})


def _without_embeddings(
    model: Model, given: tuple[Tensor, ...], index: int, left: Tensor, edits: Sequence[Edit]
) -> Tensor:
    """Logits [batch, ...] where row i of left [batch, position] says which token embeddings are not zero."""
    changed = [part.expand(len(left), -1, -1) for part in token_embeddings(model, given, edits=edits)]
    changed[index] = changed[index] * left[:, :, None]
    return logits_from_embedding(model, *changed, edits=edits)
