"""Losses by position against a reading one example and one position at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from tests.viz_model.analysis.small_models import decoder
from viz_model.analysis.extrapolation import loss_by_position, mean_loss, outcome
from viz_model.tasks.task import Batch


def batch_of(n: int, length: int, seed: int = 0) -> Batch:
    """Random ids and answers; some positions are asked of some examples, one of none, the last of all."""
    drawn = torch.Generator().manual_seed(seed)
    ids = torch.randint(11, (n, length), generator=drawn)
    asked = torch.rand(n, length, generator=drawn) < 0.6
    asked[:, 2], asked[:, -1] = False, True
    return Batch(ids, torch.ones_like(asked), asked, torch.randint(11, (int(asked.sum()),), generator=drawn))


def slow(model, batch: Batch) -> dict[int, list[float]]:  # type: ignore[no-untyped-def]
    answers = iter(batch.answers.tolist())
    losses: dict[int, list[float]] = {}
    for row in range(len(batch.ids)):
        for position in range(batch.ids.shape[1]):
            if batch.asked[row, position]:
                logits = model(batch.ids[row : row + 1, : position + 1]).logits[0, -1].detach().double()
                losses.setdefault(position, []).append(float(logits.logsumexp(0) - logits[next(answers)]))
    return losses


@pytest.mark.parametrize("position", ["sinusoidal", "learned", "rotary", "alibi", "none"])
def test_each_position_has_the_mean_of_its_own_losses(position: str) -> None:
    model, batch = decoder(position=position), batch_of(7, 10)
    found, expected = loss_by_position(model, batch), slow(model, batch)
    assert found.position.tolist() == sorted(expected)
    assert 2 not in expected
    for at, loss, error, n in zip(found.position, found.loss, found.error, found.n, strict=True):
        each = expected[int(at)]
        assert n == len(each)
        assert loss == pytest.approx(np.mean(each), abs=1e-5)
        if n > 1:
            assert error == pytest.approx(np.std(each, ddof=1) / math.sqrt(n), abs=1e-5)
        else:
            assert math.isnan(error)
    middle = [np.mean(expected[p]) for p in (3, 4, 5) if p in expected]
    assert found.mean(3, 6) == pytest.approx(np.mean(middle), abs=1e-5)


def test_what_has_no_vector_is_not_a_number() -> None:
    model, batch = decoder(position="learned"), batch_of(5, 20)  # a table of 12 rows
    found = loss_by_position(model, batch)
    assert found.readable == 12
    assert found.position[-1] == 19
    np.testing.assert_array_equal(np.isnan(found.loss), found.position >= 12)
    assert np.isnan(found.error[found.position >= 12]).all()
    assert math.isnan(found.mean(10, 14))
    assert math.isnan(found.mean(2, 3))  # nothing is asked there
    assert not math.isnan(found.mean(0, 12))


def test_many_examples_are_read_in_parts() -> None:
    model, batch = decoder(), batch_of(300, 6)
    whole = loss_by_position(model, batch)
    counts = batch.asked.sum(1).tolist()
    parts = []
    for rows in (slice(0, 130), slice(130, 300)):
        start, stop = sum(counts[: rows.start]), sum(counts[: rows.stop])
        part = Batch(batch.ids[rows], batch.present[rows], batch.asked[rows], batch.answers[start:stop])
        parts.append(loss_by_position(model, part))
    together = sum(part.loss * part.n for part in parts) / sum(part.n for part in parts)
    np.testing.assert_allclose(whole.loss, together, atol=1e-6)


def test_a_stretch_with_a_gap_has_no_mean() -> None:
    assert mean_loss([2, 3, 4, 5], [1.0, 2.0, 4.0, None], 3, 5) == 3.0
    assert math.isnan(mean_loss([2, 3, 4, 5], [1.0, 2.0, 4.0, None], 3, 6))
    assert math.isnan(mean_loss([2, 3], [1.0, 2.0], 4, 6))


@pytest.mark.parametrize(
    ("inside", "beyond", "expected"),
    [(0.9, 0.93, "holds"), (0.9, 0.5, "holds"), (0.9, 1.5, "worse"), (0.9, 2.1, "lost"), (0.9, math.nan, "ends")],
)
def test_what_became_of_a_loss(inside: float, beyond: float, expected: str) -> None:
    assert outcome(inside, beyond, chance=2.079) == expected
