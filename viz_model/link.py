"""One query-key link, from dot product to weight: every number between, and whether they add up."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from viz_model.attention import AttentionTrace, masked_softmax, scaled_scores


@dataclass(frozen=True, slots=True)
class Link:
    """What one query makes of one key, in one head."""

    q: tuple[float, ...]  # [d_head]
    k: tuple[float, ...]
    dot: float
    scale: float
    bias: float | None  # None where positions add nothing to the scores
    score: float
    allowed: bool  # False: masked
    exponential: float  # exp(score - largest score of the row); 0 where masked
    exponential_sum: float  # over the keys that may be attended to
    softmax: float  # the weight before any edit
    weight: float  # the weight that was used
    row_sum: float  # of the weights that were used

    @property
    def edited(self) -> bool:
        return not math.isclose(self.softmax, self.weight, abs_tol=1e-6)

    @property
    def adds_up(self) -> bool:
        """The parts, computed anew in double precision, give the model's numbers to 1e-4."""
        dot = math.fsum(a * b for a, b in zip(self.q, self.k, strict=True))
        score = dot * self.scale + (self.bias or 0.0)
        share = self.exponential / self.exponential_sum if self.exponential_sum else 0.0
        size = 1.0 + math.fsum(abs(a * b) for a, b in zip(self.q, self.k, strict=True))
        return (
            abs(dot - self.dot) <= 1e-4 * size
            and abs(score - self.score) <= 1e-4 * size
            and abs(share - self.softmax) <= 1e-4
        )


def link(trace: AttentionTrace, *, head: int, query: int, key: int) -> Link:
    """The link from `query` to `key` in `head`, of the first text of the batch."""
    scores = trace.scores[0, head, query].double()
    allowed = trace.mask[0, 0, query]
    largest = scores[allowed].max() if bool(allowed.any()) else torch.zeros(())
    exponentials = torch.where(allowed, torch.exp(scores - largest), 0.0)
    softmax = softmax_row(trace, head=head, query=query)
    return Link(
        q=tuple(trace.q[0, head, query].tolist()),
        k=tuple(trace.k[0, head, key].tolist()),
        dot=float(trace.dots[0, head, query, key]),
        scale=trace.scale,
        bias=None if trace.bias is None else float(trace.bias[0, head, query, key]),
        score=float(scores[key]),
        allowed=bool(allowed[key]),
        exponential=float(exponentials[key]),
        exponential_sum=float(exponentials.sum()),
        softmax=float(softmax[key]),
        weight=float(trace.weights[0, head, query, key]),
        row_sum=float(trace.weights[0, head, query].sum()),
    )


def softmax_row(trace: AttentionTrace, *, head: int, query: int, scale: float | None = None) -> Tensor:
    """The weights of one query's row [key] before any edit; with `scale` in place of the layer's own, where given."""
    one_head, one_query = slice(head, head + 1), slice(query, query + 1)
    bias = None if trace.bias is None else trace.bias[:, one_head, one_query]
    scores = scaled_scores(
        trace.q[:1, one_head, one_query],
        trace.k[:1, one_head],
        scale=trace.scale if scale is None else scale,
        bias=bias,
    )
    return masked_softmax(scores, trace.mask[:1, :, one_query])[0, 0, 0]
