"""Copying that heads share: on held-out texts, what the best head reads of the word to copy, and what any head does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from viz_model.analysis.results import Result
from viz_model.analysis.right_reading import N
from viz_model.checkpoint import load
from viz_model.tasks.names import make_task
from viz_model.tasks.task import Batch

MODEL = "summarising"


@dataclass(frozen=True, slots=True)
class SharedCopying(Result):
    """Over all words to copy. `one`: the head that reads them best on average; `any`: for each word its own best."""

    model: str
    texts: int
    words: int  # to copy
    heads: int
    layer: int
    head: int
    one: float  # mean weight on the word to copy
    any: float
    sum: float  # of all heads together, from 0 to `heads`
    one_most: float  # share of the words that the head reads more than any other token
    any_most: float  # share that some head does
    elsewhere: float  # what `any` is for the other tokens of the texts: with so many heads one reads any token a little


def shared_copying() -> SharedCopying:
    """The model that ships."""
    task: Any = make_task(MODEL)
    return measure(load(MODEL), task.encode(task.held_out_examples[:N]), task)


@torch.inference_mode()
def measure(model: Any, batch: Batch, task: Any) -> SharedCopying:
    """Any encoder-decoder on a batch of the task. ValueError where there is no word to copy."""
    assert batch.target_ids is not None
    (expected,) = task.expected(batch)
    rows, queries = expected.keys.any(2).nonzero(as_tuple=True)
    if not len(rows):
        raise ValueError("batch: expected a word to copy, got none.")
    trace = model(batch.ids, batch.target_ids, batch.present, batch.target_present)
    # [word, layer, head, source]
    weights = torch.stack([block.cross_attention.weights[rows, :, queries] for block in trace.decoder.blocks], 1)
    right = expected.keys[rows, queries]
    on_word = (weights * right[:, None, None]).sum(-1)
    most = right.gather(1, weights.argmax(-1).flatten(1)).reshape(weights.shape[:3])
    means = on_word.double().mean(0)
    layer, head = divmod(int(means.argmax()), means.shape[1])
    others = batch.present[rows] & ~right
    return SharedCopying(
        model=MODEL,
        texts=len(batch.ids),
        words=len(rows),
        heads=means.numel(),
        layer=layer,
        head=head,
        one=float(means[layer, head]),
        any=_mean(on_word.flatten(1).amax(1)),
        sum=_mean(on_word.flatten(1).sum(1)),
        one_most=_mean(most[:, layer, head]),
        any_most=_mean(most.flatten(1).any(1)),
        elsewhere=_mean(weights.flatten(1, 2).amax(1)[others]),
    )


def _mean(values: Tensor) -> float:
    return float(values.double().mean())
