"""A run's curve and pictures as arrays, for figures and for files."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz_model.training.snapshot import Picture, Snapshot

LARGEST = 256_000_000  # bytes that a history may take in memory
COLUMNS = {
    **{"step": np.int32, "loss": np.float64, "gradient_norm": np.float64, "learning_rate": np.float64},
    **{"picture_row": np.int32, "accuracy": np.float32},
}


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """What snapshots hold, stacked; n snapshots, of which p have a picture."""

    step: NDArray[np.int32]  # [n]
    loss: NDArray[np.float64]  # [n]
    gradient_norm: NDArray[np.float64]  # [n]
    learning_rate: NDArray[np.float64]  # [n]
    picture_row: NDArray[np.int32]  # [p]  which of the n
    accuracy: NDArray[np.float32]  # [p]
    attention: Mapping[str, NDArray[np.uint8]]  # kind -> [p, layer, head, query, key], weight * 255
    roles: Mapping[str, NDArray[np.float32]]  # role -> [p, layer, head]
    masks: Mapping[str, NDArray[np.bool_]]  # kind -> [query, key], of the first picture that says it
    stopped: str

    @property
    def picture_step(self) -> NDArray[np.int32]:
        return self.step[self.picture_row]


def history(snapshots: Sequence[Snapshot]) -> History:
    """Stacks snapshots of one run; raises ValueError for none."""
    if not snapshots:
        raise ValueError("history: expected at least one snapshot, got none.")
    rows = [i for i, one in enumerate(snapshots) if one.picture is not None]
    pictures = [one.picture for one in snapshots if one.picture is not None]
    first = pictures[0] if pictures else None
    return History(
        np.array([one.step for one in snapshots], np.int32),
        np.array([one.loss for one in snapshots], np.float64),
        np.array([one.gradient_norm for one in snapshots], np.float64),
        np.array([one.learning_rate for one in snapshots], np.float64),
        np.array(rows, np.int32),
        np.array([one.accuracy for one in pictures], np.float32),
        {kind: np.stack([one.attention[kind] for one in pictures]) for kind in (first.attention if first else ())},
        {role: np.stack([one.roles[role] for one in pictures]) for role in (first.roles if first else ())},
        next((one.masks for one in pictures if one.masks), {}),
        snapshots[-1].stopped,
    )


def snapshots_of(found: History) -> list[Snapshot]:
    """The inverse of `history`; how long a step took is not kept."""
    at = {int(row): i for i, row in enumerate(found.picture_row)}

    def picture(i: int) -> Picture:
        return Picture(
            float(found.accuracy[i]),
            {kind: frames[i] for kind, frames in found.attention.items()},
            {role: scores[i] for role, scores in found.roles.items()},
            found.masks if i == 0 else {},
        )

    columns = (found.step.tolist(), found.loss.tolist(), found.gradient_norm.tolist(), found.learning_rate.tolist())
    seen = [
        Snapshot(step, loss, norm, rate, 0, 0.0, picture(at[row]) if row in at else None)
        for row, (step, loss, norm, rate) in enumerate(zip(*columns, strict=True))
    ]
    if found.stopped:
        last = seen[-1]
        seen[-1] = Snapshot(
            last.step, last.loss, last.gradient_norm, last.learning_rate, 0, 0.0, last.picture, found.stopped
        )
    return seen


def write_history(snapshots: Sequence[Snapshot]) -> bytes:
    """As the bytes of a compressed NPZ file; the same snapshots give the same bytes."""
    found = history(snapshots)
    names: dict[str, list[str]] = {part: list(getattr(found, part)) for part in ("attention", "roles", "masks")}
    arrays: dict[str, Any] = {name: getattr(found, name) for name in COLUMNS}
    for part, keys in names.items():
        arrays |= {f"{part}_{i}": getattr(found, part)[key] for i, key in enumerate(keys)}
    card = json.dumps({"names": names, "stopped": found.stopped})
    out = io.BytesIO()
    np.savez_compressed(out, card=np.frombuffer(card.encode(), np.uint8), **arrays)
    return out.getvalue()


def read_history(data: bytes) -> list[Snapshot]:
    """What `write_history` wrote. Raises ValueError for anything else."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            if sum(part.file_size for part in file.infolist()) > LARGEST:
                raise ValueError("too large")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            card = json.loads(arrays["card"].tobytes())
            parts = {
                part: {name: arrays[f"{part}_{i}"] for i, name in enumerate(card["names"][part])}
                for part in ("attention", "roles", "masks")
            }
            found = History(
                arrays["step"],
                arrays["loss"],
                arrays["gradient_norm"],
                arrays["learning_rate"],
                arrays["picture_row"],
                arrays["accuracy"],
                parts["attention"],
                parts["roles"],
                parts["masks"],
                str(card["stopped"]),
            )
        _check(found)
        return snapshots_of(found)
    except (
        Exception
    ) as error:  # damage shows in many ways: zlib.error, NotImplementedError, MemoryError, TokenError ...
        why = " ".join(str(error).split()).rstrip(".")[:200] or type(error).__name__
        raise ValueError(f"history: expected a run's curve and pictures, got a damaged file ({why}).") from None


def _check(found: History) -> None:
    n, p = len(found.step), len(found.picture_row)
    for name, dtype in COLUMNS.items():
        column, length = getattr(found, name), p if name in ("picture_row", "accuracy") else n
        if column.dtype != dtype or column.shape != (length,):
            raise ValueError(f"{name} of shape {column.shape} and type {column.dtype}")
    if n == 0 or (np.diff(found.step) < 0).any() or found.step[0] < 0:
        raise ValueError("steps that are not in order")
    if (np.diff(found.picture_row) <= 0).any() or not ((found.picture_row >= 0) & (found.picture_row < n)).all():
        raise ValueError("pictures without a row")
    for kind, frames in found.attention.items():
        if frames.dtype != np.uint8 or frames.ndim != 5 or len(frames) != p:
            raise ValueError(f"attention {kind!r} of shape {frames.shape}")
    for kind, mask in found.masks.items():
        if kind not in found.attention or mask.dtype != np.bool_ or mask.shape != found.attention[kind].shape[-2:]:
            raise ValueError(f"a mask of {kind!r} that does not fit")
    for role, scores in found.roles.items():
        if scores.dtype != np.float32 or scores.ndim != 3 or len(scores) != p or not np.isfinite(scores).all():
            raise ValueError(f"role {role!r} of shape {scores.shape}")
