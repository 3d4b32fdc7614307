"""Text, bars and tables of words: each carries its numbers, and what was typed stays text."""

from __future__ import annotations

import html
import re

import pytest

from tests.viz_model.figures.page_reader import PageReader
from viz_model.figures.code_text import code_text
from viz_model.figures.marked_text import marked_text
from viz_model.figures.theme import DARK, LIGHT, luminance
from viz_model.figures.word_bars import word_bars
from viz_model.figures.word_table import choices_table, length_table, written_table

RUDE = "<b>&'"


def words_of(picture: str) -> str:
    body = picture.split("<p>")[1].split("</p>")[0]
    return re.sub(r"<[^>]+>", "", body)


def test_the_text_reads_as_text_and_the_answer_is_marked() -> None:
    picture = marked_text(["in", "the", "garden", ".", "No"], [0.0, 0.5, 1.0, 0.0, 0.2], [1, 2], caption="c")
    assert words_of(picture) == "in the garden. No"
    marks = re.findall(r'<mark class="word (w\d) chosen([^"]*)"', picture)
    assert marks == [("w4", " first"), ("w9", " last")]
    assert picture.count("<mark") == 2
    assert 'title="1.00 (1.0)"' in picture
    with pytest.raises(ValueError, match="weights: expected one for each of 2 words, got 1"):
        marked_text(["a", "b"], [0.1], caption="")


def test_what_was_typed_is_never_markup() -> None:
    pictures = [
        marked_text([RUDE], [0.1], caption=RUDE),
        word_bars([RUDE], {"a": [0.1]}, caption=RUDE),
        written_table([RUDE], [0.1], [RUDE], [0.2], caption=RUDE),
        choices_table([RUDE], [[(RUDE, 0.5)]], caption=RUDE),
    ]
    for picture in pictures:
        assert "<b>" not in picture
        assert "&lt;b&gt;" in picture


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_word_can_be_read_on_every_stop_of_the_ramp(theme) -> None:
    style = marked_text(["a"], [0.0], caption="")
    for i, colour in enumerate(theme.attention):
        inks = re.findall(rf"\.w{i}\{{background:[^}}]*?color:light-dark\((#\w+),(#\w+)\)", style)[0]
        ink = inks[theme is DARK]
        high, low = sorted((luminance(ink) + 0.05, luminance(colour) + 0.05), reverse=True)
        assert high / low >= 4.5, (i, ink, colour)


def test_bars_stand_on_their_side_and_keep_their_numbers() -> None:
    picture = word_bars(
        ["a", "not"], {"attention": [0.25, 1.0], "moved": [-2.0, 4.0]}, signed=["moved"], chosen=[1], caption="c"
    )
    rows = PageReader(picture).rows
    assert rows[0] == ["word", "attention", "moved"]
    assert rows[1:] == [["a", "0.250", "-2.00"], ["not", "1.00", "+4.00"]]
    assert "left:0;width:25%" in picture
    assert "left:0;width:100%" in picture
    assert 'down" style="right:50%;width:25%"' in picture
    assert 'up" style="left:50%;width:50%"' in picture
    assert re.findall(r'<th scope="row" class="(\w*)">', picture) == ["", "strong"]
    with pytest.raises(ValueError, match="moved: expected 1 numbers, one a word, got 2"):
        word_bars(["a"], {"moved": [1.0, 2.0]}, caption="")


def test_bars_of_nothing_have_no_width() -> None:
    assert "width:0%" in word_bars(["a"], {"moved": [0.0]}, signed=["moved"], caption="")


def test_tables_of_words() -> None:
    assert PageReader(written_table(["le"], [0.5], ["the"], [0.25], caption="c")).rows[1] == [
        "le",
        "0.500",
        "the",
        "0.250",
    ]
    rows = PageReader(length_table([(8, 100, 98, True), (9, 0, 0, False)], caption="c")).rows
    assert rows[1:] == [["8 words", "0.980", "98 of 100", "trained"], ["9 words", "0.00", "0 of 0", "never trained"]]
    choices = PageReader(choices_table(["(", "\n"], [[("(", 0.9), (" ", 0.1)], [("\n", 1.0), (")", 0.0)]], caption="c"))
    assert choices.rows[0] == ["written", "first choice", "second"]
    assert choices.rows[2] == ["\u21b5", "\u21b5 1.00", ") 0.00"]
    copied = PageReader(
        written_table(["a", "b"], [0.5] * 2, ["x"] * 2, [0.25] * 2, [("layer 1", 0.75), None], caption="c")
    )
    assert copied.rows[0] == ["written", "probability", "reads", "weight", "the same word: best head", "weight on it"]
    assert [row[4:] for row in copied.rows[1:]] == [["layer 1", "0.750"], ["not in the text", ""]]


def test_code_that_was_written_stands_apart_from_what_was_typed() -> None:
    found = code_text("if a < b:\n    x", " = '<b>'", caption=RUDE)
    assert "<b>" not in found
    assert '<span class="typed">if a &lt; b:\n    x</span><ins> = &#x27;&lt;b&gt;&#x27;</ins>' in found
    assert RUDE not in found
    assert html.escape(RUDE) in found
