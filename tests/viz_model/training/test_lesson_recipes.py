"""Bodies of equal size, built from their recipes, trained, pictured, put down and taken up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from viz_model.analysis.equal_size import parameter_count
from viz_model.models import Convolutional, Decoder, Recurrent
from viz_model.tasks.names import make_task
from viz_model.tasks.recall import AssociativeRecall
from viz_model.training.build import build
from viz_model.training.lesson_recipes import first_token_recipes, lesson_recipes, recall_recipes
from viz_model.training.recipe import Recipe
from viz_model.training.state import load_run, save_run
from viz_model.training.trainer import Trainer

KINDS = {"transformer": Decoder, "rnn": Recurrent, "lstm": Recurrent, "cnn": Convolutional}


@pytest.mark.parametrize("n_pairs", [4, 16, 32])
def test_recall_is_asked_of_bodies_of_equal_size(n_pairs: int) -> None:
    sizes = {
        name: parameter_count(build(recipe, make_task(recipe.task), seed=0))
        for name, recipe in recall_recipes(n_pairs).items()
    }
    assert list(sizes) == ["attention", "rnn", "lstm", "cnn"]
    field = build(recall_recipes(n_pairs)["cnn"], make_task(f"associative-recall-{n_pairs}"), seed=0)
    assert field.config.receptive_field >= 3 * n_pairs + 1  # blind spots are no reason for its failing
    assert all(size == pytest.approx(sizes["attention"], rel=0.05) for size in sizes.values())


def test_every_recipe_builds_the_body_that_it_names() -> None:
    for name, recipe in lesson_recipes.items():
        task = make_task(recipe.task)
        model = build(recipe, task, seed=0)
        assert name.startswith(task.name.removeprefix("associative-"))
        assert type(model) is KINDS[recipe.body]
        assert model.tokenizer is task.tokenizer
        if isinstance(model, Recurrent):
            assert model.config.cell == recipe.body
            assert model.config.forget_bias == (recipe.forget_bias if recipe.body == "lstm" else 0)
        if isinstance(model, Convolutional):
            assert (model.config.kernel, model.config.dilation) == (recipe.kernel, recipe.dilation)
    fields = {n: r for n, r in first_token_recipes(50).items() if r.body == "cnn"}
    reach = {n: build(r, make_task(r.task), seed=0).config.receptive_field for n, r in fields.items()}
    assert reach == {"cnn": 63, "cnn-narrow": 11}
    assert [r.forget_bias for r in first_token_recipes(20, forget_bias=1.5).values()] == [0, 0, 0, 1.5, 0, 0]


@pytest.mark.parametrize("body", ["attention", "rnn", "lstm", "cnn"])
def test_a_run_without_attention_is_pictured_put_down_and_taken_up(body: str) -> None:
    recipe = replace(recall_recipes(4)[body], steps=6, batch_size=8, warm_up=2)
    task = make_task(recipe.task)
    trainer = Trainer(recipe, task, seed=3)
    look = trainer.look()
    assert look.picture is not None
    assert look.picture.accuracy == pytest.approx(0.1, abs=0.15)
    assert (not look.picture.attention, not look.picture.roles) == (body != "attention",) * 2
    fresh = load_run(save_run(trainer), task)
    half = Trainer(recipe, task, seed=3)
    for _ in range(3):
        half.advance()
    again = load_run(save_run(half), task)
    whole = [trainer.advance().loss for _ in range(6)]
    assert [again.advance().loss for _ in range(3)] == whole[3:]
    assert [fresh.advance().loss for _ in range(6)] == whole


@pytest.mark.parametrize("body", ["attention", "rnn", "lstm", "cnn"])
def test_attention_looks_up_what_a_memory_of_fixed_size_cannot_keep(body: str) -> None:
    recipe = recall_recipes(16)[body]
    task = make_task(recipe.task)
    assert isinstance(task, AssociativeRecall)
    trainer = Trainer(recipe, task)
    while not trainer.done:
        trainer.advance(watched=False)
    accuracy = task.accuracy(trainer.model.eval())
    if body == "attention":
        assert accuracy > 0.98
        batch = task.held_out()
        beside, name = task.expected(batch)
        weights = [block.attention.weights[:, 0] for block in trainer.model(batch.ids).blocks]
        read = [(w * e.keys).sum(-1)[e.keys.any(-1)].mean() for w, e in zip(weights, (name, beside), strict=True)]
        assert min(read) > 0.5  # the first layer carries the name to its number, the second finds it there
    else:
        assert accuracy < task.best_guess() + 0.1 < 0.5


@pytest.mark.parametrize("name", ["first-token-20-lstm", "first-token-20-lstm-forget", "first-token-20-cnn-narrow"])
def test_what_the_lesson_says_of_the_first_token_is_so(name: str) -> None:
    """Without the bias nothing comes through 20 tokens, with it all; a field of 11 does not see that far."""
    trainer = Trainer(replace(lesson_recipes[name], steps=90), make_task("first-token-20"))
    while not trainer.done:
        trainer.advance(watched=False)
    accuracy = trainer.picture().accuracy
    assert accuracy > 0.95 if name.endswith("forget") else accuracy < 0.2  # chance is 1/16


def test_bodies_for_what_they_cannot_do_are_refused() -> None:
    with pytest.raises(ValueError, match="body: expected a transformer for digits, got rnn"):
        build(Recipe(task="digits", body="rnn"), make_task("digits"), seed=0)
    with pytest.raises(ValueError, match="body: expected one of transformer, rnn, lstm, cnn, got 'gru'"):
        build(Recipe(task="copy", body="gru"), make_task("copy"), seed=0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="receptive field"):
        build(Recipe(task="copy", body="cnn", dilation=2**40), make_task("copy"), seed=0)
