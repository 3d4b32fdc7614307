"""The logit lens: what the model would say if it stopped after each layer (nostalgebraist, 2020)."""

from __future__ import annotations

import torch
from torch import Tensor

from viz_model.models import EncoderDecoder, EncoderDecoderTrace, Model, Trace


def logit_lens(model: Model, trace: Trace, *, position: int | None = None) -> Tensor:
    """unembed(final_norm(x)) for x = the embedding and each block's resid_post: [layer + 1, batch, position, vocab].

    Entry 0 is the embedding, entry l + 1 the stream after block l; the last IS trace.logits. An encoder-decoder's
    lens looks at its decoder. position: that one alone ([layer + 1, batch, 1, vocab]), since a long text times a
    large vocabulary is heavy. A post-norm model has no final norm; its blocks end on one.
    """
    stack = model.decoder if isinstance(model, EncoderDecoder) else model.stack
    stack_trace = trace.decoder if isinstance(trace, EncoderDecoderTrace) else trace
    n = trace.logits.shape[1]
    if position is not None and not 0 <= position < n:
        raise ValueError(f"position: expected one from 0 to {n - 1}, got {position}.")
    shown = slice(None) if position is None else slice(position, position + 1)
    streams = [stack_trace.embedding, *(block.resid_post for block in stack_trace.blocks)]
    with torch.no_grad():
        # The last stream is what the model itself unembedded: taken as it is, it is equal to the last bit.
        early = [model.unembed(stack.final_norm(x[:, shown])) for x in streams[:-1]]
    return torch.stack([*early, trace.logits[:, shown]])
