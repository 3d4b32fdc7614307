"""The calculation view's payload: what is packed is read back bit for bit, and what does not fit is said plainly."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from viz_model.figures.calculation_view import Lit, Matrix, Operator, Rule, pack, script, style, unpack

TIMES, EQUALS = Operator("×"), Operator("=")


def product(q: np.ndarray, k: np.ndarray) -> list[Matrix | Operator]:
    return [Matrix("q", q, role="query", of="cat"), TIMES, Matrix("K^T", k, role="key"), EQUALS, Matrix("dots", q @ k)]


@given(
    hnp.arrays(np.float32, hnp.array_shapes(min_dims=2, max_dims=2, max_side=7), elements=st.floats(width=32)),
    st.randoms(use_true_random=False),
)
def test_values_and_masks_come_back_bit_for_bit(values: np.ndarray, random: object) -> None:
    masked = np.random.default_rng(random.randint(0, 9)).random(values.shape) < 0.5  # type: ignore[attr-defined]
    back = unpack(pack([Matrix("a", values, masked=masked), EQUALS, Matrix("b", values[:1])]))
    assert back.values["a"].tobytes() == values.tobytes()
    assert back.values["b"].tobytes() == values[:1].tobytes()
    assert np.array_equal(back.masked["a"], masked)
    assert "b" not in back.masked


def test_layout_read_by_hand_from_the_bytes() -> None:
    """An independent reader: the length prefix, the header's padding and the offset lead to the very floats."""
    payload = pack([Matrix("m", [[1.5, -2.0, 0.25]], masked=[[0, 1, 0]]), EQUALS, Matrix("n", [[7.0]])])
    (length,) = struct.unpack_from("<I", payload)
    header = json.loads(payload[4 : 4 + length])
    assert length % 4 == 0
    first, second = header["items"][0], header["items"][2]
    assert struct.unpack_from("<3f", payload, 4 + length + first["offset"]) == (1.5, -2.0, 0.25)
    assert payload[4 + length + first["mask_offset"] :][:3] == b"\0\1\0"
    assert second["offset"] % 4 == 0
    assert struct.unpack_from("<f", payload, 4 + length + second["offset"]) == (7.0,)
    assert len(payload) == 4 + length + 12 + 4 + 4


def test_numbers_never_travel_as_json() -> None:
    header = unpack(pack([Matrix("m", [[0.123456789]])])).header
    assert "0.12345" not in json.dumps(header)


def test_nan_and_infinity_are_carried_and_the_header_stays_valid_json() -> None:
    payload = pack([Matrix("m", [[np.nan, np.inf, -np.inf]])])
    values = unpack(payload).values["m"][0]
    assert np.isnan(values[0])
    assert values[1] == np.inf
    assert values[2] == -np.inf


def test_labels_are_literal_and_controls_are_seen() -> None:
    rows = ["<script>", "</s>", "$x$", "\n", "", "שלום", "the", "the"]
    header = unpack(pack([Matrix("m", np.ones((8, 2)), rows)])).header
    shown = header["items"][0]["rows"]
    assert shown[:3] == rows[:3]
    assert shown[5:] == rows[5:]
    assert all(text.isprintable() and text for text in shown)
    assert header["items"][0]["columns"] == ["d0", "d1"]


def test_rows_without_a_key_are_named() -> None:
    header = unpack(
        pack([Matrix("w", np.zeros((3, 3)), role="attention", masked=[[1, 1, 1], [0, 1, 1], [1, 1, 1]])])
    ).header
    assert header["items"][0]["closed"] == [0, 2]
    assert header["items"][0]["masked_text"] == "masked"
    assert header["items"][0]["tint"] == "unit"


def test_the_id_changes_with_a_single_bit_and_only_then() -> None:
    values = np.ones((2, 2), dtype=np.float32)
    other = values.copy()
    other[1, 1] = np.nextafter(np.float32(1), np.float32(2))
    ids = [unpack(pack([Matrix("m", array)])).header["id"] for array in (values, values.copy(), other)]
    assert ids[0] == ids[1] != ids[2]
    assert unpack(pack([Matrix("m", values)], step="next")).header["id"] != ids[0]


def test_a_selection_that_outlived_its_matrix_is_dropped() -> None:
    items = product(np.ones((1, 4)), np.ones((4, 3)))
    chosen = lambda *selected: unpack(pack(items, selected=selected)).header["selected"]  # noqa: E731
    assert chosen("dots", 0, 2) == {"matrix": "dots", "row": 0, "column": 2}
    assert chosen("dots", 0, 3) is None
    assert chosen("gone", 0, 0) is None
    assert chosen("dots", -1, 0) is None


