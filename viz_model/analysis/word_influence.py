"""Three answers to one question, how much each word had to do with a verdict: by attention, gradient and ablation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from viz_model.analysis.ablation import token_ablation
from viz_model.analysis.correlation import rank_correlation
from viz_model.analysis.gradients import gradient_times_input
from viz_model.analysis.outcome import Outcome
from viz_model.models import Decoder, Encoder, ModelTrace

NAMES = ("attention", "gradient", "ablation")


@dataclass(frozen=True, slots=True, eq=False)
class WordInfluence:
    """Each [word], of the words that were asked about alone."""

    attention: Tensor  # 0..1: weight of the deciding position on the word, mean of the last layer's heads
    gradient: Tensor  # nats, signed: gradient times input
    ablation: Tensor  # nats, signed: how far the log-odds fall when no other position reads the word

    def agreement(self, one: str, other: str) -> float | None:
        """Spearman's rho of two of the three by the size of what they say, so that a sign is no disagreement."""
        rank: float | None = rank_correlation(getattr(self, one).abs().double(), getattr(self, other).abs().double())
        return rank


def word_influence(
    model: Encoder | Decoder, trace: ModelTrace, words: Sequence[int], *, position: int, verdict: int, other: int
) -> WordInfluence:
    """How much each of the positions `words` of a one-text trace moved the verdict against the other class.

    The outcome is the log-odds of the two at `position`, logit of verdict minus logit of other: unlike a probability
    near 1 it is never flat. After the comparison of Jain & Wallace (2019, section 4.1).
    """
    if trace.ids.shape[0] != 1:
        raise ValueError(f"trace: expected one text, got {trace.ids.shape[0]}.")
    chosen = list(words)
    attention = trace.blocks[-1].attention.weights[0, :, position].mean(0)[chosen]
    ids = trace.ids.clone()
    outcomes = [Outcome(position, token, "logit") for token in (verdict, other)]
    # Both are linear in the outcome, so that of a difference is the difference.
    gradient, less_gradient = (gradient_times_input(model, ids, one) for one in outcomes)
    ablation, less_ablation = (token_ablation(model, ids, one) for one in outcomes)
    return WordInfluence(attention, (gradient - less_gradient)[chosen], (ablation - less_ablation)[chosen])
