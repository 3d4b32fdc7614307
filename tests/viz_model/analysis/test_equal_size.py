"""Widths of equal size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz_model.analysis.equal_size import parameter_count, with_parameters
from viz_model.body_configs import ConvolutionalConfig, RecurrentConfig
from viz_model.models import Convolutional, Recurrent

SHAPES = (
    RecurrentConfig(vocab_size=30, cell="rnn"),
    RecurrentConfig(vocab_size=30, n_layers=2),
    ConvolutionalConfig(vocab_size=30, kernel=3, n_layers=5, dilation=2),
)


@given(st.sampled_from(SHAPES), st.integers(3_000, 2_000_000))
def test_the_width_is_the_best_of_all(shape: RecurrentConfig | ConvolutionalConfig, target: int) -> None:
    try:
        found = with_parameters(shape, target)
    except ValueError:
        found = None
    counts = {d: type(shape)(**{**fields(shape), "d_model": d}).n_parameters for d in range(1, 1500)}
    best = min(counts, key=lambda d: abs(counts[d] - target))
    if abs(counts[best] - target) > 0.05 * target:
        assert found is None
    else:
        assert found is not None
        assert abs(found.n_parameters - target) == abs(counts[best] - target)


def fields(shape: RecurrentConfig | ConvolutionalConfig) -> dict[str, object]:
    return {name: getattr(shape, name) for name in type(shape).__dataclass_fields__}


def test_models_of_these_widths_are_equally_large() -> None:
    for shape in SHAPES:
        found = with_parameters(shape, 40_000)
        model = Recurrent(found) if isinstance(found, RecurrentConfig) else Convolutional(found)
        assert parameter_count(model) == pytest.approx(40_000, rel=0.05)


def test_a_size_that_no_width_has_is_refused() -> None:
    with pytest.raises(ValueError, match="target: expected a size"):
        with_parameters(SHAPES[0], 20)
