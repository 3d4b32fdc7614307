"""Brackets and lines of code: which characters belong together, and how much heads read of them."""

from __future__ import annotations

import pytest
import torch

from viz_model.analysis.code_reading import (
    aim_weight,
    aims_in,
    bracket_links,
    characters_of,
    indentation_aims,
    line_end_links,
)
from viz_model.tokenizer import Specials, Tokenizer

CODE = "def f(x):\n    y = [(x)]\n\n    return y\n"


def test_every_closing_bracket_has_its_opening_one() -> None:
    found = {(CODE[closing], CODE[opening], closing - opening) for closing, opening in bracket_links(CODE)}
    assert found == {(")", "(", 2), ("]", "[", 4)}  # (x) twice, [(x)] once
    assert len(bracket_links(CODE)) == 3
    assert bracket_links("(]") == []
    assert bracket_links("") == []


def test_the_ends_of_lines_are_tied_one_to_the_next() -> None:
    found = line_end_links(CODE)
    assert [(CODE[:end].count("\n"), CODE[:before].count("\n")) for end, before in found] == [(1, 0), (2, 1), (3, 2)]
    assert {CODE[place] for link in found for place in link} == {"\n"}
    assert line_end_links("one line\n") == []


def test_a_space_that_opens_a_line_is_tied_to_those_of_the_line_above() -> None:
    code = "if a:\n  b\n    c\n\n  d\n"
    found = {}
    for query, keys in indentation_aims(code):
        assert code[query] == " "
        found[query] = "".join(code[key] for key in keys)
        assert code[keys[0] - 1] == "\n"
        assert code[keys[-1] + 1] == "b"  # the first line opens without spaces, the line above “d” is empty
    assert found == dict.fromkeys(range(10, 14), "  ")
    assert indentation_aims("a\n  \n  b\n") == []  # a line of nothing but spaces says nothing


def test_all_kinds_are_found_in_one_text() -> None:
    found = aims_in(CODE)
    assert [(query, key) for query, (key,) in found["bracket"]] == bracket_links(CODE)
    assert [(query, key) for query, (key,) in found["line end"]] == line_end_links(CODE)
    assert found["indentation"] == indentation_aims(CODE) == []  # an empty line stands between the two


def test_the_weight_is_the_mean_over_the_aims_of_all_their_keys() -> None:
    weights = torch.rand(2, 3, 5, 5, generator=torch.Generator().manual_seed(0))
    found = aim_weight(weights, [(4, (1, 3)), (3, (0,))])
    assert found is not None
    assert list(found.shape) == [2, 3]
    for layer in range(2):
        for head in range(3):
            each = weights[layer, head]
            wanted = (float(each[4, 1]) + float(each[4, 3]) + float(each[3, 0])) / 2
            assert float(found[layer, head]) == pytest.approx(wanted)
    assert aim_weight(weights, []) is None


def test_characters_are_the_real_ones_and_not_their_symbols() -> None:
    tokenizer = Tokenizer.train("character", [CODE], None, Specials())
    assert characters_of(tokenizer, tokenizer.encode(CODE).ids) == ["", *CODE]
