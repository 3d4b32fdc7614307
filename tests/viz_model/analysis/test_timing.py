"""Timing: a model that waits a known time."""

from __future__ import annotations

import time

import pytest
import torch
from torch import Tensor

from tests.viz_model.analysis.comparison_models import MODELS
from viz_model.analysis.timing import forward_seconds
from viz_model.models import Recurrent


class Sleeper(Recurrent):
    """A millisecond a position; at its second call of a length it dawdles."""

    calls: list[int]

    def logits(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        self.calls.append(ids.shape[1])
        time.sleep(ids.shape[1] / 1000 + (0.2 if self.calls.count(ids.shape[1]) == 2 else 0))
        assert torch.is_inference_mode_enabled()
        return torch.zeros(0)


def test_the_median_of_so_many_calls_after_one_that_does_not_count() -> None:
    model = Sleeper(MODELS["rnn"].config)  # type: ignore[arg-type]
    model.calls = []
    found = forward_seconds(model, (5, 20), repeats=3)
    assert model.calls == [5] * 4 + [20] * 4
    assert 0.005 <= found[0] < 0.1
    assert 0.02 <= found[1] < 0.15


@pytest.mark.parametrize("name", MODELS)
def test_every_body_is_timed(name: str) -> None:
    assert all(seconds > 0 for seconds in forward_seconds(MODELS[name], (1, 8), repeats=1))


def test_impossible_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="lengths: expected 1 to 4096 positions, got 5000"):
        forward_seconds(MODELS["rnn"], (5, 5000))
    with pytest.raises(ValueError, match="repeats: expected at least 1"):
        forward_seconds(MODELS["rnn"], (5,), repeats=0)
