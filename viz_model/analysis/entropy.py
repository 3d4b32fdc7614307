"""How widely a query spreads its attention."""

from __future__ import annotations

import torch
from torch import Tensor


def entropy(weights: Tensor) -> Tensor:
    """H(q) = -sum_k w_qk ln w_qk in nats, with 0 ln 0 = 0 (Shannon, 1948): [batch, head, query].

    weights: [batch, head, query, key]. 0 is one key alone, ln n an even spread over n keys; a row without any key is 0.
    """
    spread: Tensor = torch.special.entr(weights).sum(-1)
    return spread


def normalised_entropy(weights: Tensor, mask: Tensor) -> Tensor:
    """H(q) / ln(number of keys that q may attend to), from 0 (one key) to 1 (all evenly): [batch, head, query].

    mask: bool [batch or 1, 1, query, key]. Where at most one key is open nothing can be spread: 0.
    """
    most = mask.sum(-1).clamp(min=1).to(weights.dtype).log()
    return torch.where(most > 0, entropy(weights) / most.clamp(min=torch.finfo(weights.dtype).tiny), 0.0)
