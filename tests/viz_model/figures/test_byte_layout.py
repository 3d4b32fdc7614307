"""The layout of bytes, read back by hand."""

import json

import numpy as np
import pytest

from viz_model.figures.byte_layout import assemble, disassemble, packed_bits


def test_the_bytes_are_a_length_a_header_and_aligned_arrays() -> None:
    odd = np.arange(5, dtype=np.uint8)
    payload = assemble({"version": 3, "word": "é"}, {"odd": odd, "steps": np.array([[7, -8]], np.int32)})
    length = int.from_bytes(payload[:4], "little")
    header = json.loads(payload[4 : 4 + length])
    body = payload[4 + length :]
    assert (4 + length) % 8 == 0
    assert header["word"] == "é"
    assert [(each["dtype"], each["shape"], each["offset"]) for each in header["arrays"]] == [
        ("u1", [5], 0),
        ("i4", [1, 2], 8),
    ]
    assert body[:5] == bytes(range(5))
    assert body[8:16] == (7).to_bytes(4, "little") + (-8).to_bytes(4, "little", signed=True)
    read = disassemble(payload, 3)
    assert np.array_equal(read.arrays["odd"], odd)
    assert read.header["id"] == header["id"]


def test_every_change_changes_the_id_and_the_header_given_stays_as_it_was() -> None:
    header = {"version": 1, "a": 1}
    numbers = np.zeros(3, np.float32)
    first = disassemble(assemble(header, {"x": numbers}), 1).header["id"]
    assert header == {"version": 1, "a": 1}
    assert disassemble(assemble(header, {"x": numbers}), 1).header["id"] == first
    assert disassemble(assemble(header, {"x": numbers + 1}), 1).header["id"] != first
    assert disassemble(assemble({**header, "a": 2}, {"x": numbers}), 1).header["id"] != first


def test_another_version_and_another_kind_of_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="expected payload version 2, got 1"):
        disassemble(assemble({"version": 1}, {}), 2)
    with pytest.raises(KeyError):
        assemble({"version": 1}, {"x": np.zeros(2)})


def test_bits_stand_most_significant_first() -> None:
    flags = np.array([[True, False, False], [False, False, False], [True, True, True]])
    assert packed_bits(flags, 9).tolist() == [[0b10000011, 0b10000000]]
