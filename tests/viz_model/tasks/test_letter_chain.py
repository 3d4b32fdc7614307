"""The chain of letters: its law counted from what it draws, its questions read letter by letter."""

from __future__ import annotations

import math
from collections import Counter

import pytest
import torch

from viz_model.tasks.drawn import is_held_out
from viz_model.tasks.letter_chain import CHANCES, LENGTH, LetterChain
from viz_model.tasks.names import make_task
from viz_model.tasks.task import Batch


@pytest.fixture(scope="module")
def task() -> LetterChain:
    found = make_task("letter-chain")
    assert isinstance(found, LetterChain)
    return found


def letters_of(task: LetterChain, batch: Batch) -> list[list[int]]:
    """Every whole chain, the last answer included, with letters numbered from 0."""
    last = batch.answers.view(len(batch.ids), -1)[:, -1:]
    return (torch.cat([batch.ids[:, 1:], last], 1) - task.first_id).tolist()


def test_each_pair_is_followed_by_three_letters_with_the_stated_chances(task: LetterChain) -> None:
    chains = task.chains(4000, 40, torch.Generator().manual_seed(1)) - task.first_id
    followers: dict[tuple[int, int], Counter[int]] = {}
    for chain in chains.tolist():
        for one, two, three in zip(chain, chain[1:], chain[2:], strict=False):
            followers.setdefault((one, two), Counter())[three] += 1
    assert len(followers) == 64
    for (one, two), counts in followers.items():
        ranked = task.followers[one, two].tolist()
        assert sorted(counts) == sorted(ranked)
        assert len(set(ranked)) == 3
        n = sum(counts.values())
        for letter, chance in zip(ranked, CHANCES, strict=True):
            assert abs(counts[letter] / n - chance) < 5 * math.sqrt(chance * (1 - chance) / n)
    # The order of the two matters: most pairs turned around are followed by another letter.
    turned = [task.followers[i, j, 0] != task.followers[j, i, 0] for i in range(8) for j in range(i)]
    assert sum(turned) > 20


def test_the_best_loss_is_that_of_the_law_itself(task: LetterChain) -> None:
    batch = task.long_texts(128, n=200)
    losses = []
    for chain in letters_of(task, batch):
        for at in range(2, len(chain)):
            rank = task.followers[chain[at - 2], chain[at - 1]].tolist().index(chain[at])
            losses.append(-math.log(CHANCES[rank]))
    assert sum(losses) / len(losses) == pytest.approx(task.best_loss, abs=0.02)
    assert task.best_loss == pytest.approx(0.8018, abs=1e-4)
    assert task.chance_loss == pytest.approx(math.log(8))


def test_what_is_asked_is_the_next_letter_from_the_third_on(task: LetterChain) -> None:
    batch = task.batch(50, torch.Generator().manual_seed(2))
    assert batch.ids.shape == (50, LENGTH)
    assert (batch.ids[:, 0] == task.begin_id).all()
    assert batch.present.all()
    answers = iter(batch.answers.tolist())
    for row in range(50):
        assert batch.asked[row].tolist() == [False, False] + [True] * (LENGTH - 2)
        for position in range(2, LENGTH):
            answer = next(answers)
            if position + 1 < LENGTH:
                assert answer == batch.ids[row, position + 1]


def test_training_never_sees_what_is_held_out(task: LetterChain) -> None:
    def rows(batch: Batch) -> torch.Tensor:
        return torch.tensor(letters_of(task, batch)) + task.first_id

    trained = rows(task.batch(800, torch.Generator().manual_seed(3)))
    assert not is_held_out(trained).any()
    kept = is_held_out(rows(task.held_out()))
    assert kept.sum() >= len(kept) - 1  # the watched one may be among them by name
    long = rows(task.long_texts(100, n=64))
    assert long.shape == (64, 100)
    assert is_held_out(long[:, :LENGTH]).all()
    assert torch.equal(long, rows(task.long_texts(100, n=64)))


def test_a_letter_reads_the_one_before_it(task: LetterChain) -> None:
    (before,) = task.expected(task.batch(3, torch.Generator().manual_seed(4)))
    for query in range(LENGTH):
        right = before.keys[:, query].nonzero()[:, 1].tolist()
        assert right == ([query - 1] * 3 if query >= 2 else [])


def test_the_watched_chain_and_the_limits(task: LetterChain) -> None:
    probe, batch = task.probe()
    assert probe.tokens[0] == "[BOS]"
    assert batch.ids.shape == (1, LENGTH)
    assert len(probe.text.split()) == LENGTH - 1
    for call in (lambda: task.long_texts(LENGTH - 1), lambda: task.chains(2, 1, torch.Generator())):
        with pytest.raises(ValueError, match="expected at least"):
            call()
