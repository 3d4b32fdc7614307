"""Parameters of a model, and widths at which models of different kinds have equally many."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from torch import nn

from viz_model.body_configs import ConvolutionalConfig, RecurrentConfig

TOLERANCE = 0.05  # 'of equal size': within so much of one another
WIDEST = 4096

C = TypeVar("C", bound=RecurrentConfig | ConvolutionalConfig)


def parameter_count(model: nn.Module) -> int:
    """Numbers that training changes."""
    return sum(parameter.numel() for parameter in model.parameters())


def with_parameters(config: C, target: int) -> C:
    """The config at the width whose parameters come closest to `target`.

    Raises ValueError where none comes within 5 %.
    """
    low, high = 1, WIDEST  # the count grows with the width
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if replace(config, d_model=middle).n_parameters <= target else (low, middle)
    fitting = min((replace(config, d_model=d) for d in (low, high)), key=lambda c: abs(c.n_parameters - target))
    if abs(fitting.n_parameters - target) > TOLERANCE * target:
        raise ValueError(f"target: expected a size that some width comes near to, got {target} parameters.")
    return fitting
