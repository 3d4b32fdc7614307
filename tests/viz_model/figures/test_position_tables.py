"""The tables of 'positions': every number in its cell, what is missing said, what is worse than nothing marked."""

from __future__ import annotations

import math

import pytest

from tests.viz_model.figures.page_reader import PageReader
from viz_model.figures.position_tables import columns_table, loss_stretches


def test_each_stretch_has_its_loss() -> None:
    losses = {"rotary": [0.8281, 2.6642], "learned": [0.835, math.nan]}
    markup = loss_stretches(losses, [(2, 32), (40, 64)], chance=2.079, caption="Loss", missing="no <vector>")
    assert PageReader(markup).rows == [
        ["positions", "2–31", "40–63"],
        ["rotary", "0.828", "2.66"],
        ["learned", "0.835", "no <vector>"],
    ]
    assert markup.count('class="n more"') == 1
    assert 'class="n more" title="2.6642">2.66' in markup


def test_a_loss_too_few_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 2 losses, got 1"):
        loss_stretches({"none": [1.0]}, [(2, 32), (32, 36)], chance=2.0, caption="")


def test_columns_stand_beside_each_other() -> None:
    page = PageReader(columns_table({"at": [0, 1], "loss": [0.123456, None], "word": ["<b>", "cat"]}, caption="C"))
    assert page.rows == [["at", "loss", "word"], ["0", "0.123", "<b>"], ["1", "–", "cat"]]
    assert "0.123456" in page.titles
    with pytest.raises(ValueError, match="shorter"):
        columns_table({"a": [1, 2], "b": [1]}, caption="")
