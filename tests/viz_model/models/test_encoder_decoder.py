"""The laws of the encoder-decoder: depths, lengths and vocabularies differ, and nothing is dropped or confused."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.viz_model.models.small_models import BASE, POSITIONS, ids_of, pair_of, pairs
from tests.viz_model.torch_twins import twin_decoder_layer, twin_encoder_layer
from viz_model import masks
from viz_model.config import EncoderDecoderConfig
from viz_model.positions import sinusoids

some = settings(max_examples=30)
positions = pytest.mark.parametrize("position", POSITIONS)
UNEQUAL = EncoderDecoderConfig(
    encoder=replace(BASE, n_layers=3),
    decoder=replace(BASE, n_layers=1, n_heads=2, n_kv_heads=2, d_head=8, vocab_size=13),
)


def target_of(batch: int, n: int) -> Tensor:
    return ids_of(batch, n, vocab_size=13, seed=1)


def close(first: Tensor, second: Tensor) -> bool:
    return torch.allclose(first, second, atol=1e-5, rtol=1e-5)


@given(pairs(), st.booleans())
@some
def test_traced_logits_are_the_training_paths(config: EncoderDecoderConfig, padded: bool) -> None:
    # In doubles: without norm, scale and residual a drawn model magnifies a float's last digit a thousandfold.
    model, ids, target = pair_of(config).double(), ids_of(2, 6), target_of(2, 4)
    present = torch.tensor([[True] * 6, [True] * 3 + [False] * 3]) if padded else None
    target_present = torch.tensor([[False] + [True] * 3, [True] * 4]) if padded else None
    traced = model(ids, target, present, target_present).logits
    assert traced.shape == (2, 4, 13)
    assert close(traced, model.logits(ids, target, present, target_present))


@given(pairs())
@some
def test_both_streams_are_unbroken_and_every_layer_is_there(config: EncoderDecoderConfig) -> None:
    model, ids, target = pair_of(config), ids_of(2, 6), target_of(2, 4)
    trace = model(ids, target)
    for stack, read, part in ((trace.encoder, ids, config.encoder), (trace.decoder, target, config.decoder)):
        assert stack.ids is read
        assert len(stack.blocks) == part.n_layers
        stream = stack.embedding
        for block in stack.blocks:
            assert block.resid_pre is stream
            stream = block.resid_post
        if part.norm_place == "post":
            assert stack.final_norm is stream
    assert torch.equal(trace.logits, model.unembed(trace.decoder.final_norm))


def test_weights_have_the_lengths_of_what_reads_and_what_is_read() -> None:
    trace = pair_of(UNEQUAL)(ids_of(3, 7), target_of(3, 5))
    assert [block.attention.weights.shape for block in trace.encoder.blocks] == [(3, 4, 7, 7)] * 3
    assert [block.attention.weights.shape for block in trace.decoder.blocks] == [(3, 2, 5, 5)]
    across = trace.decoder.blocks[0].cross_attention
    assert across.weights.shape == (3, 2, 5, 7)
    assert torch.allclose(across.weights.sum(-1), torch.ones(3, 2, 5))


@pytest.mark.parametrize("place", ["pre", "post"])
def test_a_whole_model_is_torchs_layers_one_after_another(place: str) -> None:
    config = EncoderDecoderConfig(
        encoder=replace(UNEQUAL.encoder, norm_place=place),  # type: ignore[arg-type]
        decoder=replace(UNEQUAL.decoder, norm_place=place, n_layers=2),  # type: ignore[arg-type]
    )
    model, ids, target = pair_of(config), ids_of(2, 6), target_of(2, 4)
    memory = model.encoder.embed(ids) + sinusoids(6, 16)
    for block in model.encoder.blocks:
        memory = twin_encoder_layer(block, config.encoder)(memory)
    memory = model.encoder.final_norm(memory)
    x = model.decoder.embed(target) + sinusoids(4, 16)
    for block in model.decoder.blocks:
        x = twin_decoder_layer(block, config.decoder)(x, memory, tgt_mask=~masks.causal(4)[0, 0])
    assert close(model(ids, target).logits, model.decoder.final_norm(x) @ model.unembed.weight.T)


@positions
def test_the_targets_future_does_not_change_its_past_but_the_source_does(position: str) -> None:
    config = EncoderDecoderConfig(
        encoder=replace(UNEQUAL.encoder, position=position),  # type: ignore[arg-type]
        decoder=replace(UNEQUAL.decoder, position=position),  # type: ignore[arg-type]
    )
    model, ids, target = pair_of(config), ids_of(1, 6), target_of(1, 5)
    before = model(ids, target)
    later = target.clone()
    later[:, 3:] = (target[:, 3:] + 1) % 13
    after = model(ids, later)
    assert close(before.logits[:, :3], after.logits[:, :3])
    assert not torch.allclose(before.logits[:, 3:], after.logits[:, 3:], atol=1e-2)
    assert torch.equal(before.encoder.final_norm, after.encoder.final_norm)
    source = ids.clone()
    source[:, 5] = (ids[:, 5] + 1) % 17
    assert not torch.allclose(model(source, target).logits[:, 0], before.logits[:, 0], atol=1e-3)


@positions
def test_padded_is_unpadded_on_both_sides(position: str) -> None:
    config = EncoderDecoderConfig(
        encoder=replace(UNEQUAL.encoder, position=position),  # type: ignore[arg-type]
        decoder=replace(UNEQUAL.decoder, position=position),  # type: ignore[arg-type]
    )
    model, ids, target = pair_of(config), ids_of(2, 7), target_of(2, 6)
    present = torch.arange(7)[None] < torch.tensor([[4], [7]])
    target_present = torch.arange(6)[None] < torch.tensor([[6], [2]])
    padded = model(ids, target, present, target_present)
    assert close(padded.logits[0], model(ids[:1, :4], target[:1]).logits[0])
    assert close(padded.logits[1, :2], model(ids[1:], target[1:, :2]).logits[0])
    assert not padded.decoder.blocks[0].cross_attention.weights[0, :, :, 4:].any()


def test_a_whole_source_mask_speaks_of_the_encoder_alone() -> None:
    trace = pair_of(UNEQUAL)(ids_of(1, 6), target_of(1, 4), masks.causal(6))
    assert torch.equal(trace.encoder.blocks[0].attention.weights > 0, masks.causal(6).expand(1, 4, 6, 6))
    assert (trace.decoder.blocks[0].cross_attention.weights > 0).all()


def test_an_empty_source_gives_zeros_across_and_numbers_out() -> None:
    model = pair_of(UNEQUAL)
    trace = model(ids_of(2, 3), target_of(2, 4), torch.tensor([[True] * 3, [False] * 3]))
    assert not trace.decoder.blocks[0].cross_attention.weights[1].any()
    trace.logits.square().mean().backward()
    assert trace.logits.isfinite().all()
    assert all(weight.grad is not None and weight.grad.isfinite().all() for weight in model.parameters())


def test_texts_of_a_batch_do_not_meet() -> None:
    model, ids, target = pair_of(UNEQUAL), ids_of(4, 4), target_of(4, 4)
    together = model(ids, target).logits
    for text in range(4):
        assert close(together[text], model(ids[text : text + 1], target[text : text + 1]).logits[0])


def test_a_tied_unembedding_is_the_decoders_embedding() -> None:
    model = pair_of(replace(UNEQUAL, decoder=replace(UNEQUAL.decoder, tied=True)))
    assert model.unembed.weight is model.decoder.embed.weight


def test_only_the_encoders_t5_buckets_look_ahead() -> None:
    t5 = replace(BASE, position="t5")
    model = pair_of(EncoderDecoderConfig(encoder=t5, decoder=t5))
    for stack, shared in ((model.encoder, True), (model.decoder, False)):
        bias = stack.positions.bias(12)
        assert bias is not None
        assert torch.equal(bias[0, :, 11, 3], bias[0, :, 11, 2]) == shared


@pytest.mark.parametrize("n_texts", [(1, 2), (2, 1), (3, 2)])
def test_as_many_sources_as_targets(n_texts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="expected"):
        pair_of(UNEQUAL)(ids_of(n_texts[0], 4), target_of(n_texts[1], 3))


def test_each_side_checks_its_own_ids() -> None:
    model = pair_of(UNEQUAL)
    with pytest.raises(ValueError, match="at most 16 positions"):
        model(torch.zeros(1, 17, dtype=torch.long), target_of(1, 3))
    with pytest.raises(ValueError, match="at least one position"):
        model(ids_of(1, 3), torch.zeros(1, 0, dtype=torch.long))
