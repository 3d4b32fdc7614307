"""Makes the models that ship: `python -m viz_model.training.bundle [name ...]`.

Beside each stands history.npz: its curve and pictures through training. On one machine the same command writes the
same bytes.
"""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from pathlib import Path

import torch

from viz_model.checkpoint import BUNDLED, save
from viz_model.config import TransformerConfig
from viz_model.models import Decoder
from viz_model.tasks import english
from viz_model.tasks.code import Code
from viz_model.tasks.names import make_task
from viz_model.tokenizer import Tokenizer
from viz_model.training.history import write_history
from viz_model.training.recipe import recipes
from viz_model.training.trainer import Trainer

SEED = 0
UNTRAINED = "untrained"


def make(name: str, folder: Path) -> dict[str, float]:
    """Trains the named recipe; writes the model and its training to `folder`; returns the figures that it reached."""
    recipe = recipes[name]
    task = make_task(recipe.task)
    trainer = Trainer(recipe, task, seed=SEED)
    started, seen = time.perf_counter(), [trainer.look()]
    while not trainer.done:
        seen.append(snapshot := trainer.advance())
        if snapshot.stopped:
            raise SystemExit(snapshot.stopped)
        if snapshot.step % 250 == 0:
            rate = snapshot.step / (time.perf_counter() - started)
            print(f"{name} step {snapshot.step}: loss {snapshot.loss:.3f}, {rate:.0f} steps/s", flush=True)
    model = trainer.model
    figures = task.figures(model.eval())
    save(model, folder, recipe=asdict(recipe), seed=SEED, figures=figures)
    (folder / "history.npz").write_bytes(write_history(seen))
    if isinstance(task, Code):  # its texts are this Python's own
        (folder / "trained-on.txt").write_text(task.made_from(), encoding="utf-8")
    return figures


def make_untrained(folder: Path) -> None:
    """A model of random weights that reads any script: its vocabulary is bytes and the merges of English."""
    texts = [" ".join(sentence.words) for sentence in english.corpus(2000, seed=SEED)]
    tokenizer = Tokenizer.train("byte-bpe", texts, vocab_size=512)
    config = TransformerConfig(vocab_size=tokenizer.vocab_size, context_length=512)
    save(Decoder(config, seed=SEED, tokenizer=tokenizer), folder, seed=SEED)


def main(names: list[str]) -> None:
    torch.set_num_threads(1)  # one thread: the order of sums, and so the bits, do not depend on the machine's load
    for name in names or [*recipes, UNTRAINED]:
        if name == UNTRAINED:
            make_untrained(BUNDLED / name)
        elif name in recipes:
            for figure, value in make(name, BUNDLED / name).items():
                print(f"{name}: {figure}: {value:.4f}")
        else:
            raise SystemExit(f"name: expected one of {', '.join([*recipes, UNTRAINED])}, got {name!r}.")


if __name__ == "__main__":
    main(sys.argv[1:])
