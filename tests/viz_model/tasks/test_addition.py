"""Sums, against Python's own."""

from __future__ import annotations

import pytest
import torch

from tests.viz_model.tasks.small_training import trained
from viz_model.tasks.addition import Addition
from viz_model.tasks.task import Batch


@pytest.fixture(scope="module")
def task() -> Addition:
    return Addition()


def pairs(task: Addition, batch: Batch) -> list[tuple[int, int]]:
    """The numbers of every example, read from its tokens."""
    found = []
    for ids in batch.ids.tolist():
        text = [task.tokenizer.token(i) for i in ids]
        assert (text[0], text[3], text[6]) == ("[BOS]", "+", "=")
        found.append((int(text[1] + text[2]), int(text[4] + text[5])))
    return found


def test_the_sums_are_pythons(task: Addition) -> None:
    batch = task.batch(500, torch.Generator().manual_seed(1))
    answers = iter(batch.answers.tolist())
    for (one, other), ids, present, asked in zip(
        pairs(task, batch), batch.ids.tolist(), batch.present.tolist(), batch.asked.tolist(), strict=True
    ):
        right = list(reversed(str(one + other)))
        n = len(right)
        assert 10 <= one <= 99
        assert 10 <= other <= 99
        assert [task.tokenizer.token(i) for i in ids] == [
            *("[BOS]", *str(one), "+", *str(other), "="),
            *right,
            *["[PAD]"] * (3 - n),
        ]
        assert present == [True] * (7 + n) + [False] * (3 - n)
        assert asked == [False] * 6 + [True] * (n + 1) + [False] * (3 - n)
        assert [task.tokenizer.token(next(answers)) for _ in range(n + 1)] == [*right, "[EOS]"]
    assert next(answers, None) is None


def test_held_out_pairs_are_never_drawn_in_either_order(task: Addition) -> None:
    generator = torch.Generator().manual_seed(2)
    kept = set(pairs(task, task.held_out())) | set(pairs(task, task.probe()[1]))
    drawn = {pair for _ in range(80) for pair in pairs(task, task.batch(1_000, generator))}
    assert kept == {(other, one) for one, other in kept}
    assert not kept & drawn
    # Together they are all there are: each is drawn or held out.
    assert kept | drawn == {(one, other) for one in range(10, 100) for other in range(10, 100)}
    assert 0.08 < len(kept) / 8100 < 0.12
    assert (34, 58) in kept


def test_batches_are_the_generators_alone(task: Addition) -> None:
    before = torch.random.get_rng_state()
    one, two, other = (task.batch(32, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
    assert torch.equal(one.ids, Addition().batch(32, torch.Generator().manual_seed(1)).ids)
    assert torch.equal(one.ids, two.ids)
    assert torch.equal(one.answers, two.answers)
    assert not torch.equal(one.ids, other.ids)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.equal(task.held_out().ids, Addition().held_out().ids)


def test_the_probe_reads_as_it_is_typed(task: Addition) -> None:
    probe, batch = task.probe()
    assert probe.text == "3 4 + 5 8 = 2 9"
    assert [list(task.tokenizer.encode(probe.text).ids)] == batch.ids.tolist()
    assert task.tokenizer.encode(probe.text).tokens == probe.tokens
    assert batch.present.all()
    assert [task.tokenizer.token(i) for i in batch.answers.tolist()] == ["2", "9", "[EOS]"]


def test_a_digit_of_the_sum_reads_its_own_column(task: Addition) -> None:
    batch = task.ask(torch.tensor([[12, 34], [98, 76]]))
    (expected,) = task.expected(batch)
    for row, numbers in enumerate((("12", "34"), ("98", "76"))):
        for query, digit in ((6, 1), (7, 0)):
            read = [task.tokenizer.token(i) for i in batch.ids[row][expected.keys[row, query]].tolist()]
            assert read == [number[digit] for number in numbers]
    assert expected.keys.any(2).sum(1).tolist() == [2, 2]


def test_a_small_model_begins_to_add(task: Addition) -> None:
    """Units and tens take some hundred steps; whether the sum reaches a hundred is seen early."""
    model, batch = trained(task, steps=60), task.held_out()
    said = model.logits(batch.ids, batch.present).argmax(-1)[:, 8]
    has_hundreds = torch.tensor([one + other >= 100 for one, other in pairs(task, batch)])
    right = torch.where(has_hundreds, task.tokenizer.tokens.index("1"), task.tokenizer.tokens.index("[EOS]"))
    assert (said == right).double().mean() > 0.85
