"""Associative recall and the first token, against a reader with a dictionary."""

from __future__ import annotations

from collections import Counter

import pytest
import torch

from viz_model.tasks.drawn import is_held_out
from viz_model.tasks.names import make_task
from viz_model.tasks.recall import LETTERS, NAMES, NUMBERS, AssociativeRecall, FirstToken
from viz_model.tasks.task import Batch, Task

SIZED: tuple[Task, ...] = (AssociativeRecall(4), AssociativeRecall(16), FirstToken(1), FirstToken(20))
every_task = pytest.mark.parametrize("task", SIZED, ids=lambda task: task.name)


def rows(task: Task, batch: Batch) -> list[list[str]]:
    return [[task.tokenizer.tokens[i] for i in row] for row in batch.ids.tolist()]


def test_a_reader_with_a_dictionary_finds_every_number() -> None:
    task = AssociativeRecall(16)
    batch = task.batch(200, torch.Generator().manual_seed(1))
    answers = iter(task.tokenizer.tokens[i] for i in batch.answers.tolist())
    orders = set()
    for row, asked in zip(rows(task, batch), batch.asked.tolist(), strict=True):
        names, numbers, questions = row[1:33:2], row[2:33:2], row[33:]
        assert row[0] == "[BOS]"
        assert sorted(names) == sorted(questions) == sorted(NAMES[:16])
        assert set(numbers) <= set(NUMBERS)
        assert asked == [False] * 33 + [True] * 16
        book = dict(zip(names, numbers, strict=True))
        assert [next(answers) for _ in questions] == [book[name] for name in questions]
        orders |= {tuple(names), tuple(questions)}
    assert next(answers, None) is None
    assert len(orders) == 400


def test_names_numbers_and_places_are_drawn_evenly() -> None:
    """So that neither the place nor the name says anything about the number."""
    task = AssociativeRecall(8)
    batch = task.batch(2000, torch.Generator().manual_seed(2))
    pairs = Counter((row[i], row[i + 1]) for row in rows(task, batch) for i in range(1, 17, 2))
    places = Counter((row[i], i) for row in rows(task, batch) for i in (1, 15, 17, 24))
    assert len(pairs) == 80
    assert 140 < min(pairs.values()) < max(pairs.values()) < 260  # of 200 expected
    assert 180 < min(places.values()) < max(places.values()) < 320  # of 250


def test_the_right_keys_are_those_of_a_slow_reader() -> None:
    task = AssociativeRecall(6)
    batch = task.batch(40, torch.Generator().manual_seed(3))
    beside, name = task.expected(batch)
    for at, row in enumerate(rows(task, batch)):
        for query in range(len(row)):
            right = [row.index(row[query]) + 1] if query > 12 else []
            assert beside.keys[at, query].nonzero().flatten().tolist() == right
            before = [query - 1] if query in range(2, 13, 2) else []
            assert name.keys[at, query].nonzero().flatten().tolist() == before
    held = batch.ids[:, None, :].expand_as(beside.keys)[beside.keys]
    assert torch.equal(held, batch.answers)


def test_the_best_guess_is_the_number_that_is_there_most_often() -> None:
    task = AssociativeRecall(16)
    batch, right = task.held_out(), 0.0
    for row in rows(task, batch):
        right += Counter(row[2:33:2]).most_common(1)[0][1] / 16
    assert task.best_guess() == pytest.approx(right / 512)
    assert 0.15 < task.best_guess() < 0.3


def test_the_first_letter_is_asked_after_so_many_digits() -> None:
    for distance in (1, 7, 200):
        task = FirstToken(distance)
        batch = task.batch(64, torch.Generator().manual_seed(4))
        for row, asked, answer in zip(rows(task, batch), batch.asked.tolist(), batch.answers.tolist(), strict=True):
            assert row[1] in LETTERS
            assert len(row) == distance + 2
            assert all(token.isdigit() for token in row[2:])
            assert asked == [False] * (distance + 1) + [True]
            assert task.tokenizer.tokens[answer] == row[1]
        (first,) = task.expected(batch)
        assert first.keys.nonzero()[:, 1:].unique(dim=0).tolist() == [[distance + 1, 1]]
    letters = Counter(FirstToken(1).batch(4000, torch.Generator().manual_seed(5)).answers.tolist())
    assert len(letters) == 16
    assert min(letters.values()) > 180  # of 250


@every_task
def test_held_out_examples_are_never_drawn_and_stay_the_same(task: Task) -> None:
    kept = {tuple(row) for row in (*task.held_out().ids.tolist(), *task.probe()[1].ids.tolist())}
    drawn, generator = set(), torch.Generator().manual_seed(6)
    for _ in range(10):
        drawn |= set(map(tuple, task.batch(128, generator).ids.tolist()))
    assert not kept & drawn
    assert torch.equal(make_task(task.name).held_out().ids, task.held_out().ids)
    rows = task.held_out().ids[:, 1:]
    assert (is_held_out(rows) | (rows == task.probe()[1].ids[:, 1:]).all(1)).all()


@every_task
def test_batches_are_the_generators_alone(task: Task) -> None:
    before = torch.random.get_rng_state()
    one, same, other = (task.batch(16, torch.Generator().manual_seed(seed)) for seed in (7, 7, 8))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.equal(one.ids, same.ids)
    assert torch.equal(one.answers, same.answers)
    assert not torch.equal(one.ids, other.ids)


@every_task
def test_the_name_makes_the_task_and_the_probe_is_read_as_typed(task: Task) -> None:
    again = make_task(task.name)
    assert type(again) is type(task)
    assert (again.name, again.title) == (task.name, task.title)
    assert again.tokenizer.tokens == task.tokenizer.tokens
    probe, batch = again.probe()
    read = again.tokenizer.encode(probe.text)
    assert (read.tokens, [list(read.ids)]) == (probe.tokens, batch.ids.tolist())


@pytest.mark.parametrize(
    "name",
    [
        *("associative-recall", "associative-recall-", "associative-recall-016", "associative-recall--8"),
        *("first-token-x", "first-token-²", "first-token-٢", "first-token-99999"),
        *("-16", "16", "copy-3", "associative-recall-16 "),
    ],
)
def test_other_names_are_refused_with_a_list(name: str) -> None:
    with pytest.raises(ValueError, match=r"task: expected one of copy, .*associative-recall-<number>.*, got '"):
        make_task(name)


@pytest.mark.parametrize(
    "name", ["associative-recall-3", "associative-recall-33", "first-token-201", "first-token-9999"]
)
def test_sizes_out_of_range_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"(n_pairs|distance): expected \d+ to \d+, got"):
        make_task(name)
