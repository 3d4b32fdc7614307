"""From a trace to numbers about it: spread, distance, lens, rollout, contributions, attributions, roles, views."""

from viz_model.analysis.ablation import head_ablation, token_ablation
from viz_model.analysis.contributions import head_terms, value_weighted_norms
from viz_model.analysis.correlation import attention_agreement, rank_correlation, ranks
from viz_model.analysis.distance import mean_distance
from viz_model.analysis.entropy import entropy, normalised_entropy
from viz_model.analysis.from_embedding import logits_from_embedding
from viz_model.analysis.gradients import gradient_times_input, integrated_gradients
from viz_model.analysis.lens import logit_lens
from viz_model.analysis.merging import hide, merge_words, token_range, word_groups
from viz_model.analysis.outcome import Outcome
from viz_model.analysis.residual_terms import ResidualTerm, residual_terms
from viz_model.analysis.roles import RoleScore, head_roles
from viz_model.analysis.rollout import rollout

__all__ = [
    "Outcome",
    "ResidualTerm",
    "RoleScore",
    "attention_agreement",
    "entropy",
    "gradient_times_input",
    "head_ablation",
    "head_roles",
    "head_terms",
    "hide",
    "integrated_gradients",
    "logit_lens",
    "logits_from_embedding",
    "mean_distance",
    "merge_words",
    "normalised_entropy",
    "rank_correlation",
    "ranks",
    "residual_terms",
    "rollout",
    "token_ablation",
    "token_range",
    "value_weighted_norms",
    "word_groups",
]
