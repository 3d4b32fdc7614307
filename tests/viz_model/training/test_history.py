"""A run's curve and pictures as one file: what was seen comes back exactly, and what is damaged is refused plainly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viz_model.training.history import history, read_history, snapshots_of, write_history
from viz_model.training.snapshot import Picture, Snapshot
from viz_model.training.trainer import Trainer

from .counting import TINY, Counting


def snapshot(step: int, picture: Picture | None = None, stopped: str = "") -> Snapshot:
    """Numbers that float32 would round."""
    return Snapshot(step, 1 / (step + 3), 0.1 + step / 7, step * 1e-4 / 3, 17, 0.25, picture, stopped)


def drawn(i: int, *, first: bool = False) -> Picture:
    """A picture of an encoder-decoder of two layers of three heads, other at every i."""
    numbers = np.random.default_rng(i)
    sizes = {"encoder": (5, 5), "decoder": (4, 4), "cross": (4, 5)}
    return Picture(
        float(np.float32(i / 7)),
        {kind: numbers.integers(0, 256, (2, 3, *size), np.uint8) for kind, size in sizes.items()},
        {role: numbers.random((2, 3), np.float32) for role in ("the word to copy", "מילה קודמת")},
        {"decoder": np.tri(4, dtype=bool), "cross": np.ones((4, 5), bool)} if first else {},
    )


def a_run() -> list[Snapshot]:
    pictured = {0, 1, 2, 5, 11}
    return [snapshot(i, drawn(i, first=i == 0) if i in pictured else None) for i in range(12)]


def assert_same(found: Sequence[Snapshot], expected: Sequence[Snapshot]) -> None:
    """All that is kept: how many tokens a step read and how long it took are not."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        for name in ("step", "loss", "gradient_norm", "learning_rate", "stopped"):
            np.testing.assert_equal(getattr(one, name), getattr(other, name))
            assert type(getattr(one, name)) is type(getattr(other, name))
        assert (one.picture is None) == (other.picture is None)
        if one.picture is None or other.picture is None:
            continue
        assert one.picture.accuracy == np.float32(other.picture.accuracy)
        for part in ("attention", "roles", "masks"):
            mine, theirs = getattr(one.picture, part), getattr(other.picture, part)
            assert list(mine) == list(theirs)
            for kind in theirs:
                assert mine[kind].dtype == theirs[kind].dtype
                np.testing.assert_array_equal(mine[kind], theirs[kind])


def test_what_was_seen_comes_back_exactly_and_nothing_is_thinned() -> None:
    assert_same(read_history(write_history(a_run())), a_run())


def test_the_arrays_are_the_snapshots_in_their_order() -> None:
    seen = a_run()
    found = history(seen)
    assert found.step.tolist() == list(range(12))
    assert found.loss.tolist() == [1 / (i + 3) for i in range(12)]
    assert found.gradient_norm.tolist() == [0.1 + i / 7 for i in range(12)]
    assert found.learning_rate.tolist() == [i * 1e-4 / 3 for i in range(12)]
    assert found.picture_row.tolist() == found.picture_step.tolist() == [0, 1, 2, 5, 11]
    picture = seen[5].picture
    assert picture is not None
    np.testing.assert_array_equal(found.attention["cross"][3], picture.attention["cross"])
    np.testing.assert_array_equal(found.roles["the word to copy"][3], picture.roles["the word to copy"])
    assert found.accuracy[3] == np.float32(5 / 7)
    assert found.masks["decoder"].tolist() == [[key <= query for key in range(4)] for query in range(4)]


def test_a_picture_s_step_is_not_its_row_where_a_part_of_a_run_is_stacked() -> None:
    found = history(a_run()[4:])
    assert (found.picture_row.tolist(), found.picture_step.tolist()) == ([1, 7], [5, 11])
    assert found.masks == {}


def test_a_real_run_comes_back_with_the_masks_of_its_beginning() -> None:
    trainer = Trainer(TINY, Counting(), seed=2)
    seen = [trainer.look()]
    while not trainer.done:
        seen.append(trainer.advance())
    assert seen[0].picture is not None
    causal = seen[0].picture.masks["self"]
    assert causal.tolist() == np.tri(7, dtype=bool).tolist()
    back = read_history(write_history(seen))
    assert_same(back, seen)
    assert [one.step for one in back] == list(range(41))
    assert write_history(back) == write_history(seen)


def test_a_run_of_many_steps_is_kept_whole() -> None:
    seen = [snapshot(i) for i in range(20_000)]
    assert_same(read_history(write_history(seen)), seen)


def test_the_same_run_gives_the_same_bytes() -> None:
    assert write_history(a_run()) == write_history(a_run())
    assert write_history(a_run()) != write_history(a_run()[:-1])


def test_a_run_that_was_stopped_says_why_and_keeps_what_is_no_number() -> None:
    last = Snapshot(3, float("nan"), float("inf"), 9.0, 1, 1.0, None, "Step 3: the loss was nan. “Why” – 因为")
    seen = [*a_run()[:3], last]
    assert_same(read_history(write_history(seen)), seen)


def test_a_model_without_attention_has_a_curve_all_the_same() -> None:
    bare = Picture(0.5, {}, {})
    seen = [snapshot(0, bare), snapshot(1), snapshot(2, bare)]
    assert_same(read_history(write_history(seen)), seen)
    assert history(seen).attention == {}


def test_a_run_without_any_picture_has_a_curve_all_the_same() -> None:
    seen = [snapshot(0), snapshot(1)]
    assert_same(read_history(write_history(seen)), seen)


def test_no_snapshots_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^history: expected at least one snapshot, got none\.$"):
        history([])
    with pytest.raises(ValueError, match=r"^history: expected at least one snapshot, got none\.$"):
        write_history([])


NUMBERS = st.floats(allow_nan=True, allow_infinity=True)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, st.booleans()), min_size=1, max_size=12))
def test_any_numbers_come_back(data: st.DataObject, rows: list[tuple[float, float, float, bool]]) -> None:
    first = data.draw(st.integers(0, 10_000))
    stopped = data.draw(st.text(st.characters(codec="utf-8"), max_size=20))
    seen = [
        Snapshot(first + i, *numbers, 0, 0.0, drawn(i) if pictured else None, stopped if i == len(rows) - 1 else "")
        for i, (*numbers, pictured) in enumerate(rows)
    ]
    assert_same(read_history(write_history(seen)), seen)
    assert_same(snapshots_of(history(seen)), seen)


def test_the_inverse_leaves_its_argument_as_it_was() -> None:
    found = history([*a_run(), replace(snapshot(12), stopped="x")])
    snapshots_of(found)
    assert found.stopped == "x"
    assert_same(snapshots_of(found), snapshots_of(found))
