"""Made-up runs for the training view's tests: no two frames, heads or rows of them are alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from viz_model.figures.training_view import Film, Track, pack


def track_of(rows: int, pictures: int, *, name: str = "seed 0", layers: int = 2, heads: int = 3) -> Track:
    """`rows` steps from 0 on with a falling loss, `pictures` of them pictured, two roles of which one rises."""
    generator = np.random.default_rng(rows)
    step = np.arange(rows, dtype=np.int32)
    # Dense at the start, as the trainer takes them; the first and the last row are among them.
    picture_step = np.unique(np.round((rows - 1) * np.linspace(0, 1, pictures) ** 1.5)).astype(np.int32)
    while len(picture_step) < pictures:
        missing = np.setdiff1d(step, picture_step)[: pictures - len(picture_step)]
        picture_step = np.union1d(picture_step, missing).astype(np.int32)
    nothing = np.where(step == 0, np.nan, 1.0)
    risen = np.linspace(0, 1, pictures)[:, None, None] * np.linspace(0.2, 0.9, layers * heads).reshape(layers, heads)
    return Track(
        name,
        step,
        (4 * np.exp(-5 * step / rows) + generator.random(rows) / 10).astype(np.float32),
        ((1 + generator.random(rows)) * nothing).astype(np.float32),
        (1e-3 * nothing).astype(np.float32),
        picture_step,
        np.linspace(0, 1, pictures).astype(np.float32),
        {
            "meant": risen.astype(np.float32),
            "the token before": generator.random((pictures, layers, heads)).astype(np.float32),
        },
    )


def cut(track: Track, start: int, end: int) -> Track:
    """The rows `start` to `end` of a track whose steps are its rows, and their pictures."""
    first, last = np.searchsorted(track.picture_step, (start, end))
    rows = {name: getattr(track, name)[start:end] for name in ("step", "loss", "gradient_norm", "learning_rate")}
    pictures = {name: getattr(track, name)[first:last] for name in ("picture_step", "accuracy")}
    roles = {name: scores[first:last] for name, scores in track.roles.items()} if last > first else {}
    return replace(track, **rows, **pictures, roles=roles)


def film_of(track: Track, *, queries: int = 4, keys: int = 4, layers: int = 2, heads: int = 3) -> Film:
    """A film of `track`'s pictures: random frames; the right key of a query is the one of its own number."""
    shape = (len(track.picture_step), layers, heads, queries, keys)
    frames = np.random.default_rng(7).integers(0, 256, shape, dtype=np.uint8)
    right = np.eye(queries, keys, dtype=bool)
    tokens = [[f"{side}{i}" for i in range(count)] for side, count in (("q", queries), ("k", keys))]
    return Film("self", frames, *tokens, None, {"meant": right})


TRACK = track_of(31, 12)
FILM = film_of(TRACK)
STEPS: list[int] = TRACK.picture_step.tolist()


def whole(track: Track = TRACK, films: Any = (FILM,), **options: Any) -> bytes:
    return pack(options.pop("run", "run"), track, films, **{"total_steps": 30, "state": "recorded", **options})


def part(start: int, end: int, **options: Any) -> bytes:
    """Rows `start` to `end` of TRACK with their pictures, as a delta of a live run."""
    first, last = (int((TRACK.picture_step < step).sum()) for step in (start, end))
    track = cut(TRACK, start, end)
    film = replace(FILM, frames=FILM.frames[first:last])
    counts = {"first_row": start, "first_picture": first, "rows": end, "pictures": last}
    return whole(track, [film], **{"state": "running", **counts, **options})


def shown(weight: np.uint8) -> str:
    """As JavaScript's toFixed(2) writes a float32 of weight / 255."""
    return f"{np.float32(weight / 255):.2f}"
