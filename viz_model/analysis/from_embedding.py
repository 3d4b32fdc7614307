"""A model run from token embeddings in place of ids, so that they can be changed or differentiated."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from viz_model import masks
from viz_model.blocks import Reading
from viz_model.config import TransformerConfig
from viz_model.edits import Edit, StackName, select
from viz_model.models import EncoderDecoder, Model, Stack


def one_text(model: Model, ids: Tensor, target_ids: Tensor | None) -> tuple[Tensor, ...]:
    """The ids that the model is called with, source before target; raises ValueError for none or several texts."""
    if isinstance(model, EncoderDecoder) != (target_ids is not None):
        raise ValueError("target_ids: expected the target's ids for an EncoderDecoder, and none for one stack.")
    given = (ids,) if target_ids is None else (ids, target_ids)
    for part in given:
        if part.dim() != 2 or part.shape[0] != 1:
            raise ValueError(f"ids: expected one text, [1, position], got {list(part.shape)}.")
    return given


def stack_index(model: Model, stack: StackName) -> int:
    """Where `stack` stands in `one_text`; raises ValueError for a stack that the model does not have."""
    names = ("encoder", "decoder") if isinstance(model, EncoderDecoder) else ("",)
    if stack not in names:
        raise ValueError(f"stack: expected {' or '.join(map(repr, names))}, got {stack!r}.")
    return names.index(stack)


def stack_configs(model: Model) -> tuple[TransformerConfig, ...]:
    """One config for each of `one_text`."""
    if isinstance(model, EncoderDecoder):
        return model.config.encoder, model.config.decoder
    return (model.config,)


def token_embeddings(model: Model, given: tuple[Tensor, ...], *, edits: Sequence[Edit] = ()) -> list[Tensor]:
    """The token embeddings [batch, position, d_model] of each of `one_text`; the model checks ids and edits."""
    # Tensors of inference mode can enter no gradient, even later: step out of a mode that the caller is in.
    with torch.inference_mode(False), torch.no_grad():
        trace = model(*given, edits=edits)
    if isinstance(model, EncoderDecoder):
        return [trace.encoder.token_embedding, trace.decoder.token_embedding]
    return [trace.token_embedding]


def logits_from_embedding(
    model: Model, token_embedding: Tensor, target_embedding: Tensor | None = None, *, edits: Sequence[Edit] = ()
) -> Tensor:
    """model(ids).logits, given the token embeddings [batch, position, d_model]: [batch, position, vocab].

    target_embedding: the decoder's, for an encoder-decoder. Positions are added here. Edits are not checked.
    """
    logits: Tensor
    if not isinstance(model, EncoderDecoder):
        own = model.own_mask(token_embedding.shape[1]).to(token_embedding.device)
        logits = model.unembed(_run(model.stack, token_embedding, own, edits=edits))
        return logits
    if target_embedding is None:
        raise ValueError("target_embedding: expected the decoder's embeddings for an EncoderDecoder, got none.")
    n_source, n_target, device = token_embedding.shape[1], target_embedding.shape[1], token_embedding.device
    everywhere = masks.full(n_source).to(device)
    memory = _run(model.encoder, token_embedding, everywhere, edits=select(edits, stack="encoder"))
    across = Reading(masks.full(n_target, n_source).to(device))
    own = masks.causal(n_target).to(device)
    final = _run(model.decoder, target_embedding, own, memory, across, edits=select(edits, stack="decoder"))
    logits = model.unembed(final)
    return logits


def _run(
    stack: Stack, token_embedding: Tensor, mask: Tensor, *memory: Tensor | Reading, edits: Sequence[Edit]
) -> Tensor:
    n = token_embedding.shape[1]
    resid = token_embedding + stack.positions.embedding(n)
    reading = Reading(mask, stack.positions.rotate, stack.positions.bias(n))
    for layer, block in enumerate(stack.blocks):
        resid = block(resid, reading, *memory, edits=select(edits, layer=layer)).resid_post
    final: Tensor = stack.final_norm(resid)
    return final
