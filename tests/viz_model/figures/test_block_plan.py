"""The plan of a block against traces: each of the trace's tensors is on one arrow, and each arrow has one tensor."""

from dataclasses import fields, replace
from itertools import product

import pytest
import torch

from tests.viz_model.models.small_models import BASE, ids_of, model_of, pair_of
from viz_model.blocks import BlockTrace, CrossBlockTrace
from viz_model.config import EncoderDecoderConfig, TransformerConfig
from viz_model.figures.block_plan import BlockPlan, block_plan
from viz_model.models import Decoder

CONFIGS = [
    replace(BASE, norm=norm, norm_place=place, residual=residual, feed_forward=feed_forward)
    for norm, place, residual, feed_forward in product(
        ("layer", "rms", "none"), ("pre", "post"), (True, False), (True, False)
    )
    if residual or feed_forward
]
named = pytest.mark.parametrize(
    "config", CONFIGS, ids=lambda c: f"{c.norm_place}-{c.norm}{'' if c.residual else '-cut'}{c.feed_forward * '-ff'}"
)


def tensor(block: BlockTrace, path: str) -> torch.Tensor:
    for part in path.split("."):
        block = getattr(block, part)
    return block  # type: ignore[return-value]


def on_trace(block: BlockTrace) -> dict[str, torch.Tensor]:
    """Every tensor between a block's boxes: the stream, what norms give, what sublayers put out."""
    names = [field.name for field in fields(block)]
    return {
        name if isinstance(found := getattr(block, name), torch.Tensor) else f"{name}.out": found
        if isinstance(found, torch.Tensor)
        else found.out
        for name in names
    }


def check(plan: BlockPlan, block: BlockTrace, d_model: int, *, attention_only: bool) -> None:
    tensors = on_trace(block)
    said: list[str] = []
    for arrow in plan.arrows:
        if arrow.name == "encoder.final_norm":
            continue
        for name in (arrow.name, *arrow.also):
            same = torch.equal if attention_only else lambda a, b: a is b
            assert same(tensor(block, name), tensor(block, arrow.name)), (name, arrow.name)
        assert arrow.shape == tuple(map(str, tensor(block, arrow.name).shape[1:]))
        said += [arrow.name, *arrow.also]
    assert len(set(said)) == len(said)
    unread = {"feed_forward.out", "normed_feed_forward"} if attention_only else set()
    assert set(said) | unread == set(tensors)
    if not attention_only:  # no tensor lies on two arrows
        arrows = [arrow for arrow in plan.arrows if arrow.name != "encoder.final_norm"]
        assert len({id(tensor(block, arrow.name)) for arrow in arrows}) == len(arrows)
        assert {id(t) for t in tensors.values()} == {id(tensor(block, arrow.name)) for arrow in arrows}


@named
def test_arrows_and_tensors_of_a_block_are_one_to_one(config: TransformerConfig) -> None:
    trace = model_of(Decoder, config)(ids_of(2, 5))
    plan = block_plan(config, n=5)
    for block in trace.blocks:
        check(plan, block, config.d_model, attention_only=not config.feed_forward)


@named
def test_arrows_and_tensors_of_a_block_that_reads_an_encoder(config: TransformerConfig) -> None:
    pair = pair_of(EncoderDecoderConfig(encoder=BASE, decoder=replace(config, n_layers=3)))
    trace = pair(ids_of(2, 6), ids_of(2, 4))
    plan = block_plan(pair.config.decoder, cross_attention=True, n=4, n_memory=6)
    assert plan.n_layers == 3
    (memory,) = [arrow for arrow in plan.arrows if arrow.name == "encoder.final_norm"]
    assert memory.shape == tuple(map(str, trace.encoder.final_norm.shape[1:]))
    for block in trace.decoder.blocks:
        assert isinstance(block, CrossBlockTrace)
        check(plan, block, config.d_model, attention_only=not config.feed_forward)


def test_arrows_are_in_the_order_of_the_computation() -> None:
    order = [field.name for field in fields(BlockTrace)]
    names = [arrow.name.removesuffix(".out") for arrow in block_plan(BASE).arrows]
    assert names == order
    assert [arrow.name for arrow in block_plan(replace(BASE, norm_place="post")).arrows] == [
        "resid_pre", "attention.out", "resid_mid", "feed_forward.out", "resid_post"
    ]  # fmt: skip


def test_what_is_not_known_is_said_in_words() -> None:
    assert block_plan(BASE).enters.shape == ("positions", "16")
    assert block_plan(BASE, cross_attention=True, n=3).sublayers[1].memory.shape == ("positions", "16")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("changes", "cross", "sentence"),
    [
        (
            {},
            False,
            "A pre-norm block, 2 times over: LayerNorm, self-attention, added to the stream; then LayerNorm, "
            "feed-forward, added to the stream.",
        ),
        (
            {"norm_place": "post", "norm": "rms", "n_layers": 1},
            True,
            "A post-norm block, once: self-attention, added to the stream, RMSNorm; then cross-attention, added to "
            "the stream, RMSNorm; then feed-forward, added to the stream, RMSNorm.",
        ),
        (
            {"norm": "none", "residual": False},
            False,
            "A norm-free block without residual connections, 2 times over: self-attention; then feed-forward.",
        ),
        (
            {"norm_place": "post", "feed_forward": False},
            False,
            "A post-norm block, 2 times over: self-attention, added to the stream, LayerNorm; then LayerNorm.",
        ),
    ],
)
def test_the_summary_is_the_picture_in_words(changes: dict[str, object], cross: bool, sentence: str) -> None:
    assert block_plan(replace(BASE, **changes), cross_attention=cross).summary == sentence  # type: ignore[arg-type]
