"""A decoder: every position reads itself and what came before, as in GPT (Radford et al., 2018)."""

from __future__ import annotations

from torch import Tensor

from viz_model import masks
from viz_model.models.one_stack import OneStack


class Decoder(OneStack):
    """A causal stack; its logits say what comes next after each position."""

    is_causal = True

    def own_mask(self, n: int) -> Tensor:
        return masks.causal(n)
