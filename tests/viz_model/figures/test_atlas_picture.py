"""The atlas and the ablation table: every number is there whole, every word is text, bars as long as they should be."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from tests.viz_model.figures.page_reader import NASTY, PageReader
from viz_model.figures.atlas_picture import ablation_picture, atlas_grid, atlas_table, role_table


@dataclass(frozen=True)
class Role:
    role: str
    score: float
    chance: float
    may_name: bool = True


@dataclass(frozen=True)
class Head:
    layer: int
    head: int
    role: str
    score: float
    chance: float
    entropy: float = 0.5
    evenness: float = 0.25
    distance: float = 1.5
    finds: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()


@dataclass(frozen=True)
class Ablated:
    layer: int | None
    head: int | None
    loss: float
    accuracy: float
    agreement: float | None = None


HEADS = [
    Head(0, 0, "previous", 0.75, 0.125, finds=("subject-verb (due)", "verb-object")),
    Head(0, 1, "mixed", 0.6, 1.0, roles=(Role("first", 0.3, 0.2),)),
    Head(1, 0, "broad", 0.95, 1.0),
]


def test_each_cell_names_its_role_with_score_and_chance() -> None:
    markup = atlas_grid(HEADS, selected=(0, 1), caption="english-causal")
    page = PageReader(markup)
    assert page.rows[0] == ["", "head 0", "head 1"]
    assert page.rows[1][0] == "layer 0"
    assert page.rows[1][1] == "previous0.750 (chance 0.125)finds best: subject-verb (due), verb-object"
    assert page.rows[1][2] == "mixedmost: first0.300 (chance 0.200)the chosen head"
    assert page.rows[2] == ["layer 1", "broad0.950 (chance 1.00)", ""]
    assert page.labels == ["english-causal"]
    # Bars: filled to the score, a line at chance.
    assert re.findall(r"width:([\d.]+)%;background", markup) == ["75", "30", "95"]
    assert re.findall(r"left:([\d.]+)%;top:-", markup) == ["12.5", "20", "100"]
    assert "the chosen head" not in PageReader(atlas_grid(HEADS)).text


def test_the_atlas_as_rows_leaves_out_scores_that_are_entropies() -> None:
    rows = PageReader(atlas_table(HEADS, entropy=2.0, distance=3.0)).rows
    assert rows[1][:4] == ["layer 0, head 0", "previous", "0.750", "0.125"]
    assert rows[1][4:] == ["0.500", "0.250", "1.50", "subject-verb (due), verb-object"]
    assert rows[2][:4] == ["layer 0, head 1", "mixed", "", ""]
    assert rows[-1] == ["a uniform head", "", "", "", "2.00", "1.00", "3.00", ""]


def test_a_heads_measures_say_what_they_are() -> None:
    roles = [Role("previous", 0.5, 0.25), Role("subject-verb", 0.4, 0.2), Role("adjective-noun", 0.9, 0.1, False)]
    page = PageReader(role_table(roles, {"previous": "the word before"}, caption="Layer 0, head 0"))
    assert page.rows[1] == ["previous", "0.500", "0.250", "the word before"]
    assert page.rows[2][3] == "better than any fixed offset"
    assert page.rows[3][3] == "no better than a fixed offset"
    short = PageReader(role_table(roles, {}, most=2, caption="One"))
    assert len(short.rows) == 3
    assert short.text.startswith("One (the first 2 of 3)")


def test_ablations_show_the_change_and_its_direction() -> None:
    whole = Ablated(None, None, 2.0, 0.5, 1.0)
    rows = [Ablated(0, 0, 2.5, 0.25, 0.75), Ablated(0, 1, 1.75, 0.5, 1.0), Ablated(1, None, 3.0, 0.0, 0.5)]
    markup = ablation_picture(whole, rows, agreement="verbs that agree")
    page = PageReader(markup)
    assert page.rows[0] == ["", "loss, nats", "", "change", "accuracy", "verbs that agree"]
    assert page.rows[1] == ["the whole model", "2.00", "", "", "0.500", "1.00"]
    assert page.rows[2] == ["layer 0, head 0", "2.50", "", "+0.500", "0.250", "0.750"]
    assert page.rows[3][3] == "-0.250"
    assert page.rows[4][0] == "layer 1, no head"
    assert re.findall(r"left:([\d.]+)%;width:([\d.]+)%", markup) == [("50", "25"), ("37.5", "12.5"), ("50", "50")]
    assert [name for name in page.classes if name in ("more", "less")] == ["more", "less", "more"]
    plain = PageReader(ablation_picture(Ablated(None, None, 2.0, 0.5), [Ablated(0, 0, 2.0, 0.5)]))
    assert plain.rows[0][-1] == "accuracy"
    assert plain.rows[2] == ["layer 0, head 0", "2.00", "", "0.00", "0.500"]


@pytest.mark.parametrize("word", NASTY)
def test_words_are_text(word: str) -> None:
    one = Head(0, 0, word, 0.5, 0.1, finds=(word,), roles=(Role(word, 0.5, 0.1),))
    assert word in PageReader(atlas_grid([one], caption=word)).rows[1][1]
    assert PageReader(atlas_table([one], entropy=1, distance=1)).rows[1][1] == word
    assert PageReader(role_table(one.roles, {word: word})).rows[1][3] == word
    whole = Ablated(None, None, 1.0, 0.5, 0.5)
    assert PageReader(ablation_picture(whole, [whole], agreement=word)).rows[0][-1] == word


def test_full_values_are_titles() -> None:
    titles = PageReader(atlas_grid([Head(0, 0, "previous", 1 / 3, 0.1)])).titles
    assert titles == ["0.33333334, chance 0.1"]
