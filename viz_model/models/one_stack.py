"""What a model of one stack does: ids to logits, with the trace or without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from torch import Tensor, nn

from viz_model import masks
from viz_model.blocks import blocks
from viz_model.config import TransformerConfig
from viz_model.edits import Edit, check_edits
from viz_model.initialization import initialise
from viz_model.models.stack import ModelTrace, Stack

if TYPE_CHECKING:
    from viz_model.tokenizer import Tokenizer


class OneStack(nn.Module):
    """A stack and its unembedding; subclasses say who may read whom."""

    is_causal: ClassVar[bool]

    def __init__(self, config: TransformerConfig, *, seed: int = 0, tokenizer: Tokenizer | None = None) -> None:
        super().__init__()
        self.config = config
        self.tokenizer = tokenizer
        self.stack = Stack(config, blocks[config.norm_place], is_causal=self.is_causal)
        self.unembed = nn.Linear(config.d_model, config.vocab_size, bias=False)
        initialise(self, n_layers=config.n_layers, seed=seed, residual=config.residual)
        if config.tied:
            self.unembed.weight = self.stack.embed.weight

    def own_mask(self, n: int) -> Tensor:
        """Who may read whom among n positions: bool [1, 1, query, key]."""
        raise NotImplementedError

    def forward(self, ids: Tensor, mask: Tensor | None = None, edits: Sequence[Edit] = ()) -> ModelTrace:
        """Everything the model computes for ids [batch, position].

        mask: bool [batch, position], True = a token (not padding), which narrows the model's own mask; or a whole
        mask [batch or 1, 1, query, key] in its stead.
        """
        check_edits(edits, stacks={"": (self.config.n_layers, self.config.n_heads, False)})
        return self._run(ids, mask, edits, fused=False)

    def logits(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """The same logits by torch's fused attention, for training: [batch, position, vocab_size]."""
        return self._run(ids, mask, (), fused=True).logits

    def _run(self, ids: Tensor, mask: Tensor | None, edits: Sequence[Edit], *, fused: bool) -> ModelTrace:
        self.stack.check_ids(ids)
        n = ids.shape[1]
        own = self.own_mask(n).to(ids.device)
        trace = self.stack(
            ids, masks.resolve(own, mask, n_query=n, n_key=n, batch=ids.shape[0]), edits=edits, fused=fused
        )
        return ModelTrace(
            tokens=trace.tokens,
            ids=trace.ids,
            token_embedding=trace.token_embedding,
            position_embedding=trace.position_embedding,
            embedding=trace.embedding,
            blocks=trace.blocks,
            final_norm=trace.final_norm,
            logits=self.unembed(trace.final_norm),
        )
