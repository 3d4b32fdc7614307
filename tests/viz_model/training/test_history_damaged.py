"""What is no history, or a damaged one, is refused in one plain sentence."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viz_model.training.history import LARGEST, History, history, read_history, write_history

from .test_history import a_run, assert_same

REFUSED = r"^history: expected a run's curve and pictures, got a damaged file \(.+\)\.$"


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
