"""What a run shows of its probe: when, how much, and whether it is true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from viz_model.tasks.english_french import EnglishFrench
from viz_model.tasks.task import Batch, Expected
from viz_model.training.recipe import Recipe
from viz_model.training.snapshot import PICTURES, picture_steps
from viz_model.training.trainer import Trainer

from .counting import LENGTH, TINY, Counting


@given(st.integers(1, 200_000))
def test_pictures_are_dense_at_the_start_bounded_and_of_both_ends(steps: int) -> None:
    at = sorted(picture_steps(steps))
    assert len(at) <= PICTURES
    assert (at[0], at[-1]) == (0, steps)
    gaps = np.diff(at)
    if steps < PICTURES:
        assert at == list(range(steps + 1))
    else:
        assert len(at) > PICTURES / 2
        assert gaps[0] <= 1 + steps / 1000
        assert gaps[-1] >= gaps[0]
        assert gaps.max() <= 3 * steps / PICTURES


def test_a_picture_comes_at_its_steps_and_only_there() -> None:
    recipe = replace(TINY, steps=300, batch_size=2)
    trainer = Trainer(recipe, Counting())
    assert trainer.look().picture is not None
    seen = [trainer.advance() for _ in range(recipe.steps)]
    assert {s.step for s in seen if s.picture is not None} == picture_steps(300) - {0}
    size = sum(array.nbytes for s in seen if s.picture for array in s.picture.attention.values())
    assert size <= PICTURES * 1 * 2 * LENGTH * LENGTH  # a byte for each layer, head, query and key


def test_looking_changes_nothing() -> None:
    def curve(*, watched: bool) -> list[tuple[float, float]]:
        trainer, found = Trainer(TINY, Counting(), seed=2), []
        for _ in range(20):
            if watched:
                trainer.look()
                trainer.picture()
            snapshot = trainer.advance(watched=watched)
            found.append((snapshot.loss, snapshot.gradient_norm))
        return found

    assert curve(watched=True) == curve(watched=False)


def test_a_look_is_at_the_model_as_it_stands() -> None:
    trainer = Trainer(TINY, Counting())
    for _ in range(3):
        trainer.advance()
    look = trainer.look()
    assert (look.step, trainer.step, look.tokens, look.stopped) == (3, 3, 0, "")
    _, batch = trainer.task.probe()
    with torch.inference_mode():
        trace = trainer.model(batch.ids)
        loss = trainer.task.loss(trainer.model, trainer.task.held_out())
    assert look.loss == pytest.approx(float(loss), abs=1e-6)
    assert look.picture is not None
    assert list(look.picture.attention) == ["self"]
    assert look.picture.accuracy == trainer.task.accuracy(trainer.model)
    found = look.picture.attention["self"]
    assert (found.dtype, found.shape) == (np.uint8, (1, 2, LENGTH, LENGTH))
    exact = torch.stack([block.attention.weights[0] for block in trace.blocks]).numpy()
    assert np.abs(found / 255 - exact).max() <= 0.5 / 255 + 1e-6


class Marked(Counting):
    """The right key of every query is the first; of the last two queries nobody knows one."""

    def expected(self, batch: Batch) -> tuple[Expected, ...]:
        keys = torch.zeros(len(batch.ids), LENGTH, LENGTH, dtype=torch.bool)
        keys[:, :-2, 0] = True
        return (Expected("the first", keys),)


def test_roles_are_those_of_hand_built_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = Trainer(replace(TINY, n_heads=4, n_layers=2), Marked())
    before, first, even, itself = (torch.zeros(LENGTH, LENGTH) for _ in range(4))
    for query in range(LENGTH):
        before[query, max(query - 1, 0)] = 1
        first[query, 0] = 1
        even[query, : query + 1] = 1 / (query + 1)
        itself[query, query] = 1
    heads = torch.stack([before, first, even, itself])
    real = trainer.model.forward

    def forward(*arguments: torch.Tensor) -> object:
        trace = real(*arguments)
        for layer, block in enumerate(trace.blocks):
            block.attention.weights[0] = heads.roll(layer, 0)
        return trace

    monkeypatch.setattr(trainer.model, "forward", forward)
    roles = trainer.picture().roles
    assert list(roles) == ["the first", "the token before"]
    # over queries 1 to 4 (one key only for query 0; no right key for 5 and 6), and queries 1 to 6
    share_first = np.mean([1 / (q + 1) for q in range(1, 5)])
    share_before = np.mean([1 / (q + 1) for q in range(1, 7)])
    of_first = [1 / 4, 1, share_first, 0]
    of_before = [1, 1 / 6, share_before, 0]
    for name, expected in (("the first", of_first), ("the token before", of_before)):
        assert roles[name].shape == (2, 4)
        assert roles[name][0] == pytest.approx(expected)
        assert roles[name][1] == pytest.approx(np.roll(expected, 1))


def test_a_pair_of_stacks_shows_three_kinds_of_attention() -> None:
    task = EnglishFrench()
    recipe = Recipe(
        **{"task": task.name, "d_model": 8, "n_layers": 2, "n_heads": 2, "d_ff": 8, "context_length": 64},  # type: ignore[arg-type]
        **{"steps": 4, "batch_size": 4},  # type: ignore[arg-type]
    )
    trainer = Trainer(recipe, task)
    picture, (_, batch) = trainer.picture(), task.probe()
    assert batch.target_ids is not None
    n, m = batch.ids.shape[1], batch.target_ids.shape[1]
    shapes = {name: array.shape for name, array in picture.attention.items()}
    assert shapes == {"encoder": (2, 2, n, n), "decoder": (2, 2, m, m), "cross": (2, 2, m, n)}
    with torch.inference_mode():
        trace = trainer.model(batch.ids, batch.target_ids, batch.present, batch.target_present)
    (aligned,) = (one for one in task.expected(batch) if one.attention == "cross")
    weights = torch.stack([block.cross_attention.weights[0] for block in trace.decoder.blocks])
    asked = aligned.keys[0].any(-1)
    by_hand = (weights * aligned.keys[0]).sum(-1)[:, :, asked].mean(-1)
    assert picture.roles[aligned.name] == pytest.approx(by_hand.numpy(), abs=1e-5)
