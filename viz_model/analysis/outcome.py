"""The one number of the output that an attribution explains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from torch import Tensor


@dataclass(frozen=True, slots=True)
class Outcome:
    """The logit, or the log-probability in nats, of one token at one position of the output."""

    position: int
    token: int
    measure: Literal["log_probability", "logit"] = "log_probability"

    def __post_init__(self) -> None:
        if self.measure not in ("log_probability", "logit"):
            raise ValueError(f"measure: expected 'log_probability' or 'logit', got {self.measure!r}.")

    def value(self, logits: Tensor) -> Tensor:
        """From logits [batch, position, vocab] to [batch]; raises ValueError where they have no such entry."""
        for name, index, n in (("position", self.position, logits.shape[1]), ("token", self.token, logits.shape[2])):
            if not 0 <= index < n:
                raise ValueError(f"{name}: expected one from 0 to {n - 1}, got {index}.")
        row = logits[:, self.position]
        return row.log_softmax(-1)[:, self.token] if self.measure == "log_probability" else row[:, self.token]
