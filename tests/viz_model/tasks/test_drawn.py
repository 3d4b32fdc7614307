"""What copy, reverse, sort, induction and brackets share: draws, the held-out rule, the watched example, the count."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from viz_model.config import TransformerConfig
from viz_model.models import Decoder
from viz_model.tasks.brackets import Brackets
from viz_model.tasks.drawn import DrawnTask, TokenTask, is_held_out
from viz_model.tasks.induction import Induction
from viz_model.tasks.symbols import Copy, Reverse, Sort
from viz_model.tasks.task import Batch

KINDS: tuple[type[DrawnTask], ...] = (Copy, Reverse, Sort, Induction, Brackets)
every_task = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def texts(batch: Batch) -> set[tuple[int, ...]]:
    return set(map(tuple, batch.ids.tolist()))


def untrained(task: DrawnTask) -> Decoder:
    return Decoder(TransformerConfig(vocab_size=task.tokenizer.vocab_size, d_model=16, n_layers=1, n_heads=2), seed=3)


@every_task
def test_held_out_examples_are_never_drawn(kind: type[DrawnTask]) -> None:
    task, generator = kind(), torch.Generator().manual_seed(5)
    kept = texts(task.held_out()) | texts(task.probe()[1])
    assert len(kept) == 513
    seen: set[tuple[int, ...]] = set()
    for _ in range(60):
        batch = task.batch(128, generator)
        assert len(batch.ids) == 128
        seen |= texts(batch)
    assert not kept & seen
    assert len(seen) > 7_000  # and the draws are not a few examples again and again


def test_the_rule_and_nothing_else_keeps_rows_out_of_training() -> None:
    """Among ten letters in two places every row comes up, except for those that the rule holds out."""

    class Pairs(Copy):
        watched = "a b"

        def draw(self, size: int, generator: torch.Generator) -> Tensor:
            return torch.randint(self.first_id, self.first_id + 10, (size, 2), generator=generator)

        def ask(self, rows: Tensor) -> Batch:
            return Batch(rows, rows > 0, rows > 0, rows.flatten())

    task, generator = Pairs(), torch.Generator().manual_seed(0)
    every = torch.cartesian_prod(*[torch.arange(task.first_id, task.first_id + 10)] * 2)
    by_rule = set(map(tuple, every[is_held_out(every)].tolist()))
    assert 2 <= len(by_rule) <= 25
    assert texts(task.held_out()) <= by_rule | {(task.id("a"), task.id("b"))}
    trained = set().union(*(texts(task.batch(64, generator)) for _ in range(60)))
    assert trained == set(map(tuple, every.tolist())) - by_rule - {(task.id("a"), task.id("b"))}


@every_task
def test_about_one_row_in_ten_is_held_out(kind: type[DrawnTask]) -> None:
    rows = kind().draw(20_000, torch.Generator().manual_seed(1))
    held_out = is_held_out(rows)
    assert 0.08 < held_out.double().mean() < 0.12
    assert torch.equal(is_held_out(rows.flip(0)), held_out.flip(0))


@every_task
def test_batches_are_the_generators_alone(kind: type[DrawnTask]) -> None:
    task = kind()
    before = torch.random.get_rng_state()
    one, other, next_seed = (task.batch(16, torch.Generator().manual_seed(seed)) for seed in (7, 7, 8))
    again = kind().batch(16, torch.Generator().manual_seed(7))
    assert torch.equal(torch.random.get_rng_state(), before)
    for same in (other, again):
        for field in ("ids", "present", "asked", "answers"):
            assert torch.equal(getattr(one, field), getattr(same, field))
    assert not torch.equal(one.ids, next_seed.ids)
    generator = torch.Generator().manual_seed(7)
    task.batch(16, generator)
    assert not torch.equal(task.batch(16, generator).ids, one.ids)


@every_task
def test_held_out_and_probe_stay_the_same(kind: type[DrawnTask]) -> None:
    one, other = kind(), kind()
    one.batch(8, torch.Generator().manual_seed(9))
    assert torch.equal(one.held_out().ids, other.held_out().ids)
    assert torch.equal(one.held_out().answers, other.held_out().answers)
    assert one.probe()[0] == other.probe()[0]


@every_task
def test_a_typed_probe_is_read_as_the_batch_has_it(kind: type[DrawnTask]) -> None:
    task = kind()
    probe, batch = task.probe()
    read = task.tokenizer.encode(probe.text)
    assert read.tokens == probe.tokens
    assert [list(read.ids)] == batch.ids.tolist()
    assert task.tokenizer.unknown_words(probe.text) == ()
    assert " ".join(task.watched.split()[:8]) in probe.text


@every_task
def test_asked_answers_and_shapes_agree(kind: type[DrawnTask]) -> None:
    task = kind()
    batch = task.batch(32, torch.Generator().manual_seed(0))
    assert batch.ids.shape == batch.present.shape == batch.asked.shape
    assert batch.asked.sum() == len(batch.answers)
    assert not (batch.asked & ~batch.present).any()
    assert batch.asked.any(1).all()
    assert (batch.ids[:, 0] == task.tokenizer.special_ids.begin).all()
    assert 0 <= batch.ids.min() <= batch.ids.max() < task.tokenizer.vocab_size
    assert task.logits(untrained(task), batch).shape == (*batch.ids.shape, task.tokenizer.vocab_size)


@every_task
def test_expected_keys_lie_in_the_past_and_in_the_text(kind: type[DrawnTask]) -> None:
    task = kind()
    batch = task.batch(32, torch.Generator().manual_seed(0))
    found = task.expected(batch)
    assert found
    for expected in found:
        assert expected.keys.shape == (*batch.ids.shape, batch.ids.shape[1])
        assert not expected.keys.triu(1).any()  # a causal model cannot read the future
        assert not (expected.keys & ~batch.present[:, None, :]).any()
        assert expected.keys.any(2).any(1).all()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if issubclass(kind, TokenTask)], ids=lambda kind: kind.name)
def test_accuracy_counts_tokens_or_whole_answers(kind: type[TokenTask]) -> None:
    """Against a count example by example, on a model that knows little."""
    task = kind()
    model, batch = untrained(task), task.batch(40, torch.Generator().manual_seed(2))
    answers, right, whole = iter(batch.answers.tolist()), 0, 0
    for ids, asked in zip(batch.ids, batch.asked, strict=True):
        said = model(ids[None]).logits[0].argmax(-1)[asked].tolist()
        hits = [one == next(answers) for one in said]
        right, whole = right + sum(hits), whole + all(hits)
    assert task.accuracy(model, batch) == pytest.approx(right / len(batch.answers))
    assert 0 < right < len(batch.answers)
    figures = task.figures(model)
    assert figures[task.metric] == task.accuracy(model)
    assert 0 <= figures["whole answers right"] <= figures[task.metric]


def test_a_word_of_another_task_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected one of .* got 'z'"):
        Copy().id("z")
