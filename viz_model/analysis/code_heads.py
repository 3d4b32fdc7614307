"""What the heads of the code model read on files that it never saw: brackets, line ends, indentation; and what simple
rules would find there.

The head and the fixed distance that are told of are chosen on one half of the windows and measured on the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from viz_model.analysis.code_reading import Aims, aims_in, characters_of
from viz_model.analysis.results import Result, named
from viz_model.checkpoint import load
from viz_model.tasks.code import HELD_OUT, OPENING, Code
from viz_model.tasks.names import make_task

MODEL = "code"
DISTANCES = (1, 10, 20, 128)  # characters from a closing bracket back to its opening one: the ends of the groups


@dataclass(frozen=True, slots=True)
class CodeLink(Result):
    """One kind of place that should be read, at every character that has one: of the half that is measured."""

    link: str  # "bracket", "line end", "indentation"
    n: int  # characters that have a right place to read
    layer: int
    head: int  # that reads a right place most often, on the other half
    exact: float  # share of the n at which this head reads a right place more than any other
    weight: float  # its mean weight on the right places
    chance: float  # share that a reader of random places would find
    distance: int
    fixed: float  # share that a reader of the place so many characters back would find: the best distance there is
    weights: tuple[tuple[float, ...], ...]  # [layer][head]  mean weight on the right places


@dataclass(frozen=True, slots=True)
class Near(Result):
    """Closing brackets by how far back the opening one is: at least `low`, less than `high` characters."""

    low: int
    high: int
    n: int
    exact: float  # of the bracket head


@dataclass(frozen=True, slots=True)
class CodeHeads(Result):
    """The whole measurement; `nearest` and what follows are of brackets."""

    model: str
    files: int
    windows: int  # of both halves
    links: tuple[CodeLink, ...]
    nearest: float  # share whose opening bracket is the nearest opening one before it, of whatever kind
    n_nested: int  # the others: something between was opened and closed again
    nested: float  # share of them that the bracket head finds
    by_distance: tuple[Near, ...]

    def of(self, link: str) -> CodeLink:
        """ValueError for a link that was not measured."""
        return named(self.links, "link", link)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The characters of some windows that have a right place to read."""

    row: Tensor  # [asked] window
    query: Tensor  # [asked] place in it
    keys: Tensor  # [asked, place] bool, the right ones
    weight: Tensor  # [asked, layer, head] on the right ones
    hit: Tensor  # [asked, layer, head] bool: the place read most is a right one

    def part(self, chosen: Tensor) -> Asked:
        """The asked of a bool mask."""
        return Asked(*(each[chosen] for each in (self.row, self.query, self.keys, self.weight, self.hit)))


def code_heads() -> CodeHeads:
    """The model that ships, on every window of its held-out files: about a minute on one core."""
    task, model = make_task(MODEL), load(MODEL)
    assert isinstance(task, Code)
    return measure(model, task)


@torch.inference_mode()
def measure(model: Any, task: Code) -> CodeHeads:
    """Any decoder of the task's characters. Raises ValueError where a half has no such character."""
    ids = task.every_window().ids
    by_id = characters_of(task.tokenizer, range(task.tokenizer.vocab_size))
    texts = [[by_id[i] for i in row] for row in ids.tolist()]
    aims = [aims_in(text) for text in texts]
    read = {name: _asked(model, ids, [of[name] for of in aims]) for name in aims[0]}
    links = tuple(_link(name, asked) for name, asked in read.items())
    bracket, found = links[0], read["bracket"].part(read["bracket"].row % 2 == 1)
    hit = found.hit[:, bracket.layer, bracket.head].double()
    back = found.query - found.keys.double().argmax(1)
    places = zip(found.row.tolist(), found.query.tolist(), strict=True)
    near = torch.tensor([nearest_opening(texts[row], at) for row, at in places])
    nested = near != found.keys.double().argmax(1)
    return CodeHeads(
        model=MODEL,
        files=sum(name in task.files for name in HELD_OUT),
        windows=len(ids),
        links=links,
        nearest=float((~nested).double().mean()),
        n_nested=int(nested.sum()),
        nested=float(hit[nested].mean()) if nested.any() else 0.0,
        by_distance=tuple(
            Near(low, high, int(inside.sum()), float(hit[inside].mean()) if inside.any() else 0.0)
            for low, high in pairwise(DISTANCES)
            for inside in [(back >= low) & (back < high)]
        ),
    )


def nearest_opening(text: Sequence[str], at: int) -> int:
    """The place of the last opening bracket before `at`, whatever it opens; -1 where there is none."""
    return next((i for i in range(at - 1, -1, -1) if text[i] and text[i] in OPENING), -1)


def _asked(model: Any, ids: Tensor, aims: Sequence[Aims]) -> Asked:
    """What every head reads at the characters that have a right place, window after window."""
    found = [(row, query, keys) for row, here in enumerate(aims) for query, keys in here]
    if not found:
        raise ValueError("windows: expected a character that has a right place to read, got none.")
    row, query = (torch.tensor([one[i] for one in found]) for i in (0, 1))
    keys = torch.zeros(len(found), ids.shape[1], dtype=torch.bool)
    for i, (_, _, right) in enumerate(found):
        keys[i, list(right)] = True
    weight, hit = [], []
    for start in range(0, len(ids), 64):
        here = (row >= start) & (row < start + 64)
        blocks = model(ids[start : start + 64]).blocks
        # [asked, layer, head, key]
        rows = torch.stack([block.attention.weights[row[here] - start, :, query[here]] for block in blocks], 1)
        weight.append((rows * keys[here, None, None]).sum(-1))
        hit.append(keys[here].gather(1, rows.argmax(-1).flatten(1)).reshape(rows.shape[:3]))
    return Asked(row, query, keys, torch.cat(weight), torch.cat(hit))


def _link(name: str, asked: Asked) -> CodeLink:
    even = asked.row % 2 == 0
    chosen, told = asked.part(even), asked.part(~even)
    if not len(chosen.row) or not len(told.row):
        raise ValueError(f"windows: expected some with a {name} to read in both halves, got one without.")
    rates = chosen.hit.double().mean(0)
    layer, head = divmod(int(rates.argmax()), rates.shape[1])
    distance = max(range(1, asked.keys.shape[1]), key=lambda back: _fixed(chosen, back))
    return CodeLink(
        link=name,
        n=len(told.row),
        layer=layer,
        head=head,
        exact=float(told.hit[:, layer, head].double().mean()),
        weight=float(told.weight[:, layer, head].double().mean()),
        chance=float((told.keys.sum(1).double() / (told.query + 1)).mean()),
        distance=distance,
        fixed=_fixed(told, distance),
        weights=tuple(tuple(row) for row in told.weight.double().mean(0).tolist()),
    )


def _fixed(asked: Asked, back: int) -> float:
    """The share that reads a right place by reading `back` characters before itself."""
    at = asked.query - back
    return float((asked.keys[torch.arange(len(at)), at.clamp(min=0)] & (at >= 0)).double().mean())
