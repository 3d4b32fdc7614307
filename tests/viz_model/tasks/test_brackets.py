"""Brackets, against a machine with a stack."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from torch import Tensor

from tests.viz_model.tasks.small_training import trained
from viz_model.tasks.brackets import DEEPEST, LENGTH, Brackets

MATCH = {"(": ")", "[": "]", "{": "}", "<": ">"}


@pytest.fixture(scope="module")
def task() -> Brackets:
    return Brackets()


def test_a_stack_machine_gives_the_same_answers_and_keys(task: Brackets) -> None:
    batch = task.batch(400, torch.Generator().manual_seed(1))
    (expected,) = task.expected(batch)
    answers = iter(batch.answers.tolist())
    depths: Counter[int] = Counter()
    for row, ids in enumerate(batch.ids.tolist()):
        stack: list[int] = []
        text = [task.tokenizer.token(i) for i in ids]
        assert text[0] == "[BOS]"
        assert batch.asked[row].tolist() == [False] + [True] * LENGTH
        assert not expected.keys[row, 0].any()
        for position, bracket in enumerate(text[1:], 1):
            if bracket in MATCH:
                stack.append(position)
            else:
                assert bracket == MATCH[text[stack.pop()]]
            depths[len(stack)] += 1
            right = MATCH[text[stack[-1]]] if stack else "[EOS]"
            assert task.tokenizer.token(next(answers)) == right
            assert expected.keys[row, position].nonzero().flatten().tolist() == stack[-1:]
    assert sorted(depths) == list(range(DEEPEST + 1))
    assert min(depths.values()) > 200


def test_kinds_and_directions_are_even(task: Brackets) -> None:
    batch = task.batch(2_000, torch.Generator().manual_seed(2))
    counts = Counter(task.tokenizer.token(i) for i in batch.ids[:, 1:].flatten().tolist())
    assert len(counts) == 8
    opened = [counts[bracket] for bracket in MATCH]
    assert max(opened) < 1.1 * min(opened)


class AllButSome:
    """Says what is right, except at one position of every eighth text."""

    def __init__(self, answers: Tensor) -> None:
        self.answers = answers.clone()
        self.answers[::8, 5] = 0

    def logits(self, ids: Tensor, present: Tensor) -> Tensor:
        begin = torch.zeros(len(ids), 1, dtype=torch.long)  # where nothing is asked
        return torch.nn.functional.one_hot(torch.cat([begin, self.answers], 1)).double()


def test_accuracy_counts_texts_without_a_mistake(task: Brackets) -> None:
    batch = task.batch(64, torch.Generator().manual_seed(3))
    assert task.accuracy(AllButSome(batch.answers.view(64, LENGTH)), batch) == 56 / 64


def test_a_small_model_begins_to_match(task: Brackets) -> None:
    """After some seconds it often finds what is still open behind a closing bracket; all of a text take longer."""
    model, batch = trained(task, steps=80), task.held_out()
    hard = batch.ids[batch.asked] >= task.id(")")
    right = model.logits(batch.ids)[batch.asked].argmax(-1) == batch.answers
    most_frequent = batch.answers[hard].bincount().max() / hard.sum()
    assert right[~hard].double().mean() > 0.98
    assert right[hard].double().mean() > most_frequent + 0.3
