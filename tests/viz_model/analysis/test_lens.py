import pytest
import torch

from tests.viz_model.analysis.small_models import IDS, TARGET_IDS, VARIANTS, decoder, encoder, encoder_decoder
from viz_model.analysis import logit_lens


@pytest.mark.parametrize("changes", VARIANTS)
@pytest.mark.parametrize("make", [decoder, encoder])
def test_each_layer_is_normed_and_unembedded_and_the_last_is_the_output(make, changes) -> None:
    model = make(**changes)
    with torch.no_grad():
        trace = model(IDS.repeat(2, 1))
        lens = logit_lens(model, trace)
        streams = [trace.embedding, *(block.resid_post for block in trace.blocks)]
        assert lens.shape == (len(streams), 2, 6, 11)
        assert torch.equal(lens[-1], trace.logits)
        for got, stream in zip(lens, streams, strict=True):
            for position in range(6):
                row = model.unembed.weight @ model.stack.final_norm(stream[1, position])
                torch.testing.assert_close(got[1, position], row, atol=1e-5, rtol=1e-5)
    assert not lens.requires_grad
    one = logit_lens(model, trace, position=4)
    assert one.shape == (len(streams), 2, 1, 11)
    torch.testing.assert_close(one[:, :, 0], lens[:, :, 4], atol=1e-5, rtol=1e-5)
    assert torch.equal(one[-1, :, 0], trace.logits[:, 4])


def test_an_encoder_decoder_is_seen_in_its_decoder() -> None:
    model = encoder_decoder()
    with torch.no_grad():
        trace = model(IDS, TARGET_IDS)
        lens = logit_lens(model, trace)
        assert torch.equal(lens[-1], trace.logits)
        early = model.unembed(model.decoder.final_norm(trace.decoder.blocks[0].resid_post))
    assert lens.shape == (4, 1, 4, 11)
    torch.testing.assert_close(lens[1], early)


def test_a_position_that_is_not_there_says_so() -> None:
    model = decoder()
    with pytest.raises(ValueError, match="0 to 5, got 6"):
        logit_lens(model, model(IDS), position=6)