def test_rule_and_lit_reach_the_header() -> None:
    items = product(np.ones((1, 4)), np.ones((4, 3)))
    items[0] = Matrix("q", np.ones((1, 4)), lit=Lit(rows=(0,), cells=((0, 3),)))
    header = unpack(pack(items, rule=Rule("matmul", "dots", ("q", "K^T")))).header
    assert header["rule"] == {"kind": "matmul", "result": "dots", "operands": ["q", "K^T"]}
    assert header["items"][0]["lit"] == {"rows": [0], "columns": [], "cells": [[0, 3]]}
    assert header["items"][1]["spoken"] == "times"
    assert set(header["colours"]) == {"light", "dark"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pack([]), "at least one matrix"),
        (lambda: pack([TIMES]), "at least one matrix"),
        (lambda: pack([Matrix("m", np.ones(3))]), r"\[row, column\].*\(3,\)"),
        (lambda: pack([Matrix("m", np.ones((0, 3)))]), r"\(0, 3\)"),
        (lambda: pack([Matrix("m", np.ones((1, 1025)))]), "1024"),
        (lambda: pack([Matrix("m", np.ones((2, 2)), ["a"])]), "expected 2 labels for the rows of 'm', got 1"),
        (lambda: pack([Matrix("m", np.ones((2, 2)), masked=[[True]])]), "mask of 'm'"),
        (lambda: pack([Matrix("m", np.ones((1, 1)), role="blue")]), "role among"),  # type: ignore[arg-type]
        (lambda: pack([Matrix("m", [[1]]), Matrix("m", [[1]])]), "'m' twice"),
        (lambda: pack([Matrix("m", [[1]])], rule=Rule("row", "m", ("x",))), r"got \['x'\]"),
        (
            lambda: pack(
                product(np.ones((1, 4)), np.ones((4, 3))), rule=Rule("transposed-matmul", "dots", ("q", "K^T"))
            ),
            "multiply",
        ),
    ],
)
def test_what_does_not_fit_says_expected_and_got(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]


def test_a_payload_of_another_version_is_refused() -> None:
    payload = pack([Matrix("m", [[1]])]).replace(b'"version": 1', b'"version": 9')
    with pytest.raises(ValueError, match="version 1, got 9"):
        unpack(payload)


def test_script_is_one_module_that_reaches_for_nothing() -> None:
    text = script()
    assert len(re.findall(r"^export ", text, flags=re.MULTILINE)) == 1
    assert "export default function (component)" in text
    assert not re.search(r"^import |import\(|fetch\(|https?://|innerHTML|XMLHttpRequest", text, flags=re.MULTILINE)
    assert not re.search(r"@import|url\(", style())


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("short(0.11832)", "0.118"), ("short(-12.345)", "−12.3"), ("short(1)", "1.00"), ("short(0)", "0"),
        ("short(4.2e-5)", "4.20e−5"), ("short(123456)", "1.23e5"), ("short(0.9996)", "1.00"), ("short(NaN)", "NaN"),
        ("short(-Infinity)", "−∞"), ("short(0.5, 1)", "0.5"), ("short(-0.04, 1)", "0.0"),
        ("full(Math.fround(0.1))", "0.1"), ("full(Math.fround(1/3))", "0.33333334"),
        ("sharedDecimals(Float32Array.of(0.1, 0.7, 0.2), null)", 1),
        ("sharedDecimals(Float32Array.of(0.1, 1/3), null)", None),
        ("sharedDecimals(Float32Array.of(1, 1/3), [0, 1])", 0),
        ("readNumber(' -2.5e1 ', [-100, 100]).value", -25.0),
        ("readNumber('−.5', [-1, 1]).value", -0.5),
        ("readNumber('0,5', [-1, 1]).problem", "Write the decimal sign as a point: 0.5."),
        ("readNumber('', [-1, 1]).problem", "A number is expected here, like 0.5 or -2."),
        ("readNumber('abc', [-1, 1]).problem", "“abc” is not a number; one like 0.5 or -2 is expected."),
        ("readNumber('0x10', [-100, 100]).problem", "“0x10” is not a number; one like 0.5 or -2 is expected."),
        ("readNumber('1e999', [-9, 9]).problem", "1e999 is out of range; a number from -9 to 9 is expected."),
    ],
)  # fmt: skip
def test_numbers_are_written_and_read_as_people_do(call: str, expected: object) -> None:
    source = script().replace("export default function", "function mount")
    done = subprocess.run(
        ["node", "--input-type=module"],
        input=f"{source}\nconsole.log(JSON.stringify({call}));",
        text=True,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == expected
