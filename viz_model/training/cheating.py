"""What the mask is for: the English -> French recipe trained with it and without it, and how each does at use.

And what the bundled model loses when it must write on from its own words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from viz_model.analysis.free_running import ByPosition, right_by_position
from viz_model.analysis.results import Result
from viz_model.analysis.translation import writing
from viz_model.checkpoint import load
from viz_model.tasks.english_french import LONGEST_TRAINED, PROBE, EnglishFrench, by_length
from viz_model.tasks.english_french_cheating import CheatingFrench, unmasked
from viz_model.tasks.task import Batch
from viz_model.training.recipe import recipes
from viz_model.training.trainer import Trainer

RECIPE = "english-french"
SEEDS = (0, 1, 2, 3, 4)  # the first one's runs are looked at closely
MOST = 16  # tokens of the watched sentence's French
FEWEST = 30  # texts that a position needs for its share to be told


@dataclass(frozen=True, slots=True)
class MaskRun(Result):
    """One training run, and its model on held-out pairs."""

    causal: bool  # trained with the mask
    loss: tuple[float, ...]  # of each training step, nats a token
    held_out_loss: float  # under the mask that it was trained with
    masked_loss: float  # with the causal mask
    forced_tokens: float  # share of next words right, reading the right ones, under its own mask
    whole: float  # share of whole sentences right, writing on its own
    writes: str  # its French for the watched sentence
    head: int  # of layer 0's self-attention of the decoder, the one that reads most of the next word
    on_next: float  # its mean weight there, on held-out pairs, under the mask that it was trained with
    tokens: tuple[str, ...]  # of the watched sentence's French, as the decoder reads it
    attention: tuple[tuple[float, ...], ...]  # [query, key]  that head on them


@dataclass(frozen=True, slots=True)
class SeedFigures(Result):
    """What one more pair of runs ends with: each number without the mask, and with it."""

    seed: int
    held_out_loss: tuple[float, float]  # under the mask that it was trained with
    whole: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Cheating(Result):
    """Both runs, the same with other seeds, and the bundled model with the mask taken off."""

    n_held_out: int
    runs: tuple[MaskRun, ...]  # of the first seed
    seeds: tuple[SeedFigures, ...]  # the first one too
    bundled_loss: float  # held-out, mask on
    bundled_unmasked_loss: float  # held-out, mask off


@dataclass(frozen=True, slots=True)
class Forcing(Result):
    """The bundled model by position of the target: right tokens, reading the right ones and reading its own."""

    group: str
    n_texts: int
    position: tuple[int, ...]
    n: tuple[int, ...]
    forced: tuple[float, ...]
    free: tuple[float, ...]
    forced_tokens: float
    free_tokens: float
    whole: float


@dataclass(frozen=True, slots=True)
class FreeRunning(Result):
    """Lengths as trained, and longer ones."""

    groups: tuple[Forcing, ...]


def cheating() -> Cheating:
    """Trains both runs with every seed and measures them."""
    right, cheat = EnglishFrench(), CheatingFrench()
    pairs = [(_run(cheat, right, seed), _run(right, right, seed)) for seed in SEEDS]
    seeds = tuple(
        SeedFigures(seed, (one.held_out_loss, other.held_out_loss), (one.whole, other.whole))
        for seed, (one, other) in zip(SEEDS, pairs, strict=True)
    )
    model, batch = load(RECIPE), right.held_out()
    with torch.inference_mode():
        on, off = (float(task.loss(model, batch)) for task in (right, cheat))
    return Cheating(len(batch.ids), pairs[0][::-1], seeds, on, off)


def free_running() -> FreeRunning:
    """The bundled model on held-out sentences of trained lengths and of longer ones."""
    task, model = EnglishFrench(), load(RECIPE)
    longer = task.encode([pair for n, some in by_length().items() if n > LONGEST_TRAINED for pair in some])
    return FreeRunning(
        (
            _forcing("as long as trained", right_by_position(model, task.held_out()), len(task.held_out().ids)),
            _forcing("longer than trained", right_by_position(model, longer), len(longer.ids)),
        )
    )


def _run(task: EnglishFrench, right: EnglishFrench, seed: int) -> MaskRun:
    trainer = Trainer(recipes[RECIPE], task, seed=seed)
    losses = []
    while not trainer.done:
        losses.append(trainer.advance(watched=False).loss)
    model, batch = trainer.model.eval(), right.held_out()
    probe, watched = task.probe()
    with torch.inference_mode():
        guesses = task.logits(model, batch)[batch.asked].argmax(-1)
        ahead = _ahead(task, model, batch)
        head = int(ahead.argmax())
        weights = _own_attention(task, model, watched)[0, head]
        return MaskRun(
            causal=task is right,
            loss=tuple(round(loss, 6) for loss in losses),
            held_out_loss=float(task.loss(model, batch)),
            masked_loss=float(right.loss(model, batch)),
            forced_tokens=float((guesses == batch.answers).double().mean()),
            whole=right_by_position(model, batch).free_whole,
            writes=" ".join(writing(model, PROBE, most=MOST).french),
            head=head,
            on_next=float(ahead.max()),
            tokens=probe.target_tokens or (),
            attention=tuple(tuple(round(weight, 5) for weight in row) for row in weights.tolist()),
        )


def _own_attention(task: EnglishFrench, model: Any, batch: Batch) -> Tensor:
    """The decoder's self-attention in layer 0, under the task's mask: [batch, head, query, key]."""
    read = unmasked(batch) if isinstance(task, CheatingFrench) else batch
    trace = model(read.ids, read.target_ids, read.present, read.target_present)
    found: Tensor = trace.decoder.blocks[0].attention.weights
    return found


def _ahead(task: EnglishFrench, model: Any, batch: Batch) -> Tensor:
    """Each head's mean weight on the token that is asked for, one position on: [head]; the last has none."""
    next_word = _own_attention(task, model, batch).diagonal(1, dim1=2, dim2=3)
    return next_word.transpose(1, 2)[batch.asked[:, 1:]].mean(0)


def _forcing(group: str, found: ByPosition, n_texts: int) -> Forcing:
    shown = found.n >= FEWEST
    forced, free = (float(np.average(share, weights=found.n)) for share in (found.forced, found.free))

    def kept(numbers: Any) -> tuple[Any, ...]:
        return tuple(numbers[shown].tolist())

    return Forcing(
        group=group,
        n_texts=n_texts,
        position=kept(np.arange(len(found.n))),
        n=kept(found.n),
        forced=kept(found.forced),
        free=kept(found.free),
        forced_tokens=forced,
        free_tokens=free,
        whole=found.free_whole,
    )
