"""The calculation view's payload: one step of the computation as an equation of matrices.

A step is a sequence of `Matrix` and `Operator` items, read from left to right: q(cat) × K^T = dots. `pack` makes the
bytes that the browser component draws (its sources lie in `assets/calculation_view/`; `script` and `style` join them),
`unpack` reads them back. Layout: 4 bytes, little-endian length of the header; the header, JSON in ASCII padded with
spaces to a multiple of 4; then each matrix's float32 values [row, column] and, where it has one, its mask (1 byte a
cell, padded to a multiple of 4). Offsets in the header count from the header's end.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from viz_model.figures.theme import DARK, LIGHT, Theme, visible_token

Role = Literal["query", "key", "value", "attention", "signed", "plain"]
RuleKind = Literal["matmul", "transposed-matmul", "elementwise", "row"]

VERSION = 1
LONGEST_SIDE = 1024
_ASSETS = Path(__file__).parents[2] / "assets" / "calculation_view"
_SPOKEN = {"×": "times", "=": "equals", "+": "plus", "−": "minus", "·": "dot", "⊙": "times, cell by cell"}


@dataclass(frozen=True, slots=True)
class Lit:
    """What is at work in a matrix: whole rows, whole columns, single (row, column) cells; the others are dimmed."""

    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    cells: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """A matrix of the equation.

    `name` is its key in events and rules, unique within a step; `symbol` what is written ("W_Q", "K^T": `_` and `^`
    lower and raise one character or a braced group); `of` a token that it belongs to, written literally: q(cat).
    `values` is [row, column]; `rows` and `columns` label them (tokens as text, or None for d0, d1, ...).
    `masked` is bool [row, column], True = masked: hatched, with `masked_text` in place of a number.
    """

    name: str
    values: npt.ArrayLike
    rows: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    role: Role = "plain"
    symbol: str | None = None
    of: str | None = None
    masked: npt.ArrayLike | None = None
    masked_text: str | None = None
    lit: Lit | None = None
    editable: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Operator:
    """A sign between matrices: "×", "=", "+", "softmax", "÷ √d_k" ...; `spoken` is what a screen reader says."""

    symbol: str
    spoken: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """How a cell of `result` is made from its `operands` (names of matrices): what lights up when it is pointed at.

    matmul: row of the first, column of the second; transposed-matmul: row of the first, row of the second (K shown as
    it is); further operands cell by cell (a bias). elementwise: the same cell of each. row: the whole row (softmax).
    """

    kind: RuleKind
    result: str
    operands: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Calculation:
    """An unpacked payload: the header and, by matrix name, float32 values [row, column] and bool masks."""

    header: dict[str, Any]
    values: dict[str, npt.NDArray[np.float32]]
    masked: dict[str, npt.NDArray[np.bool_]]


def colours_of(theme: Theme) -> dict[str, Any]:
    """The role colours and ramps (`unit` for 0..1, `signed` about 0) that the header carries for one appearance."""
    return {
        "query": theme.query,
        "key": theme.key,
        "value": theme.value,
        "attention": theme.series[0],
        "unit": list(theme.attention),
        "signed": list(theme.signed),
        "hatch": theme.masked_line,
    }


def pack(
    items: Sequence[Matrix | Operator],
    *,
    step: str = "",
    rule: Rule | None = None,
    selected: tuple[str, int, int] | None = None,
    summary: str = "",
    hint: str = "",
    focus: Literal["none", "offer", "start"] = "none",
    limits: tuple[float, float] = (-1e6, 1e6),
) -> bytes:
    """One step as bytes for the component.

    `step` names it: when it changes, the result fades in; when it stays, changed numbers are marked. `selected` is
    (matrix name, row, column). `focus` offers ("offer") or begins with ("start") only the lit rows and columns of large
    matrices. `limits` bound what may be typed into editable matrices.
    Raises ValueError with what was expected and what came, for shapes, labels, roles and names that do not fit.
    """
    body = bytearray()

    def append(array: npt.NDArray[Any]) -> int:
        start, raw = len(body), array.tobytes()
        body.extend(raw + b"\0" * (-len(raw) % 4))
        return start

    described: list[dict[str, Any]] = []
    shapes: dict[str, tuple[int, int]] = {}
    for item in items:
        if isinstance(item, Operator):
            described.append({"kind": "operator", **asdict(item)})
            described[-1]["spoken"] = item.spoken or _SPOKEN.get(item.symbol, item.symbol)
            continue
        entry, values, masked = _describe(item)
        if item.name in shapes:
            raise ValueError(f"expected each matrix name once in a step, got {item.name!r} twice")
        shapes[item.name] = values.shape
        described.append(entry | {"offset": append(values), "mask_offset": None if masked is None else append(masked)})
    if not shapes:
        raise ValueError("expected at least one matrix in a step, got none")
    if rule is not None:
        _check_rule(rule, shapes)
    name, row, column = selected or ("", 0, 0)
    rows, columns = shapes.get(name, (0, 0))
    # A selection that outlived its matrix (an old link, a shorter sentence) is no selection.
    chosen = {"matrix": name, "row": row, "column": column} if 0 <= row < rows and 0 <= column < columns else None
    header: dict[str, Any] = {"version": VERSION, "step": step, "summary": summary, "hint": hint, "focus": focus}
    header |= {
        "items": described,
        "result": rule.result if rule else list(shapes)[-1],
        "rule": rule and asdict(rule),
        "selected": chosen,
        "limits": list(limits),
        "colours": {"light": colours_of(LIGHT), "dark": colours_of(DARK)},
    }
    header["id"] = hashlib.sha256(json.dumps(header).encode() + body).hexdigest()[:16]
    text = json.dumps(header, allow_nan=False).encode("ascii")
    text += b" " * (-len(text) % 4)
    return len(text).to_bytes(4, "little") + text + bytes(body)


def unpack(payload: bytes) -> Calculation:
    """The header and arrays of a payload. Raises ValueError where the version is not the one written here."""
    length = int.from_bytes(payload[:4], "little")
    header = json.loads(payload[4 : 4 + length])
    if header.get("version") != VERSION:
        raise ValueError(f"expected payload version {VERSION}, got {header.get('version')}")
    body = payload[4 + length :]
    calculation = Calculation(header, {}, {})
    for item in header["items"]:
        if item["kind"] != "matrix":
            continue
        shape, count = tuple(item["shape"]), item["shape"][0] * item["shape"][1]
        calculation.values[item["key"]] = np.frombuffer(body, "<f4", count, item["offset"]).reshape(shape)
        if item["mask_offset"] is not None:
            mask = np.frombuffer(body, np.uint8, count, item["mask_offset"])
            calculation.masked[item["key"]] = mask.reshape(shape).astype(bool)
    return calculation


def script() -> str:
    """The component's JavaScript as one ES module: Streamlit mounts text, in which relative imports cannot resolve."""
    paths = sorted(_ASSETS.glob("*.js"), key=lambda path: (path.name == "view.js", path.name))
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    text = re.sub(r'^import \{[^}]*\} from "\./[a-z_]+\.js";\n', "", text, flags=re.MULTILINE)
    return re.sub(r"^export (?!default)", "", text, flags=re.MULTILINE)


