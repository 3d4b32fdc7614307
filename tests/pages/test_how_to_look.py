"""How to look: hidden specials, merged words and a range alter the picture as the lens says; the caption tells."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import viz_model as vm
from tests.pages.seeing import (
    attention,
    choose,
    notes,
    sound,
    weights_on_show,
)
from viz_model.display import Lens, shown

TEXT = "The cat sat on the mat"
SPLIT = "A zebra crossing 1984"  # cut into sub-words by the byte-level model


def model(name: str = "english-causal"):
    return vm.load(name)


LENSES = [
    ({"hide_specials": "1"}, Lens(hide_specials=True)),
    ({"hide_specials": "1", "renormalise": "1"}, Lens(hide_specials=True, renormalise=True)),
    ({"merge_words": "1"}, Lens(merge_words=True)),
    ({"first": "2", "last": "4"}, Lens(first=2, last=4)),
    ({"first": "3"}, Lens(first=3)),
    ({"hide_specials": "1", "merge_words": "1", "last": "4"}, Lens(True, False, True, 0, 4)),
]


@pytest.mark.parametrize(("link", "lens"), LENSES, ids=lambda value: "+".join(value) if isinstance(value, dict) else "")
@pytest.mark.parametrize(("name", "text"), [("untrained", SPLIT), ("english-masked", TEXT)])
def test_the_picture_is_what_the_lens_shows(visit, name: str, text: str, link: dict[str, str], lens: Lens) -> None:
    page = sound(visit("workbench", model=name, text=text, layer="1", head="1", query="3", key="3", **link))
    loaded = model(name)
    seen = shown(vm.run(loaded, text), loaded.tokenizer.encode(text), lens)
    header = attention(page).header
    assert np.array_equal(weights_on_show(page), seen.weights[1][1])
    assert header["queries"] == list(seen.queries)
    assert (header["keys"] or header["queries"]) == list(seen.keys)
    place = next((i for i, row in enumerate(seen.rows) if 3 in row), None)
    assert header["selection"] == {"layer": 1, "head": 1, "query": place, "key": place}
    assert weights_on_show(page).shape != weights_on_show(visit("workbench", model=name, text=text)).shape or (
        name == "english-masked" and lens.merge_words and not lens.hide_specials
    )
    said = " ".join(each.value for each in page.caption)
    assert ("Special tokens are hidden" in said) == lens.hide_specials
    assert ("the last column holds the rest" in said) == bool(lens.first or lens.last)
    assert ("Sub-words are merged" in said) == lens.merge_words


@pytest.mark.parametrize("name", ["english-causal", "english-masked"])
def test_the_caption_says_how_much_is_hidden(visit, name: str) -> None:
    page = sound(visit("workbench", model=name, hide_specials="1"))
    trace, encoding = vm.run(model(name), TEXT), model(name).tokenizer.encode(TEXT)
    special = torch.tensor(encoding.special)
    layers = torch.stack([block.attention.weights[0] for block in trace.blocks])
    mass = float(layers[:, :, ~special][..., special].sum(-1).mean())
    assert 0.01 < mass < 0.99
    assert any(f"they hold {mass:.1%} of the weight" in each.value for each in page.caption)


def test_a_click_on_a_merged_or_shifted_row_chooses_the_position_behind_it(visit) -> None:
    page = visit("workbench", first="2", last="4")
    choose(page, "attention", "selection", {"layer": 0, "head": 0, "query": 2, "key": 3})
    assert (page.session_state["query"], page.session_state["key"]) == (4, 1)  # column 3 is the rest: no position
    page = visit("workbench", model="untrained", text=SPLIT, merge_words="1")
    choose(page, "attention", "selection", {"query": 3, "key": 2})
    seen = shown(vm.run(model("untrained"), SPLIT), model("untrained").tokenizer.encode(SPLIT), Lens(merge_words=True))
    assert (page.session_state["query"], page.session_state["key"]) == (seen.rows[3].start, seen.rows[2].start)
    assert page.session_state["query"] > 3


@pytest.mark.parametrize("link", [{"first": "5", "last": "2"}, {"first": "99"}])
def test_a_range_with_nothing_in_it_shows_all_and_says_so(visit, link: dict[str, str]) -> None:
    page = sound(visit("workbench", **link))
    assert weights_on_show(page).shape == (7, 7)
    assert any("There is nothing to show from position" in note for note in notes(page))


@pytest.mark.parametrize("text", ["[BOS]", "[EOS]"])
def test_a_text_of_special_tokens_alone_is_not_hidden_and_says_so(visit, text: str) -> None:
    page = sound(visit("workbench", text=text, hide_specials="1"))
    assert any("nothing but special tokens" in note for note in notes(page))
    assert text in attention(page).header["queries"]
