"""The training loop: the same seed gives the same curve, and what goes wrong is said with its step."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from viz_model.models import Decoder, Encoder
from viz_model.tasks.language import Batch, LanguageTask
from viz_model.training.bundle import build
from viz_model.training.recipe import Recipe, recipes
from viz_model.training.trainer import Diverged, Snapshot, rate_at, train

VOCAB, LENGTH = 12, 7
TINY = Recipe(
    task="turn", d_model=16, n_layers=1, n_heads=2, d_ff=32, context_length=8, steps=40, batch_size=16, warm_up=5
)


class NextNumber(LanguageTask):
    """Counting on from a random number: learnt in a few steps, and drawn by the generator alone."""

    def __init__(self) -> None:
        self.drawn: list[Tensor] = []

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        start = torch.randint(VOCAB, (size, 1), generator=generator)
        self.drawn.append(start)
        ids = (start + torch.arange(LENGTH + 1)) % VOCAB
        asked = torch.ones(size, LENGTH, dtype=torch.bool)
        return Batch(ids[:, :-1], asked, asked, ids[:, 1:].flatten())


NextNumber.__abstractmethods__ = frozenset()  # what a whole language task needs, the loop does not


def fresh(recipe: Recipe = TINY, seed: int = 0) -> Encoder | Decoder:
    return build(recipe, vocab_size=VOCAB, seed=seed, encoder=False)


def curve(seed: int, recipe: Recipe = TINY, model_seed: int = 0) -> list[tuple[int, float, float, float]]:
    snapshots = train(NextNumber(), fresh(recipe, model_seed), recipe, seed=seed)  # type: ignore[abstract]
    return [(s.step, s.loss, s.gradient_norm, s.learning_rate) for s in snapshots]


def test_the_same_seed_gives_the_same_curve_to_the_bit() -> None:
    torch.manual_seed(1)
    one = curve(0)
    torch.manual_seed(2)
    torch.rand(5)
    assert curve(0) == one
    assert [loss for _, loss, _, _ in curve(1)] != [loss for _, loss, _, _ in one]
    assert curve(0, model_seed=1) != one


def test_the_weights_are_the_same_too() -> None:
    ends = []
    for _ in range(2):
        model = fresh()
        for _ in train(NextNumber(), model, TINY, seed=3):  # type: ignore[abstract]
            torch.rand(1)
        ends.append(model.state_dict())
    assert all(torch.equal(ends[0][name], ends[1][name]) for name in ends[0])


def test_the_random_numbers_that_threads_share_are_left_alone() -> None:
    model = fresh()
    before = torch.random.get_rng_state()
    list(train(NextNumber(), model, TINY, seed=0))  # type: ignore[abstract]
    assert torch.equal(torch.random.get_rng_state(), before)


def test_the_loss_falls() -> None:
    losses = [loss for _, loss, _, _ in curve(0, replace(TINY, steps=120, learning_rate=1e-2))]
    assert losses[0] > 0.8 * math.log(VOCAB)
    assert sum(losses[-5:]) / 5 < 0.2 * losses[0]


def test_snapshots_come_one_a_step_from_the_live_model() -> None:
    model, seen = fresh(), list[Snapshot]()
    before = model.unembed.weight.clone()
    run: Iterator[Snapshot] = train(NextNumber(), model, TINY, seed=0)  # type: ignore[abstract]
    assert torch.equal(model.unembed.weight, before)  # nothing runs before it is asked for
    seen.append(next(run))
    assert seen[0].model is model
    assert model.training
    assert not torch.equal(model.unembed.weight, before)
    seen += run
    assert [s.step for s in seen] == list(range(1, TINY.steps + 1))
    assert not model.training


def test_the_first_loss_is_that_of_the_model_as_it_was() -> None:
    model, task = fresh(), NextNumber()  # type: ignore[abstract]
    first = next(train(task, fresh(), TINY, seed=9))
    batch = NextNumber().batch(TINY.batch_size, torch.Generator().manual_seed(9))  # type: ignore[abstract]
    logits = model(batch.ids).logits.flatten(0, 1)
    loss = -logits.log_softmax(-1)[torch.arange(len(batch.answers)), batch.answers].mean()
    assert first.loss == pytest.approx(float(loss.detach()), abs=1e-5)
    loss.backward()
    norm = math.sqrt(sum(float(p.grad.square().sum()) for p in model.parameters() if p.grad is not None))
    assert first.gradient_norm == pytest.approx(norm, rel=1e-4)
    assert len(task.drawn) == 1


def test_a_gradient_is_clipped_to_the_recipes_size() -> None:
    """With plain steps the size would show; here it is that a clip of nothing learns nothing."""
    still = replace(TINY, clip=0.0, weight_decay=0.0, steps=3)
    model = fresh(still)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    list(train(NextNumber(), model, still, seed=0))  # type: ignore[abstract]
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_a_run_that_diverges_names_the_step_and_keeps_what_came_before() -> None:
    wild = replace(TINY, learning_rate=1e30, warm_up=0)
    seen = []
    with pytest.raises(Diverged, match=r"step \d+: expected a finite loss and gradient, got") as caught:
        seen.extend(train(NextNumber(), fresh(wild), wild, seed=0))  # type: ignore[abstract]
    assert f"step {len(seen) + 1}:" in str(caught.value)
    assert seen
    assert all(math.isfinite(s.loss) and math.isfinite(s.gradient_norm) for s in seen)


def test_not_a_number_in_the_weights_stops_the_first_step() -> None:
    model = fresh()
    with torch.no_grad():
        model.unembed.weight[0, 0] = math.nan
    with pytest.raises(Diverged, match=re.escape("step 1: expected a finite loss and gradient, got nan and nan.")):
        next(train(NextNumber(), model, TINY, seed=0))  # type: ignore[abstract]


@given(st.integers(0, 60), st.integers(0, 60), st.floats(0, 1), st.data())
def test_the_rate_rises_in_a_line_and_falls_as_a_cosine(
    warm_up: int, more: int, final: float, data: st.DataObject
) -> None:
    recipe = replace(TINY, warm_up=warm_up, steps=warm_up + more, final_rate=final)
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
    model = fresh(slow)
    before = model.unembed.weight.detach().clone()
    snapshot = next(train(NextNumber(), model, slow, seed=0))  # type: ignore[abstract]
    assert snapshot.learning_rate == pytest.approx(slow.learning_rate / 10)
    moved = (model.unembed.weight - before).abs().max()
    assert moved.item() == pytest.approx(slow.learning_rate / 10, rel=0.01)


def test_a_model_is_built_from_the_recipe_and_its_seed_alone() -> None:
    torch.manual_seed(1)
    one = fresh().state_dict()
    torch.manual_seed(2)
    two, other = fresh().state_dict(), fresh(seed=1).state_dict()
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert not torch.equal(one["unembed.weight"], other["unembed.weight"])
    recipe = replace(recipes["english-causal"], position="rotary", norm_place="post", n_layers=2, context_length=9)
    model = build(recipe, vocab_size=VOCAB, seed=0, encoder=True)
    assert isinstance(model, Encoder)
    for name in ("d_model", "n_layers", "n_heads", "d_ff", "context_length", "position", "norm_place"):
        assert getattr(model.config, name) == getattr(recipe, name)
