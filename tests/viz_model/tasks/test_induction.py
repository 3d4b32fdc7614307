"""Repeated sequences, against a reading letter by letter."""

from __future__ import annotations

from collections import Counter

import pytest
import torch

from tests.viz_model.tasks.small_training import trained
from viz_model.tasks.induction import Induction


@pytest.fixture(scope="module")
def task() -> Induction:
    return Induction()


def test_sequences_repeat_after_six_to_sixteen_letters(task: Induction) -> None:
    batch = task.batch(600, torch.Generator().manual_seed(1))
    periods: Counter[int] = Counter()
    answers = iter(batch.answers.tolist())
    for ids, asked in zip(batch.ids.tolist(), batch.asked.tolist(), strict=True):
        letters = ids[1:]
        period = letters.index(letters[0], 1)
        periods[period] += 1
        assert len(letters) == 31
        assert len(set(letters[:period])) == period
        assert all(letter == letters[at % period] for at, letter in enumerate(letters))
        assert asked == [False] * (period + 1) + [True] * (31 - period)
        assert [next(answers) for _ in range(31 - period)] == [letters[at % period] for at in range(period + 1, 32)]
    assert sorted(periods) == list(range(6, 17))
    assert min(periods.values()) > 25


def test_the_right_keys_are_those_of_a_slow_reader(task: Induction) -> None:
    batch = task.batch(60, torch.Generator().manual_seed(2))
    after, before = task.expected(batch)
    for row, ids in enumerate(batch.ids.tolist()):
        last_seen: dict[int, int] = {}
        for query, token in enumerate(ids):
            right = [last_seen[token] + 1] if token in last_seen else []
            assert after.keys[row, query].nonzero().flatten().tolist() == right
            assert before.keys[row, query].nonzero().flatten().tolist() == ([query - 1] if query else [])
            last_seen[token] = query


def test_the_right_key_holds_the_answer(task: Induction) -> None:
    batch = task.held_out()
    keys = task.expected(batch)[0].keys
    assert torch.equal(keys.any(2), batch.asked)
    assert torch.equal(batch.ids[:, None, :].expand_as(keys)[keys], batch.answers)


def test_a_small_model_grows_an_induction_head(task: Induction) -> None:
    model = trained(task, steps=150, position="rotary", n_heads=1, feed_forward=False)
    assert task.accuracy(model) > 0.95
    batch = task.held_out()
    after, before = task.expected(batch)
    trace = model(batch.ids)
    scores = [
        float((trace.blocks[layer].attention.weights[:, 0] * expected.keys).sum(-1)[batch.asked].mean())
        for layer, expected in ((0, before), (1, after))
    ]
    assert scores[0] > 0.25  # a uniform head: about .05
    assert scores[1] > 0.4
