"""A run's curve and pictures as one file: what was seen comes back exactly, and what is damaged is refused plainly."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viz_model.training.history import LARGEST, History, history, read_history, snapshots_of, write_history
from viz_model.training.snapshot import Picture, Snapshot
from viz_model.training.trainer import Trainer

from .counting import TINY, Counting

REFUSED = r"^history: expected a run's curve and pictures, got a damaged file \(.+\)\.$"


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


@cache
def good() -> bytes:
    return write_history(a_run())


def test_the_file_is_an_npz_that_numpy_reads_without_us() -> None:
    with np.load(io.BytesIO(good()), allow_pickle=False) as arrays:
        assert arrays["step"].tolist() == list(range(12))
        assert arrays["loss"].tolist() == [1 / (i + 3) for i in range(12)]
        names = json.loads(arrays["card"].tobytes())["names"]["attention"]
        picture = a_run()[2].picture
        assert picture is not None
        np.testing.assert_array_equal(arrays[f"attention_{names.index('cross')}"][2], picture.attention["cross"])


def arrays_of(data: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return dict(arrays)


def remade(change: Callable[[dict[str, Any]], object]) -> bytes:
    arrays = arrays_of(good())
    change(arrays)
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def with_array(**arrays: Any) -> bytes:
    return remade(lambda found: found.update(arrays))


def without(name: str) -> bytes:
    return remade(lambda found: found.pop(name))


def with_card(text: str) -> bytes:
    return with_array(card=np.frombuffer(text.encode(), np.uint8))


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            file.writestr(f"{name}.npy", data)
    return out.getvalue()


def bomb() -> bytes:
    """A quarter of a megabyte that would be more than a quarter of a gigabyte."""
    return zipped(card=bytes(LARGEST + 1))


def claims(shape: str, kind: str = "|u1") -> bytes:
    """An array of a few bytes that says that it has this shape."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    return zipped(card=b"\x93NUMPY\x01\x00v\x00" + header + b"x")


def pickled() -> bytes:
    out = io.BytesIO()
    np.save(out, np.array([{"a": 1}], object), allow_pickle=True)
    return zipped(card=out.getvalue())


FRAMES, ROLES = np.zeros((5, 2, 3, 5, 5), np.uint8), np.zeros((5, 2, 3), np.float32)
DAMAGED: dict[str, Callable[[], bytes]] = {
    "nothing": lambda: b"",
    "text": lambda: b"no history",
    "zip of a text": lambda: zipped(readme=b"hello"),
    "bomb": bomb,
    "claims 90 terabytes": lambda: claims("(100000000000000,)"),
    "claims 8 gigabytes": lambda: claims("(1000000000,)", "<f8"),
    "claims a size below 0": lambda: claims("(-5,)"),
    "header that ends nowhere": lambda: claims("(((1,)"),
    "pickle inside": pickled,
    "no card": lambda: without("card"),
    "card that is no JSON": lambda: with_card("{"),
    "card of a list": lambda: with_card("[1]"),
    "card that is deep": lambda: with_card("[" * 100_000),
    "card without names": lambda: with_card('{"stopped": ""}'),
    "card that names more": lambda: with_card(
        '{"names": {"attention": ["a", "b", "c", "d"], "roles": [], "masks": []}, "stopped": ""}'
    ),
    "no step": lambda: without("step"),
    "no accuracy": lambda: without("accuracy"),
    "no pictures": lambda: without("attention_0"),
    "short loss": lambda: with_array(loss=np.zeros(11)),
    "loss of two columns": lambda: with_array(loss=np.zeros((12, 2))),
    "loss of words": lambda: with_array(loss=np.array(["x"] * 12)),
    "one number for all": lambda: with_array(loss=np.array(1.0)),
    "steps as fractions": lambda: with_array(step=np.arange(12.0)),
    "steps backwards": lambda: with_array(step=np.arange(12, dtype=np.int32)[::-1].copy()),
    "steps below 0": lambda: with_array(step=np.arange(12, dtype=np.int32) - 1),
    "no steps at all": lambda: with_array(
        **{name: np.zeros(0) for name in ("loss", "gradient_norm", "learning_rate")}, step=np.zeros(0, np.int32)
    ),
    "pictures past the end": lambda: with_array(picture_row=np.array([0, 1, 2, 5, 12], np.int32)),
    "pictures before the start": lambda: with_array(picture_row=np.array([-1, 1, 2, 5, 11], np.int32)),
    "two pictures at a step": lambda: with_array(picture_row=np.array([0, 1, 1, 5, 11], np.int32)),
    "fewer pictures than rows": lambda: with_array(attention_0=FRAMES[:4]),
    "attention as fractions": lambda: with_array(attention_0=FRAMES.astype(np.float32)),
    "attention without heads": lambda: with_array(attention_0=FRAMES[:, :, 0]),
    "roles without heads": lambda: with_array(roles_0=ROLES[:, :, 0]),
    "roles that are no numbers": lambda: with_array(roles_0=np.full_like(ROLES, np.nan)),
    "a mask of another size": lambda: with_array(masks_0=np.ones((9, 9), bool)),
    "a mask of numbers": lambda: with_array(masks_0=np.ones((4, 4))),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_what_is_no_history_is_refused_in_a_plain_sentence(kind: str) -> None:
    with pytest.raises(ValueError, match=REFUSED) as caught:
        read_history(DAMAGED[kind]())
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_damaged_files_are_damaged_by_what_they_say() -> None:
    assert_same(read_history(remade(lambda found: found)), a_run())


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**9))
def test_a_file_cut_short_anywhere_is_refused(cut: int) -> None:
    with pytest.raises(ValueError, match=REFUSED):
        read_history(good()[: cut % len(good())])


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(1, 255)), min_size=1, max_size=4))
def test_flipped_bytes_give_a_history_or_the_plain_sentence(flips: list[tuple[int, int]]) -> None:
    data = bytearray(good())
    for at, change in flips:
        data[at % len(data)] ^= change
    said, seen = "", a_run()
    try:
        seen = read_history(bytes(data))
    except ValueError as error:
        said = str(error)
    assert not said or re.match(REFUSED, said)
    assert isinstance(history(seen), History)


def test_the_inverse_leaves_its_argument_as_it_was() -> None:
    found = history([*a_run(), replace(snapshot(12), stopped="x")])
    snapshots_of(found)
    assert found.stopped == "x"
    assert_same(snapshots_of(found), snapshots_of(found))
