"""The model that points: shapes, padding, the fused path, edits, the way to disk, and its decision."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from viz_model.checkpoint import CheckpointError, load, read_card, save
from viz_model.config import TransformerConfig
from viz_model.edits import AblateHead
from viz_model.inference import run
from viz_model.models import ModelTrace, Span
from viz_model.models.span import best_span
from viz_model.tokenizer import Specials, Tokenizer

CONFIG = TransformerConfig(vocab_size=20, context_length=16, d_model=8, n_layers=2, n_heads=2, position="rotary")
IDS = torch.tensor([[3, 7, 9, 4, 11], [3, 5, 6, 1, 1]])
PRESENT = IDS != 1


def model_of(config: TransformerConfig = CONFIG, seed: int = 0) -> Span:
    return Span(config, seed=seed).eval().requires_grad_(False)


def test_its_trace_is_an_encoders_with_two_rows_of_logits() -> None:
    trace = model_of()(IDS, PRESENT)
    assert isinstance(trace, ModelTrace)
    assert trace.logits.shape == (2, 2, 5)
    assert trace.queries.shape == (2, 2, 8)
    assert trace.keys.shape == (2, 2, 5, 8)
    assert len(trace.blocks) == 2
    assert trace.blocks[0].attention.weights.shape == (2, 2, 5, 5)


def test_the_logits_are_dots_of_position_0_with_every_position() -> None:
    """By loops over the weights themselves."""
    model = model_of()
    trace = model(IDS)
    for row, which, place in itertools.product(range(2), range(2), range(5)):
        ours = slice(8 * which, 8 * which + 8)
        query = model.w_q.weight[ours] @ trace.final_norm[row, 0]
        key = model.w_k.weight[ours] @ trace.final_norm[row, place]
        dot = sum(float(a) * float(b) for a, b in zip(query, key, strict=True)) / math.sqrt(8)
        assert float(trace.logits[row, which, place]) == pytest.approx(dot, abs=1e-5)


def test_fused_attention_gives_the_same_logits() -> None:
    model = model_of()
    assert torch.allclose(model.logits(IDS, PRESENT), model(IDS, PRESENT).logits, atol=1e-5)


def test_padding_is_never_pointed_at_and_changes_nothing() -> None:
    model = model_of()
    padded, alone = model(IDS, PRESENT).logits, model(IDS[1:, :3]).logits
    assert torch.allclose(padded[1, :, :3], alone[0], atol=1e-5)
    assert (padded.softmax(-1)[1, :, 3:] == 0).all()
    assert torch.isfinite(padded).all()


def test_a_whole_mask_stands_in_for_the_encoders_own() -> None:
    model = model_of()
    mask = PRESENT[:, None, None, :].expand(2, 1, 5, 5)
    logits = model(IDS, mask).logits
    assert torch.allclose(logits[..., :3], model(IDS, PRESENT).logits[..., :3], atol=1e-5)


def test_edits_reach_the_pointer() -> None:
    model = model_of()
    assert not torch.allclose(model(IDS, edits=(AblateHead(0, 1),)).logits, model(IDS).logits)
    with pytest.raises(ValueError, match="layer"):
        model(IDS, edits=(AblateHead(5, 0),))


def test_a_text_can_be_run_as_by_any_model() -> None:
    tokenizer = Tokenizer.from_words(["Where", "is", "Anna", "?"], Specials.masked())
    model = model_of()
    model.tokenizer = tokenizer
    trace = run(model, "Where is Anna?")  # type: ignore[call-overload]
    assert trace.tokens == ("[CLS]", "Where", "is", "Anna", "?", "[SEP]")
    assert trace.logits.shape == (1, 2, 6)


def test_the_seed_is_the_model() -> None:
    one, same, other = model_of(seed=1), model_of(seed=1), model_of(seed=2)
    assert torch.equal(one(IDS).logits, same(IDS).logits)
    assert not torch.equal(one(IDS).logits, other(IDS).logits)


def test_what_it_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="tied"):
        Span(replace(CONFIG, tied=True))
    with pytest.raises(ValueError, match="ids: expected"):
        model_of()(torch.tensor([[25]]))


def test_it_comes_back_from_disk_to_the_bit(tmp_path: Path) -> None:
    model = model_of(seed=4)
    model.tokenizer = Tokenizer.from_words(["Where", "is", "Anna"], Specials.masked())
    save(model, tmp_path, seed=4)
    back = load(tmp_path)
    assert type(back) is Span
    assert back.config == model.config
    assert back.tokenizer == model.tokenizer
    assert torch.equal(back(IDS, PRESENT).logits, model(IDS, PRESENT).logits)
    assert read_card(tmp_path).kind == "span"
    card = tmp_path / "model.json"
    card.write_text(card.read_text().replace('"span"', '"encoder"'))
    with pytest.raises(CheckpointError, match="differences"):
        load(tmp_path)


def test_the_best_span_is_the_best_of_all() -> None:
    """Against every allowed pair, one by one."""
    generator = torch.Generator().manual_seed(0)
    nothing = 0
    for n in (1, 2, 5, 12):
        for _ in range(60):
            logits = torch.randn(2, n, generator=generator)
            logits[:, 0] += 1
            sums = {(a, b): float(logits[0, a] + logits[1, b]) for a in range(1, n) for b in range(a, n) if b - a < 3}
            best = max(sums, key=sums.__getitem__) if sums else None
            if best is None or sums[best] <= float(logits[:, 0].sum()):
                best = None
                nothing += 1
            assert best_span(logits, longest=3) == best
    assert 60 < nothing < 200


def test_it_learns_to_point() -> None:
    """A name is asked, then come three pairs of a name and a number: the number beside the asked name is the answer."""
    generator = torch.Generator().manual_seed(0)

    def draw(n: int) -> tuple[torch.Tensor, torch.Tensor]:
        names = torch.rand(n, 8, generator=generator).argsort(1)[:, :3] + 1
        numbers = torch.randint(9, 19, (n, 3), generator=generator)
        place = torch.randint(0, 3, (n,), generator=generator)
        pairs = torch.stack([names, numbers], 2).flatten(1)
        return torch.cat([torch.zeros(n, 1).long(), names.gather(1, place[:, None]), pairs], 1), 3 + 2 * place

    model = Span(replace(CONFIG, d_model=32, n_heads=2), seed=0)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.98))
    for _ in range(150):
        ids, right = draw(64)
        loss = torch.nn.functional.cross_entropy(model.logits(ids).flatten(0, 1), right.repeat_interleave(2))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    ids, right = draw(300)
    with torch.inference_mode():
        found = model.logits(ids).argmax(-1)
    assert (found == right[:, None]).double().mean() > 0.9
