"""The example that is watched while a model learns: its tokens along both sides, and the right keys where known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viz_model.tasks.task import Task


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """One kind of attention of the watched example: 'self', or 'encoder', 'decoder', 'cross'."""

    queries: tuple[str, ...]
    keys: tuple[str, ...]
    right: Mapping[str, NDArray[np.bool_]]  # name of a link -> [query, key], True = a right key


def watched(task: Task) -> dict[str, Watched]:
    """By kind of attention, as a `Picture` names them."""
    probe, batch = task.probe()
    read = probe.tokens
    if batch.target_ids is None:
        sides = {"self": (read, read)}
    else:
        assert probe.target_tokens is not None
        written = probe.target_tokens
        sides = {"encoder": (read, read), "decoder": (written, written), "cross": (written, read)}
    right: dict[str, dict[str, NDArray[np.bool_]]] = {kind: {} for kind in sides}
    for one in task.expected(batch):
        right["cross" if one.attention == "cross" else one.stack or "self"][one.name] = one.keys[0].numpy()
    return {kind: Watched(*both, right[kind]) for kind, both in sides.items()}
