"""The laws of one-stack models: the trace is the computation, whole, and nothing leaks where it must not."""

import re
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.viz_model.models.small_models import BASE, POSITIONS, configs, ids_of, model_of
from tests.viz_model.torch_twins import twin_encoder_layer
from viz_model import masks
from viz_model.attention import masked_softmax
from viz_model.config import TransformerConfig
from viz_model.models import Decoder, Encoder
from viz_model.positions import sinusoids

kinds = pytest.mark.parametrize("kind", [Encoder, Decoder])
positions = pytest.mark.parametrize("position", POSITIONS)
some = settings(max_examples=40)


def close(first: Tensor, second: Tensor) -> bool:
    return torch.allclose(first, second, atol=1e-5, rtol=1e-5)


@given(configs(), st.sampled_from([Encoder, Decoder]), st.booleans())
@some
def test_traced_logits_are_the_training_paths(config: TransformerConfig, kind: type[Encoder], padded: bool) -> None:
    # In doubles: without norm, scale and residual a drawn model magnifies a float's last digit a thousandfold.
    model, ids = model_of(kind, config).double(), ids_of(2, 6)
    present = torch.tensor([[True] * 6, [False] * 2 + [True] * 3 + [False]]) if padded else None
    assert close(model(ids, present).logits, model.logits(ids, present))


@pytest.mark.parametrize("position", ["learned", "t5", "rotary"])
def test_both_paths_have_the_same_gradients(position: str) -> None:
    model, ids = model_of(Decoder, replace(BASE, position=position)), ids_of(2, 6)  # type: ignore[arg-type]
    weights = list(model.parameters())
    traced = torch.autograd.grad(model(ids).logits.square().mean(), weights)
    fused = torch.autograd.grad(model.logits(ids).square().mean(), weights)
    assert all(torch.allclose(one, two, atol=1e-5) for one, two in zip(traced, fused, strict=True))


@given(configs(), st.sampled_from([Encoder, Decoder]))
@some
def test_the_trace_is_one_unbroken_stream(config: TransformerConfig, kind: type[Encoder]) -> None:
    model, ids = model_of(kind, config), ids_of(2, 5)
    trace = model(ids)
    assert trace.ids is ids
    assert trace.tokens == ()
    assert torch.equal(trace.embedding, trace.token_embedding + trace.position_embedding)
    assert trace.position_embedding.shape == (1, 5, config.d_model)
    assert len(trace.blocks) == config.n_layers
    stream = trace.embedding
    for block in trace.blocks:
        assert block.resid_pre is stream
        stream = block.resid_post
    if config.norm_place == "post":
        assert trace.final_norm is stream
    assert torch.equal(trace.logits, model.unembed(trace.final_norm))


@given(configs(), st.sampled_from([Encoder, Decoder]))
@some
def test_weights_are_the_softmax_of_the_scores_and_sum_to_1(config: TransformerConfig, kind: type[Encoder]) -> None:
    present = torch.tensor([[True] * 5, [False] * 2 + [True] * 3])
    for block in model_of(kind, config)(ids_of(2, 5), present).blocks:
        attention = block.attention
        assert torch.equal(masked_softmax(attention.scores, attention.mask), attention.weights)
        is_open = attention.mask.any(-1).expand(2, config.n_heads, 5)
        assert torch.allclose(attention.weights.sum(-1), is_open.float(), atol=1e-5)


def test_a_trace_holds_references_and_no_copies() -> None:
    model, ids = model_of(Decoder, replace(BASE, position="learned")), ids_of(1, 5)
    trace = model(ids)
    table = model.stack.positions.table
    assert trace.position_embedding.data_ptr() == table.data_ptr()
    assert len({id(block.attention.mask) for block in trace.blocks}) == 1
    for block in trace.blocks:
        attention = block.attention
        assert len({part.untyped_storage().data_ptr() for part in (attention.q, attention.k, attention.v)}) == 1
    rotary = replace(BASE, position="rotary", n_kv_heads=4)
    attention = model_of(Decoder, rotary)(ids).blocks[0].attention
    assert attention.v.untyped_storage().nbytes() == 5 * 3 * 16 * 4  # still the one projection, not a copy


@positions
@pytest.mark.parametrize("place", ["pre", "post"])
def test_the_future_does_not_change_the_past(position: str, place: str) -> None:
    model, ids = model_of(Decoder, replace(BASE, position=position, norm_place=place)), ids_of(1, 8)  # type: ignore[arg-type]
    changed = ids.clone()
    changed[:, 5:] = (ids[:, 5:] + 1) % 17
    before, after = model(ids), model(changed)
    assert close(before.logits[:, :5], after.logits[:, :5])
    assert not torch.allclose(before.logits[:, 5:], after.logits[:, 5:], atol=1e-2)
    assert close(model(ids[:, :5]).logits, before.logits[:, :5])


def test_t5_buckets_of_a_decoder_are_all_for_the_past() -> None:
    """Distances 8 and 9 share a bucket where half of the buckets look ahead, and each has its own where none does."""
    for kind, shared in ((Encoder, True), (Decoder, False)):
        bias = model_of(kind, replace(BASE, position="t5")).stack.positions.bias(12)
        assert bias is not None
        assert torch.equal(bias[0, :, 11, 3], bias[0, :, 11, 2]) == shared


def test_an_encoder_sees_the_future() -> None:
    model, ids = model_of(Encoder, BASE), ids_of(1, 8)
    changed = ids.clone()
    changed[:, 7] = (ids[:, 7] + 1) % 17
    assert not torch.allclose(model(ids).logits[:, 0], model(changed).logits[:, 0], atol=1e-3)


