"""The switch that leaves the scale away: in the recipe, the model and its files."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch

from tests.viz_model.training.counting import TINY, Counting
from viz_model.checkpoint import load, save
from viz_model.config import TransformerConfig, config_from_dict, config_to_dict
from viz_model.models import Decoder
from viz_model.training.build import build, shape
from viz_model.training.recipe import Recipe
from viz_model.training.trainer import Trainer


def losses(recipe: Recipe) -> list[float]:
    trainer = Trainer(recipe, Counting(), seed=0)
    return [trainer.advance(watched=False).loss for _ in range(10)]


def test_scaled_is_the_usual_and_changes_nothing() -> None:
    assert Recipe(task="counting").scaled
    assert TransformerConfig(vocab_size=5).scaled
    usual, said = build(TINY, Counting(), seed=0), build(replace(TINY, scaled=True), Counting(), seed=0)
    ids = torch.arange(7)[None]
    assert torch.equal(usual(ids).logits, said(ids).logits)
    assert losses(TINY) == losses(replace(TINY, scaled=True))
    # Bit for bit torch's own scaled attention, which knows nothing of the switch.
    attention = usual(ids).blocks[0].attention
    heads = torch.nn.functional.scaled_dot_product_attention(attention.q, attention.k, attention.v, is_causal=True)
    assert torch.allclose(attention.heads, heads, atol=1e-6)
    assert attention.scale == 1 / math.sqrt(8)


def test_unscaled_is_the_formula_without_the_root() -> None:
    plain, bare = (build(replace(TINY, scaled=scaled), Counting(), seed=0) for scaled in (True, False))
    assert all(torch.equal(a, b) for a, b in zip(plain.parameters(), bare.parameters(), strict=True))
    ids = torch.arange(7)[None]
    attention = bare(ids).blocks[0].attention
    q, k = attention.q[0, 1].double(), attention.k[0, 1].double()
    for query in range(7):
        powers = (k[: query + 1] @ q[query]).exp()
        assert torch.allclose(attention.weights[0, 1, query, : query + 1].double(), powers / powers.sum(), atol=1e-6)
    assert torch.allclose(bare(ids).logits, bare.logits(ids), atol=1e-5)  # the fused path of training too
    assert not torch.allclose(bare(ids).logits, plain(ids).logits, atol=1e-3)
    assert losses(TINY) != losses(replace(TINY, scaled=False))


def test_the_shape_follows_the_recipe() -> None:
    for scaled in (True, False):
        assert shape(replace(TINY, scaled=scaled), 11).scaled is scaled


def test_what_was_saved_without_the_field_is_scaled(tmp_path: Path) -> None:
    config = TransformerConfig(vocab_size=5, d_model=8, n_heads=2, scaled=False)
    older = config_to_dict(config)
    assert config_from_dict(older) == config
    del older["scaled"]
    assert config_from_dict(older) == replace(config, scaled=True)
    with pytest.raises(ValueError, match="expected bool for scaled"):
        config_from_dict({**older, "scaled": 1})
    save(Decoder(config, seed=0), tmp_path, recipe=asdict(TINY))
    again = load(tmp_path)
    assert isinstance(again, Decoder)
    assert again.config.scaled is False
    card = {name: value for name, value in asdict(TINY).items() if name != "scaled"}
    assert Recipe(**card) == TINY
