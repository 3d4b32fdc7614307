"""Downloads: a matrix as CSV or SVG, a whole trace as NPZ. Labels, model, seed and text travel inside each file."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from viz_model.figures.svg import labelled_matrix, svg_of_matrix

__all__ = ["csv_of_matrix", "npz_of", "svg_of_matrix"]

LABELS = "labels"  # name of the JSON entry of an NPZ


def csv_of_matrix(
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    corner: str = "query (down) / key (across)",
    about: Mapping[str, object] | None = None,
) -> str:
    """A matrix [row, column] as CSV with row and column labels; the digits give the same float32 back.

    Labels are literal (a token may be '#', '=1' or a comma). `about` (model, seed, layer, head, text ...) stands as
    JSON in the first cell, behind `corner`, so that the file stays a plain rectangle.
    """
    array = labelled_matrix(values, rows, columns)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    first = f"{corner} {json.dumps(dict(about), ensure_ascii=False, default=str)}" if about else corner
    writer.writerow([first, *map(_encodable, columns)])
    for label, row in zip(rows, array, strict=True):
        writer.writerow([_encodable(label), *(str(number) for number in row)])
    return out.getvalue()


def npz_of(arrays: Mapping[str, ArrayLike], labels: Mapping[str, Any]) -> bytes:
    """Arrays and one JSON text of labels (model, seed, text, tokens ...) as NPZ; equal input gives equal bytes.

    `np.load(..., allow_pickle=False)` reads it: names as given (dots included), and `json.loads(str(file["labels"]))`.
    Raises ValueError on a name used twice and on arrays of Python objects, which would need pickle.
    """
    if LABELS in arrays:
        raise ValueError(f"arrays: the name {LABELS!r} is taken by the labels")
    text = np.array(json.dumps(dict(labels), ensure_ascii=True, default=str))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, values in {LABELS: text, **arrays}.items():
            array = np.asarray(values)
            if array.dtype.hasobject:
                raise ValueError(f"arrays: {name!r} holds Python objects; expected numbers, booleans or text")
            entry = zipfile.ZipInfo(f"{name}.npy")  # its fixed date keeps the bytes the same
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, array, allow_pickle=False)
    return out.getvalue()


def _encodable(label: str) -> str:
    """A label without halves of surrogate pairs, which no file can hold."""
    return label.encode("utf-8", "replace").decode()
