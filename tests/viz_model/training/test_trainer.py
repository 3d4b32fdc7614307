"""The training loop: the same seed gives the same curve, and what goes wrong is said with its step."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from viz_model.models import Decoder, Encoder, EncoderDecoder
from viz_model.training import trainer as trainer_module
from viz_model.training.build import build
from viz_model.training.optimisers import rate_at
from viz_model.training.recipe import Recipe, recipes
from viz_model.training.snapshot import Snapshot
from viz_model.training.trainer import Diverged, Trainer, train

from .counting import LENGTH, TINY, VOCAB, Counting


def curve(seed: int, recipe: Recipe = TINY) -> list[tuple[int, float, float, float]]:
    return [(s.step, s.loss, s.gradient_norm, s.learning_rate) for s in train(recipe, Counting(), seed=seed)]


def fresh(recipe: Recipe = TINY, seed: int = 0) -> Decoder:
    model = build(recipe, Counting(), seed=seed)
    assert isinstance(model, Decoder)
    return model


def weights_after(recipe: Recipe, *, seed: int, steps: int | None = None) -> dict[str, Tensor]:
    trainer = Trainer(recipe, Counting(), seed=seed)
    for _ in range(steps or recipe.steps):
        trainer.advance()
        torch.rand(1)
    return dict(trainer.model.state_dict())


def test_fewer_looks_leave_the_run_as_it_is() -> None:
    def seen(**looks: int) -> list[Snapshot]:
        trainer = Trainer(replace(TINY, steps=20), Counting(), **looks)
        return [trainer.advance() for _ in range(20)]

    often, seldom = seen(), seen(looks=6)
    assert [(one.step, one.loss) for one in often] == [(one.step, one.loss) for one in seldom]
    taken = [one.step for one in seldom if one.picture is not None]
    assert len(taken) < 7 < sum(one.picture is not None for one in often)
    assert taken[-1] == 20  # the end is looked at


def test_the_same_seed_gives_the_same_curve_to_the_bit() -> None:
    torch.manual_seed(1)
    one = curve(0)
    torch.manual_seed(2)
    torch.rand(5)
    assert curve(0) == one
    assert [loss for _, loss, _, _ in curve(1)] != [loss for _, loss, _, _ in one]


def test_the_seed_is_the_models_and_the_batches() -> None:
    one, two = Counting(), Counting()
    a, b = Trainer(TINY, one, seed=0), Trainer(TINY, two, seed=1)
    assert not torch.equal(a.model.unembed.weight, b.model.unembed.weight)
    a.advance()
    b.advance()
    assert not torch.equal(one.drawn[0], two.drawn[0])


def test_the_weights_are_the_same_too() -> None:
    ends = [weights_after(TINY, seed=3) for _ in range(2)]
    assert all(torch.equal(ends[0][name], ends[1][name]) for name in ends[0])


def test_the_random_numbers_that_threads_share_are_left_alone() -> None:
    trainer = Trainer(TINY, Counting(), seed=0)
    before = torch.random.get_rng_state()
    while not trainer.done:
        trainer.advance()
    assert torch.equal(torch.random.get_rng_state(), before)


def test_the_loss_falls() -> None:
    losses = [loss for _, loss, _, _ in curve(0, replace(TINY, steps=120, learning_rate=1e-2))]
    assert losses[0] > 0.8 * math.log(VOCAB)
    assert sum(losses[-5:]) / 5 < 0.2 * losses[0]


def test_snapshots_come_one_a_step_and_none_before_it_is_asked_for() -> None:
    task, seen = Counting(), list[Snapshot]()
    run: Iterator[Snapshot] = train(TINY, task, seed=0)
    assert task.drawn == []
    seen.append(next(run))
    assert len(task.drawn) == 1
    seen += run
    assert [s.step for s in seen] == list(range(1, TINY.steps + 1))
    assert len(task.drawn) == TINY.steps
    assert all(s.tokens == TINY.batch_size * LENGTH and s.seconds > 0 and not s.stopped for s in seen)


def test_a_step_moves_the_weights_in_training_mode_and_a_run_that_is_over_has_no_more() -> None:
    trainer = Trainer(replace(TINY, steps=2), Counting(), seed=0)
    before = trainer.model.unembed.weight.clone()
    assert trainer.advance(watched=False).picture is None
    assert trainer.model.training
    assert not torch.equal(trainer.model.unembed.weight, before)
    assert not trainer.done
    trainer.advance()
    assert trainer.done
    with pytest.raises(RuntimeError, match="expected steps left, got one that ended at step 2"):
        trainer.advance()


def test_the_first_loss_is_that_of_the_model_as_it_was() -> None:
    model = fresh(seed=9)
    first = next(train(TINY, Counting(), seed=9))
    batch = Counting().batch(TINY.batch_size, torch.Generator().manual_seed(9))
    logits = model(batch.ids).logits.flatten(0, 1)
    loss = -logits.log_softmax(-1)[torch.arange(len(batch.answers)), batch.answers].mean()
    assert first.loss == pytest.approx(float(loss.detach()), abs=1e-5)
    loss.backward()
    norm = math.sqrt(sum(float(p.grad.square().sum()) for p in model.parameters() if p.grad is not None))
    assert first.gradient_norm == pytest.approx(norm, rel=1e-4)


@pytest.mark.parametrize("clip", [1e-3, 0.1])
def test_a_gradient_is_clipped_to_the_recipes_size(clip: float) -> None:
    """The first plain step is the gradient times the rate: its length shows the clip."""
    plain = replace(TINY, optimiser="sgd", learning_rate=0.5, warm_up=0, final_rate=1.0, weight_decay=0.0, clip=clip)
    before, after = fresh(plain).double().state_dict(), weights_after(plain, seed=0, steps=1)
    moved = math.sqrt(sum(float((after[name].double() - before[name]).square().sum()) for name in before))
    assert next(train(plain, Counting(), seed=0)).gradient_norm > clip
    assert moved == pytest.approx(0.5 * clip, rel=1e-2)


def test_a_run_that_diverges_names_the_step_and_keeps_what_came_before() -> None:
    wild = replace(TINY, learning_rate=9e5, optimiser="sgd", warm_up=0, clip=9e5)
    seen = []
    with pytest.raises(Diverged, match=r"Step \d+: the .* A learning rate of .* is likely too high") as caught:
        seen.extend(train(wild, Counting(), seed=0))
    *good, last = seen
    assert str(caught.value) == last.stopped
    assert last.stopped.startswith(f"Step {last.step}: ")
    assert [s.step for s in seen] == list(range(1, len(seen) + 1))
    assert good
    assert all(math.isfinite(s.loss) and math.isfinite(s.gradient_norm) and not s.stopped for s in good)
    assert last.picture is None


def test_a_run_that_diverged_keeps_its_last_good_weights() -> None:
    trainer = Trainer(replace(TINY, learning_rate=9e5, optimiser="sgd", warm_up=0, clip=9e5), Counting(), seed=0)
    kept: dict[str, Tensor] = {}
    while not trainer.done:
        kept = {name: tensor.clone() for name, tensor in trainer.model.state_dict().items()}
        last = trainer.advance()
    assert trainer.step == last.step - 1
    assert trainer.stopped == last.stopped
    assert all(torch.equal(tensor, kept[name]) for name, tensor in trainer.model.state_dict().items())


def test_post_norm_without_warm_up_is_named_as_the_cause() -> None:
    trainer = Trainer(replace(TINY, norm_place="post", warm_up=0), Counting(), seed=0)
    spoil(trainer)
    assert "post-norm model without warm-up" in trainer.advance().stopped


def test_not_a_number_in_the_weights_stops_the_first_step() -> None:
    trainer = Trainer(TINY, Counting(), seed=0)
    spoil(trainer)
    assert trainer.advance().stopped.startswith("Step 1: the loss was nan.")
    assert trainer.done
    with pytest.raises(RuntimeError, match="ended at step 0"):
        trainer.advance()


def test_a_run_by_its_recipes_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer_module, "recipes", {"counting": TINY})
    monkeypatch.setattr(trainer_module, "make_task", {"counting": Counting()}.__getitem__)
    run = train("counting", seed=4)
    assert [(s.step, s.loss, s.gradient_norm, s.learning_rate) for s in run] == curve(4)
    with pytest.raises(ValueError, match=r"recipe: expected one of counting, got 'gpt5'\."):
        train("gpt5")


def spoil(trainer: Trainer) -> None:
    with torch.no_grad():
        trainer.model.unembed.weight[0, 0] = math.nan


@given(st.integers(0, 60), st.integers(0, 60), st.floats(0, 1), st.data())
def test_the_rate_rises_in_a_line_and_falls_as_a_cosine(
    warm_up: int, more: int, final: float, data: st.DataObject
) -> None:
    recipe = replace(TINY, warm_up=warm_up, steps=max(warm_up + more, 1), final_rate=final)
    if warm_up:
        step = data.draw(st.integers(1, warm_up))
        assert rate_at(step, recipe) == pytest.approx(step / warm_up)
    if more:
        step = data.draw(st.integers(1, more))
        half = math.cos(math.pi * step / more / 2) ** 2  # (1 + cos 2a) / 2
        assert rate_at(warm_up + step, recipe) == pytest.approx(final + (1 - final) * half)
        assert rate_at(recipe.steps, recipe) == pytest.approx(final)


def test_a_snapshot_says_the_rate_of_its_step() -> None:
    rates = [rate for _, _, _, rate in curve(0)]
    assert rates == [TINY.learning_rate * rate_at(step, TINY) for step in range(1, TINY.steps + 1)]
    assert rates.index(max(rates)) == TINY.warm_up - 1
    assert rates[-1] == pytest.approx(TINY.learning_rate * TINY.final_rate)


def test_the_rate_of_a_step_is_the_step() -> None:
    """Adam's first step moves each weight by the learning rate itself, whatever its gradient (Kingma & Ba, 2015)."""
    slow = replace(TINY, warm_up=10, weight_decay=0.0)
    trainer = Trainer(slow, Counting(), seed=0)
    before = trainer.model.unembed.weight.detach().clone()
    assert trainer.advance().learning_rate == pytest.approx(slow.learning_rate / 10)
    moved = (trainer.model.unembed.weight - before).abs().max()
    assert moved.item() == pytest.approx(slow.learning_rate / 10, rel=0.01)


def test_a_model_is_built_from_the_recipe_and_its_seed_alone() -> None:
    torch.manual_seed(1)
    one = fresh().state_dict()
    torch.manual_seed(2)
    two, other = fresh().state_dict(), fresh(seed=1).state_dict()
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert not torch.equal(one["unembed.weight"], other["unembed.weight"])
    recipe = replace(
        recipes["english-causal"],
        **{"position": "rotary", "norm_place": "post", "n_layers": 2, "context_length": 9},  # type: ignore[arg-type]
        **{"norm": "rms", "activation": "relu", "feed_forward": False},  # type: ignore[arg-type]
    )
    model, task = build(recipe, AsEncoder(), seed=0), Counting()
    assert isinstance(model, Encoder)
    assert model.tokenizer == task.tokenizer
    for name in (
        *("d_model", "n_layers", "n_heads", "d_ff", "context_length", "position", "norm_place"),
        *("norm", "activation", "feed_forward"),
    ):
        assert getattr(model.config, name) == getattr(recipe, name)
    assert isinstance(build(TINY, AsPair(), seed=0), EncoderDecoder)


class AsEncoder(Counting):
    kind = "encoder"


class AsPair(Counting):
    kind = "encoder-decoder"
