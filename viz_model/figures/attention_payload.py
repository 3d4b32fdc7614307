"""The attention view's payload: weights and tokens in, bytes for the browser out.

The component (sources in `assets/attention_view/`) draws the heads of all layers as a grid, one head as a heat map with
the query down the side and the key along the top, and as arcs. `byte_layout` tells how the bytes lie; the arrays:

    weights/<layer>/<head>  f4 [query, key]; exact: the chosen head always, every head of a small picture
    before/<layer>/<head>   f4 [query, key]; the same head before the edits, where given
    thumbnails              u1 [head of all layers in turn, row, column]; weights * 255, pooled by max; where not all
                            heads are exact
    mask                    u1 [1 or layer, ceil(query * key / 8)]; bits, most significant first, 1 = may attend
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from viz_model.figures.byte_layout import Payload, assemble, digest, disassemble, packed_bits
from viz_model.figures.theme import DARK, LIGHT, Theme, view_colours, visible_token

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

VERSION = 1
EXACT_CELLS = 65_536  # up to so many cells over all heads (256 KB) every head is sent exactly
THUMBNAIL_SIDE = 48
THUMBNAIL_BYTES = 360_000  # many heads share this, so that 24 x 16 heads get smaller thumbnails, not a larger payload
LONGEST = 512  # tokens a side: beyond, a picture of single cells says nothing and the exact head passes a megabyte


def pack(
    weights: Floats | Sequence[Floats],
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    mask: npt.NDArray[np.bool_] | None = None,
    layer: int = 0,
    head: int = 0,
    query: int | None = None,
    key: int | None = None,
    view: Literal["map", "arcs"] = "map",
    share: float = 1.0,
    roles: Sequence[Sequence[str | None]] | None = None,
    before: Floats | None = None,
    title: str = "",
    caption: str = "",
    model: str = "",
    height: int = 520,
    themes: tuple[Theme, Theme] = (LIGHT, DARK),
    exact_cells: int = EXACT_CELLS,
    thumbnails: Bytes | None = None,
) -> bytes:
    """The bytes that the attention view draws.

    `weights`: float32 [layer, head, query, key], or one [head, query, key] a layer (head counts may differ).
    `key_tokens`: None where the queries are the keys (self-attention).
    `mask`: bool, True = may attend, [query, key] or [layer, query, key]; axes of size 1 in front are dropped.
    `layer`, `head`, `query`, `key`: the selection. `view`: the first picture. `share`: 0.1..1, the part of each row's
    mass that the links shown reach. `roles`: [layer][head] short texts. `before`: [query, key], the chosen head before
    the edits. `title`: stands before the head's name. `caption` goes into exports (model, seed, text), `model` into
    file names. `height`: of the map's frame, in CSS pixels. `thumbnails`: what `thumbnails_of(weights)` gave, which
    spares its time where only the selection changes.

    Raises ValueError where shapes, tokens and selection do not fit each other, or weights are not finite.
    """
    layers = [np.asarray(each, dtype=np.float32) for each in weights]
    keys = query_tokens if key_tokens is None else key_tokens
    size = (len(query_tokens), len(keys))
    _check(layers, size, layer, head, query, key)
    arrays: dict[str, npt.NDArray[Any]] = {}
    small = sum(each.size for each in layers) <= exact_cells
    for i, each in enumerate(layers):
        for j in range(len(each)):
            if small or (i, j) == (layer, head):
                arrays[f"weights/{i}/{j}"] = _finite(each[j])
    if not small:
        arrays["thumbnails"] = thumbnails_of(layers) if thumbnails is None else thumbnails
    if before is not None:
        arrays[f"before/{layer}/{head}"] = _finite(np.asarray(before, dtype=np.float32))
        if before.shape != size:
            raise ValueError(f"expected `before` as [query, key] = {list(size)}, got {list(before.shape)}")
    if mask is not None and (packed := _packed_mask(mask, len(layers), size)) is not None:
        arrays["mask"] = packed
    queries_shown = [visible_token(token) for token in query_tokens]
    keys_shown = None if key_tokens is None else [visible_token(token) for token in key_tokens]
    header: dict[str, Any] = {
        "version": VERSION,
        "text": digest(json.dumps([queries_shown, keys_shown]).encode()),
        "title": title,
        "caption": caption,
        "model": model,
        "queries": queries_shown,
        "keys": keys_shown,
        "heads": [len(each) for each in layers],
        "selection": {"layer": layer, "head": head, "query": query, "key": key},
        "view": view,
        "share": min(1.0, max(0.1, share)),
        "roles": None if roles is None else [list(each) for each in roles],
        "height": height,
        "colours": {theme.name: view_colours(theme) for theme in themes},
    }
    return assemble(header, arrays)


def unpack(payload: bytes) -> Payload:
    """The header and the arrays of a payload. Raises ValueError where the version is not the one written here."""
    return disassemble(payload, VERSION)


def thumbnails_of(weights: Floats | Sequence[Floats]) -> Bytes:
    """Every head as a small picture: uint8 [head of all layers in turn, row, column], weights * 255, pooled by max.

    A side is at most 48 cells, less where many heads share the room. Raises ValueError on weights that are not finite.
    """
    heads = sum(len(each) for each in weights)
    side = min(THUMBNAIL_SIDE, math.isqrt(THUMBNAIL_BYTES // heads))
    pooled = [_pool(_pool(np.asarray(each), 1, side), 2, side) for each in weights]
    return np.rint(np.clip(_finite(np.concatenate(pooled)), 0, 1) * 255).astype(np.uint8)


def _pool(values: Floats, axis: int, most: int) -> Floats:
    """`values` with at most `most` entries along `axis`: the i-th is the maximum of i n / most to (i + 1) n / most."""
    count = values.shape[axis]
    if count <= most:
        return values
    starts = np.arange(most) * count // most
    ends = (np.arange(most) + 1) * count // most
    pooled: Floats = np.take(values, starts, axis=axis)
    for step in range(1, int((ends - starts).max())):
        np.maximum(pooled, np.take(values, np.minimum(starts + step, ends - 1), axis=axis), out=pooled)
    return pooled


def _check(
    layers: list[Floats], size: tuple[int, int], layer: int, head: int, query: int | None, key: int | None
) -> None:
    if not layers or 0 in size or max(size) > LONGEST:
        raise ValueError(f"expected at least one layer and 1 to {LONGEST} tokens a side, got {len(layers)} and {size}")
    for i, each in enumerate(layers):
        if each.ndim != 3 or len(each) == 0 or each.shape[1:] != size:
            raise ValueError(f"expected layer {i} as [head, query, key] with {size} tokens, got {list(each.shape)}")
    if not 0 <= layer < len(layers):
        raise ValueError(f"expected a layer from 0 to {len(layers) - 1}, got {layer}")
    for name, index, count in (("head", head, len(layers[layer])), ("query", query, size[0]), ("key", key, size[1])):
        if index is not None and not 0 <= index < count:
            raise ValueError(f"expected a {name} from 0 to {count - 1}, got {index}")


def _finite(values: Floats) -> Floats:
    if not np.isfinite(values).all():
        raise ValueError("expected finite weights, got NaN or infinity")
    return values


def _packed_mask(mask: npt.NDArray[np.bool_], layers: int, size: tuple[int, int]) -> Bytes | None:
    allowed = np.asarray(mask, dtype=bool)
    while allowed.ndim > 2 and allowed.shape[0] == 1:
        allowed = allowed[0]
    if allowed.shape not in (size, (layers, *size)):
        raise ValueError(f"expected a mask [query, key] = {list(size)} or one a layer, got {list(allowed.shape)}")
    if allowed.all():
        return None
    return packed_bits(allowed, size[0] * size[1])
