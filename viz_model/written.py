"""What a model writes for a text, greedily, with the trace of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from viz_model.edits import Edit
from viz_model.encoding import Encoding
from viz_model.generation import GenerationStep, Sampling, generate
from viz_model.models import Decoder, EncoderDecoder, EncoderDecoderTrace

MOST = 64  # tokens


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """A text and what was written for it. A step is one token written: step t was chosen by target position t."""

    source: Encoding
    trace: EncoderDecoderTrace  # of the whole: its target is the begin token and all that was written but the last
    ids: tuple[int, ...]  # written, the end token among them
    tokens: tuple[str, ...]
    probabilities: tuple[float, ...]  # of each when it was chosen
    ended: bool  # by the end token, and not because there was no more room

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens written, without the end token."""
        return self.tokens[:-1] if self.ended else self.tokens

    @property
    def cross(self) -> Tensor:
        """Cross-attention of all steps: [layer, head, step, source position]."""
        return torch.stack([block.cross_attention.weights[0] for block in self.trace.decoder.blocks])


def write(model: EncoderDecoder, source: Encoding, *, n: int = MOST, edits: Sequence[Edit] = ()) -> Written:
    """Writes greedily until the end token, or n tokens. The model needs its tokenizers."""
    tokenizer = model.target_tokenizer or model.tokenizer
    if tokenizer is None:
        raise ValueError("model: expected one with a tokenizer, got a bare model.")
    begin = torch.tensor([tokenizer.encode("").ids])
    ids = torch.tensor([source.ids])
    stop = tokenizer.special_ids.end
    steps = list(generate(model, ids, n=n, sampling=Sampling(temperature=0), stop=stop, target_ids=begin, edits=edits))
    chosen = tuple(step.chosen for step in steps)
    chances = tuple(float(step.distribution.probabilities[step.chosen]) for step in steps)
    last = steps[-1].trace
    assert isinstance(last, EncoderDecoderTrace)  # of an encoder-decoder
    tokens = tuple(tokenizer.token(i) for i in chosen)
    return Written(source, last, chosen, tokens, chances, steps[-1].reason == "stop")


def write_on(model: Decoder, text: Encoding, *, n: int, stop: int | None) -> tuple[GenerationStep, ...]:
    """Writes on greedily from a text until the token `stop`, or n tokens; the last step's trace is of the whole."""
    return tuple(generate(model, torch.tensor([text.ids]), n=n, sampling=Sampling(temperature=0), stop=stop))
