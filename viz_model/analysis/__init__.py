"""From a trace to numbers about it: spread, distance, lens, rollout, contributions, attributions, roles, views."""

from viz_model.analysis.ablation import head_ablation, token_ablation
from viz_model.analysis.contributions import head_terms, value_weighted_norms
from viz_model.analysis.correlation import attention_agreement, rank_correlation, ranks
from viz_model.analysis.distance import mean_distance
from viz_model.analysis.entropy import entropy, normalised_entropy
from viz_model.analysis.equal_size import parameter_count, with_parameters
from viz_model.analysis.from_embedding import logits_from_embedding
from viz_model.analysis.gradient_depth import GradientByDepth, gradient_by_depth
from viz_model.analysis.gradients import gradient_times_input, integrated_gradients
from viz_model.analysis.layer_costs import (
    LayerCost,
    attention_multiplications,
    counted_multiplications,
    layer_multiplications,
    table_1,
)
from viz_model.analysis.lens import logit_lens
from viz_model.analysis.linear_probe import commonest, linear_probe, tokens_kept, tokens_left
from viz_model.analysis.memory import gradient_by_distance, read_out
from viz_model.analysis.merging import hide, merge_words, token_range, word_groups
from viz_model.analysis.neurons import Excitation, Neuron, NeuronReport, Written, neuron_report
from viz_model.analysis.norm_parts import NormParts, NormSite, NormStatistics, norm_parts, norm_sites, norm_statistics
from viz_model.analysis.outcome import Outcome
from viz_model.analysis.reach import influence, receptive_field
from viz_model.analysis.residual_norms import Addition, ResidualNorms, StreamNorm, residual_norms
from viz_model.analysis.residual_terms import ResidualTerm, residual_terms
from viz_model.analysis.roles import RoleScore, head_roles
from viz_model.analysis.rollout import rollout
from viz_model.analysis.timing import forward_seconds
from viz_model.analysis.wiring import (
    Wiring,
    longest_path,
    path_lengths,
    schedule,
    sequential_steps,
    shortest_path,
    wiring,
)

__all__ = [
    "Addition",
    "Excitation",
    "GradientByDepth",
    "LayerCost",
    "Neuron",
    "NeuronReport",
    "NormParts",
    "NormSite",
    "NormStatistics",
    "Outcome",
    "ResidualNorms",
    "ResidualTerm",
    "RoleScore",
    "StreamNorm",
    "Wiring",
    "Written",
    "attention_agreement",
    "attention_multiplications",
    "commonest",
    "counted_multiplications",
    "entropy",
    "forward_seconds",
    "gradient_by_depth",
    "gradient_by_distance",
    "gradient_times_input",
    "head_ablation",
    "head_roles",
    "head_terms",
    "hide",
    "influence",
    "integrated_gradients",
    "layer_multiplications",
    "linear_probe",
    "logit_lens",
    "logits_from_embedding",
    "longest_path",
    "mean_distance",
    "merge_words",
    "neuron_report",
    "norm_parts",
    "norm_sites",
    "norm_statistics",
    "normalised_entropy",
    "parameter_count",
    "path_lengths",
    "rank_correlation",
    "ranks",
    "read_out",
    "receptive_field",
    "residual_norms",
    "residual_terms",
    "rollout",
    "schedule",
    "sequential_steps",
    "shortest_path",
    "table_1",
    "token_ablation",
    "token_range",
    "tokens_kept",
    "tokens_left",
    "value_weighted_norms",
    "wiring",
    "with_parameters",
    "word_groups",
]
