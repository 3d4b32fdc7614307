"""The norms along the stream against plain loops, and the law that ties a sublayer's addition to them."""

import math

import pytest
import torch

from tests.viz_model.analysis.small_models import IDS, TARGET_IDS, VARIANTS, decoder, encoder, encoder_decoder
from viz_model.analysis import ResidualNorms, norm_sites, residual_norms


def length(vector) -> float:
    return math.sqrt(sum(x * x for x in vector.tolist()))


def cosine(a, b) -> float:
    return sum(x * y for x, y in zip(a.tolist(), b.tolist(), strict=True)) / (length(a) * length(b))


@pytest.mark.parametrize("changes", VARIANTS)
def test_every_place_is_the_length_of_the_traces_own_vectors(changes) -> None:
    model = decoder(**changes)
    trace = model(IDS)
    found = residual_norms(model, trace)
    names = ["resid_pre"] + ["resid_mid", "resid_post"] * model.config.n_layers
    assert [place.name for place in found.places] == names
    streams = [trace.embedding]
    streams += [stream for block in trace.blocks for stream in (block.resid_mid, block.resid_post)]
    for place, stream in zip(found.places, streams, strict=True):
        assert place.norms == pytest.approx([length(x) for x in stream[0]], rel=1e-5)


@pytest.mark.parametrize("changes", VARIANTS)
def test_what_a_sublayer_adds_ties_the_lengths_before_and_after(changes) -> None:
    model = decoder(**changes)
    found = residual_norms(model, model(IDS))
    sublayers = ["attention", "feed_forward"] if model.config.feed_forward else ["attention"]
    assert [(a.layer, a.sublayer) for a in found.additions] == [
        (layer, name) for layer in range(model.config.n_layers) for name in sublayers
    ]
    for one in found.additions:
        for stream, out, turn, share, total in zip(one.stream, one.out, one.cosine, one.share, one.sum, strict=True):
            assert share == pytest.approx(out / stream)
            law = stream**2 + out**2 + 2 * stream * out * turn if model.config.residual else out**2
            assert total**2 == pytest.approx(law, rel=1e-4)


def test_a_pre_norm_stream_is_the_sum_itself() -> None:
    model = encoder()
    trace = model(IDS)
    found = residual_norms(model, trace)
    for one, place in zip(found.additions, found.places[1:], strict=True):
        assert one.sum == pytest.approx(place.norms, rel=1e-5)
    block, first = trace.blocks[0], found.additions[0]
    turns = [cosine(a, b) for a, b in zip(block.resid_pre[0], block.attention.out[0], strict=True)]
    assert first.cosine == pytest.approx(turns, abs=1e-5)


def test_a_decoder_with_cross_attention_has_three_additions_a_layer() -> None:
    model = encoder_decoder()
    trace = model(IDS, TARGET_IDS)
    found = residual_norms(model, trace, stack="decoder")
    assert [a.sublayer for a in found.additions] == ["attention", "cross_attention", "feed_forward"] * 3
    assert [p.name for p in found.places] == ["resid_pre", *["resid_cross", "resid_mid", "resid_post"] * 3]
    assert found.places[2].norms == pytest.approx([length(x) for x in trace.decoder.blocks[0].resid_mid[0]], rel=1e-5)
    assert len(residual_norms(model, trace, stack="encoder").additions) == 4
    for stack in ("", "both"):
        with pytest.raises(ValueError, match="stack: expected 'encoder' or 'decoder'"):
            residual_norms(model, trace, stack=stack)
        with pytest.raises(ValueError, match="stack: expected 'encoder' or 'decoder'"):
            norm_sites(model, trace, stack=stack)
    with pytest.raises(ValueError, match="trace: expected one of this EncoderDecoder, got ModelTrace"):
        residual_norms(model, decoder()(IDS), stack="decoder")


def test_alike_is_the_mean_cosine_of_two_positions() -> None:
    model = encoder()
    trace = model(IDS)
    n = IDS.shape[1]
    for place, stream in zip(residual_norms(model, trace).places[1:], _streams(trace), strict=True):
        pairs = [cosine(stream[i], stream[j]) for i in range(n) for j in range(n) if i != j]
        assert place.alike == pytest.approx(sum(pairs) / len(pairs), abs=1e-5)
    assert residual_norms(model, model(IDS[:, :1])).places[0].alike == 1.0


def _streams(trace):
    return [stream[0] for block in trace.blocks for stream in (block.resid_mid, block.resid_post)]


def test_equal_positions_are_alike_and_opposite_ones_are_not() -> None:
    model = encoder(position="none", n_layers=0)
    same = residual_norms(model, model(torch.tensor([[3, 3, 3]])))
    assert same.places[0].alike == pytest.approx(1.0)
    with torch.no_grad():
        model.stack.embed.weight[4] = -model.stack.embed.weight[3]
    assert residual_norms(model, model(torch.tensor([[3, 4]]))).places[0].alike == pytest.approx(-1.0)


def test_results_through_json_and_back() -> None:
    model = encoder()
    found = residual_norms(model, model(IDS))
    assert ResidualNorms.from_json(found.to_json()) == found
