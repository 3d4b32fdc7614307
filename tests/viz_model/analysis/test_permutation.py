"""Order in and order out: equivariance without positions, difference with them."""

from __future__ import annotations

import pytest
import torch

import viz_model as vm
from tests.viz_model.analysis.small_models import VARIANTS, decoder, encoder
from viz_model.analysis.permutation import compare_orders, compare_texts, order_between, without_positions
from viz_model.config import TransformerConfig
from viz_model.models import Decoder

IDS, OTHER = torch.tensor([[3, 1, 4, 1, 5, 9]]), torch.tensor([[9, 1, 5, 4, 3, 1]])
PLACED = {"sinusoidal", "learned", "rotary", "alibi", "t5"}


def test_the_order_is_found_equal_tokens_in_turn() -> None:
    assert order_between([7, 8, 9], [9, 7, 8]) == (2, 0, 1)
    assert order_between([5, 6, 5], [6, 5, 5]) == (1, 0, 2)
    with pytest.raises(ValueError, match="same tokens"):
        order_between([1, 2], [1, 1])
    with pytest.raises(ValueError, match="same tokens"):
        order_between([1, 2], [1, 2, 2])


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.get("n_layers") != 0])
@pytest.mark.parametrize("make", [encoder, decoder])
def test_without_positions_outputs_change_places_with_their_tokens(make, variant) -> None:  # type: ignore[no-untyped-def]
    model = make(**{**variant, "position": "none"})
    found = compare_orders(model, IDS, OTHER)
    assert found.largest < 1e-5 < 1e-2 < found.size
    # And by hand: the outputs of the second text, each looked for under its own token.
    plain = [model(ids, torch.ones(1, 1, 6, 6, dtype=torch.bool)).final_norm[0] for ids in (IDS, OTHER)]
    for place, token in enumerate(OTHER[0].tolist()):
        first = IDS[0].tolist().index(token)
        assert torch.allclose(plain[1][place], plain[0][first], atol=1e-5)


@pytest.mark.parametrize("position", sorted(PLACED))
def test_with_positions_they_do_not(position: str) -> None:
    model = encoder(position=position)
    found = compare_orders(model, IDS, OTHER)
    assert found.largest > 1e-2
    bare = without_positions(model)
    assert compare_orders(bare, IDS, OTHER).largest < 1e-5
    assert bare.config.position == "none"
    kept = {k: v for k, v in model.state_dict().items() if not k.startswith("stack.positions.")}
    assert bare.state_dict().keys() == kept.keys()
    assert all(torch.equal(v, kept[k]) for k, v in bare.state_dict().items())
    assert compare_orders(model, IDS, OTHER).largest == found.largest  # the model itself is as it was


def test_the_second_text_is_laid_beside_the_first() -> None:
    model = encoder()
    found = compare_orders(model, IDS, OTHER)
    outputs = model(OTHER).final_norm[0]
    for place, first in enumerate(found.order):
        assert IDS[0, first] == OTHER[0, place]
        assert torch.allclose(found.second[first], outputs[place], atol=1e-6)
    assert torch.allclose(found.first, model(IDS).final_norm[0], atol=1e-6)
    assert torch.equal(found.difference, (found.first - found.second).abs().max(1).values)
    assert found.largest == pytest.approx(found.difference.max().item())


def test_a_causal_mask_tells_order_without_positions() -> None:
    model = decoder(position="none")
    assert compare_orders(model, IDS, OTHER).largest < 1e-5
    assert compare_orders(model, IDS, OTHER, full=False).largest > 1e-2


def test_the_same_order_makes_no_difference() -> None:
    assert compare_orders(decoder(), IDS, IDS).largest == 0.0


def test_cat_sat_dog_by_the_model_that_ships() -> None:
    model = vm.load("english-causal")
    assert isinstance(model, Decoder)
    first, second = (vm.run(model, text).ids for text in ("cat sat dog", "dog cat sat"))
    placed, bare = (compare_orders(each, first, second) for each in (model, without_positions(model)))
    assert placed.order == bare.order == (0, 3, 1, 2)  # what begins the text stays where it is
    assert bare.largest < 1e-5
    assert placed.largest > 0.5


def test_texts_that_do_not_fit_are_refused() -> None:
    model = Decoder(TransformerConfig(vocab_size=11, d_model=8, n_heads=2), seed=0)
    with pytest.raises(ValueError, match="of one length"):
        compare_orders(model, IDS, IDS[:, :3])
    with pytest.raises(ValueError, match="same tokens"):
        compare_orders(model, IDS, IDS + 1)


def test_plain_ids_are_compared_as_tensors_are() -> None:
    model = decoder()
    plain = compare_texts(model, IDS[0].tolist(), OTHER[0].tolist(), full=False)
    found = compare_orders(model, IDS, OTHER, full=False)
    assert plain.order == found.order
    assert torch.equal(plain.difference, found.difference)
    with pytest.raises(ValueError, match="same tokens in another order"):
        compare_texts(model, [1, 2, 3], [2, 1])
