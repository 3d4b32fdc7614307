import pytest
import torch

from tests.viz_model.analysis.small_models import IDS, TARGET_IDS, VARIANTS, decoder, encoder_decoder
from viz_model.analysis import head_terms, value_weighted_norms
from viz_model.edits import AblateHead


@pytest.mark.parametrize("changes", VARIANTS)
def test_the_heads_terms_and_the_bias_sum_to_the_attention_output(changes) -> None:
    model = decoder(**changes)
    trace = model(IDS.repeat(2, 1))
    for layer, block in zip(model.stack.blocks, trace.blocks, strict=True):
        terms = head_terms(layer.attention, block.attention)
        assert terms.shape == (2, 2, 6, 8)
        bias = 0.0 if layer.attention.w_o.bias is None else layer.attention.w_o.bias
        torch.testing.assert_close(terms.sum(1) + bias, block.attention.out, atol=1e-5, rtol=1e-5)


def test_cross_attention_too() -> None:
    model = encoder_decoder()
    trace = model(IDS, TARGET_IDS)
    layer, block = model.decoder.blocks[1], trace.decoder.blocks[1]
    terms = head_terms(layer.cross_attention, block.cross_attention)
    assert terms.shape == (1, 4, 4, 8)
    torch.testing.assert_close(terms.sum(1) + layer.cross_attention.w_o.bias, block.cross_attention.out)
    assert value_weighted_norms(layer.cross_attention, block.cross_attention).shape == (1, 4, 4, 6)


def test_ablating_a_head_removes_exactly_its_term() -> None:
    model = decoder()
    before, after = model(IDS), model(IDS, edits=(AblateHead(0, 1),))
    term = head_terms(model.stack.blocks[0].attention, before.blocks[0].attention)[:, 1]
    torch.testing.assert_close(before.blocks[0].resid_mid - term, after.blocks[0].resid_mid, atol=1e-6, rtol=1e-5)
    assert head_terms(model.stack.blocks[0].attention, after.blocks[0].attention)[:, 1].abs().max() == 0


@pytest.mark.parametrize("changes", VARIANTS[:3])
def test_the_norm_of_a_link_is_that_of_its_vector(changes) -> None:
    model = decoder(**changes)
    layer, trace = model.stack.blocks[1].attention, model(IDS).blocks[1].attention
    got, w_o, d_head = value_weighted_norms(layer, trace), layer.w_o.weight, layer.d_head
    links = torch.zeros(2, 6, 6, 8)
    for head in range(2):
        for query in range(6):
            for key in range(6):
                vector = w_o[:, head * d_head : (head + 1) * d_head] @ trace.v[0, head, key]
                links[head, query, key] = trace.weights[0, head, query, key] * vector
    torch.testing.assert_close(got[0], links.norm(dim=-1), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(links.sum(2), head_terms(layer, trace)[0], atol=1e-5, rtol=1e-5)
