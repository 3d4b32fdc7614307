"""A run as one file: weights, optimiser, curve, pictures, and one's own text where it learned from that.

safetensors, with JSON in its metadata; never pickle. `state.py` writes the part that goes on training.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from viz_model.tasks.names import make_task
from viz_model.tasks.own_text import OwnText
from viz_model.tasks.task import Task
from viz_model.training.history import read_history, write_history
from viz_model.training.recipe import Recipe
from viz_model.training.recipe_words import changed, words_for
from viz_model.training.snapshot import Snapshot
from viz_model.training.state import load_run, read_recipe
from viz_model.training.trainer import Trainer
from viz_model.training.watched import watched

LARGEST = 64_000_000  # bytes of a file that is read at all
LARGEST_VOCABULARY = 100_000
_HISTORY, _TEXT = "history", "own_text"
_FOREIGN = ((b"PK", "a zip archive, as torch.save writes"), (b"\x80", "a pickle"), (b"{", "a JSON text"))


@dataclass(frozen=True, slots=True, eq=False)
class Saved:
    """A run that was read from a file."""

    recipe: Recipe
    seed: int
    task: Task
    own: OwnText | None
    snapshots: list[Snapshot]
    state: bytes  # for `Runner.start` and `load_run`
    model: Any  # in eval mode


def write_run(state: bytes, snapshots: Sequence[Snapshot], own: OwnText | None = None) -> bytes:
    """The file: what `save_run` gave, and what was seen of the run up to there."""
    tensors = load_tensors(state)
    tensors[_HISTORY] = _bytes(write_history(snapshots))
    metadata = _metadata(state)
    if own is not None:
        tensors[_TEXT] = _bytes(own.text.encode())
        metadata[_TEXT] = json.dumps({name: value for name, value in asdict(own).items() if name != "text"})
    return save_tensors(tensors, metadata)


def read_run(data: bytes) -> Saved:
    """What `write_run` wrote. Raises ValueError, one plain sentence, for any other or a damaged file."""
    if not data:
        raise ValueError("run: expected a run that was saved here (safetensors), got an empty file.")
    if len(data) > LARGEST:
        raise ValueError(f"run: expected a file of at most {LARGEST // 1_000_000} MB, got {len(data) / 1e6:.0f} MB.")
    try:
        recipe = read_recipe(data)
    except ValueError:
        # A safetensors file begins with the length of its header, which may look like these but is no longer than it.
        headed = int.from_bytes(data[:8], "little") <= len(data) - 8
        for start, kind in _FOREIGN:
            if data.startswith(start) and not headed:
                raise ValueError(f"run: expected a run that was saved here (safetensors), got {kind}.") from None
        raise
    changed(recipe, words_for(recipe, Recipe(task=recipe.task)))  # sizes that a server of ours trains
    own = _own_text(data)
    task = own.task() if own else make_task(recipe.task)
    trainer = load_run(data, task)
    seen = _snapshots(load_tensors(data).get(_HISTORY), trainer)
    return Saved(recipe, trainer.seed, task, own, seen, data, trainer.model.eval().requires_grad_(False))


def model_of(state: bytes, task: Task) -> Any:
    """The model of a saved run, to be looked at: in eval mode, its weights frozen."""
    return load_run(state, task).model.eval().requires_grad_(False)


def _snapshots(kept: torch.Tensor | None, trainer: Trainer) -> list[Snapshot]:
    """What was seen of the run up to its saved step, and of this run indeed."""
    if kept is None:
        return [trainer.look()]
    if kept.dtype != torch.uint8:
        raise ValueError("run: expected its curve as bytes, got a damaged file.")
    # The step that was no longer finite was seen and not done.
    seen = [one for one in read_history(kept.numpy().tobytes()) if one.step <= trainer.step + bool(trainer.stopped)]
    if not seen or trainer.stopped != seen[-1].stopped:
        raise ValueError("run: expected a curve that reaches the saved step, got another.")
    heads = trainer.recipe.n_layers, trainer.recipe.n_heads
    sides = watched(trainer.task) if trainer.recipe.body == "transformer" else {}
    shapes = {kind: (*heads, len(side.queries), len(side.keys)) for kind, side in sides.items()}
    for picture in (one.picture for one in seen if one.picture is not None):
        found = {kind: frames.shape for kind, frames in picture.attention.items()}
        if found != shapes or any(scores.shape != heads for scores in picture.roles.values()):
            raise ValueError("run: expected the pictures of this run, got those of another.")
    return seen


def _own_text(data: bytes) -> OwnText | None:
    card = _metadata(data).get(_TEXT)
    if card is None:
        return None
    try:
        own = OwnText(load_tensors(data)[_TEXT].numpy().tobytes().decode(), **json.loads(card))
        kinds = type(own.objective), type(own.tokenizer), type(own.window)
        size = own.vocab_size
        if kinds != (str, str, int) or not (size is None or (type(size) is int and 1 <= size <= LARGEST_VOCABULARY)):
            raise ValueError(f"made by {card[:100]}")
        return own
    except (SafetensorError, KeyError, TypeError, ValueError, RecursionError) as error:
        why = " ".join(str(error).split()).rstrip(".")[:200]
        raise ValueError(f"run: expected the text that it learned from, got a damaged file ({why}).") from None


def _metadata(data: bytes) -> dict[str, str]:
    length = int.from_bytes(data[:8], "little")
    found: dict[str, str] = json.loads(data[8 : 8 + length])["__metadata__"]
    return found


def _bytes(data: bytes) -> torch.Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8)
