"""Four objectives on rows of ids, each against a slow reader."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from viz_model import masks
from viz_model.config import TransformerConfig
from viz_model.models import Decoder
from viz_model.tasks.objectives import after_prefix, corrupt_spans, masked, next_token, span_sizes
from viz_model.tasks.task import Batch

BEGIN, END, FIRST_WORD, VOCAB = 2, 3, 5, 40
SENTINELS = torch.arange(100, 130)


def rows_of(n: int, length: int, seed: int) -> Tensor:
    return torch.randint(FIRST_WORD, VOCAB, (n, length), generator=torch.Generator().manual_seed(seed))


def corrupted(ids: Tensor, seed: int) -> Batch:
    generator = torch.Generator().manual_seed(seed)
    return corrupt_spans(ids, generator, sentinels=SENTINELS, begin_id=BEGIN, end_id=END)


def targets(batch: Batch) -> list[list[int]]:
    """The answers of each row; all positions are asked."""
    assert batch.asked.all()
    return batch.answers.view(len(batch.ids), -1).tolist()  # type: ignore[no-any-return]


def undone(source: list[int], target: list[int]) -> list[int]:
    """The text before its spans were lost: each sentinel of the source replaced by what follows it in the target."""
    lost: dict[int, list[int]] = {}
    for token in target:
        if token >= 100:
            now = lost.setdefault(token, [])
            assert now == []
        else:
            now.append(token)
    whole = []
    for token in source:
        whole += lost.pop(token) if token >= 100 else [token]
    assert list(lost.values()) == [[]]  # the closing sentinel, and nothing after it
    return whole


@given(st.integers(2, 150), st.integers(0, 10_000))
def test_lost_spans_can_be_put_back(length: int, seed: int) -> None:
    ids = rows_of(3, length, seed)
    batch = corrupted(ids, seed)
    assert batch.target_ids is not None
    for row, source, read, target in zip(
        ids.tolist(), batch.ids.tolist(), batch.target_ids.tolist(), targets(batch), strict=True
    ):
        assert read == [BEGIN, *target[:-1]]
        assert source[0] == BEGIN
        assert target[-1] == END
        assert undone(source[1:], target[:-1]) == row
        marks = [token for token in source if token >= 100]
        assert [*marks, target[-2]] == SENTINELS[: len(marks) + 1].tolist()  # in order, on both sides
        assert [token for token in target if token >= 100] == [*marks, target[-2]]
        assert not any(a >= 100 and b >= 100 for a, b in pairwise(source))  # spans never touch


@pytest.mark.parametrize(("length", "out", "spans"), [(2, 1, 1), (20, 3, 1), (64, 10, 3), (128, 19, 6), (500, 75, 25)])
def test_fifteen_in_a_hundred_are_lost_in_spans_of_three(length: int, out: int, spans: int) -> None:
    assert span_sizes(length) == (out, spans)
    assert abs(out - 0.15 * length) <= 0.7
    for row, target in zip(
        corrupted(rows_of(8, length, 1), 1).ids.tolist(), targets(corrupted(rows_of(8, length, 1), 1)), strict=True
    ):
        assert len([token for token in target if FIRST_WORD <= token < VOCAB]) == out
        assert sum(token >= 100 for token in row) == spans


def test_every_place_of_a_span_is_equally_likely() -> None:
    batch = corrupted(rows_of(18_000, 20, 3), 3)
    starts = Counter((batch.ids[:, 1:] >= 100).int().argmax(1).tolist())
    assert sorted(starts) == list(range(18))
    assert all(850 < n < 1150 for n in starts.values())  # 1000 each, give or take 31


def test_the_lengths_of_spans_vary() -> None:
    lengths = Counter[int]()
    for target in targets(corrupted(rows_of(4_000, 64, 4), 4)):
        at = [i for i, token in enumerate(target) if token >= 100]
        lengths.update(b - a - 1 for a, b in pairwise(at))
    assert sorted(lengths) == list(range(1, 9))
    # Of the 36 ways to cut 10 tokens into 3 pieces 8 begin with a piece of 1, and 1 with a piece of 8.
    assert lengths[1] / 12_000 == pytest.approx(8 / 36, abs=0.015)
    assert lengths[8] / 12_000 == pytest.approx(1 / 36, abs=0.006)


def test_too_few_sentinels_and_too_short_rows_are_refused() -> None:
    generator = torch.Generator()
    with pytest.raises(ValueError, match="sentinels: expected at least 4 for rows of 64 tokens, got 3"):
        corrupt_spans(rows_of(1, 64, 0), generator, sentinels=SENTINELS[:3], begin_id=BEGIN, end_id=END)
    with pytest.raises(ValueError, match="expected at least 2 tokens in a row, got 1"):
        corrupted(rows_of(1, 1, 0), 0)


def test_hidden_tokens_as_in_bert() -> None:
    ids = rows_of(3_000, 40, 5)
    ids[:, 0], ids[:, 20] = BEGIN, END
    present = torch.arange(40).expand(3_000, 40) < torch.randint(25, 41, (3_000, 1))
    generator = torch.Generator().manual_seed(6)
    batch = masked(ids, present, generator, mask_id=4, n_specials=FIRST_WORD, vocab_size=VOCAB)
    words = present & (ids >= FIRST_WORD)
    assert not (batch.asked & ~words).any()
    assert torch.equal(batch.answers, ids[batch.asked])
    assert torch.equal(batch.ids[~batch.asked], ids[~batch.asked])
    now, before, n = batch.ids[batch.asked], batch.answers, int(batch.asked.sum())
    assert n / int(words.sum()) == pytest.approx(0.15, abs=0.005)
    assert (now == 4).float().mean().item() == pytest.approx(0.8, abs=0.012)
    other = now[(now != 4) & (now != before)]
    assert len(other) / n == pytest.approx(0.1 * 34 / 35, abs=0.01)  # a random token may be the same by chance
    assert set(other.tolist()) == set(range(FIRST_WORD, VOCAB))


def test_a_row_is_asked_at_least_one_word() -> None:
    ids = torch.tensor([[BEGIN, 9, END]] * 200 + [[BEGIN, END, 0]])
    batch = masked(ids, ids > 0, torch.Generator().manual_seed(0), mask_id=4, n_specials=5, vocab_size=VOCAB)
    assert batch.asked.tolist() == [[False, True, False]] * 200 + [[False] * 3]  # nothing where there is no word


def test_the_next_token_is_asked_up_to_the_padding() -> None:
    ids, present = torch.tensor([[2, 7, 8, 9], [2, 6, 0, 0]]), torch.tensor([[True] * 4, [True, True, False, False]])
    batch = next_token(ids, present)
    assert batch.ids.tolist() == [[2, 7, 8], [2, 6, 0]]
    assert batch.asked.tolist() == [[True] * 3, [True, False, False]]
    assert batch.answers.tolist() == [7, 8, 9, 6]


@given(st.integers(1, 9), st.integers(0, 1_000))
def test_what_follows_a_prefix_is_asked(length: int, seed: int) -> None:
    ids = rows_of(2, 10, seed)
    batch = after_prefix(ids, torch.tensor([length, 3]))
    assert torch.equal(batch.ids, ids[:, :-1])
    for row, own in enumerate((length, 3)):
        assert torch.equal(batch.present[row, 0], masks.prefix(9, own)[0, 0])
        assert batch.asked[row].tolist() == [at >= own - 1 for at in range(9)]
    assert batch.answers.tolist() == [*ids[0, length:].tolist(), *ids[1, 3:].tolist()]


def test_no_answer_after_a_prefix_is_read_before_it_is_told() -> None:
    config = TransformerConfig(vocab_size=VOCAB, d_model=16, n_layers=2, n_heads=2, position="rotary")
    model, ids = Decoder(config, seed=1).requires_grad_(False), rows_of(1, 12, 7)
    before = after_prefix(ids, torch.tensor([4]))
    for at in range(4, 11):
        changed = ids.clone()
        changed[0, at] = FIRST_WORD if ids[0, at] != FIRST_WORD else FIRST_WORD + 1
        after = after_prefix(changed, torch.tensor([4]))
        one, two = (model.logits(batch.ids, batch.present)[0] for batch in (before, after))
        assert torch.allclose(one[:at], two[:at], atol=1e-6)  # position at - 1 tells the token that was changed
        assert not torch.allclose(one[at:], two[at:], atol=1e-3)
    changed = ids.clone()
    changed[0, 3] = (ids[0, 3] + 1) % VOCAB
    one, two = (model.logits(b.ids, b.present)[0] for b in (before, after_prefix(changed, torch.tensor([4]))))
    assert not torch.allclose(one[0], two[0], atol=1e-3)  # the prefix is read from both sides


def test_a_prefix_must_leave_something_to_tell() -> None:
    for length in (0, 10):
        with pytest.raises(
            ValueError, match=f"lengths: expected 1 to 9 positions, got 3 to {length}|got {length} to 3"
        ):
            after_prefix(rows_of(2, 10, 0), torch.tensor([3, length]))
