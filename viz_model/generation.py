"""Writing on, one token at a time; each step is a trace, what was drawn from, and what came out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from viz_model.edits import Edit
from viz_model.models import Decoder, EncoderDecoder, Trace
from viz_model.sampling import Distribution, Sampling, token_distribution

__all__ = ["Distribution", "GenerationStep", "Reason", "Sampling", "generate", "token_distribution"]

Reason = Literal["stop", "n", "context"]


@dataclass(frozen=True, slots=True, eq=False)
class GenerationStep:
    """One token written: what the model read, what it computed, what was drawn from, what came out."""

    index: int  # 0 is the first token written
    trace: Trace  # of the ids so far: trace.ids, or trace.decoder.ids
    distribution: Distribution
    draw: float | None  # the random number in 0..1 that chose; None when greedy
    chosen: int
    reason: Reason | None  # why the writing ends here: stop token, n tokens, or a full context; None: it goes on


def generate(
    model: Decoder | EncoderDecoder,
    ids: Tensor,
    *,
    n: int,
    sampling: Sampling | None = None,
    seed: int = 0,
    stop: int | None = None,
    target_ids: Tensor | None = None,
    edits: Sequence[Edit] = (),
) -> Iterator[GenerationStep]:
    """Writes up to n tokens on from ids [1, position], or from target_ids [1, target] with ids as the source.

    stop: the token that ends the writing (it is chosen, then nothing more is read). The same seed draws the same
    tokens. Raises TypeError for a model that does not write, ValueError for n below 1 or more than one text.
    """
    check_start(model, ids, target_ids)
    if n < 1:
        raise ValueError(f"n: expected at least 1 token, got {n}.")
    return _steps(model, ids, target_ids, n, sampling or Sampling(), seed, stop, edits)


def check_start(model: Decoder | EncoderDecoder, ids: Tensor, target_ids: Tensor | None) -> None:
    """Raises TypeError for a model that does not write, ValueError unless one text is given as the model reads it."""
    if not isinstance(model, Decoder | EncoderDecoder):
        raise TypeError(f"model: expected a Decoder or an EncoderDecoder, got {type(model).__name__}.")
    if isinstance(model, EncoderDecoder) != (target_ids is not None):
        raise ValueError("target_ids: expected the start of the target for an EncoderDecoder, and none for a Decoder.")
    for name, given in (("ids", ids), ("target_ids", target_ids)):
        if given is not None and (given.dim() != 2 or given.shape[0] != 1):
            raise ValueError(f"{name}: expected one text, [1, position], got {list(given.shape)}.")


def _steps(
    model: Decoder | EncoderDecoder,
    ids: Tensor,
    target_ids: Tensor | None,
    n: int,
    sampling: Sampling,
    seed: int,
    stop: int | None,
    edits: Sequence[Edit],
) -> Iterator[GenerationStep]:
    generator = torch.Generator().manual_seed(seed)
    config = model.config.decoder if isinstance(model, EncoderDecoder) else model.config
    written = ids if target_ids is None else target_ids
    for index in range(n):
        # Never across the yield: inference mode belongs to the thread, and would stay on for the caller.
        with torch.inference_mode():
            trace = model(ids, written, edits=edits) if target_ids is not None else model(written, edits=edits)
            distribution = token_distribution(trace.logits[0, -1], sampling)
            greedy = sampling.temperature == 0
            draw = None if greedy else torch.rand((), generator=generator, dtype=torch.float64).item()
            chosen = distribution.choose(draw or 0.0)
            full = written.shape[1] >= config.context_length
            if not full:
                written = torch.cat((written, written.new_tensor([[chosen]])), dim=1)
        reason: Reason | None = None
        if chosen == stop:
            reason = "stop"
        elif index == n - 1:
            reason = "n"
        elif full:
            reason = "context"
        yield GenerationStep(index, trace, distribution, draw, chosen, reason)
        if reason is not None:
            return
