"""A span model's logits as an answer: two distributions over the text, and the span that they choose."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from viz_model.models.span import best_span

LONGEST = 8  # positions of an answer


@dataclass(frozen=True, slots=True, eq=False)
class AnswerSpan:
    """Where an answer starts and ends, and how sure of it the model is."""

    start: Tensor  # [position]  probability that the answer starts here; position 0 says "no answer"
    end: Tensor  # [position]  the same of its last word
    first: int | None  # of the chosen span; both None for no answer
    last: int | None
    probability: float  # start and end of what was chosen, multiplied
    none: float  # the same of "no answer"


def answer_span(logits: Tensor, longest: int = LONGEST) -> AnswerSpan:
    """The answer in logits [2, position], as `best_span` chooses it (Devlin et al., 2019, section 4.2)."""
    if logits.dim() != 2 or len(logits) != 2:
        raise ValueError(f"logits: expected [2, position], got {list(logits.shape)}.")
    start, end = logits.softmax(-1)
    none = float(start[0] * end[0])
    found = best_span(logits, longest)
    if found is None:
        return AnswerSpan(start, end, None, None, none, none)
    first, last = found
    return AnswerSpan(start, end, first, last, float(start[first] * end[last]), none)
