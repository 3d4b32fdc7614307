"""How a picture's numbers travel to the browser: a header and raw arrays in one piece of bytes.

4 bytes, little-endian length of the header; the header, JSON in ASCII padded with spaces so that the arrays start at a
multiple of 8; the arrays, little-endian, each padded to a multiple of 8. `header["arrays"]` lists name, dtype ("f4",
"i4" or "u1"), shape, and offset from the header's end; `header["id"]` is a digest of all the rest. A reader ignores
names that it does not know. `assets/shared/bytes.js` reads and writes the same.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_DTYPES = {np.dtype(np.float32): "f4", np.dtype(np.int32): "i4", np.dtype(np.uint8): "u1"}


@dataclass(frozen=True, slots=True)
class Payload:
    """An unpacked payload: its header and its arrays by name."""

    header: dict[str, Any]
    arrays: dict[str, npt.NDArray[Any]]


def assemble(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> bytes:
    """The bytes of a header and its arrays (float32, int32 or uint8; others raise KeyError)."""
    pieces: list[bytes] = []
    entries: list[dict[str, Any]] = []
    offset = 0
    for name, array in arrays.items():
        dtype = _DTYPES[array.dtype]
        content = np.ascontiguousarray(array, dtype=f"<{dtype}").tobytes()
        entries.append({"name": name, "dtype": dtype, "shape": list(array.shape), "offset": offset})
        pieces.append(content + bytes(-len(content) % 8))
        offset += len(pieces[-1])
    body = b"".join(pieces)
    whole = {**header, "arrays": entries}
    whole["id"] = digest(json.dumps(whole).encode() + body)
    text = json.dumps(whole, allow_nan=False, separators=(",", ":")).encode("ascii")
    text += b" " * (-(4 + len(text)) % 8)
    return len(text).to_bytes(4, "little") + text + body


def disassemble(payload: bytes, version: int) -> Payload:
    """The header and the arrays of a payload. Raises ValueError where its version is not `version`."""
    length = int.from_bytes(payload[:4], "little")
    header = json.loads(payload[4 : 4 + length])
    if header.get("version") != version:
        raise ValueError(f"expected payload version {version}, got {header.get('version')}")
    arrays = {
        entry["name"]: np.frombuffer(
            payload, f"<{entry['dtype']}", math.prod(entry["shape"]), 4 + length + entry["offset"]
        ).reshape(entry["shape"])
        for entry in header["arrays"]
    }
    return Payload(header, arrays)


def digest(content: bytes) -> str:
    """Sixteen hexadecimal digits that name the content."""
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def packed_bits(allowed: npt.NDArray[np.bool_], cells: int) -> npt.NDArray[np.uint8]:
    """Booleans [.., query, key] as bits, most significant first: uint8 [rows of `cells` booleans, ceil(cells / 8)]."""
    return np.packbits(np.asarray(allowed, dtype=bool).reshape(-1, cells), axis=1)
