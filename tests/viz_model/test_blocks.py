"""Blocks against torch's encoder and decoder layers with the same weights, and what their traces say."""

import pytest
import torch

from tests.viz_model.torch_twins import random_tensor, roughen, twin_decoder_layer, twin_encoder_layer
from viz_model import masks
from viz_model.attention import MultiHeadAttention
from viz_model.blocks import CrossSublayers, Reading, Sublayers, blocks, cross_blocks
from viz_model.config import TransformerConfig

places = pytest.mark.parametrize("place", ["pre", "post"])
PRESENT = torch.tensor([[True, True, True, True, False], [True, True, False, False, False]])
SOURCE_PRESENT = torch.tensor([[True, True, False], [True, True, True]])


def config_of(place: str, **options: object) -> TransformerConfig:
    return TransformerConfig(vocab_size=5, d_model=12, n_heads=3, d_ff=20, norm_place=place, **options)  # type: ignore[arg-type]


def block_of(config: TransformerConfig) -> Sublayers:
    block = blocks[config.norm_place](config)
    roughen(block)
    return block


def cross_block_of(config: TransformerConfig) -> CrossSublayers:
    block = cross_blocks[config.norm_place](config)
    roughen(block)
    return block


@places
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("fused", [True, False])
def test_a_block_is_torchs_encoder_layer(place: str, activation: str, bias: bool, fused: bool) -> None:
    config = config_of(place, activation=activation, bias=bias)
    block, x = block_of(config), random_tensor(2, 5, 12)
    trace = block(x, Reading(masks.causal(5) & masks.padding(PRESENT)), fused=fused)
    twin = twin_encoder_layer(block, config)
    expected = twin(x, src_mask=~masks.causal(5)[0, 0], src_key_padding_mask=~PRESENT)
    assert torch.allclose(trace.resid_post, expected, atol=1e-5)


@places
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("fused", [True, False])
def test_a_cross_block_is_torchs_decoder_layer(place: str, activation: str, bias: bool, fused: bool) -> None:
    config = config_of(place, activation=activation, bias=bias)
    block, x, memory = cross_block_of(config), random_tensor(2, 5, 12), random_tensor(2, 3, 12, seed=1)
    across = Reading(masks.full(5, 3) & masks.padding(SOURCE_PRESENT))
    trace = block(x, Reading(masks.causal(5) & masks.padding(PRESENT)), memory, across, fused=fused)
    twin = twin_decoder_layer(block, config)
    expected = twin(
        x,
        memory,
        tgt_mask=~masks.causal(5)[0, 0],
        tgt_key_padding_mask=~PRESENT,
        memory_key_padding_mask=~SOURCE_PRESENT,
    )
    assert torch.allclose(trace.resid_post, expected, atol=1e-5)


def test_a_pre_norm_trace_is_the_stream_and_what_each_sublayer_adds() -> None:
    block, x = block_of(config_of("pre")), random_tensor(2, 5, 12)
    trace = block(x, Reading(masks.full(5)))
    assert trace.resid_pre is x
    assert torch.equal(trace.normed_attention, block.norm_attention(x))
    assert torch.equal(trace.resid_mid, x + trace.attention.out)
    assert torch.equal(trace.normed_feed_forward, block.norm_feed_forward(trace.resid_mid))
    assert torch.equal(trace.feed_forward.out, block.feed_forward(trace.normed_feed_forward).out)
    assert torch.equal(trace.resid_post, trace.resid_mid + trace.feed_forward.out)


def test_a_post_norm_trace_is_the_normed_sums() -> None:
    block, x = block_of(config_of("post")), random_tensor(2, 5, 12)
    trace = block(x, Reading(masks.full(5)))
    assert trace.resid_pre is x
    assert trace.normed_attention is trace.resid_mid
    assert torch.equal(trace.resid_mid, block.norm_attention(x + trace.attention.out))
    assert trace.normed_feed_forward is trace.resid_post
    assert torch.equal(trace.resid_post, block.norm_feed_forward(trace.resid_mid + trace.feed_forward.out))


def test_a_pre_norm_cross_trace_has_its_third_sublayer_between() -> None:
    block, x, memory = cross_block_of(config_of("pre")), random_tensor(2, 5, 12), random_tensor(2, 3, 12, seed=1)
    trace = block(x, Reading(masks.causal(5)), memory, Reading(masks.full(5, 3)))
    assert torch.equal(trace.resid_cross, x + trace.attention.out)
    assert torch.equal(trace.normed_cross, block.norm_cross(trace.resid_cross))
    assert torch.equal(trace.resid_mid, trace.resid_cross + trace.cross_attention.out)
    assert torch.equal(trace.resid_post, trace.resid_mid + trace.feed_forward.out)


