"""Copy, reverse and sort against Python's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
import torch

from tests.viz_model.tasks.small_training import trained
from viz_model.tasks.symbols import LETTERS, Copy, Reverse, Sort, Symbols

ORDERS: dict[type[Symbols], Callable[[list[str]], list[str]]] = {
    Copy: list,
    Reverse: lambda letters: list(reversed(letters)),
    Sort: sorted,
}
every_task = pytest.mark.parametrize("kind", ORDERS, ids=lambda kind: kind.name)


@every_task
def test_the_answers_are_pythons(kind: type[Symbols]) -> None:
    task = kind()
    batch = task.batch(300, torch.Generator().manual_seed(1))
    for ids, asked, answer in zip(batch.ids, batch.asked, batch.answers.view(300, 9), strict=True):
        text = [task.tokenizer.token(i) for i in ids.tolist()]
        letters, right = text[1:9], ORDERS[kind](text[1:9])
        assert set(letters) <= set(LETTERS)
        assert text == ["[BOS]", *letters, "|", *right]
        assert asked.tolist() == [False] * 9 + [True] * 9
        assert [task.tokenizer.token(i) for i in answer.tolist()] == [*right, "[EOS]"]


@every_task
def test_the_right_key_holds_the_answer(kind: type[Symbols]) -> None:
    task = kind()
    batch = task.batch(200, torch.Generator().manual_seed(2))
    (expected,) = task.expected(batch)
    answers = torch.zeros_like(batch.ids)
    answers[batch.asked] = batch.answers
    for row, query, key in expected.keys.nonzero().tolist():
        assert batch.ids[row, key] == answers[row, query]
        assert 1 <= key <= 8
    # The eight letters of the answer have a right key, the end has none.
    assert torch.equal(expected.keys.any(2), batch.asked & (torch.arange(18) < 17))


def test_each_letter_is_copied_from_its_own_place() -> None:
    """Equal letters are told apart: 'a a b ...' copies the second a from the second place."""
    place = torch.arange(8)
    for kind, right in ((Copy, 1 + place), (Reverse, 8 - place)):
        task = kind()
        batch = task.batch(50, torch.Generator().manual_seed(3))
        keys = task.expected(batch)[0].keys[:, 9:17]
        assert (keys.sum(2) == 1).all()
        assert (keys.int().argmax(2) == right).all()


def test_sorting_may_read_any_of_equal_letters() -> None:
    task = Sort()
    rows = torch.tensor([[task.id(letter) for letter in "cacbcacb"]])
    keys = task.expected(task.ask(rows))[0].keys[0]
    found = [[key - 1 for key in keys[query].nonzero().flatten().tolist()] for query in range(9, 17)]
    assert found == [[1, 5], [1, 5], [3, 7], [3, 7], *[[0, 2, 4, 6]] * 4]


@every_task
def test_every_letter_comes_in_every_place(kind: type[Symbols]) -> None:
    batch = kind().batch(4_000, torch.Generator().manual_seed(4))
    for place in range(1, 9):
        counts = Counter(batch.ids[:, place].tolist())
        assert len(counts) == len(LETTERS)
        assert max(counts.values()) < 2 * min(counts.values())


def test_what_is_watched() -> None:
    texts = {kind: kind().probe()[0].text for kind in ORDERS}
    assert texts == {
        Copy: "h c o a k e r f | h c o a k e r f",
        Reverse: "h c o a k e r f | f r e k a o c h",
        Sort: "h c o a k e r f | a c e f h k o r",
    }


def test_a_small_model_learns_to_reverse() -> None:
    task = Reverse()
    model = trained(task, steps=90)
    assert task.accuracy(model) > 0.97
    batch = task.held_out()
    weights = model(batch.ids).blocks[1].attention.weights
    (expected,) = task.expected(batch)
    on_right = (weights * expected.keys[:, None]).sum(-1).transpose(1, 2)[expected.keys.any(2)].mean(0)
    assert on_right.max() > 0.6
