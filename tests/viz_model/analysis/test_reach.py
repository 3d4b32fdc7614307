"""What a changed input moves, against the receptive field's formula."""

from __future__ import annotations

import pytest
import torch

from tests.viz_model.analysis.comparison_models import IDS, MODELS, VOCAB, convolutional
from viz_model.analysis.reach import influence, receptive_field


@pytest.mark.parametrize("kernel", [1, 2, 3])
@pytest.mark.parametrize("dilation", [1, 2, 3])
@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_the_measured_field_is_the_formula(kernel: int, dilation: int, n_layers: int) -> None:
    model = convolutional(kernel=kernel, dilation=dilation, n_layers=n_layers)
    field = model.config.receptive_field
    ids = torch.randint(VOCAB, (1, field + 4), generator=torch.Generator().manual_seed(3))
    moved = influence(model, ids)
    assert receptive_field(moved) == field
    n = ids.shape[1]
    for at in range(n):
        assert not moved[at, at + 1 :].any()
        assert not moved[at, : max(at - field + 1, 0)].any()
        assert moved[at, at] > 0


@pytest.mark.parametrize("name", [name for name in MODELS if "cnn" not in name])
def test_others_see_all_that_came_before_and_nothing_after(name: str) -> None:
    moved = influence(MODELS[name], IDS[:1])
    assert torch.equal(moved > 0, torch.ones(6, 6).tril() > 0)
    assert receptive_field(moved) == 6


def test_influence_is_the_largest_change_by_hand() -> None:
    model = MODELS["rnn"]
    changed = IDS[:1].clone()
    changed[0, 2] = (changed[0, 2] + 1) % VOCAB
    with torch.no_grad():
        by_hand = (model(changed).output - model(IDS[:1]).output)[0].abs().amax(-1)
    assert torch.allclose(influence(model, IDS[:1])[:, 2].float(), by_hand, atol=1e-5)
    with pytest.raises(ValueError, match="ids: expected one text"):
        influence(model, IDS)
