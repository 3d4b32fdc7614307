"""Gradients against finite differences, ablations against the edits that they stand for, and nobody's model touched."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from tests.viz_model.analysis.small_models import IDS, TARGET_IDS, VARIANTS, decoder, encoder, encoder_decoder
from viz_model.analysis import (
    Outcome,
    gradient_times_input,
    head_ablation,
    integrated_gradients,
    logits_from_embedding,
    token_ablation,
)
from viz_model.edits import AblateHead, KnockOut, SetWeight, UniformHead

EDITS = (UniformHead(0, 1), SetWeight(1, 0, 3, 1, 0.7))


def outcome_of(logits: torch.Tensor, outcome: Outcome) -> float:
    row = logits[0, outcome.position].detach().double()
    value = row[outcome.token]
    return float(value - torch.logsumexp(row, 0) if outcome.measure == "log_probability" else value)


@pytest.mark.parametrize("make", [decoder, encoder])
@pytest.mark.parametrize("changes", VARIANTS)
def test_a_run_from_embeddings_is_the_run_from_ids(make, changes) -> None:
    model = make(**changes)
    edits = EDITS if model.config.n_layers else ()
    trace = model(IDS, edits=edits)
    assert torch.equal(logits_from_embedding(model, trace.token_embedding, edits=edits), trace.logits)


@pytest.mark.parametrize("changes", VARIANTS[:2])
def test_so_it_is_for_an_encoder_decoder(changes) -> None:
    model = encoder_decoder(**changes)
    edits = (AblateHead(1, 0, stack="encoder"), AblateHead(2, 3, stack="decoder", attention="cross"))
    trace = model(IDS, TARGET_IDS, edits=edits)
    given = trace.encoder.token_embedding, trace.decoder.token_embedding
    assert torch.equal(logits_from_embedding(model, *given, edits=edits), trace.logits)


@pytest.mark.parametrize("outcome", [Outcome(4, 7), Outcome(4, 7, "logit")])
@pytest.mark.parametrize("make", [decoder, encoder])
@pytest.mark.parametrize("edits", [(), EDITS])
def test_gradient_times_input_is_a_finite_difference(make, outcome: Outcome, edits) -> None:
    model = make(position="learned").double()
    got = gradient_times_input(model, IDS, outcome, edits=edits)
    embedding, h = model.stack.embed.weight[IDS].detach(), 1e-6
    for position in range(6):
        # d/ds of the outcome where this token's embedding is (1 + s) times itself: e . gradient.
        up, down = embedding.clone(), embedding.clone()
        up[0, position] *= 1 + h
        down[0, position] *= 1 - h
        high, low = (outcome_of(logits_from_embedding(model, e, edits=edits), outcome) for e in (up, down))
        assert float(got[position]) == pytest.approx((high - low) / (2 * h), abs=1e-6)
    if make is decoder:
        assert got[5] == 0
        assert (got[:5] != 0).all()


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_stack_says_whose_tokens(stack) -> None:
    model, outcome, h = encoder_decoder(position="learned").double(), Outcome(2, 5), 1e-6
    given = [model.encoder.embed.weight[IDS].detach(), model.decoder.embed.weight[TARGET_IDS].detach()]
    got = gradient_times_input(model, IDS, outcome, target_ids=TARGET_IDS, stack=stack)
    which = ["encoder", "decoder"].index(stack)
    assert got.shape == (given[which].shape[1],)
    for position in range(len(got)):
        values = []
        for factor in (1 + h, 1 - h):
            changed = [e.clone() for e in given]
            changed[which][0, position] *= factor
            values.append(outcome_of(logits_from_embedding(model, *changed), outcome))
        assert float(got[position]) == pytest.approx((values[0] - values[1]) / (2 * h), abs=1e-6)


def test_integrated_gradients_sum_to_the_change_from_the_baseline() -> None:
    model, outcome = decoder().double(), Outcome(5, 2)
    model.stack.positions.double()
    embedding = model.stack.embed.weight[IDS].detach()
    ends = [outcome_of(logits_from_embedding(model, e), outcome) for e in (embedding, torch.zeros_like(embedding))]
    got = integrated_gradients(model, IDS, outcome, n_steps=200)
    assert float(got.sum()) == pytest.approx(ends[0] - ends[1], abs=1e-5)
    assert integrated_gradients(model, IDS, Outcome(2, 2), n_steps=3)[3:].abs().max() == 0


@pytest.mark.parametrize("make", [decoder, encoder])
@pytest.mark.parametrize("changes", VARIANTS[:5])
def test_cutting_a_token_is_knocking_it_out_of_every_head_and_layer(make, changes) -> None:
    model, outcome = make(**changes), Outcome(4, 7)
    got = token_ablation(model, IDS, outcome)
    before = outcome_of(model(IDS).logits, outcome)
    for key in range(6):
        cuts = tuple(KnockOut(i, h, None, key) for i in range(model.config.n_layers) for h in range(2))
        after = outcome_of(model(IDS, edits=cuts).logits, outcome)
        assert float(got[key]) == pytest.approx(before - after, abs=1e-5)
    assert got[:5].abs().min() > 1e-6
    assert (got[5] == 0) == (make is decoder)


def test_the_future_matters_not_at_all_unless_an_edit_lets_it_be_read() -> None:
    model, outcome = decoder(), Outcome(2, 7)
    peek = (SetWeight(0, 0, 2, 4, 0.5),)
    for how in ("cut", "zero"):
        assert token_ablation(model, IDS, outcome, how=how)[3:].tolist() == [0.0, 0.0, 0.0]
    assert token_ablation(model, IDS, outcome, how="zero", edits=peek)[4].abs() > 1e-3
    written = token_ablation(encoder_decoder(), IDS, Outcome(1, 7), target_ids=TARGET_IDS, stack="decoder")
    assert written[2:].tolist() == [0.0, 0.0]
    assert written[:2].abs().min() > 1e-6


def test_cutting_a_source_token_hides_it_from_the_decoder_too() -> None:
    model, outcome = encoder_decoder(), Outcome(3, 6, "logit")
    before = outcome_of(model(IDS, TARGET_IDS).logits, outcome)
    source = token_ablation(model, IDS, outcome, target_ids=TARGET_IDS, stack="encoder")
    target = token_ablation(model, IDS, outcome, target_ids=TARGET_IDS, stack="decoder")
    own = [KnockOut(i, h, None, 0, stack="encoder") for i in range(2) for h in range(2)]
    across = [KnockOut(i, h, None, 0, stack="decoder", attention="cross") for i in range(3) for h in range(4)]
    written = tuple(KnockOut(i, h, None, 0, stack="decoder") for i in range(3) for h in range(4))
    after = outcome_of(model(IDS, TARGET_IDS, edits=(*own, *across)).logits, outcome)
    assert float(source[0]) == pytest.approx(before - after, abs=1e-5)
    after = outcome_of(model(IDS, TARGET_IDS, edits=written).logits, outcome)
    assert float(target[0]) == pytest.approx(before - after, abs=1e-5)
    assert (source.shape, target.shape) == ((6,), (4,))


@pytest.mark.parametrize("edits", [(), EDITS])
def test_zeroing_a_token_is_a_run_with_its_row_of_the_table_at_zero(edits) -> None:
    model, outcome, ids = decoder(), Outcome(3, 7), torch.tensor([[3, 1, 4, 8, 5, 9]])  # each token once
    got = token_ablation(model, ids, outcome, how="zero", edits=edits)
    before = outcome_of(model(ids, edits=edits).logits, outcome)
    for position, token in enumerate(ids[0].tolist()):
        other = decoder()
        with torch.no_grad():
            other.stack.embed.weight[token] = 0.0
        after = outcome_of(other(ids, edits=edits).logits, outcome)
        assert float(got[position]) == pytest.approx(before - after, abs=1e-5)


def test_a_long_text_goes_in_parts_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    model, outcome = encoder(), Outcome(2, 3)
    whole = {how: token_ablation(model, IDS, outcome, how=how) for how in ("cut", "zero")}
    monkeypatch.setattr("viz_model.analysis.ablation.BATCH_WEIGHTS", 2 * 2 * 36)
    for how, expected in whole.items():
        torch.testing.assert_close(token_ablation(model, IDS, outcome, how=how), expected, atol=1e-5, rtol=1e-4)


def test_head_ablation_is_one_edited_run_a_head() -> None:
    model, outcome = decoder(n_layers=3), Outcome(4, 7, "logit")
    got = head_ablation(model, IDS, outcome, edits=(UniformHead(0, 0),))
    assert got.shape == (3, 2)
    before = model(IDS, edits=(UniformHead(0, 0),)).logits[0, 4, 7]
    for layer in range(3):
        for head in range(2):
            after = model(IDS, edits=(UniformHead(0, 0), AblateHead(layer, head))).logits[0, 4, 7]
            assert float(got[layer, head]) == pytest.approx((before - after).item(), abs=1e-6)
    both = encoder_decoder()
    across = head_ablation(both, IDS, Outcome(1, 2), target_ids=TARGET_IDS, stack="decoder", attention="cross")
    edit = AblateHead(2, 3, stack="decoder", attention="cross")
    logits = [both(IDS, TARGET_IDS, edits=edits).logits for edits in ((), (edit,))]
    fall = outcome_of(logits[0], Outcome(1, 2)) - outcome_of(logits[1], Outcome(1, 2))
    assert across.shape == (3, 4)
    assert float(across[2, 3]) == pytest.approx(fall, abs=1e-5)


def test_threads_on_one_model_agree_and_leave_no_gradient() -> None:
    model, outcomes = decoder(), [Outcome(p, t) for p in range(6) for t in range(4)]
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    alone = [gradient_times_input(model, IDS, outcome) for outcome in outcomes]

    def both(outcome: Outcome) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.inference_mode():  # as inside vm.run, with ids made there
            return gradient_times_input(model, IDS.clone(), outcome), token_ablation(model, IDS, outcome)

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(both, outcomes))
    for expected, (gradient, _) in zip(alone, together, strict=True):
        torch.testing.assert_close(gradient, expected)
    assert all(p.grad is None and p.requires_grad and p.is_leaf for p in model.parameters())
    assert all(torch.equal(p, before[name]) for name, p in model.named_parameters())
    assert not model.training


def test_a_frozen_model_has_attributions_too() -> None:
    model = decoder()
    expected = gradient_times_input(model, IDS, Outcome(4, 7))
    torch.testing.assert_close(gradient_times_input(model.requires_grad_(False), IDS, Outcome(4, 7)), expected)


def test_wrong_calls_say_what_was_expected() -> None:
    model = decoder()
    with pytest.raises(ValueError, match="position: expected one from 0 to 5, got 6"):
        gradient_times_input(model, IDS, Outcome(6, 0))
    with pytest.raises(ValueError, match="token: expected one from 0 to 10, got 11"):
        token_ablation(model, IDS, Outcome(0, 11))
    with pytest.raises(ValueError, match="measure: expected"):
        Outcome(0, 0, "loss")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="stack: expected '', got 'encoder'"):
        head_ablation(model, IDS, Outcome(0, 0), stack="encoder")
    with pytest.raises(ValueError, match="stack: expected 'encoder' or 'decoder'"):
        gradient_times_input(encoder_decoder(), IDS, Outcome(0, 0), target_ids=TARGET_IDS)
    with pytest.raises(ValueError, match="target_ids"):
        gradient_times_input(encoder_decoder(), IDS, Outcome(0, 0), stack="decoder")
    with pytest.raises(ValueError, match="one text"):
        token_ablation(model, IDS.expand(2, -1), Outcome(0, 0))
    with pytest.raises(ValueError, match="how: expected 'cut' or 'zero'"):
        token_ablation(model, IDS, Outcome(0, 0), how="swap")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="layer from 0 to 1"):
        gradient_times_input(model, IDS, Outcome(0, 0), edits=(AblateHead(2, 0),))
