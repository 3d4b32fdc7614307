"""An attention layer's output taken apart: the parts add up, the shares to 1, and each is what its own head adds."""

from __future__ import annotations

import pytest
import torch

import viz_model as vm
from tests.viz_model.analysis.small_models import IDS, VARIANTS, decoder
from viz_model.analysis.contributions import output_parts
from viz_model.edits import AblateHead


@pytest.mark.parametrize("changes", VARIANTS)
def test_parts_sum_to_the_output_and_shares_to_1(changes) -> None:
    model = decoder(**changes)
    trace = model(IDS.repeat(2, 1))
    for layer, block in zip(model.stack.layers, trace.blocks, strict=True):
        parts = output_parts(layer.attention, block.attention)
        assert parts.residual < 1e-5
        torch.testing.assert_close(parts.terms.sum(1) + parts.bias, block.attention.out, atol=1e-5, rtol=0)
        assert parts.shares.shape == (2, 3, 6)
        torch.testing.assert_close(parts.shares.sum(1), torch.ones(2, 6), atol=1e-4, rtol=0)
        assert parts.sizes[1, 0, 3].item() == pytest.approx(parts.terms[1, 0, 3].square().sum().sqrt().item())


def test_a_share_is_the_projection_of_what_ablation_takes_away() -> None:
    model = decoder()
    layer, before = model.stack.layers[0].attention, model(IDS).blocks[0].attention
    for head in range(2):
        gone = before.out - model(IDS, edits=(AblateHead(0, head),)).blocks[0].attention.out
        for position in range(6):
            out = before.out[0, position]
            by_hand = float(gone[0, position] @ out / (out @ out))
            assert output_parts(layer, before).shares[0, head, position].item() == pytest.approx(by_hand, abs=1e-4)


def test_the_shipped_model_adds_up() -> None:
    model = vm.load("english-causal")
    trace = vm.run(model, "The government is considering closing schools")
    for layer, block in zip(model.stack.layers, trace.blocks, strict=True):
        assert output_parts(layer.attention, block.attention).residual < 1e-5


def test_a_residual_that_is_wrong_shows() -> None:
    model = decoder()
    parts = output_parts(model.stack.layers[0].attention, model(IDS).blocks[0].attention)
    off = type(parts)(parts.terms, parts.bias + 0.5, parts.out)
    assert off.residual == pytest.approx(0.5, abs=1e-5)


def test_an_output_of_nothing_has_no_shares() -> None:
    model = decoder(bias=False)
    silent = model(IDS, edits=(AblateHead(0, 0), AblateHead(0, 1))).blocks[0].attention
    parts = output_parts(model.stack.layers[0].attention, silent)
    assert parts.shares.abs().max() == 0
    assert parts.residual == 0
