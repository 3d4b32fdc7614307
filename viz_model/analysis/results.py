"""Results as frozen data that can be kept: to JSON and back, by their own types."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, fields, is_dataclass
from types import UnionType
from typing import Any, Literal, Self, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


class Result:
    """Base of a frozen dataclass of numbers, words, tuples and other such dataclasses."""

    __slots__ = ()

    def to_json(self) -> str:
        """One line of JSON; ValueError where a number is not finite."""
        return json.dumps(asdict(self), ensure_ascii=False, allow_nan=False)  # type: ignore[call-overload]

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote; ValueError for text that is no JSON, or JSON of another shape."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"expected JSON text, got something damaged ({error}).") from None
        read: Self = _read(cls, data, cls.__name__)
        return read


def named(results: Sequence[T], field: str, wanted: str) -> T:
    """The one whose `field` is the wanted word; ValueError, with the words that there are, for another."""
    known = {getattr(one, field): one for one in results}
    if wanted not in known:
        raise ValueError(f"{field}: expected one of {', '.join(known)}, got {wanted!r}.")
    return known[wanted]


def _read(kind: Any, data: Any, where: str) -> Any:
    """`data` as a value of the type `kind`; `where` names it in an error."""
    origin, parts = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        names = {field.name for field in fields(kind)}
        if not isinstance(data, dict) or set(data) != names:
            got = sorted(data) if isinstance(data, dict) else type(data).__name__
            raise ValueError(f"{where}: expected an object with {sorted(names)}, got {got}.")
        hints = get_type_hints(kind)
        return kind(**{name: _read(hints[name], data[name], f"{where}.{name}") for name in names})  # type: ignore[operator]
    if origin is tuple and isinstance(data, list):
        if len(parts) == 2 and parts[1] is ...:
            return tuple(_read(parts[0], item, f"{where}[{i}]") for i, item in enumerate(data))
        if len(parts) == len(data):
            return tuple(
                _read(part, item, f"{where}[{i}]") for i, (part, item) in enumerate(zip(parts, data, strict=True))
            )
    if origin is Literal and data in parts:
        return data
    if origin in (Union, UnionType):
        if data is None and type(None) in parts:
            return None
        return _read(next(part for part in parts if part is not type(None)), data, where)
    if kind is float and isinstance(data, int | float) and not isinstance(data, bool):
        if not math.isfinite(data):
            raise ValueError(f"{where}: expected a finite number, got {data}.")
        return float(data)
    if kind in (int, str, bool) and type(data) is kind:
        return data
    raise ValueError(f"{where}: expected {getattr(kind, '__name__', kind)}, got {data!r:.80}.")
