"""What a training view's tracks and films must be: every error says what was expected and what came."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from viz_model.figures.training_payload import Film, Track

LONGEST = 256  # tokens a side: a film of 120 pictures of more would be hundreds of megabytes


def check_run(
    track: Track,
    films: Sequence[Film],
    compare: Sequence[Track],
    rows: tuple[int, int],
    pictures: tuple[int, int],
) -> None:
    """Raises ValueError where something does not fit; `rows` and `pictures` are (first, how many in all)."""
    for each in (track, *compare):
        _check_track(each)
    for what, (first, total), count in (("row", rows, len(track.step)), ("picture", pictures, len(track.picture_step))):
        if first < 0 or first + count > total:
            raise ValueError(f"expected {what}s from 0 to {total} in all, got {count} that begin at {first}")
    kinds = [film.kind for film in films]
    if len(set(kinds)) < len(kinds):
        raise ValueError(f"expected every kind of film once, got {', '.join(kinds)}")
    for film in films:
        _check_film(film, len(track.picture_step))


def _check_track(track: Track) -> None:
    for name in ("loss", "gradient_norm", "learning_rate"):
        if getattr(track, name).shape != track.step.shape or track.step.ndim != 1:
            shapes = f"{list(getattr(track, name).shape)} for {list(track.step.shape)}"
            raise ValueError(f"{track.name}: expected one {name} a row, got {shapes}")
    if track.accuracy.shape != track.picture_step.shape or track.picture_step.ndim != 1:
        shapes = f"{list(track.accuracy.shape)} for {list(track.picture_step.shape)}"
        raise ValueError(f"{track.name}: expected one accuracy a picture, got {shapes}")
    for steps in (track.step, track.picture_step):
        if (np.diff(steps) <= 0).any():
            raise ValueError(f"{track.name}: expected steps that rise, got {steps.tolist()[:12]}")
    for name, scores in track.roles.items():
        if scores.ndim != 3 or len(scores) != len(track.picture_step):
            expected = f"[{len(track.picture_step)} pictures, layer, head]"
            raise ValueError(f"{track.name}: expected the role {name!r} as {expected}, got {list(scores.shape)}")


def _check_film(film: Film, pictures: int) -> None:
    size = (len(film.queries), len(film.keys))
    if 0 in size or max(size) > LONGEST:
        raise ValueError(f"{film.kind}: expected 1 to {LONGEST} tokens a side, got {size}")
    frames = film.frames
    if frames.dtype != np.uint8:
        raise ValueError(f"{film.kind}: expected frames as uint8, weight * 255, got {frames.dtype}")
    if frames.ndim != 5 or len(frames) != pictures or frames.shape[3:] != size or 0 in frames.shape[1:]:
        expected = f"[{pictures} pictures, layer, head, {size[0]} queries, {size[1]} keys]"
        raise ValueError(f"{film.kind}: expected frames as {expected}, got {list(frames.shape)}")
    named = [("the mask", film.mask), *((f"the right keys {name!r}", keys) for name, keys in film.right.items())]
    for what, cells in named:
        if cells is not None and cells.shape != size:
            raise ValueError(f"{film.kind}: expected {what} as [query, key] = {list(size)}, got {list(cells.shape)}")
