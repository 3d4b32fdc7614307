"""What a model says of one position: the next word, or the word that a mask hides."""

from __future__ import annotations

from dataclasses import dataclass

from viz_model.models import Encoder, ModelTrace
from viz_model.models.one_stack import OneStack
from viz_model.sampling import Distribution, Sampling, token_distribution
from viz_model.tokenizer import Encoding


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """The distribution at a position, and what it speaks of."""

    position: int
    asks: str  # in words: "Next token, after “mat”"
    distribution: Distribution


def asked_position(model: OneStack, encoding: Encoding, query: int) -> int:
    """Where the prediction is read: a causal model's last position; a masked one's first mask, or else `query`."""
    if not isinstance(model, Encoder):
        return len(encoding) - 1
    mask = _mask_id(model)
    return encoding.ids.index(mask) if mask in encoding.ids else query


def predict(
    model: OneStack, trace: ModelTrace, encoding: Encoding, query: int, sampling: Sampling | None = None
) -> Prediction:
    """The model's prediction for the text of `trace`."""
    position = asked_position(model, encoding, query)
    token = trace.tokens[position]
    if not isinstance(model, Encoder):
        asks = f"Next token, after “{token}”"
    elif encoding.ids[position] == _mask_id(model):
        asks = f"The word behind {token}, position {position}"
    else:
        asks = f"The word at position {position}, which the model has seen: “{token}”"
    return Prediction(position, asks, token_distribution(trace.logits[0, position], sampling))


def _mask_id(model: OneStack) -> int | None:
    return None if model.tokenizer is None else model.tokenizer.special_ids.mask
