"""What a picture shows of a trace's weights: all of it, or with tokens hidden, words merged, a range alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viz_model.analysis import hide, merge_words, token_range, word_groups
from viz_model.blocks import BlockTrace
from viz_model.models import StackTrace
from viz_model.token_display import bytes_label
from viz_model.tokenizer import Encoding

REST = "rest"


@dataclass(frozen=True, slots=True)
class Lens:
    """How to look. The numbers of the model stay; what is hidden is said."""

    hide_specials: bool = False
    renormalise: bool = False  # visible weights grow to sum to 1; otherwise rows sum to less
    merge_words: bool = False
    first: int = 0
    last: int = 0  # the last position shown; 0: to the end


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Weights ready for a picture, and which positions each row and column stands for."""

    weights: tuple[NDArray[np.float32], ...]  # a layer: [head, row, column]
    mask: NDArray[np.bool_]  # [row, column]
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    rows: tuple[range, ...]  # positions of each row
    columns: tuple[range, ...]  # positions of each column; an empty range is the rest
    hidden_mass: float  # mean weight of a shown row, over all heads, on hidden tokens; 0 where nothing is hidden


def shown(trace: StackTrace[BlockTrace], encoding: Encoding, lens: Lens) -> Shown:
    """The self-attention of a one-text trace, as the lens shows it."""
    layers = [block.attention.weights[0].numpy() for block in trace.blocks]
    mask: NDArray[np.bool_] = trace.blocks[0].attention.mask[0, 0].numpy()
    groups: tuple[range, ...] = tuple(range(i, i + 1) for i in range(len(encoding)))
    labels = trace.tokens
    hidden: list[NDArray[np.float32]] = []  # a layer: [head, position]  each token's weight on what is hidden
    if lens.hide_specials and any(encoding.special):
        specials = [i for i, special in enumerate(encoding.special) if special]
        hidden = [layer[:, :, specials].sum(-1) for layer in layers]
        layers = [hide(layer, specials, renormalise=lens.renormalise)[0] for layer in layers]
    if lens.merge_words:
        groups = word_groups(encoding.words)
        layers = [merge_words(layer, encoding.words) for layer in layers]
        mask = np.array([[mask[row.stop - 1, column.start] for column in groups] for row in groups])
        labels = tuple(_joined(labels, encoding, group) for group in groups)
    keep = [i for i, group in enumerate(groups) if not _is_hidden(group, encoding, lens)]
    layers = [layer[:, keep][:, :, keep] for layer in layers]
    mask = mask[np.ix_(keep, keep)]
    groups, labels = tuple(groups[i] for i in keep), tuple(labels[i] for i in keep)
    start, stop = _bounds(groups, lens)
    if (start, stop) == (0, len(groups)):
        return Shown(tuple(layers), mask, labels, labels, groups, groups, _mean_of_rows(hidden, groups))
    outside = np.concatenate((mask[start:stop, :start], mask[start:stop, stop:]), axis=1)
    return Shown(
        weights=tuple(token_range(layer[:, start:stop], start, stop) for layer in layers),
        mask=np.concatenate((mask[start:stop, start:stop], outside.any(axis=1, keepdims=True)), axis=1),
        queries=labels[start:stop],
        keys=(*labels[start:stop], REST),
        rows=groups[start:stop],
        columns=(*groups[start:stop], range(0)),
        hidden_mass=_mean_of_rows(hidden, groups[start:stop]),
    )


def place_of(position: int, groups: Sequence[range]) -> int | None:
    """Which row or column stands for a position; None where it is not shown."""
    return next((i for i, group in enumerate(groups) if position in group), None)


def _mean_of_rows(values: Sequence[NDArray[np.float32]], rows: Sequence[range]) -> float:
    """The mean over layers, heads and rows of values [head, position], a row being the mean of its positions."""
    means = [layer[:, row.start : row.stop].mean() for layer in values for row in rows]
    return float(np.mean(means)) if means else 0.0


def _joined(tokens: Sequence[str], encoding: Encoding, group: range) -> str:
    parts = [tokens[i] for i in group]
    if len(parts) > 1 and any("‹" in part for part in parts):  # pieces of a character, whole again together
        return bytes_label(b"".join(encoding.bytes[i] for i in group))
    return "".join([parts[0], *(part.removeprefix("##") for part in parts[1:])])


def _is_hidden(group: range, encoding: Encoding, lens: Lens) -> bool:
    return lens.hide_specials and all(encoding.special[i] for i in group)


def _bounds(groups: Sequence[range], lens: Lens) -> tuple[int, int]:
    last = lens.last or max((group.stop - 1 for group in groups), default=0)
    inside = [i for i, group in enumerate(groups) if lens.first <= group.start and group.stop - 1 <= last]
    return (inside[0], inside[-1] + 1) if inside else (0, len(groups))
