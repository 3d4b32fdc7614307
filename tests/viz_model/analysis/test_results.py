"""What is kept as JSON comes back equal and typed, and nothing else is taken for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from viz_model.analysis.results import Result


@dataclass(frozen=True, slots=True)
class Inner(Result):
    name: str
    kind: Literal["a", "b"]
    value: float


@dataclass(frozen=True, slots=True)
class Outer(Result):
    grid: tuple[tuple[float, ...], ...]
    place: tuple[int, int]
    inner: tuple[Inner, ...]
    maybe: float | None
    yes: bool = True


ONE = Outer(((1.0, 0.1), (2.5, 1e-9)), (1, 2), (Inner("שלום", "a", 1 / 3), Inner("", "b", -0.0)), None)


def test_there_and_back() -> None:
    back = Outer.from_json(ONE.to_json())
    assert back == ONE
    assert hash(back) == hash(ONE)
    assert "\n" not in ONE.to_json()
    assert Outer.from_json(Outer((), (0, 0), (), 0.5, False).to_json()) == Outer((), (0, 0), (), 0.5, False)


def test_whole_numbers_become_floats_where_floats_are_due() -> None:
    back = Inner.from_json('{"name": "x", "kind": "a", "value": 2}')
    assert isinstance(back.value, float)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('"kind": "a"', '"kind": "c"', r"Outer.inner\[0\].kind"),
        ('"kind": "a"', '"kind": []', r"Outer.inner\[0\].kind"),
        ("[1, 2]", "[1, 2, 3]", "Outer.place"),
        ("[1, 2]", "[1, 2.5]", r"Outer.place\[1\]"),
        ("[1, 2]", "[1, true]", r"Outer.place\[1\]"),
        ("[1, 2]", "7", "Outer.place"),
        ('"yes": true', '"yes": 1', "Outer.yes"),
        ('"yes": true', '"no": true', "Outer: expected an object"),
        ("2.5", '"2.5"', r"Outer.grid\[1\]\[0\]"),
        ("2.5", "true", r"Outer.grid\[1\]\[0\]"),
        ('"maybe": null', '"maybe": "x"', "Outer.maybe"),
        ('"name": ""', '"name": null', r"Outer.inner\[1\].name"),
    ],
)
def test_another_shape_is_refused_and_named(old: str, new: str, where: str) -> None:
    text = ONE.to_json()
    assert old in text
    with pytest.raises(ValueError, match=where):
        Outer.from_json(text.replace(old, new))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "[1, 2]", "null"])
def test_no_json_of_ours(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        Outer.from_json(text)


def test_what_is_not_finite_is_not_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        Inner("x", "a", float("nan")).to_json()
    with pytest.raises(ValueError, match="value: expected a finite"):
        Inner.from_json('{"name": "x", "kind": "a", "value": NaN}')
