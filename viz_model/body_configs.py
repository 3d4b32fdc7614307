"""The shapes of the bodies that attention is compared with, as data: recurrent and convolutional."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

CellKind = Literal["rnn", "lstm"]
WIDEST_FIELD = 2**16  # positions: a larger field would only be padding


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrentConfig:
    """Embedding, recurrent layers of one width, unembedding."""

    vocab_size: int
    d_model: int = 64
    n_layers: int = 1
    cell: CellKind = "lstm"
    forget_bias: float = 0.0  # an LSTM's forget gates start at sigmoid of this (Jozefowicz et al., 2015, section 5)

    def __post_init__(self) -> None:
        _check_counts(self, "vocab_size", "d_model", "n_layers")
        if self.cell not in get_args(CellKind):
            raise ValueError(f"cell: expected one of {', '.join(get_args(CellKind))}, got {self.cell!r}.")
        if not abs(self.forget_bias) < 100:
            raise ValueError(f"forget_bias: expected a number between -100 and 100, got {self.forget_bias}.")

    @property
    def n_parameters(self) -> int:
        """Two matrices and two biases a gate and layer, as torch has them, and both embeddings."""
        gates = 4 if self.cell == "lstm" else 1
        layer = gates * (2 * self.d_model**2 + 2 * self.d_model)
        return 2 * self.vocab_size * self.d_model + self.n_layers * layer

    def multiplications(self, n: int) -> int:
        """Multiplications of one layer's matrices for n positions: n d^2, twice a gate."""
        return n * (4 if self.cell == "lstm" else 1) * 2 * self.d_model**2


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvolutionalConfig:
    """Embedding, causal convolutions of one width over positions, unembedding."""

    vocab_size: int
    d_model: int = 64
    n_layers: int = 4
    kernel: int = 3
    dilation: int = 1  # the gap between what a layer reads is so many times the gap of the layer below, from 1 on
    residual: bool = True  # each layer adds to what it read

    def __post_init__(self) -> None:
        _check_counts(self, "vocab_size", "d_model", "n_layers", "kernel", "dilation")
        if self.n_layers * math.log(self.dilation) > math.log(WIDEST_FIELD) or self.receptive_field > WIDEST_FIELD:
            raise ValueError(
                f"kernel, dilation and n_layers: expected a receptive field of at most {WIDEST_FIELD} positions, got "
                f"{self.n_layers} layers of kernel {self.kernel} and dilation {self.dilation}."
            )

    @property
    def gaps(self) -> tuple[int, ...]:
        """Positions between two that a layer reads, one for each layer."""
        return tuple(self.dilation**layer for layer in range(self.n_layers))

    @property
    def receptive_field(self) -> int:
        """Positions, its own included, that an output can depend on: 1 + (kernel - 1) times the sum of the gaps."""
        return 1 + (self.kernel - 1) * sum(self.gaps)

    def layers_to_span(self, n: int) -> int:
        """The layers until position n - 1 can read position 0 (Vaswani et al., 2017, section 4).

        About n / kernel without dilation, and log_kernel(n) where the dilation is the kernel. ValueError where
        no number of layers is enough.
        """
        if n > 1 and self.kernel == 1:
            raise ValueError("kernel: expected at least 2, since a kernel of 1 reads no other position, got 1.")
        layers, reached = 0, 1
        while reached < n:
            reached += (self.kernel - 1) * self.dilation**layers
            layers += 1
        return layers

    @property
    def n_parameters(self) -> int:
        """A kernel, its bias and a norm for each layer, a last norm, and both embeddings."""
        layer = self.kernel * self.d_model**2 + 3 * self.d_model
        return 2 * self.vocab_size * self.d_model + self.n_layers * layer + 2 * self.d_model

    def multiplications(self, n: int) -> int:
        """Multiplications of one layer for n positions: k n d^2."""
        return self.kernel * n * self.d_model**2


def _check_counts(config: RecurrentConfig | ConvolutionalConfig, *names: str) -> None:
    for name in names:
        value = getattr(config, name)
        if not isinstance(value, int) or value < 1:
            raise ValueError(f"{name}: expected a whole number of at least 1, got {value!r}.")