def style() -> str:
    """The component's CSS."""
    return (_ASSETS / "view.css").read_text(encoding="utf-8")


def _describe(item: Matrix) -> tuple[dict[str, Any], npt.NDArray[np.float32], npt.NDArray[np.uint8] | None]:
    values = np.ascontiguousarray(item.values, dtype="<f4")
    if values.ndim != 2 or 0 in values.shape or max(values.shape) > LONGEST_SIDE:
        raise ValueError(f"expected {item.name!r} as [row, column] of 1 to {LONGEST_SIDE} each, got {values.shape}")
    if item.role not in get_args(Role):
        raise ValueError(f"expected a role among {get_args(Role)}, got {item.role!r}")
    labels = []
    for side, given, count in zip(("rows", "columns"), (item.rows, item.columns), values.shape, strict=True):
        if given is not None and len(given) != count:
            raise ValueError(f"expected {count} labels for the {side} of {item.name!r}, got {len(given)}")
        labels.append([f"d{i}" for i in range(count)] if given is None else [visible_token(text) for text in given])
    masked = None if item.masked is None else np.ascontiguousarray(item.masked, dtype=np.uint8)
    if masked is not None and masked.shape != values.shape:
        raise ValueError(f"expected the mask of {item.name!r} as {values.shape}, got {masked.shape}")
    entry = {
        "kind": "matrix",
        "key": item.name,
        "symbol": item.name if item.symbol is None else item.symbol,
        "of": None if item.of is None else visible_token(item.of),
        "role": item.role,
        "tint": {"attention": "unit", "plain": "none"}.get(item.role, "signed"),
        "shape": list(values.shape),
        "rows": labels[0],
        "columns": labels[1],
        "masked_text": item.masked_text or ("masked" if item.role == "attention" else "−∞"),
        "closed": [] if masked is None else np.flatnonzero(masked.all(axis=1)).tolist(),
        "lit": item.lit and asdict(item.lit),
        "editable": item.editable,
        "note": item.note,
    }
    return entry, values, masked


def _check_rule(rule: Rule, shapes: dict[str, tuple[int, int]]) -> None:
    if unknown := {rule.result, *rule.operands} - shapes.keys():
        raise ValueError(f"expected a rule about {sorted(shapes)}, got {sorted(unknown)}")
    if rule.kind not in get_args(RuleKind):
        raise ValueError(f"expected a rule among {get_args(RuleKind)}, got {rule.kind!r}")
    if rule.kind in ("matmul", "transposed-matmul"):
        if len(rule.operands) < 2:
            raise ValueError(f"expected two operands for {rule.kind}, got {list(rule.operands)}")
        (rows, inner), right = shapes[rule.operands[0]], shapes[rule.operands[1]]
        meets, columns = right if rule.kind == "matmul" else right[::-1]
        if inner != meets or shapes[rule.result] != (rows, columns):
            shown = [list(shapes[name]) for name in (*rule.operands[:2], rule.result)]
            raise ValueError(f"expected shapes that multiply for {rule.kind}, got {shown[0]} x {shown[1]} = {shown[2]}")
