"""Probes against features whose content is known."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.viz_model.analysis.comparison_models import MODELS, VOCAB, attention, convolutional
from viz_model.analysis.linear_probe import RIDGE, commonest, linear_probe, tokens_kept, tokens_left

GENERATOR = torch.Generator().manual_seed(0)
CLASSES = torch.randint(4, (400,), generator=GENERATOR)
NOISE = torch.randn(400, 6, generator=GENERATOR)


def test_what_is_there_is_found_and_noise_is_not() -> None:
    mixed = torch.nn.functional.one_hot(CLASSES, 4).float() @ torch.randn(4, 6, generator=GENERATOR)
    assert linear_probe(mixed, CLASSES) == 1.0
    assert linear_probe(mixed + 0.05 * NOISE, CLASSES) == 1.0
    assert linear_probe(NOISE, CLASSES) < 0.4
    assert 0.15 < commonest(CLASSES) < 0.4


def test_the_measured_examples_are_not_those_of_the_fit() -> None:
    """More features than examples fit any labels; new examples tell."""
    wide, labels = torch.randn(80, 200, generator=GENERATOR), torch.randint(2, (80,), generator=GENERATOR)
    assert linear_probe(wide, labels) < 0.85
    twice = torch.cat([wide[:60], wide[:20]]), torch.cat([labels[:60], labels[:20]])
    assert linear_probe(*twice) == 1.0


def test_the_fit_is_least_squares() -> None:
    """Against numpy's solver on the same problem, the ridge written as further rows."""
    features = NOISE + torch.nn.functional.one_hot(CLASSES, 6)
    n = 300
    x, y = features[:n].double().numpy(), np.eye(4)[CLASSES[:n].numpy()]
    x_mean, y_mean = x.mean(0), y.mean(0)
    rows = np.vstack([x - x_mean, np.sqrt(RIDGE * n) * np.eye(6)])
    weights, *_ = np.linalg.lstsq(rows, np.vstack([y - y_mean, np.zeros((6, 4))]), rcond=None)
    guessed = ((features[n:].double().numpy() - x_mean) @ weights + y_mean).argmax(1)
    assert linear_probe(features, CLASSES) == pytest.approx((guessed == CLASSES[n:].numpy()).mean())


def test_a_class_that_only_new_examples_have_is_never_guessed() -> None:
    labels = torch.cat([torch.arange(2).repeat(150), torch.full((100,), 9)])
    assert linear_probe(NOISE, labels) == 0.0
    assert commonest(labels) == 0.0


def test_tokens_fade_by_distance_in_a_state_and_stay_at_hand_for_attention() -> None:
    ids = torch.randint(VOCAB, (800, 8), generator=torch.Generator().manual_seed(1))
    model = convolutional(d_model=24)  # it sees 5 positions, and nothing of the others
    state = tokens_left(model, ids, position=6)
    assert len(state) == 7
    assert state[0] > 0.6
    assert max(state[5:]) < 0.25
    recurrent = tokens_left(MODELS["rnn"], ids)
    assert len(recurrent) == 8
    assert recurrent[0] > recurrent[7] + 0.2
    attends = attention(d_model=24)
    assert tokens_kept(attends, ids, position=6) == (1.0,) * 7  # one layer reads the embeddings themselves
    assert tokens_left(attends, ids)[7] < 0.6  # and its one output is as narrow as a state
    later = attention(d_model=24, n_layers=2)
    assert tokens_kept(later, ids)[3] == linear_probe(later(ids).blocks[0].resid_post[:, 4].detach(), ids[:, 4])


def test_what_cannot_be_probed_is_refused() -> None:
    with pytest.raises(ValueError, match="features, classes: expected"):
        linear_probe(NOISE, CLASSES[:3])
    with pytest.raises(ValueError, match="at least 2 examples"):
        linear_probe(NOISE[:1], CLASSES[:1])
