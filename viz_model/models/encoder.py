"""An encoder: every position reads every other, as in BERT (Devlin et al., 2019)."""

from __future__ import annotations

from torch import Tensor

from viz_model import masks
from viz_model.models.one_stack import OneStack


class Encoder(OneStack):
    """A bidirectional stack; its logits say what stands at each position (masked-word prediction)."""

    is_causal = False

    def own_mask(self, n: int) -> Tensor:
        return masks.full(n)
