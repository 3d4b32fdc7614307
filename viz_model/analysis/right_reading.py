"""How much of their attention heads give to the words that are known to be right, over many texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from viz_model.analysis.results import Result
from viz_model.checkpoint import load
from viz_model.tasks.names import make_task
from viz_model.tasks.task import Batch, Expected

N = 200  # held-out texts
APPLICATIONS = ("question-answering", "sentiment", "summarising", "english-french")


@dataclass(frozen=True, slots=True)
class HeadReading(Result):
    """One link of one model: how much each head reads what it should."""

    model: str
    link: str  # 'what is asked about'
    n: int  # held-out texts
    weight: tuple[tuple[float, ...], ...]  # [layer][head]  mean weight on the right words

    @property
    def best(self) -> tuple[int, int]:
        """(layer, head) of the most weight."""
        return max(
            ((layer, head) for layer, row in enumerate(self.weight) for head in range(len(row))),
            key=lambda at: self.weight[at[0]][at[1]],
        )


@dataclass(frozen=True, slots=True)
class HeadReadings(Result):
    """All links of some models."""

    readings: tuple[HeadReading, ...]

    def of(self, model: str) -> tuple[HeadReading, ...]:
        """The links of one model, in its task's order."""
        return tuple(one for one in self.readings if one.model == model)


def application_heads() -> HeadReadings:
    """The models of the applications, on held-out texts of their tasks."""
    found = []
    for name in APPLICATIONS:
        task: Any = make_task(name)
        model = load(name)
        batch = task.encode(task.held_out_examples[:N]) if hasattr(task, "held_out_examples") else task.held_out()
        for expected in task.expected(batch):
            weight = right_reading(model, batch, expected)
            rows = tuple(tuple(row) for row in weight.tolist())
            found.append(HeadReading(name, expected.name, len(batch.ids), rows))
    return HeadReadings(tuple(found))


@torch.inference_mode()
def right_reading(model: Any, batch: Batch, expected: Expected) -> Tensor:
    """Mean weight of each head on the right keys, [layer, head], over the queries that have one.

    Raises ValueError where no query of the batch has a right key.
    """
    has_key = expected.keys.any(2)
    if not has_key.any():
        raise ValueError(f"expected: a query with a right key for {expected.name!r}, got none.")
    if batch.target_ids is None:
        blocks = model(batch.ids, batch.present).blocks
    else:
        trace = model(batch.ids, batch.target_ids, batch.present, batch.target_present)
        blocks = trace.encoder.blocks if expected.stack == "encoder" else trace.decoder.blocks
    weights = [
        (block.cross_attention if expected.attention == "cross" else block.attention).weights for block in blocks
    ]
    on_key = [(each * expected.keys[:, None]).sum(-1).transpose(1, 2)[has_key].mean(0) for each in weights]
    return torch.stack(on_key)
