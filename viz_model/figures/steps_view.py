"""The steps view's side of the server: which vector of each body can be computed when, for the browser to play."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from viz_model.figures.view_source import ASSETS

FOLDER = ASSETS / "steps_view"
Node = tuple[int, int]  # (layer, position), 0 the tokens


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """One body's vectors."""

    name: str
    n_layers: int
    step: Mapping[Node, int]  # when each vector can be computed at the earliest
    reads: Mapping[Node, Sequence[Node]]
    way: Sequence[Node]  # from the first token to the last output; empty where there is none


def pack(works: Sequence[Work], n: int, tick: int) -> str:
    """The payload: JSON with, for each body, steps and readings by [layer][position]."""
    bodies, end = [], 0
    for work in works:
        rows = [[work.step[layer, at] for at in range(n)] for layer in range(work.n_layers + 1)]
        reads = [[list(map(list, work.reads[layer, at])) for at in range(n)] for layer in range(work.n_layers + 1)]
        last = max(work.step.values())
        end = max(end, last)
        bodies.append(
            {"name": work.name, "steps": rows, "reads": reads, "way": list(map(list, work.way)), "last": last}
        )
    return json.dumps({"n": n, "tick": min(tick, end), "end": end, "bodies": bodies}, separators=(",", ":"))


def script() -> str:
    """The component's JavaScript."""
    return (FOLDER / "steps_view.js").read_text(encoding="utf-8")


def style() -> str:
    """The component's CSS."""
    return (FOLDER / "steps_view.css").read_text(encoding="utf-8")
