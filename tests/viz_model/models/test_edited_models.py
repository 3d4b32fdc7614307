"""Edits in whole models: each does what it says to one head, in any stack and attention, and to nothing before it."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.viz_model.models.small_models import BASE, configs, ids_of, model_of, pair_of
from viz_model import masks
from viz_model.attention import AttentionTrace, MultiHeadAttention
from viz_model.config import EncoderDecoderConfig, TransformerConfig
from viz_model.edits import AblateHead, Edit, KnockOut, PatchHead, SetWeight, UniformHead
from viz_model.models import Decoder, Encoder, EncoderDecoderTrace

PAIR = EncoderDecoderConfig(encoder=BASE, decoder=replace(BASE, vocab_size=13, n_layers=3))
PLACES = [("encoder", "self"), ("decoder", "self"), ("decoder", "cross")]
places = pytest.mark.parametrize(("stack", "attention"), PLACES)


def term(attention: MultiHeadAttention, trace: AttentionTrace, head: int) -> Tensor:
    """What one head adds to the residual stream: its output by its own columns of W_O."""
    columns = attention.w_o.weight[:, head * attention.d_head : (head + 1) * attention.d_head]
    return trace.heads[:, head] @ columns.T


def attention_in(trace: EncoderDecoderTrace, stack: str, attention: str, layer: int) -> AttentionTrace:
    block = getattr(trace, stack).blocks[layer]
    found: AttentionTrace = block.cross_attention if attention == "cross" else block.attention
    return found


@given(configs().filter(lambda config: config.n_layers > 1), st.integers(0, 3), st.sampled_from([Encoder, Decoder]))
@settings(max_examples=25)
def test_ablating_a_head_removes_exactly_its_term(config: TransformerConfig, head: int, kind: type[Encoder]) -> None:
    model, ids = model_of(kind, config).double(), ids_of(2, 5)
    before, after = model(ids), model(ids, edits=(AblateHead(1, head),))
    own = model.stack.blocks[1].attention
    removed = before.blocks[1].attention.out - after.blocks[1].attention.out
    assert torch.allclose(removed, term(own, before.blocks[1].attention, head), atol=1e-5)
    if config.norm_place == "pre":
        left = before.blocks[1].resid_mid - term(own, before.blocks[1].attention, head)
        assert torch.allclose(after.blocks[1].resid_mid, left, atol=1e-5)
    assert torch.equal(before.blocks[0].resid_post, after.blocks[0].resid_post)
    assert torch.equal(before.blocks[1].attention.weights, after.blocks[1].attention.weights)


def test_the_heads_terms_and_the_bias_are_the_whole_of_attentions_output() -> None:
    model = model_of(Decoder, BASE)
    own, trace = model.stack.blocks[0].attention, model(ids_of(2, 5)).blocks[0].attention
    total = torch.stack([term(own, trace, head) for head in range(4)]).sum(0) + own.w_o.bias
    assert torch.allclose(total, trace.out, atol=1e-5)
    silent = model(ids_of(2, 5), edits=tuple(AblateHead(0, head) for head in range(4))).blocks[0].attention
    assert torch.allclose(silent.out, own.w_o.bias.expand_as(silent.out))


@given(configs())
@settings(max_examples=15)
def test_no_edit_changes_nothing(config: TransformerConfig) -> None:
    model, ids = model_of(Decoder, config), ids_of(2, 5)
    assert torch.equal(model(ids).logits, model(ids, edits=()).logits)
    assert torch.equal(model(ids).logits, model(ids, edits=[]).logits)


@places
@pytest.mark.parametrize("kind", ["ablate", "uniform", "cut", "set", "patch heads", "patch weights"])
def test_an_edit_reaches_its_one_place(stack: str, attention: str, kind: str) -> None:
    model, ids, target = pair_of(PAIR), ids_of(2, 6), ids_of(2, 4, vocab_size=13, seed=1)
    other = model(ids_of(2, 6, seed=5), ids_of(2, 4, vocab_size=13, seed=6))
    where = {"layer": 1, "head": 2, "stack": stack, "attention": attention}
    edit: Edit = {
        "ablate": lambda: AblateHead(**where),
        "uniform": lambda: UniformHead(**where),
        "cut": lambda: KnockOut(**where, query=3, key=1),
        "set": lambda: SetWeight(**where, query=3, key=1, value=0.9),
        "patch heads": lambda: PatchHead(**where, source=other),
        "patch weights": lambda: PatchHead(**where, source=other, what="weights"),
    }[kind]()
    before, after = model(ids, target), model(ids, target, edits=(edit,))
    changed = {
        (s, a, layer)
        for s, a in PLACES
        for layer in range(len(getattr(before, s).blocks))
        if not torch.equal(attention_in(before, s, a, layer).heads, attention_in(after, s, a, layer).heads)
    }
    order = [("encoder", "self", 0), ("encoder", "self", 1)]
    order += [("decoder", a, layer) for layer in range(3) for a in ("self", "cross")]
    first = order.index((stack, attention, 1))
    later = set(order[first:])
    if stack == "encoder":
        later -= {("decoder", "self", 0)}  # reads the target alone
    assert changed == later
    old, new = attention_in(before, stack, attention, 1), attention_in(after, stack, attention, 1)
    assert [torch.equal(old.heads[:, head], new.heads[:, head]) for head in range(4)] == [True, True, False, True]
    assert torch.equal(model(ids, target).logits, before.logits)


@places
@pytest.mark.parametrize("what", ["heads", "weights"])
def test_a_patch_from_the_same_run_changes_nothing(stack: str, attention: str, what: str) -> None:
    model, ids, target = pair_of(PAIR), ids_of(2, 6), ids_of(2, 4, vocab_size=13, seed=1)
    run = model(ids, target)
    edit = PatchHead(1, 2, run, what, stack=stack, attention=attention)  # type: ignore[arg-type]
    assert torch.equal(model(ids, target, edits=(edit,)).logits, run.logits)


@pytest.mark.parametrize("what", ["heads", "weights"])
def test_a_patch_is_a_splice(what: str) -> None:
    model, ids = model_of(Decoder, BASE), ids_of(2, 5)
    run, other = model(ids), model(ids_of(2, 5, seed=9))
    patched = model(ids, edits=(PatchHead(0, 1, other, what),)).blocks[0]  # type: ignore[arg-type]
    heads = run.blocks[0].attention.heads.clone()
    given_heads = other.blocks[0].attention.heads[:, 1]
    given_weights = other.blocks[0].attention.weights[:, 1]
    heads[:, 1] = given_heads if what == "heads" else given_weights @ run.blocks[0].attention.v[:, 1]
    own = model.stack.blocks[0].attention
    out = heads.transpose(1, 2).reshape(2, 5, -1) @ own.w_o.weight.T + own.w_o.bias
    assert torch.allclose(patched.attention.out, out, atol=1e-5)
    assert torch.allclose(patched.resid_mid, run.embedding + out, atol=1e-5)
    assert torch.equal(patched.attention.weights[:, 1], given_weights) == (what == "weights")


def test_one_run_is_patched_into_every_text_of_a_batch() -> None:
    model, other = model_of(Decoder, BASE), model_of(Decoder, BASE)(ids_of(1, 5, seed=9))
    patched = model(ids_of(3, 5), edits=(PatchHead(0, 1, other),)).blocks[0].attention
    assert torch.equal(patched.heads[:, 1], other.blocks[0].attention.heads[:, 1].expand(3, 5, 4))


def test_a_cut_that_renormalises_is_a_narrower_mask() -> None:
    single = replace(BASE, n_heads=1, n_kv_heads=1, d_head=8, n_layers=1)
    model, ids, mask = model_of(Decoder, single), ids_of(1, 5), masks.causal(5).clone()
    mask[0, 0, 3, 1] = mask[0, 0, 4, 1] = False
    cut = model(ids, edits=(KnockOut(0, 0, 3, 1), KnockOut(0, 0, 4, 1)))
    assert torch.allclose(cut.logits, model(ids, mask).logits, atol=1e-5)


def test_edits_in_a_model_apply_in_the_order_given() -> None:
    model, ids = model_of(Decoder, BASE), ids_of(1, 4)
    uniform, set_one = UniformHead(0, 1), SetWeight(0, 1, 3, 0, 1.0)
    last_set = model(ids, edits=(uniform, set_one)).blocks[0].attention.weights[0, 1, 3]
    last_uniform = model(ids, edits=(set_one, uniform)).blocks[0].attention.weights[0, 1, 3]
    assert last_set.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert last_uniform.tolist() == [0.25] * 4


@pytest.mark.parametrize(
    "edit",
    [
        AblateHead(0, 1),
        UniformHead(0, 1),
        KnockOut(0, 1, 3, 1),
        KnockOut(0, 1, 0, 0),  # the only key of query 0
        KnockOut(0, 1, None, 0),
        SetWeight(0, 1, 3, 1, 0.6),
        SetWeight(0, 1, 0, 0, 0.6),
    ],
    ids=lambda edit: edit.code,
)
def test_gradients_flow_through_an_edited_run(edit: Edit) -> None:
    model = model_of(Decoder, BASE)
    model(ids_of(1, 5), edits=(edit,)).logits.square().mean().backward()
    assert all(weight.grad is not None and weight.grad.isfinite().all() for weight in model.parameters())
    own = model.stack.blocks[0].attention.w_qkv.weight.grad
    assert own is not None
    by_head = own[:16].view(4, 4, 16).flatten(1)  # the rows of W_Q
    assert by_head.any(-1).tolist() == [True, not isinstance(edit, AblateHead | UniformHead), True, True]


def test_two_peoples_edits_do_not_meet() -> None:
    model, ids = model_of(Decoder, BASE).eval(), ids_of(1, 8)
    runs = [(), *((AblateHead(layer, head),) for layer in range(2) for head in range(4))]
    alone = [model(ids, edits=edits).logits for edits in runs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda i: model(ids, edits=runs[i % 9]).logits, range(180)))
    assert all(torch.equal(logits, alone[i % 9]) for i, logits in enumerate(together))


@pytest.mark.parametrize(
    "edit", [AblateHead(2, 0), UniformHead(0, 4), AblateHead(0, -1), KnockOut(0, 0, 5, 0), KnockOut(0, 0, None, 5)]
)
def test_a_place_outside_the_model_is_refused_in_words(edit: Edit) -> None:
    with pytest.raises(ValueError, match=r"expected a (layer|head|position) from 0 to \d+, got -?\d+\."):
        model_of(Decoder, BASE)(ids_of(1, 5), edits=(edit,))


def test_an_edit_of_an_encoder_decoder_names_its_stack() -> None:
    with pytest.raises(ValueError, match=r"expected stack 'encoder' or 'decoder', got ''"):
        pair_of(PAIR)(ids_of(1, 5), ids_of(1, 3, vocab_size=13), edits=(AblateHead(0, 0),))


def test_a_patch_from_a_longer_run_is_refused_in_words() -> None:
    model = model_of(Decoder, BASE)
    with pytest.raises(ValueError, match=r"expected heads of shape \[1, 5, 4\] .* got \[1, 6, 4\]"):
        model(ids_of(1, 5), edits=(PatchHead(0, 1, model(ids_of(1, 6))),))


def test_a_patch_across_from_a_longer_source_says_which_lengths() -> None:
    model, target = pair_of(PAIR), ids_of(1, 4, vocab_size=13)
    edit = PatchHead(0, 1, model(ids_of(1, 6), target), "weights", stack="decoder", attention="cross")
    with pytest.raises(ValueError, match=r"expected .*\b5\b.* got .*\b6\b"):
        model(ids_of(1, 5), target, edits=(edit,))


@pytest.mark.parametrize("source", ["shallower", "fewer heads", "other batch", "two stacks"])
def test_a_patch_from_a_run_that_does_not_fit_is_refused_in_words(source: str) -> None:
    other = {
        "shallower": lambda: model_of(Decoder, replace(BASE, n_layers=1))(ids_of(2, 5)),
        "fewer heads": lambda: model_of(Decoder, replace(BASE, n_heads=2, n_kv_heads=2, d_head=4))(ids_of(2, 5)),
        "other batch": lambda: model_of(Decoder, BASE)(ids_of(3, 5)),
        "two stacks": lambda: pair_of(PAIR)(ids_of(2, 5), ids_of(2, 5, vocab_size=13)),
    }[source]()
    with pytest.raises(ValueError, match="expected"):
        model_of(Decoder, BASE)(ids_of(2, 5), edits=(PatchHead(1, 3, other),))
