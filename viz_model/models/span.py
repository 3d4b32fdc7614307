"""An encoder that points: its answer is a place in the text it read, as in extractive question answering."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from viz_model import masks
from viz_model.blocks import blocks
from viz_model.config import TransformerConfig
from viz_model.edits import Edit, check_edits
from viz_model.initialization import initialise
from viz_model.models.stack import ModelTrace, Stack

if TYPE_CHECKING:
    from viz_model.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SpanTrace(ModelTrace):
    """An encoder's trace whose logits are over positions: [batch, 2, position], start and end of the answer."""

    queries: Tensor  # [batch, 2, d_model]   what position 0 asks for
    keys: Tensor  # [batch, 2, position, d_model]   what each position offers


class Span(nn.Module):
    """Position 0 asks, every position offers, and the softmax of the dots says where the answer starts and ends.

    A pointer (Vinyals et al., 2015) twice over, for start and end (Wang and Jiang, 2017, section 2.3). "No answer"
    points at position 0, as BERT does for SQuAD 2.0 (Devlin et al., 2019, section 4.3). The end is the last position of
    the answer, itself included. A linear head over positions, as BERT's own, did not learn our small tasks.
    """

    is_causal = False

    def __init__(self, config: TransformerConfig, *, seed: int = 0, tokenizer: Tokenizer | None = None) -> None:
        super().__init__()
        if config.tied:
            raise ValueError("tied: expected False, since a span model has no unembedding, got True.")
        self.config = config
        self.tokenizer = tokenizer
        self.stack = Stack(config, blocks[config.norm_place], is_causal=False)
        self.w_q = nn.Linear(config.d_model, 2 * config.d_model, bias=False)
        self.w_k = nn.Linear(config.d_model, 2 * config.d_model, bias=False)
        initialise(self, n_layers=config.n_layers, seed=seed, residual=config.residual)
        # Equal at first: the dot then says how alike two vectors are, a start towards "about the same thing".
        with torch.no_grad():
            self.w_k.weight.copy_(self.w_q.weight)

    def forward(self, ids: Tensor, mask: Tensor | None = None, edits: Sequence[Edit] = ()) -> SpanTrace:
        """Everything the model computes for ids [batch, position].

        mask: bool [batch, position], True = a token (not padding, which is never pointed at); or a whole mask
        [batch or 1, 1, query, key] in place of the encoder's own.
        """
        check_edits(edits, stacks={"": (self.config.n_layers, self.config.n_heads, False)})
        return self._run(ids, mask, edits, fused=False)

    def logits(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """The same logits by torch's fused attention, for training: [batch, 2, position]."""
        return self._run(ids, mask, (), fused=True).logits

    def _run(self, ids: Tensor, mask: Tensor | None, edits: Sequence[Edit], *, fused: bool) -> SpanTrace:
        self.stack.check_ids(ids)
        batch, n = ids.shape
        own = masks.resolve(masks.full(n).to(ids.device), mask, n_query=n, n_key=n, batch=batch)
        trace = self.stack(ids, own, edits=edits, fused=fused)
        d_model = self.config.d_model
        queries = self.w_q(trace.final_norm[:, 0]).view(batch, 2, d_model)
        keys = self.w_k(trace.final_norm).view(batch, n, 2, d_model).transpose(1, 2)
        dots = (keys @ queries[..., None])[..., 0] / math.sqrt(d_model)
        if mask is not None and mask.dim() == 2:
            # Not -inf: where an answer is asked at padding by mistake, the loss is large and not NaN.
            dots = dots.masked_fill(~mask[:, None], torch.finfo(dots.dtype).min)
        return SpanTrace(
            tokens=trace.tokens,
            ids=trace.ids,
            token_embedding=trace.token_embedding,
            position_embedding=trace.position_embedding,
            embedding=trace.embedding,
            blocks=trace.blocks,
            final_norm=trace.final_norm,
            logits=dots,
            queries=queries,
            keys=keys,
        )


def best_span(logits: Tensor, longest: int = 8) -> tuple[int, int] | None:
    """The likeliest span (first, last) of logits [2, position]; None where "no answer" (position 0) is likelier.

    Of all spans of at most `longest` positions that do not begin at 0, the one of the highest sum of start and end
    (Devlin et al., 2019, section 4.2).
    """
    n = logits.shape[1]
    first, last = torch.arange(n)[:, None], torch.arange(n)[None, :]
    allowed = (first > 0) & (last >= first) & (last < first + longest)
    sums = (logits[0][:, None] + logits[1][None, :]).masked_fill(~allowed, -torch.inf)
    best = int(sums.argmax()) if n > 1 else 0
    if n == 1 or sums.flatten()[best] <= logits[:, 0].sum():
        return None
    return best // n, best % n