def test_a_post_norm_cross_trace_has_its_third_sublayer_between() -> None:
    block, x, memory = cross_block_of(config_of("post")), random_tensor(2, 5, 12), random_tensor(2, 3, 12, seed=1)
    trace = block(x, Reading(masks.causal(5)), memory, Reading(masks.full(5, 3)))
    assert trace.normed_attention is trace.resid_cross
    assert torch.equal(trace.resid_cross, block.norm_attention(x + trace.attention.out))
    assert trace.normed_cross is trace.resid_mid
    assert torch.equal(trace.resid_mid, block.norm_cross(trace.resid_cross + trace.cross_attention.out))
    assert trace.normed_feed_forward is trace.resid_post


@places
def test_cross_attention_reads_queries_down_and_keys_along(place: str) -> None:
    block, x, memory = cross_block_of(config_of(place)), random_tensor(2, 5, 12), random_tensor(2, 3, 12, seed=1)
    trace = block(x, Reading(masks.causal(5)), memory, Reading(masks.full(5, 3)))
    assert trace.attention.weights.shape == (2, 3, 5, 5)
    assert trace.cross_attention.weights.shape == (2, 3, 5, 3)
    assert torch.allclose(trace.cross_attention.weights.sum(-1), torch.ones(2, 3, 5))
    only = cross_block_of(config_of(place))(x, Reading(masks.causal(5)), memory[:, :1], Reading(masks.full(5, 1)))
    assert torch.equal(only.cross_attention.weights, torch.ones(2, 3, 5, 1))


def test_an_attention_only_block_leaves_the_stream_as_attention_did() -> None:
    trace = block_of(config_of("pre", feed_forward=False))(random_tensor(2, 5, 12), Reading(masks.full(5)))
    assert torch.equal(trace.resid_post, trace.resid_mid)


@pytest.mark.parametrize("norm", ["layer", "none"])
def test_without_a_residual_connection_each_sublayer_reads_the_one_before_and_nothing_else(norm: str) -> None:
    pre = block_of(config_of("pre", residual=False, norm=norm))
    trace = pre(random_tensor(2, 5, 12), Reading(masks.full(5)))
    assert trace.resid_mid is trace.attention.out
    assert trace.resid_post is trace.feed_forward.out
    post = block_of(config_of("post", residual=False, norm=norm))
    trace = post(random_tensor(2, 5, 12), Reading(masks.full(5)))
    assert torch.equal(trace.resid_mid, post.norm_attention(trace.attention.out))
    assert torch.equal(trace.resid_post, post.norm_feed_forward(trace.feed_forward.out))


@places
def test_without_a_residual_connection_a_cross_block_is_its_three_sublayers_in_a_row(place: str) -> None:
    block, x = cross_block_of(config_of(place, residual=False, norm="none")), random_tensor(2, 5, 12)
    across = (random_tensor(2, 3, 12, seed=1), Reading(masks.full(5, 3)))
    trace = block(x, Reading(masks.causal(5)), *across)
    streams = (trace.resid_cross, trace.resid_mid, trace.resid_post)
    outs = (trace.attention.out, trace.cross_attention.out, trace.feed_forward.out)
    assert all(torch.equal(stream, out) for stream, out in zip(streams, outs, strict=True))


@places
def test_without_norms_the_place_of_a_norm_makes_no_difference(place: str) -> None:
    block, x = block_of(config_of(place, norm="none")), random_tensor(2, 5, 12)
    trace = block(x, Reading(masks.full(5)))
    assert torch.equal(trace.resid_mid, x + trace.attention.out)
    assert torch.equal(trace.resid_post, trace.resid_mid + trace.feed_forward.out)
    assert torch.equal(trace.feed_forward.out, block.feed_forward(trace.resid_mid).out)


def test_position_bias_and_rotation_reach_self_attention_and_not_cross_attention() -> None:
    block, x, memory = cross_block_of(config_of("pre")), random_tensor(1, 4, 12), random_tensor(1, 4, 12, seed=1)
    bias = random_tensor(1, 3, 4, 4, seed=2)
    trace = block(x, Reading(masks.full(4), lambda part: part * 2, bias), memory, Reading(masks.full(4, 4)))
    own: MultiHeadAttention = block.attention
    assert trace.attention.bias is bias
    plain = own(trace.normed_attention, masks.full(4))
    assert torch.allclose(trace.attention.q, plain.q * 2)
    assert torch.allclose(trace.attention.k, plain.k * 2)
    assert torch.equal(trace.attention.v, plain.v)
    assert trace.cross_attention.bias is None
    across: MultiHeadAttention = block.cross_attention
    assert torch.equal(trace.cross_attention.k, across(trace.normed_cross, masks.full(4), memory=memory).k)
