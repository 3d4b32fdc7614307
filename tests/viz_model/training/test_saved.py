"""A saved run: what was learned, seen and read comes back and goes on; any other file is refused in one sentence."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load as load_tensors

from viz_model.tasks.names import make_task
from viz_model.tasks.own_text import OwnText
from viz_model.tasks.task import Task
from viz_model.training.recipe import Recipe
from viz_model.training.saved import model_of, read_run, write_run
from viz_model.training.snapshot import Snapshot
from viz_model.training.state import load_run, save_run
from viz_model.training.trainer import Trainer

from .test_history import assert_same

SMALL = Recipe(
    task="copy", d_model=16, n_layers=2, n_heads=2, d_ff=16, context_length=32, steps=10, batch_size=8, warm_up=2
)
HEBREW = "בראשית ברא אלהים את השמים ואת הארץ והארץ היתה תהו ובהו וחשך על פני תהום\n" * 20
CHINESE = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳\n" * 40
TEXTS = {
    "Hebrew": OwnText(HEBREW),
    "Chinese": OwnText(CHINESE, objective="masked"),
    "bytes": OwnText("שלום, 世界! café 🤖\n" * 90, tokenizer="byte-bpe", vocab_size=300, window=16),
    "lost spans": OwnText(CHINESE, objective="denoising", window=32),
    "after a prefix": OwnText(HEBREW, objective="prefix", tokenizer="word", window=16),
}


@cache
def copying() -> Task:
    return make_task("copy")


def trained(recipe: Recipe, task: Task, steps: int, *, seed: int = 3) -> tuple[Trainer, list[Snapshot]]:
    """A trainer after so many steps, and what was seen of it."""
    trainer = Trainer(recipe, task, seed=seed)
    return trainer, [trainer.look(), *(trainer.advance() for _ in range(steps))]


def rest(trainer: Trainer) -> list[tuple[int, float, float, float]]:
    """The steps that are left, to the bit."""
    seen = []
    while not trainer.done:
        one = trainer.advance()
        seen.append((one.step, one.loss, one.gradient_norm, one.learning_rate))
    return seen


def of_text(own: OwnText) -> Recipe:
    return replace(SMALL, task=f"own-text-{own.objective}", context_length=80, position="rotary", steps=6)


def same_weights(one: Any, other: Any) -> bool:
    a, b = one.state_dict(), other.state_dict()
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def test_a_run_of_a_named_task_comes_back() -> None:
    trainer, seen = trained(SMALL, copying(), 6)
    state = save_run(trainer)
    found = read_run(write_run(state, seen))
    assert (found.recipe, found.seed, found.task.name, found.own) == (SMALL, 3, "copy", None)
    assert_same(found.snapshots, seen)
    assert found.snapshots[0].picture is not None
    assert found.snapshots[0].picture.masks["self"].tolist() == np.tri(18, dtype=bool).tolist()
    assert same_weights(found.model, trainer.model)
    assert not found.model.training
    assert not any(weight.requires_grad for weight in found.model.parameters())
    assert same_weights(model_of(state, copying()), trainer.model)


@pytest.mark.parametrize("at", [0, 1, 6, 10])
def test_going_on_from_the_file_is_the_run_that_never_stopped(at: int) -> None:
    whole, _ = trained(SMALL, copying(), 0)
    curve = rest(whole)
    half, seen = trained(SMALL, copying(), at)
    found = read_run(write_run(save_run(half), seen))
    again = load_run(found.state, found.task)
    assert [(s.step, s.loss, s.gradient_norm, s.learning_rate) for s in found.snapshots[1:]] + rest(again) == curve
    assert same_weights(again.model, whole.model)
    assert len({loss for _, loss, _, _ in curve}) == 10


def test_a_file_is_written_again_from_what_was_read_of_it() -> None:
    trainer, seen = trained(SMALL, copying(), 4)
    data = write_run(save_run(trainer), seen)
    found = read_run(data)
    again = read_run(write_run(found.state, found.snapshots, found.own))
    assert_same(again.snapshots, seen)
    assert rest(load_run(again.state, again.task)) == rest(trainer)


@pytest.mark.parametrize("name", TEXTS)
def test_a_run_of_ones_own_text_brings_its_text_along(name: str) -> None:
    own = TEXTS[name]
    task = own.task()
    half, seen = trained(of_text(own), task, 3)
    found = read_run(write_run(save_run(half), seen, own))
    assert found.own == own
    assert found.task.tokenizer.tokens == task.tokenizer.tokens
    assert_same(found.snapshots, seen)
    mine, theirs = found.task.probe(), task.probe()
    assert mine[0] == theirs[0]
    with torch.inference_mode():
        assert torch.equal(found.task.logits(found.model, mine[1]), task.logits(half.model.eval(), theirs[1]))
    assert rest(load_run(found.state, found.task)) == rest(half)


def test_the_file_is_safetensors_that_others_read() -> None:
    own = TEXTS["Hebrew"]
    trainer, seen = trained(of_text(own), own.task(), 2)
    tensors = load_tensors(write_run(save_run(trainer), seen, own))
    assert tensors["own_text"].numpy().tobytes().decode() == HEBREW
    for name, weight in trainer.model.state_dict().items():
        assert torch.equal(tensors[f"model.{name}"], weight)


def test_what_was_seen_after_the_saved_step_is_left_out() -> None:
    trainer, seen = trained(SMALL, copying(), 4)
    state = save_run(trainer)
    ahead = [*seen, *(trainer.advance() for _ in range(3))]
    assert_same(read_run(write_run(state, ahead)).snapshots, seen)


def test_a_saved_state_alone_is_a_run_whose_curve_is_what_it_is_now() -> None:
    trainer, _ = trained(SMALL, copying(), 4)
    found = read_run(save_run(trainer))
    assert [one.step for one in found.snapshots] == [4]
    assert_same(found.snapshots, [trainer.look()])


def test_a_run_that_diverged_still_says_so() -> None:
    recipe = replace(SMALL, optimiser="sgd", learning_rate=1000.0, warm_up=0, clip=1000.0, steps=200)
    trainer = Trainer(recipe, copying())
    seen = [trainer.look()]
    while not trainer.done:
        seen.append(trainer.advance())
    assert seen[-1].stopped.startswith(f"Step {seen[-1].step}: ")
    found = read_run(write_run(save_run(trainer), seen))
    assert_same(found.snapshots, seen)
    assert load_run(found.state, found.task).done
