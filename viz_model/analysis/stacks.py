"""Which stack of a model is looked at: the only one, or the encoder or the decoder by name."""

from __future__ import annotations

from viz_model.analysis.from_embedding import stack_index
from viz_model.blocks import BlockTrace
from viz_model.edits import StackName
from viz_model.models import EncoderDecoder, EncoderDecoderTrace, Model, Stack, StackTrace, Trace


def stack_of(model: Model, trace: Trace, stack: StackName) -> tuple[Stack, StackTrace[BlockTrace]]:
    """A stack and what it computed; raises ValueError for one that the model does not have."""
    stack_index(model, stack)
    if isinstance(model, EncoderDecoder) and isinstance(trace, EncoderDecoderTrace):
        return (model.encoder, trace.encoder) if stack == "encoder" else (model.decoder, trace.decoder)
    if isinstance(model, EncoderDecoder) or isinstance(trace, EncoderDecoderTrace):
        raise ValueError(f"trace: expected one of this {type(model).__name__}, got {type(trace).__name__}.")
    return model.stack, trace
