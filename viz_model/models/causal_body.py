"""What the models that attention is compared with share: embedding, a causal body, unembedding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from viz_model.body_configs import ConvolutionalConfig, RecurrentConfig

if TYPE_CHECKING:
    from viz_model.tokenizer import Tokenizer


class CausalBody(nn.Module):
    """Every position sees itself and what came before, as in a decoder; positions need no encoding of their own."""

    is_causal = True

    def __init__(self, config: RecurrentConfig | ConvolutionalConfig, tokenizer: Tokenizer | None) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        self.vocab_size = config.vocab_size
        self.embed = nn.Embedding(config.vocab_size, config.d_model)
        self.unembed = nn.Linear(config.d_model, config.vocab_size, bias=False)

    def check(self, ids: Tensor, mask: Tensor | None) -> None:
        """Raises ValueError for ids or padding that the body cannot read.

        Padding stands at the end, where no token of a causal body sees it: there is no mask that it could be told.
        """
        if ids.dim() != 2 or ids.dtype not in (torch.int64, torch.int32) or ids.shape[1] < 1:
            raise ValueError(
                f"ids: expected whole numbers [batch, position], got {list(ids.shape)} of {str(ids.dtype)[6:]}."
            )
        if not bool(((ids >= 0) & (ids < self.vocab_size)).all()):
            raise ValueError(
                f"ids: expected numbers from 0 to {self.vocab_size - 1}, got {int(ids.min())} to {int(ids.max())}."
            )
        if mask is None:
            return
        if mask.shape != ids.shape or mask.dtype != torch.bool:
            raise ValueError(f"mask: expected bool {list(ids.shape)}, got {str(mask.dtype)[6:]} {list(mask.shape)}.")
        if bool((mask[:, 1:] & ~mask[:, :-1]).any()):
            raise ValueError("mask: expected padding at the end only, got a token after padding.")