@kinds
@positions
def test_padded_is_unpadded(kind: type[Encoder], position: str) -> None:
    model, ids = model_of(kind, replace(BASE, position=position)), ids_of(2, 8)  # type: ignore[arg-type]
    present = torch.arange(8)[None] < torch.tensor([[5], [8]])
    padded = model(ids, present)
    assert close(padded.logits[0, :5], model(ids[:1, :5]).logits[0])
    assert close(padded.logits[1], model(ids[1:]).logits[0])
    assert close(model.logits(ids, present)[0, :5], model.logits(ids[:1, :5])[0])
    assert not padded.blocks[0].attention.weights[0, :, :, 5:].any()


@kinds
@pytest.mark.parametrize("position", ["rotary", "alibi", "t5", "none"])
def test_relative_positions_do_not_mind_padding_on_the_left(kind: type[Encoder], position: str) -> None:
    model, ids = model_of(kind, replace(BASE, position=position)), ids_of(1, 8)  # type: ignore[arg-type]
    padded = model(ids, torch.arange(8)[None] >= 3)
    assert close(padded.logits[0, 3:], model(ids[:, 3:]).logits[0])
    assert padded.logits.isfinite().all()


@kinds
@positions
def test_texts_of_a_batch_do_not_meet(kind: type[Encoder], position: str) -> None:
    model, ids = model_of(kind, replace(BASE, position=position)), ids_of(4, 6)  # type: ignore[arg-type]
    together = model(ids).logits
    for text in range(4):
        assert close(together[text], model(ids[text : text + 1]).logits[0])


@positions
def test_only_without_positions_is_order_nothing(position: str) -> None:
    model = model_of(Encoder, replace(BASE, position=position))  # type: ignore[arg-type]
    ids, order = torch.arange(7)[None], torch.tensor([3, 0, 6, 1, 5, 2, 4])
    difference = (model(ids).logits[:, order] - model(ids[:, order]).logits).abs().max()
    assert difference < 1e-5 if position == "none" else difference > 1e-2


@pytest.mark.parametrize("place", ["pre", "post"])
@kinds
def test_a_whole_model_is_torchs_layers_one_after_another(kind: type[Encoder], place: str) -> None:
    config = replace(BASE, norm_place=place)  # type: ignore[arg-type]
    model, ids = model_of(kind, config), ids_of(2, 6)
    closed = ~model.own_mask(6)[0, 0]
    x = model.stack.embed(ids) + sinusoids(6, 16)
    for block in model.stack.blocks:
        x = twin_encoder_layer(block, config)(x, src_mask=closed)
    assert close(model(ids).logits, model.stack.final_norm(x) @ model.unembed.weight.T)


def test_a_whole_mask_replaces_the_models_own() -> None:
    decoder, encoder, ids = model_of(Decoder, BASE), model_of(Encoder, BASE), ids_of(2, 6)
    assert torch.equal(decoder(ids, masks.full(6)).logits, encoder(ids).logits)
    windowed = decoder(ids, masks.window(6, 2)).blocks[1].attention
    assert torch.equal(windowed.weights > 0, masks.window(6, 2).expand(2, 4, 6, 6))


@kinds
def test_one_token(kind: type[Encoder]) -> None:
    trace = model_of(kind, BASE)(torch.tensor([[3]]))
    assert torch.equal(trace.blocks[1].attention.weights, torch.ones(1, 4, 1, 1))


def test_a_text_that_is_all_padding_gives_numbers() -> None:
    model = model_of(Decoder, BASE)
    trace = model(ids_of(2, 4), torch.tensor([[True] * 4, [False] * 4]))
    assert not trace.blocks[0].attention.weights[1].any()
    assert trace.logits.isfinite().all()
    trace.logits.square().mean().backward()
    assert all(weight.grad is not None and weight.grad.isfinite().all() for weight in model.parameters())


@pytest.mark.parametrize("tied", [True, False])
def test_a_tied_unembedding_is_the_embedding(tied: bool) -> None:
    model = model_of(Decoder, replace(BASE, tied=tied))
    assert (model.unembed.weight is model.stack.embed.weight) == tied


def test_training_mode_changes_nothing_for_nothing_is_dropped() -> None:
    model, ids = model_of(Decoder, BASE), ids_of(2, 6)
    assert torch.equal(model.train()(ids).logits, model.eval()(ids).logits)


@pytest.mark.parametrize(
    ("ids", "sentence"),
    [
        (torch.zeros(1, 3), "ids: expected whole numbers [batch, position], got [1, 3] of float32."),
        (torch.zeros(3, dtype=torch.long), "got [3] of int64."),
        (torch.zeros(1, 0, dtype=torch.long), "ids: expected at least one position, got none."),
        (torch.zeros(1, 17, dtype=torch.long), "ids: expected at most 16 positions (context_length), got 17."),
        (torch.tensor([[3, 17]]), "17"),
        (torch.tensor([[-1, 2]]), "-1"),
    ],
)
def test_ids_that_no_one_can_read_are_refused_in_words(ids: Tensor, sentence: str) -> None:
    model = model_of(Decoder, BASE)
    for run in (model, model.logits):
        with pytest.raises(ValueError, match=re.escape(sentence)):
            run(ids)


@pytest.mark.parametrize("shape", [(2, 3), (3, 1, 3, 3)])
def test_a_mask_of_other_texts_than_the_batch_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"mask: expected"):
        model_of(Decoder, BASE)(ids_of(1, 3), torch.ones(shape, dtype=torch.bool))


@positions
def test_a_model_runs_where_its_weights_are(position: str) -> None:
    model = Decoder(replace(BASE, position=position)).to("meta")  # type: ignore[arg-type]
    assert model(torch.zeros(2, 5, dtype=torch.long, device="meta")).logits.shape == (2, 5, 17)
