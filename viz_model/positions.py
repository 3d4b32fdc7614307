"""How a transformer knows order: six schemes behind three questions.

A scheme may add a vector to the embedding (`embedding`), turn queries and keys (`rotate`) or add a number to the
scores (`bias`). Each answers the questions it needs and leaves the others neutral.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from viz_model.config import TransformerConfig


def sinusoids(n: int, d_model: int) -> Tensor:
    """Sinusoidal positional encoding, [position, d_model] (Vaswani et al., 2017, section 3.5).

    Even columns are sines, odd ones cosines; an odd width ends on a sine.
    """
    position = torch.arange(n, dtype=torch.float64)[:, None]
    frequency = torch.exp(-math.log(10_000.0) * torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angle = position * frequency
    encoding = torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)
    return encoding[:, :d_model].float()


def rotate_pairs(x: Tensor, angle: Tensor) -> Tensor:
    """Turns each pair (x_i, x_{i + d/2}) by its angle. x: [..., position, d_head], angle: [position, d_head / 2]."""
    first, second = x.chunk(2, dim=-1)
    cos, sin = angle.cos(), angle.sin()
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)


def alibi_slopes(n_heads: int) -> Tensor:
    """One slope a head: 2^(-8/n), 2^(-16/n), ... (Press et al., 2022, section 3). Returns [head].

    For a number of heads that is no power of two the paper's recipe takes those of the power below and every
    second one of the power above.
    """
    power = 2 ** math.floor(math.log2(n_heads))
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    slopes += [2 ** (-8 * (2 * i + 1) / (2 * power)) for i in range(n_heads - power)]
    return torch.tensor(slopes)


def t5_bucket(distance: Tensor, *, bidirectional: bool, n_buckets: int = 32, max_distance: int = 128) -> Tensor:
    """The bucket of key position minus query position (Raffel et al., 2020, section 2.1).

    Near distances have a bucket each, farther ones share buckets that widen as a logarithm up to `max_distance`.
    """
    buckets = torch.zeros_like(distance)
    if bidirectional:
        n_buckets //= 2
        buckets = (distance > 0).long() * n_buckets
        distance = distance.abs()
    else:
        distance = (-distance).clamp(min=0)
    exact = n_buckets // 2
    share = torch.log(distance.clamp(min=1).float() / exact) / math.log(max_distance / exact)
    far = (exact + (share * (n_buckets - exact)).long()).clamp(max=n_buckets - 1)
    return buckets + torch.where(distance < exact, distance, far)


class Positions(nn.Module):
    """No positions at all; the neutral answer to each question, and the base of the other schemes."""

    nothing: Tensor

    def __init__(self, config: TransformerConfig, *, is_causal: bool) -> None:
        super().__init__()
        self.config = config
        self.is_causal = is_causal
        self.register_buffer(
            "nothing", torch.zeros(1, 1, 1), persistent=False
        )  # a buffer: it follows the model's device

    def embedding(self, n: int) -> Tensor:
        """What is added to the token embedding, [1, position, d_model]."""
        return self.nothing.expand(1, n, self.config.d_model)

    def rotate(self, x: Tensor) -> Tensor:
        """Queries or keys [batch, head, position, d_head], turned by their position."""
        return x

    def bias(self, n: int) -> Tensor | None:
        """What is added to the scores of self-attention, [1, head, query, key]; None adds nothing."""
        return None


class Sinusoidal(Positions):
    """A fixed wave of its own frequency for each pair of columns (Vaswani et al., 2017, section 3.5)."""

    table: Tensor

    def __init__(self, config: TransformerConfig, *, is_causal: bool) -> None:
        super().__init__(config, is_causal=is_causal)
        self.register_buffer("table", sinusoids(config.context_length, config.d_model), persistent=False)

    def embedding(self, n: int) -> Tensor:
        return self.table[None, :n]


class Learned(Positions):
    """A trained vector for each position (Gehring et al., 2017)."""

    def __init__(self, config: TransformerConfig, *, is_causal: bool) -> None:
        super().__init__(config, is_causal=is_causal)
        self.table = nn.Parameter(torch.empty(config.context_length, config.d_model))

    def embedding(self, n: int) -> Tensor:
        return self.table[None, :n]


class Rotary(Positions):
    """Queries and keys turned by an angle that grows with position (Su et al., 2021, section 3.2)."""

    angle: Tensor

    def __init__(self, config: TransformerConfig, *, is_causal: bool) -> None:
        super().__init__(config, is_causal=is_causal)
        frequency = config.rotary_base ** (-torch.arange(0, config.d_head, 2) / config.d_head)
        angle = torch.arange(config.context_length)[:, None] * frequency
        self.register_buffer("angle", angle, persistent=False)

    def rotate(self, x: Tensor) -> Tensor:
        return rotate_pairs(x, self.angle[: x.shape[-2]])


class Alibi(Positions):
    """Scores fall with distance, at a slope of each head's own (Press et al., 2022)."""

    slopes: Tensor

    def __init__(self, config: TransformerConfig, *, is_causal: bool) -> None:
        super().__init__(config, is_causal=is_causal)
        self.register_buffer("slopes", alibi_slopes(config.n_heads), persistent=False)

    def bias(self, n: int) -> Tensor:
        position = torch.arange(n, device=self.slopes.device)
        distance = (position[:, None] - position[None, :]).abs()
        return (-self.slopes[:, None, None] * distance)[None]


class T5Bias(Positions):
    """A trained number for each head and each bucket of distance, shared by all layers (Raffel et al., 2020)."""

    n_buckets = 32

    def __init__(self, config: TransformerConfig, *, is_causal: bool) -> None:
        super().__init__(config, is_causal=is_causal)
        self.table = nn.Parameter(torch.empty(self.n_buckets, config.n_heads))

    def bias(self, n: int) -> Tensor:
        position = torch.arange(n, device=self.table.device)
        bucket = t5_bucket(
            position[None, :] - position[:, None], bidirectional=not self.is_causal, n_buckets=self.n_buckets
        )
        return self.table[bucket].permute(2, 0, 1)[None]


schemes: dict[str, type[Positions]] = {
    "sinusoidal": Sinusoidal,
    "learned": Learned,
    "rotary": Rotary,
    "alibi": Alibi,
    "t5": T5Bias,
    "none": Positions,
}
