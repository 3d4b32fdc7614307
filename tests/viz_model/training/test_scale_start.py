"""Where the study 'scale' begins: the model that the trainer would make, measured before its first step."""

from __future__ import annotations

import pytest
import torch

from viz_model.tasks.names import make_task
from viz_model.training.scale_start import scaling_at_start
from viz_model.training.studies import STUDIES
from viz_model.training.trainer import Trainer


def test_both_runs_begin_with_the_same_dots_in_the_first_layer() -> None:
    recipes = STUDIES["scale"].recipes()
    found = {recipe.scaled: scaling_at_start(recipe, n_texts=4) for recipe in recipes.values()}
    assert [found[scaled].trained_scaled for scaled in (True, False)] == [True, False]
    for name in ("dots_variance", "dots_gradient", "scores_gradient"):
        assert getattr(found[True], name)[0, 0] == pytest.approx(getattr(found[False], name)[0, 0])
    task = make_task("induction")
    trainer = Trainer(recipes["divided by √d"], task, seed=0)
    with torch.no_grad():
        q = trainer.model.eval()(task.held_out().ids[:4]).blocks[0].attention.q
    assert found[True].q_size[0, 0] == pytest.approx(float(q[:, :, 1:].square().mean().sqrt()), rel=1e-4)
    assert found[True].scores_gradient[0, 0] > 2 * found[True].dots_gradient[0, 0]
