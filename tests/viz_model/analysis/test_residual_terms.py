import pytest
import torch

from tests.viz_model.analysis.small_models import IDS, TARGET_IDS, VARIANTS, decoder, encoder, encoder_decoder
from viz_model.analysis import residual_terms
from viz_model.edits import AblateHead


@pytest.mark.parametrize("make", [decoder, encoder])
@pytest.mark.parametrize("changes", VARIANTS)
def test_the_terms_sum_to_the_logit_and_to_a_difference_of_two(make, changes) -> None:
    model = make(**changes)
    trace = model(IDS, edits=(AblateHead(0, 1),) if model.config.n_layers else ())
    for position in (0, 3, 5):
        for token in (0, 7):
            terms = residual_terms(model, trace, position=position, token=token)
            assert sum(t.value for t in terms) == pytest.approx(trace.logits[0, position, token].item(), abs=1e-4)
        pair = residual_terms(model, trace, position=position, token=7, other=2)
        difference = (trace.logits[0, position, 7] - trace.logits[0, position, 2]).item()
        assert sum(t.value for t in pair) == pytest.approx(difference, abs=1e-4)


@pytest.mark.parametrize("changes", VARIANTS[:4])
def test_cross_attention_and_its_heads_are_terms_too(changes) -> None:
    model = encoder_decoder(**{**changes, "n_kv_heads": 0})
    trace = model(IDS, TARGET_IDS)
    terms = residual_terms(model, trace, position=2, token=4)
    assert sum(t.value for t in terms) == pytest.approx(trace.logits[0, 2, 4].item(), abs=1e-4)
    assert [(t.layer, t.head) for t in terms if t.kind == "cross_head"] == [(i, h) for i in range(3) for h in range(4)]


def test_every_component_is_there_once() -> None:
    model = decoder()
    terms = residual_terms(model, model(IDS), position=1, token=2)
    names = [(t.kind, t.layer, t.head) for t in terms]
    layers = [
        [("head", i, 0), ("head", i, 1), ("attention_bias", i, None), ("feed_forward", i, None)] for i in range(2)
    ]
    assert names == [("token", None, None), ("position", None, None), *layers[0], *layers[1], ("norm_bias", None, None)]


def test_a_term_is_what_the_logit_loses_without_it_at_a_frozen_scale() -> None:
    model = decoder()
    trace, position, token = model(IDS), 4, 7
    silenced = model(IDS, edits=(AblateHead(1, 0),))
    term = next(t for t in residual_terms(model, trace, position=position, token=token) if (t.layer, t.head) == (1, 0))
    # A head of the last layer acts directly and by the last feed-forward layer: take the second path back out.
    changed = silenced.blocks[1].feed_forward.out - trace.blocks[1].feed_forward.out
    x, y = trace.blocks[1].resid_post[0, position], (silenced.blocks[1].resid_post - changed)[0, position]
    deviation = torch.sqrt(x.var(unbiased=False) + 1e-5)
    row = model.unembed.weight[token] * model.stack.final_norm.weight
    assert term.value == pytest.approx((row @ ((x - y) - (x - y).mean()) / deviation).item(), abs=1e-4)


@pytest.mark.parametrize("norm", ["layer", "rms"])
def test_a_stream_so_small_that_the_norms_epsilon_rules_adds_up_too(norm) -> None:
    model = decoder(n_layers=0, norm=norm, position="none")
    with torch.no_grad():
        model.stack.embed.weight.mul_(1e-3)
    trace = model(IDS)
    terms = residual_terms(model, trace, position=2, token=3)
    assert sum(t.value for t in terms) == pytest.approx(trace.logits[0, 2, 3].item(), rel=1e-3)
    assert abs(terms[0].value) > 0.01


def test_what_is_not_there_says_so() -> None:
    model = decoder()
    trace = model(IDS)
    with pytest.raises(ValueError, match="position: expected one from 0 to 5"):
        residual_terms(model, trace, position=6, token=0)
    with pytest.raises(ValueError, match="token: expected an id from 0 to 10"):
        residual_terms(model, trace, position=0, token=3, other=11)
