"""The training view's payload: a run's curves and the probe's attention through training, in bytes for the browser.

The component (sources in `assets/training_view/`) draws them as charts over the steps, as a film of attention maps and
as a time bar. `byte_layout` tells how the bytes lie; the arrays:

    step                        i4 [row]; steps done
    loss gradient_norm learning_rate  f4 [row]; NaN where there is none
    row                         i4 [row]; which rows these are, where a long run is thinned
    picture_step                i4 [picture]
    accuracy                    f4 [picture]
    role/<i>                    f4 [picture, layer, head]; the i-th of header["roles"]
    frames/<kind>               u1 [picture, layer, head, query, key]; weights * 255
    mask/<kind>                 u1 [1, ceil(query * key / 8)]; bits, most significant first, 1 = may attend
    right/<kind>/<i>            u1 likewise, 1 = a right key; the i-th of the film's header["films"][..]["right"]
    compare/<c>/<name>          like the run's own, of the c-th of header["compare"]

A payload that begins later than at 0 is a delta: what is new in a run of which the browser has the beginning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from viz_model.figures.byte_layout import Payload, assemble, disassemble, packed_bits
from viz_model.figures.theme import DARK, LIGHT, Theme, view_colours, visible_token
from viz_model.figures.training_checks import check_run

VERSION = 1
ROWS_EXACT = 4_000  # up to so many steps the curves travel whole: 64 KB
ROWS_COMPARED = 1_000  # of a run that is drawn for comparison

RunState = Literal["recorded", "loaded", "starting", "running", "paused", "done", "stopped", "failed"]


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """One run's numbers.

    `step`, `loss`, `gradient_norm`, `learning_rate` have a row a step (step 0 first, where there is a look before
    training); NaN stands where there is no number. `picture_step`, `accuracy` (0..1) and each of `roles` (name ->
    [picture, layer, head], mean weight 0..1 on the keys of that role) have one a picture. `role_kinds` says of which
    kind of attention a role is, where the films' `right` does not.
    """

    name: str
    step: NDArray[np.int32]
    loss: NDArray[np.float32]
    gradient_norm: NDArray[np.float32]
    learning_rate: NDArray[np.float32]
    picture_step: NDArray[np.int32]
    accuracy: NDArray[np.float32]
    roles: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    role_kinds: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """The probe's attention through training, of one kind: 'self', 'encoder', 'decoder' or 'cross'.

    `frames` is uint8 [picture, layer, head, query, key], weight * 255. `mask` is bool [query, key], True = may attend.
    `right` names the known right attention: bool [query, key], True = a right key.
    """

    kind: str
    frames: NDArray[np.uint8]
    queries: Sequence[str]
    keys: Sequence[str]
    mask: NDArray[np.bool_] | None = None
    right: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)


def pack(
    run: str,
    track: Track,
    films: Sequence[Film] = (),
    *,
    total_steps: int,
    state: RunState,
    status: Mapping[str, str] | None = None,
    metric: str = "accuracy",
    compare: Sequence[Track] = (),
    first_row: int = 0,
    first_picture: int = 0,
    rows: int | None = None,
    pictures: int | None = None,
    kind: str | None = None,
    layer: int = 0,
    head: int = 0,
    title: str = "",
    caption: str = "",
    height: int = 470,
    themes: tuple[Theme, Theme] = (LIGHT, DARK),
) -> bytes:
    """The bytes that the training view draws.

    `run`: names the run; what is known of it in the browser stays while the name stays. `status`: small facts for the
    status line ('tokens a second' -> '52,000'). `metric`: what accuracy counts. `compare`: other runs' tracks, drawn
    dashed. `first_row`, `first_picture`: what `track` and `films` begin at; `rows`, `pictures`: how many the run has in
    all (None: these end it). `kind`, `layer`, `head`: the chosen head; fitted to what there is. `height`: of the large
    map, in CSS pixels. `caption` goes into exports.

    Raises ValueError where shapes, names and counts do not fit each other.
    """
    rows = first_row + len(track.step) if rows is None else rows
    pictures = first_picture + len(track.picture_step) if pictures is None else pictures
    if state not in get_args(RunState):
        raise ValueError(f"expected a state of {', '.join(get_args(RunState))}, got {state!r}")
    check_run(track, films, compare, (first_row, rows), (first_picture, pictures))
    arrays: dict[str, NDArray[Any]] = {}
    kept = thinned(track, ROWS_EXACT) if len(track.step) > ROWS_EXACT else None
    if kept is not None:
        arrays["row"] = (kept + first_row).astype(np.int32)
    _put_track(arrays, track, kept, "")
    for c, other in enumerate(compare):
        _put_track(arrays, other, thinned(other, ROWS_COMPARED), f"compare/{c}/")
    header: dict[str, Any] = {
        "version": VERSION,
        "run": run,
        "name": track.name,
        "first_row": first_row,
        "row_count": len(track.step),  # that this payload speaks of, before any thinning
        "first_picture": first_picture,
        "rows": rows,
        "pictures": pictures,
        "total_steps": total_steps,
        "state": state,
        "status": {} if status is None else dict(status),
        "metric": metric,
        "roles": list(track.roles),
        "role_kinds": dict(track.role_kinds),
        "films": [_put_film(arrays, film) for film in films],
        "compare": [{"name": other.name, "roles": list(other.roles)} for other in compare],
        "selection": _selection(films, kind, layer, head),
        "title": title,
        "caption": caption,
        "height": height,
        "colours": {theme.name: view_colours(theme) | {"series": theme.series} for theme in themes},
    }
    return assemble(header, arrays)


def unpack(payload: bytes) -> Payload:
    """The header and the arrays of a payload. Raises ValueError where the version is not the one written here."""
    return disassemble(payload, VERSION)


def thinned(track: Track, most: int) -> NDArray[np.intp]:
    """Rows of `track`, about `most` and in order, that draw the same curves.

    Of every stretch of steps the least and the greatest loss and the greatest gradient stay, so that no spike is lost;
    the first row, the last and those of pictures stay too.
    """
    count = len(track.step)
    if count <= most:
        return np.arange(count)
    pictured = np.flatnonzero(np.isin(track.step, track.picture_step))
    stretches = max(1, (most - 2 - len(pictured)) // 3)
    length = -(-count // stretches)
    starts = np.arange(0, count, length)
    kept = [pictured, np.array([0, count - 1])]
    for values in (-track.loss, track.loss, track.gradient_norm):
        # What is not a number would win every comparison; the last stretch may be short.
        padded = np.full(len(starts) * length, -np.inf, np.float32)
        padded[:count] = np.where(np.isnan(values), -np.inf, values)
        kept.append(starts + padded.reshape(-1, length).argmax(axis=1))
    return np.unique(np.concatenate(kept))


def _put_track(arrays: dict[str, NDArray[Any]], track: Track, kept: NDArray[np.intp] | None, prefix: str) -> None:
    for name in ("step", "loss", "gradient_norm", "learning_rate"):
        values = np.asarray(getattr(track, name), dtype=np.int32 if name == "step" else np.float32)
        arrays[prefix + name] = values if kept is None else values[kept]
    arrays[f"{prefix}picture_step"] = np.asarray(track.picture_step, dtype=np.int32)
    arrays[f"{prefix}accuracy"] = np.asarray(track.accuracy, dtype=np.float32)
    for i, scores in enumerate(track.roles.values()):
        arrays[f"{prefix}role/{i}"] = np.asarray(scores, dtype=np.float32)


def _put_film(arrays: dict[str, NDArray[Any]], film: Film) -> dict[str, Any]:
    cells = len(film.queries) * len(film.keys)
    arrays[f"frames/{film.kind}"] = np.asarray(film.frames)
    if film.mask is not None and not np.all(film.mask):
        arrays[f"mask/{film.kind}"] = packed_bits(film.mask, cells)
    for i, keys in enumerate(film.right.values()):
        arrays[f"right/{film.kind}/{i}"] = packed_bits(keys, cells)
    return {
        "kind": film.kind,
        "layers": film.frames.shape[1],
        "heads": film.frames.shape[2],
        "queries": [visible_token(token) for token in film.queries],
        "keys": [visible_token(token) for token in film.keys],
        "right": list(film.right),
    }


def _selection(films: Sequence[Film], kind: str | None, layer: int, head: int) -> dict[str, Any]:
    """The chosen head; a link from another model may name one that this one has not."""
    if not films:  # a delta without a picture changes no choice
        return {"kind": kind, "layer": max(layer, 0), "head": max(head, 0)}
    film = next((each for each in films if each.kind == kind), films[0])
    _, layers, heads = film.frames.shape[:3]
    return {"kind": film.kind, "layer": min(max(layer, 0), layers - 1), "head": min(max(head, 0), heads - 1)}
