"""Gradients by depth on real runs: what residual connections and norms are for, as claims that could be false."""

from dataclasses import replace

import pytest
import torch

from viz_model.analysis import gradient_by_depth
from viz_model.config import TransformerConfig
from viz_model.tasks.english_french import EnglishFrench
from viz_model.tasks.symbols import Copy
from viz_model.training.build import build, shape
from viz_model.training.depth import (
    BASE,
    DepthResults,
    DepthSnapshot,
    depth_recipe,
    depth_results,
    gradient_at_start,
    gradients_while_training,
    variants,
)
from viz_model.training.recipe import Recipe
from viz_model.training.trainer import Trainer

from .counting import TINY, Counting

SEEDS = (0, 1, 2)
COPY = Copy()


def fall(variant: str, n_layers: int, seed: int, **options: bool) -> float:
    """Gradient at the first block's input over that at the last one's output."""
    return gradient_at_start(depth_recipe(variant, n_layers), COPY, seed=seed, **options).first_to_last


@pytest.mark.parametrize("seed", SEEDS)
def test_with_residual_connections_the_gradient_reaches_the_first_of_24_layers(seed: int) -> None:
    for variant in ("pre-norm", "post-norm", "pre-norm, RMSNorm", "no norm"):
        assert 0.5 < fall(variant, 24, seed) < 5


@pytest.mark.parametrize("seed", SEEDS)
def test_without_either_the_gradient_vanishes_exponentially(seed: int) -> None:
    falls = [fall("neither", n, seed) for n in (6, 12, 24)]
    assert falls[0] < 0.1
    assert falls[1] < 2e-3
    assert falls[2] < 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_without_norms_a_start_that_does_not_allow_for_depth_explodes(seed: int) -> None:
    assert fall("no norm", 24, seed, small_start=False) > 1e4
    assert fall("pre-norm", 24, seed, small_start=False) < 50


def test_the_small_start_is_the_models_own() -> None:
    recipe = depth_recipe("pre-norm", 3)
    batch = COPY.batch(recipe.batch_size, torch.Generator().manual_seed(5))
    own = gradient_by_depth(build(recipe, COPY, seed=5), lambda model: COPY.loss(model, batch))
    assert gradient_at_start(recipe, COPY, seed=5) == own
    assert gradient_at_start(recipe, COPY, seed=5, small_start=False) != own
    bare = depth_recipe("neither", 3)
    assert gradient_at_start(bare, COPY, small_start=False) == gradient_at_start(bare, COPY)


def test_every_variant_is_what_its_name_says() -> None:
    for name in variants:
        config = shape(depth_recipe(name, 5), 20)
        assert config.n_layers == 5
        assert config.residual == ("residual" not in name and name != "neither")
        assert (config.norm == "none") == (name in ("no norm", "neither"))
        if config.norm != "none":
            assert config.norm_place == name[: len("post")].rstrip("-")
        assert (config.norm == "rms") == ("RMSNorm" in name)
    with pytest.raises(ValueError, match="variant: expected one of pre-norm; post-norm"):
        depth_recipe("sideways", 2)


def test_a_recipe_says_residual_and_a_run_trains_without() -> None:
    assert Recipe(task="copy").residual is True
    with pytest.raises(ValueError, match="residual: expected True without feed-forward layers"):
        Recipe(task="copy", residual=False, feed_forward=False)
    assert shape(Recipe(task="copy"), 9) == TransformerConfig(vocab_size=9, d_ff=256)
    trainer = Trainer(replace(TINY, residual=False), Counting(), seed=1)
    before = [weight.clone() for weight in trainer.model.parameters()]
    trainer.advance(watched=False)
    assert trainer.model.config.residual is False
    moved = zip(before, trainer.model.parameters(), strict=True)
    assert any(not torch.equal(a, b) for a, b in moved)


def test_looking_does_not_change_the_run() -> None:
    looked = list(gradients_while_training(TINY, Counting(), seed=2, every=7))
    assert [one.step for one in looked] == [0, 7, 14, 21, 28, 35, 40]
    trainer = Trainer(TINY, Counting(), seed=2)
    for _ in range(40):
        trainer.advance(watched=False)
    batch = Counting().batch(TINY.batch_size, torch.Generator().manual_seed(2))
    same = gradient_by_depth(trainer.model, lambda model: trainer.task.loss(model, batch))
    assert looked[-1].gradient == same
    assert looked[0].gradient == gradient_at_start(TINY, Counting(), seed=2)
    assert looked[-1].gradient.loss < looked[0].gradient.loss
    assert len(looked[0].alike) == TINY.n_layers + 1
    assert DepthSnapshot.from_json(looked[3].to_json()) == looked[3]


def test_a_run_that_diverges_says_so_and_ends() -> None:
    wild = replace(TINY, learning_rate=9e5, warm_up=0, optimiser="sgd", clip=9e5, norm="none", steps=300)
    looked = list(gradients_while_training(wild, Counting(), every=100))
    assert looked[-1].stopped.startswith("Step ")
    assert looked[-1].step < 300


def test_every_must_be_a_step_or_more() -> None:
    with pytest.raises(ValueError, match="every: expected at least 1, got 0"):
        gradients_while_training(TINY, Counting(), every=0)


def test_an_encoder_decoder_is_looked_at_in_its_decoder() -> None:
    task = EnglishFrench(n_training=200)
    recipe = replace(BASE, task=task.name, n_layers=2, batch_size=4, context_length=64)
    assert len(gradient_at_start(recipe, task).weights) == 2
    assert len(next(gradients_while_training(recipe, task)).alike) == 3


def test_residual_connections_are_what_lets_six_layers_learn() -> None:
    """Within 80 steps: the words' frequencies alone give a loss of log 20 or so; only the residual stack copies."""
    short = {name: replace(depth_recipe(name, 6), steps=80) for name in ("pre-norm", "pre-norm, no residual")}
    last = {name: list(gradients_while_training(recipe, COPY, every=80))[-1] for name, recipe in short.items()}
    assert last["pre-norm"].accuracy > 0.7
    assert last["pre-norm, no residual"].accuracy < 0.3
    # Dong et al. (2021): what is left of the positions' differences without the residual connection.
    assert last["pre-norm, no residual"].alike[-1] > 0.9 > last["pre-norm"].alike[-1]


def test_the_results_of_a_page_are_every_variant_at_every_depth() -> None:
    found = depth_results(depths=(1, 2), seeds=(3,), trained=1, steps=2, every=1)
    with_residual = [name for name, changes in variants.items() if changes.get("residual", True)]
    assert len(found.starts) == 2 * (len(variants) + len(with_residual))
    one = next(start for start in found.starts if (start.variant, start.n_layers) == ("no norm", 2))
    assert one.gradient == gradient_at_start(depth_recipe("no norm", 2), COPY, seed=3)
    assert [(run.variant, [shot.step for shot in run.snapshots]) for run in found.runs] == [
        (name, [0, 1, 2]) for name in variants
    ]
    assert DepthResults.from_json(found.to_json()) == found
