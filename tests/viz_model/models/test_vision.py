"""The encoder of images: patches in reading order, a trace like the others', one logit a class, and back from disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from viz_model.checkpoint import CheckpointError, load, read_card, save
from viz_model.config import TransformerConfig
from viz_model.edits import AblateHead
from viz_model.models import Encoder, VisionEncoder, VisionTrace
from viz_model.models.vision import image_of, patches_of

CONFIG = TransformerConfig(vocab_size=10, context_length=16, d_model=16, n_layers=2, n_heads=4, position="learned")


def model(**more: object) -> VisionEncoder:
    return VisionEncoder(replace(CONFIG, **more), seed=1).eval().requires_grad_(False)  # type: ignore[arg-type]


def patches(n: int = 3) -> Tensor:
    return torch.rand(n, 16, 4, generator=torch.Generator().manual_seed(2))


def test_patches_are_cut_in_reading_order() -> None:
    image = torch.tensor([[row * 10 + column for column in range(6)] for row in range(4)])
    cut = patches_of(torch.stack((image, image + 100)))
    assert cut.shape == (2, 6, 4)
    assert cut[0].tolist() == [
        *([0, 1, 10, 11], [2, 3, 12, 13], [4, 5, 14, 15]),
        *([20, 21, 30, 31], [22, 23, 32, 33], [24, 25, 34, 35]),
    ]
    assert torch.equal(cut[1], cut[0] + 100)


def test_an_image_comes_back_from_its_patches() -> None:
    images = torch.rand(5, 8, 8)
    assert torch.equal(image_of(patches_of(images)), images)
    for wrong in (torch.rand(8, 8), torch.rand(1, 7, 8), torch.rand(1, 8, 7)):
        with pytest.raises(ValueError, match=r"images: expected \[batch, row, column\] with sides that 2 divides"):
            patches_of(wrong)


def test_places_name_the_patches() -> None:
    """The one bright patch of an image is the one that its name says."""
    for at, name in enumerate(model().places):
        image = torch.zeros(1, 8, 8)
        row, column = int(name.split()[1]), int(name.split()[3])
        image[0, 2 * row : 2 * row + 2, 2 * column : 2 * column + 2] = 1.0
        assert patches_of(image)[0].sum(1).nonzero().flatten().tolist() == [at]
    assert model().places[:5] == tuple(f"row {at // 4} column {at % 4}" for at in range(5))


def test_the_trace_is_one_unbroken_stream_and_the_training_paths_logits() -> None:
    made, given = model(), patches()
    trace = made(given)
    assert isinstance(trace, VisionTrace)
    assert trace.ids is given
    assert trace.tokens == made.places
    embed = made.stack.embed
    assert torch.allclose(trace.token_embedding, given @ embed.weight.T + embed.bias, atol=1e-6)  # type: ignore[operator]
    assert torch.equal(trace.embedding, trace.token_embedding + trace.position_embedding)
    stream = trace.embedding
    for block in trace.blocks:
        assert block.resid_pre is stream
        assert torch.allclose(block.attention.weights.sum(-1), torch.ones(3, 4, 16), atol=1e-5)
        stream = block.resid_post
    assert torch.allclose(trace.pooled, trace.final_norm.sum(1) / 16, atol=1e-6)
    assert torch.equal(trace.logits, trace.pooled @ made.unembed.weight.T)
    assert trace.logits.shape == (3, 10)
    assert torch.allclose(trace.logits, made.logits(given), atol=1e-5)


def test_patches_that_are_not_there_are_neither_read_nor_pooled() -> None:
    made, given = model(), patches(2)
    present = torch.ones(2, 16, dtype=torch.bool)
    present[1, 5:] = False
    other = torch.where(present[..., None], given, 1 - given)
    trace = made(given, present)
    assert torch.allclose(trace.logits, made(other, present).logits, atol=1e-5)
    assert not torch.allclose(made(given).logits[1], made(other).logits[1], atol=1e-3)
    assert torch.allclose(trace.pooled[1], trace.final_norm[1, :5].mean(0), atol=1e-6)
    assert torch.allclose(trace.logits[0], made(given).logits[0], atol=1e-5)
    assert torch.allclose(made.logits(given, present), trace.logits, atol=1e-5)


def test_where_a_patch_lies_matters_only_through_positions() -> None:
    given = patches()
    turned = given.flip(1)
    assert not torch.allclose(model()(given).logits, model()(turned).logits, atol=1e-3)
    blind = model(position="none")
    assert torch.allclose(blind(given).logits, blind(turned).logits, atol=1e-5)


def test_edits_act_on_it_too() -> None:
    made, given = model(), patches()
    edited = made(given, edits=(AblateHead(layer=1, head=2),))
    assert (edited.blocks[1].attention.heads[:, 2] == 0).all()
    assert not torch.allclose(edited.logits, made(given).logits, atol=1e-4)
    with pytest.raises(ValueError, match="expected a layer from 0 to 1, got 2"):
        made(given, edits=(AblateHead(layer=2, head=0),))


def test_what_it_cannot_read_is_refused() -> None:
    for wrong in (
        torch.rand(1, 9, 4),
        torch.rand(1, 16, 3),
        torch.rand(16, 4),
        torch.ones(1, 16, 4, dtype=torch.int64),
    ):
        with pytest.raises(ValueError, match=r"patches: expected decimal numbers \[batch, 16, 4\], got"):
            model()(wrong)
    with pytest.raises(ValueError, match="context_length: expected a square number of patches, got 15"):
        model(context_length=15)
    with pytest.raises(ValueError, match="tied: expected False"):
        model(tied=True)


def test_the_same_seed_gives_the_same_model() -> None:
    one, two, other = (VisionEncoder(CONFIG, seed=seed)(patches()).logits for seed in (3, 3, 4))
    assert torch.equal(one, two)
    assert not torch.equal(one, other)


def test_it_comes_back_from_disk_to_the_bit(tmp_path: Path) -> None:
    save(model(), tmp_path, seed=1, figures={"digits named right": 0.5})
    back = load(tmp_path)
    assert type(back) is VisionEncoder
    assert torch.equal(back(patches()).logits, model()(patches()).logits)
    assert read_card(tmp_path).kind == "vision"
    assert back.tokenizer is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "encoder"}, "expected stack.embed.bias of shape none"),
        ({"context_length": 15}, "context_length: expected a square number of patches, got 15"),
        ({"context_length": 25}, "expected stack.positions.table of shape .25, 16."),
    ],
)
def test_a_card_that_does_not_fit_is_refused(change: dict[str, object], sentence: str, tmp_path: Path) -> None:
    save(model(), tmp_path)
    card = json.loads((tmp_path / "model.json").read_text())
    (card if "kind" in change else card["config"]).update(change)
    (tmp_path / "model.json").write_text(json.dumps(card))
    with pytest.raises(CheckpointError, match=sentence):
        load(tmp_path)


def test_an_encoder_of_words_is_still_an_encoder(tmp_path: Path) -> None:
    save(Encoder(CONFIG, seed=1), tmp_path)
    assert type(load(tmp_path)) is Encoder
