"""How single values are written in a link, and what is refused."""

from __future__ import annotations

from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui import link_table, link_values

BAD = {
    "whole": ["-1", "--5", "1e3", "1.0", " 1", "9" * 6000, "٣", "1_0", "", "\0"],
    "number": ["nan", "inf", "-0.5", "x", "", "11"],
}


@pytest.mark.parametrize(
    ("key", "text"),
    [("layer", text) for text in BAD["whole"]] + [("softmax_temperature", text) for text in BAD["number"]],
    ids=lambda value: value[:12],
)
def test_a_bad_number_is_refused_in_a_short_sentence(key: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"^expected a (whole )?number from ") as error:
        link_table.TABLE[key].parse(text)
    assert len(str(error.value)) < 80


@given(st.text(st.characters(codec="utf-8"), min_size=100, max_size=400), st.integers(1, 400))
def test_a_long_text_keeps_its_beginning_in_the_link(piece: str, times: int) -> None:
    text = piece * times
    carried = link_values.cut_to_link(text)
    assert text.startswith(carried)
    assert len(quote_plus(carried)) <= link_values.LONGEST_TEXT
    assert link_values.cut_to_link(carried) == carried == link_values.free_text(carried)
    if carried != text:  # the longest that fits, give or take a character that takes 12
        assert len(quote_plus(text[: len(carried) + 12])) > link_values.LONGEST_TEXT
