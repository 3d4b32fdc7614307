"""From logits to a choice: temperature, top-k and top-p with every stage in numbers, for next and for masked words."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

ROUNDING = 1e-9  # .5 + .3 reaches a top_p of .8, whatever the last bit says


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is chosen from the logits.

    temperature: what the logits are divided by; 0 takes the highest logit (greedy). top_k: how many of the likeliest
    tokens stay, 0 for all (Fan et al., 2018). top_p: the share of the probability that has to stay
    (Holtzman et al., 2020, section 3.1); with both, of what top_k left. Raises ValueError.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise ValueError(f"temperature: expected 0 (greedy) or more, got {self.temperature}.")
        if isinstance(self.top_k, bool) or not isinstance(self.top_k, int) or self.top_k < 0:
            raise ValueError(f"top_k: expected 0 (off) or a number of tokens, got {self.top_k}.")
        if not 0.0 < self.top_p <= 1.0:
            raise ValueError(f"top_p: expected a share above 0 and up to 1 (off), got {self.top_p}.")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One token's numbers through the stages of a `Distribution`."""

    id: int
    logit: float
    scaled: float
    probability: float
    kept: bool
    final: float


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """From logits to what a token is drawn from; every tensor is [vocab].

    At temperature 0 nothing is divided: `scaled` is the logits, `probabilities` their softmax, and one token is kept.
    """

    logits: Tensor
    scaled: Tensor  # logits / temperature
    probabilities: Tensor  # softmax of scaled
    kept: Tensor  # bool, after top_k and top_p
    final: Tensor  # the kept probabilities, renormalised; 0 elsewhere
    order: Tensor  # ids from the likeliest to the least likely; of equals, the lower id first

    def candidates(self, n: int) -> tuple[Candidate, ...]:
        """The n likeliest tokens, or all where the vocabulary is smaller."""
        ids = self.order[:n]
        stages = (self.logits, self.scaled, self.probabilities, self.kept, self.final)
        return tuple(Candidate(*row) for row in zip(ids.tolist(), *(s[ids].tolist() for s in stages), strict=True))

    def choose(self, draw: float) -> int:
        """The token at `draw` in 0..1 when the final probabilities are laid end to end, the likeliest first."""
        ids = self.order[self.final[self.order] > 0]
        edges = self.final[ids].cumsum(0)
        # The last edge may be a rounding below 1, and so below the draw.
        index = min(int(torch.searchsorted(edges, draw, right=True)), len(ids) - 1)
        return int(ids[index])


def token_distribution(logits: Tensor, sampling: Sampling | None = None) -> Distribution:
    """What the next (or the masked) token is drawn from, stage by stage in float64.

    logits: [vocab]; -inf is a token that cannot come, NaN and +inf raise ValueError.
    """
    sampling = sampling or Sampling()
    if logits.dim() != 1 or not logits.numel():
        raise ValueError(f"logits: expected [vocab], got {list(logits.shape)}.")
    exact = logits.detach().double()
    highest = float(exact.max())
    if not math.isfinite(highest):
        raise ValueError(f"logits: expected finite numbers, got {highest}.")
    temperature = sampling.temperature or 1.0
    # Minus the highest first: a temperature near 0 then gives 0 and -inf, never inf - inf.
    probabilities = ((exact - highest) / temperature).softmax(0)
    # By the logits: a low temperature may round two probabilities to the same 0, never two logits.
    order = torch.sort(exact, descending=True, stable=True).indices
    ranked = probabilities[order]
    kept_ranks = torch.ones_like(ranked, dtype=torch.bool)
    n_kept = 1 if sampling.temperature == 0 else sampling.top_k or len(ranked)
    kept_ranks[n_kept:] = False
    if sampling.top_p < 1.0:
        share = ranked * kept_ranks / (ranked * kept_ranks).sum()
        # A token stays while those before it have not reached top_p: the one that crosses it stays too.
        kept_ranks &= share.cumsum(0) - share < sampling.top_p - ROUNDING
        kept_ranks[0] = True
    kept = torch.zeros_like(kept_ranks).scatter(0, order, kept_ranks)
    final = torch.where(kept, probabilities, 0.0)
    return Distribution(logits, exact / temperature, probabilities, kept, final / final.sum(), order)
