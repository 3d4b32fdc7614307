"""What attention's width is spent on: d_model = h x d_k, shapes and parameter counts, from the config alone.

Vaswani et al. (2017, section 3.2.2): with d_k = d_model / h "the total computational cost is similar to that of
single-head attention with full dimensionality". Nothing is built: a count is a product of sizes.
"""

from __future__ import annotations

from dataclasses import dataclass

from viz_model.analysis.results import Result
from viz_model.config import EncoderDecoderConfig, TransformerConfig, presets


@dataclass(frozen=True, slots=True)
class Matrix(Result):
    """A weight matrix as the formula has it: a row vector times it, so [in, out]."""

    name: str
    shape: tuple[int, int]
    n_weights: int
    n_biases: int


@dataclass(frozen=True, slots=True)
class AttentionBudget(Result):
    """One attention layer of a config, and how many of them a stack holds."""

    d_model: int
    n_heads: int
    n_kv_heads: int
    d_head: int
    n_layers: int
    matrices: tuple[Matrix, ...]  # W_Q, W_K, W_V, W_O
    feed_forward: int  # parameters of the feed-forward layer beside it, for comparison

    @property
    def fills(self) -> bool:
        """Whether d_model = n_heads x d_head, as in the paper."""
        return self.d_model == self.n_heads * self.d_head

    @property
    def per_layer(self) -> int:
        """Parameters of one attention layer, biases included."""
        return sum(matrix.n_weights + matrix.n_biases for matrix in self.matrices)

    @property
    def per_head(self) -> int:
        """Weights of one head: its columns of W_Q, W_K, W_V (a shared one counted whole) and its rows of W_O."""
        return 4 * self.d_model * self.d_head

    @property
    def in_all_layers(self) -> int:
        """Parameters of all self-attention layers of the stack."""
        return self.n_layers * self.per_layer


@dataclass(frozen=True, slots=True)
class Step(Result):
    """A tensor of attention over n tokens: what it is, its shape, its number of entries."""

    name: str
    formula: str
    shape: tuple[int, ...]
    size: int


def attention_budget(config: TransformerConfig) -> AttentionBudget:
    """Shapes and counts of a stack's self-attention."""
    d, width, kv_width = config.d_model, config.n_heads * config.d_head, config.n_kv_heads * config.d_head
    sizes = (("W_Q", d, width), ("W_K", d, kv_width), ("W_V", d, kv_width), ("W_O", width, d))
    matrices = tuple(Matrix(name, (m, n), m * n, n if config.bias else 0) for name, m, n in sizes)
    hidden = 0
    if config.feed_forward:
        n_in = 2 if config.activation in ("geglu", "swiglu") else 1
        hidden = (n_in + 1) * d * config.d_ff + ((n_in * config.d_ff + d) if config.bias else 0)
    return AttentionBudget(d, config.n_heads, config.n_kv_heads, config.d_head, config.n_layers, matrices, hidden)


def head_choices(d_model: int) -> tuple[tuple[int, int], ...]:
    """Every (n_heads, d_head) with d_model = n_heads x d_head, fewest heads first: all cost the same."""
    if d_model < 1:
        raise ValueError(f"d_model: expected at least 1, got {d_model}.")
    return tuple((n, d_model // n) for n in range(1, d_model + 1) if d_model % n == 0)


def attention_steps(config: TransformerConfig, n_tokens: int) -> tuple[Step, ...]:
    """The tensors of one self-attention layer over n tokens, in order, with their shapes."""
    if n_tokens < 1:
        raise ValueError(f"n_tokens: expected at least 1, got {n_tokens}.")
    n, d, h, d_k = n_tokens, config.d_model, config.n_heads, config.d_head
    shapes: tuple[tuple[str, str, tuple[int, ...]], ...] = (
        ("X", "token embeddings + positions", (n, d)),
        ("Q", "X W_Q, cut into heads", (h, n, d_k)),
        ("K", "X W_K, cut into heads", (config.n_kv_heads, n, d_k)),
        ("V", "X W_V, cut into heads", (config.n_kv_heads, n, d_k)),
        ("scores", "Q K^T / sqrt(d_k)" if config.scaled else "Q K^T", (h, n, n)),
        ("weights", "softmax(scores), row by row", (h, n, n)),
        ("heads", "weights V", (h, n, d_k)),
        ("concat", "the heads side by side", (n, h * d_k)),
        ("out", "concat W_O", (n, d)),
    )
    steps = []
    for name, formula, shape in shapes:
        size = 1
        for side in shape:
            size *= side
        steps.append(Step(name, formula, shape, size))
    return tuple(steps)


def original_config() -> TransformerConfig:
    """The encoder of the original base model: d_model 512, 8 heads, d_k = d_v = 64 (Vaswani et al., 2017, table 3)."""
    config = presets["transformer-base"]
    if not isinstance(config, EncoderDecoderConfig):
        raise TypeError(f"transformer-base: expected an encoder and a decoder, got {type(config).__name__}.")
    return config.encoder


def original_budget(n_tokens: int = 10) -> tuple[AttentionBudget, tuple[Step, ...]]:
    """The original configuration to look at: its budget, and the shapes over n tokens."""
    return attention_budget(original_config()), attention_steps(original_config(), n_tokens)
