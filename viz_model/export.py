"""A whole trace as one NPZ file: every tensor by its name in the trace, and labels as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import torch
from torch import Tensor

from viz_model.checkpoint import CheckpointError, read_card
from viz_model.figures.export import npz_of
from viz_model.models import EncoderDecoderTrace, Trace


def trace_npz(trace: Trace, *, model: str, text: str, edits: Sequence[str] = ()) -> bytes:
    """The NPZ bytes. `np.load(..., allow_pickle=False)`; names as in the trace: 'blocks.0.attention.weights'."""
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in tensors_of(trace)}
    try:
        seed = read_card(model).seed
    except CheckpointError:
        seed = None
    tokens: Any = trace.tokens if not isinstance(trace, EncoderDecoderTrace) else trace.encoder.tokens
    labels: dict[str, Any] = {"model": model, "seed": seed, "text": text, "tokens": list(tokens), "edits": list(edits)}
    if isinstance(trace, EncoderDecoderTrace):
        labels["target_tokens"] = list(trace.decoder.tokens)
    return npz_of(arrays, labels)


def tensors_of(trace: Any, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
    """Every tensor of a trace with its dotted name, in order."""
    if isinstance(trace, Tensor):
        yield prefix, trace
    elif isinstance(trace, float):
        yield prefix, torch.tensor(trace)
    elif isinstance(trace, tuple) and trace and is_dataclass(trace[0]):
        for i, item in enumerate(trace):
            yield from tensors_of(item, f"{prefix}.{i}")
    elif is_dataclass(trace):
        for field in fields(trace):
            name = f"{prefix}.{field.name}" if prefix else field.name
            yield from tensors_of(getattr(trace, field.name), name)
