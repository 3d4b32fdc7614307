"""Five kinds of positions: trained alike, and what each does beyond the trained length."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from viz_model.analysis.extrapolation import PositionLoss, loss_by_position
from viz_model.tasks.letter_chain import LENGTH, LetterChain
from viz_model.tasks.names import HOMES
from viz_model.training.position_recipes import KINDS, LONGEST, TRAINED, position_recipes
from viz_model.training.recipe import Recipe
from viz_model.training.trainer import Trainer


def test_they_differ_in_their_positions_alone() -> None:
    assert tuple(position_recipes) == KINDS
    assert TRAINED == LENGTH
    for kind, recipe in position_recipes.items():
        assert recipe.position == kind
        assert recipe.task in HOMES
        assert recipe.context_length == (TRAINED if kind == "learned" else LONGEST)
        alike = replace(recipe, position="none", context_length=LONGEST)
        assert asdict(alike) == asdict(position_recipes["none"])


def trained(recipe: Recipe, task: LetterChain) -> PositionLoss:
    torch.set_num_threads(1)
    trainer = Trainer(recipe, task, seed=0)
    while not trainer.done:
        assert not trainer.advance(watched=False).stopped
    return loss_by_position(trainer.model.eval(), task.long_texts(LONGEST, n=256))


@pytest.fixture(scope="module")
def found() -> dict[str, PositionLoss]:
    task = LetterChain()
    return {kind: trained(recipe, task) for kind, recipe in position_recipes.items()}


def test_all_but_none_come_close_to_the_best_within_the_trained_length(found: dict[str, PositionLoss]) -> None:
    best = LetterChain().best_loss
    for kind, losses in found.items():
        within = losses.mean(2, TRAINED)
        assert best - 0.03 < within < best + (0.4 if kind == "none" else 0.16), kind


def test_beyond_it_only_alibi_goes_on(found: dict[str, PositionLoss]) -> None:
    chance = LetterChain().chance_loss
    assert found["alibi"].mean(64, LONGEST) < found["alibi"].mean(2, TRAINED) + 0.1
    assert found["sinusoidal"].mean(40, 64) > chance  # worse than knowing nothing
    assert found["rotary"].mean(64, LONGEST) > chance
    assert found["rotary"].mean(TRAINED, TRAINED + 4) < 1.3  # it holds a little longer than the sinusoids
    assert found["sinusoidal"].mean(TRAINED + 4, TRAINED + 8) > 1.5
    assert found["none"].mean(64, LONGEST) > found["none"].mean(2, TRAINED) + 0.4


def test_learned_positions_end_with_their_table(found: dict[str, PositionLoss]) -> None:
    learned = found["learned"]
    assert learned.readable == TRAINED
    np.testing.assert_array_equal(np.isnan(learned.loss), learned.position >= TRAINED)
