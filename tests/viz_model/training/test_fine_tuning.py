"""Fine-tuning at a tiny size: the head is replaced, a frozen body stays to the bit, a seed says it all."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from viz_model.analysis.few_examples import FineTuning
from viz_model.checkpoint import load
from viz_model.config import TransformerConfig
from viz_model.models import Encoder
from viz_model.tasks.language import MaskedWords
from viz_model.tasks.subject_number import as_batch, examples
from viz_model.training import fine_tuning as tuning
from viz_model.training.fine_tuning import Plan, accuracy, look, measure, sides, trained, with_new_head
from viz_model.training.studies import MADE, kept

PLAN = Plan(sizes=(4, 8), seeds=(0, 1), rates=(1e-3, 1e-2), seeds_of_rates=(100,), looked_at=4, steps=4, batch_size=4)


@pytest.fixture(scope="module")
def body() -> Encoder:
    tokenizer = MaskedWords(1).tokenizer
    config = TransformerConfig(
        vocab_size=tokenizer.vocab_size, context_length=64, d_model=16, n_layers=2, n_heads=2, d_ff=16
    )
    return Encoder(config, seed=9, tokenizer=tokenizer).eval().requires_grad_(False)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "N_HELD_OUT", 12)
    monkeypatch.setattr(tuning, "N_TRIED", 6)


def data(body: Encoder) -> tuning.Sides:
    return sides(examples(30, seed=4), body, 8)


def weights(model: Encoder, part: str = "stack.") -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in model.state_dict().items() if name.startswith(part)}


def equal(a: dict[str, Tensor], b: dict[str, Tensor]) -> list[bool]:
    assert a.keys() == b.keys()
    return [torch.equal(a[name], b[name]) for name in a]


@pytest.mark.parametrize("way", tuning.WAYS)
def test_the_head_is_replaced(body: Encoder, way: tuning.Way) -> None:
    before = weights(body, "")
    model = with_new_head(body, 2, seed=3, way=way)
    assert model.logits(torch.tensor([[2, 5, 6, 3]])).shape == (1, 4, 2)
    assert model.unembed.weight.requires_grad
    assert {p.requires_grad for p in model.stack.parameters()} == {way != "frozen"}
    same = equal(weights(model), weights(body))
    assert all(same) if way != "scratch" else not all(same)
    assert all(equal(weights(body, ""), before))
    assert torch.equal(model.unembed.weight, with_new_head(body, 2, seed=3).unembed.weight)
    assert not torch.equal(model.unembed.weight, with_new_head(body, 2, seed=4).unembed.weight)


@pytest.mark.usefixtures("small")
def test_a_frozen_body_is_the_same_to_the_bit_afterwards(body: Encoder) -> None:
    rest, before = data(body).rest, weights(body, "")
    made = {way: trained(body, rest, way, 8, seed=0, learning_rate=1e-2, plan=PLAN) for way in ("full", "frozen")}
    assert all(equal(weights(made["frozen"]), weights(body)))
    assert not any(
        same for name, same in zip(weights(body), equal(weights(made["full"]), weights(body)), strict=True)
        if name.endswith("query.weight")
    )  # fmt: skip
    fresh = with_new_head(body, 2, seed=0).unembed.weight
    assert not torch.equal(made["frozen"].unembed.weight, fresh)
    assert all(equal(weights(body, ""), before))  # the body that was given is nobody's to change


@pytest.mark.usefixtures("small")
def test_the_same_seed_gives_the_same_curve(body: Encoder) -> None:
    once, again = measure(body, data(body), PLAN), measure(body, data(body), PLAN)
    assert once == again
    assert [curve.way for curve in once] == list(tuning.WAYS)
    for curve in once:
        assert [len(row) for row in curve.accuracy] == [2, 2]
        assert curve.learning_rate == tuple(PLAN.rates[row.index(max(row))] for row in curve.tried)
        assert all((12 * share) == pytest.approx(round(12 * share)) for row in curve.accuracy for share in row)


@pytest.mark.usefixtures("small")
def test_the_three_ways_learn_from_the_same_sentences(body: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    got = {}

    def seen(model: Encoder, batch: object, **how: object) -> None:
        got[len(got)] = batch

    monkeypatch.setattr(tuning, "fine_tune", seen)
    for way in tuning.WAYS:
        trained(body, data(body).rest, way, 8, seed=1, learning_rate=1e-2, plan=PLAN)
    trained(body, data(body).rest, "full", 8, seed=2, learning_rate=1e-2, plan=PLAN)
    assert torch.equal(got[0].ids, got[1].ids)
    assert torch.equal(got[0].ids, got[2].ids)
    assert not torch.equal(got[0].ids, got[3].ids)
    assert len(got[0].ids) == 8


def test_accuracy_by_hand(body: Encoder) -> None:
    batch = as_batch(examples(10, seed=4), body.tokenizer)
    model = with_new_head(body, 2, seed=0)
    right = [
        int(model(row[present][None]).logits[0, 0].argmax()) == int(label)
        for row, present, label in zip(batch.ids, batch.present, batch.answers, strict=True)
    ]
    assert accuracy(model, batch) == pytest.approx(sum(right) / 10)


def test_too_few_sentences(body: Encoder) -> None:
    with pytest.raises(ValueError, match=r"^pool: expected at least 608 sentences, got 10\.$"):
        sides(examples(10, seed=4), body, 8)


def test_it_learns_what_it_is_shown(body: Encoder) -> None:
    batch = as_batch(examples(4, seed=4), body.tokenizer)
    model = with_new_head(body, 2, seed=0)
    tuning.fine_tune(model, batch, steps=60, batch_size=4, learning_rate=1e-2, seed=0)
    assert accuracy(model, batch) == 1.0


def test_attention_is_that_of_the_two_models(body: Encoder) -> None:
    after = with_new_head(body, 2, seed=0, way="scratch")
    seen = look(body, after, "The cat sat", 8)
    assert seen.tokens == ("[CLS]", "The", "cat", "sat", "[SEP]")
    ids = torch.tensor([body.tokenizer.encode("The cat sat").ids])
    for model, part in ((body, seen.before), (after, seen.after)):
        for block, layer in zip(model(ids).blocks, part, strict=True):
            torch.testing.assert_close(torch.tensor(layer), block.attention.weights[0], atol=6e-5, rtol=0)
    assert sum(seen.says) == pytest.approx(1)


def test_what_ships_is_of_the_body_that_ships() -> None:
    assert "fine-tuning" in MADE
    found = FineTuning.from_json(kept("fine-tuning"))
    body = load(found.body)
    assert isinstance(body, Encoder)
    assert (found.sizes, found.seeds) == (Plan().sizes, Plan().seeds)
    same = look(body, with_new_head(body, 2, seed=0, way="frozen"), found.attention.text, 0)
    torch.testing.assert_close(torch.tensor(same.before), torch.tensor(found.attention.before), atol=2e-4, rtol=0)
    assert all(0 < share <= 1 for curve in found.curves for row in curve.tried for share in row)
