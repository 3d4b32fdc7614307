"""The alignment's picture: a line for every weight worth one, known links dashed, what is to come left out."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from viz_model.figures.theme import DARK, LIGHT, sample
from viz_model.figures.word_alignment import LEAST, alignment_in_words, word_alignment

SVG = "{http://www.w3.org/2000/svg}"
ENGLISH, FRENCH = ("the", "black", "cat"), ("le", "chat", "noir")
WEIGHTS = np.array([[0.9, 0.06, 0.04], [0.02, 0.08, 0.9], [0.0, 1.0, 0.0]])
KNOWN = (frozenset({0}), frozenset({2}), frozenset({1}))


def lines(svg: str) -> dict[str, ElementTree.Element]:
    found = [path for path in ElementTree.fromstring(svg).iter(f"{SVG}path") if path.get("class") == "weight"]
    return {(path[0].text or ""): path for path in found}


def words(svg: str) -> dict[str, float]:
    return {text.text or "": float(text.get("x", "nan")) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")}


def test_every_weight_worth_it_has_a_line_from_word_to_word() -> None:
    svg = word_alignment(ENGLISH, FRENCH, WEIGHTS, KNOWN)
    found, at = lines(svg), words(svg)
    assert len(found) == int((WEIGHTS >= LEAST).sum())
    path = found["chat reads cat: 0.900"]
    start, end = path.get("d", "")[1:].split("C")[0].split(), path.get("d", "").split()[-2:]
    assert (float(start[0]), float(end[0])) == pytest.approx((at["chat"], at["cat"]), abs=0.1)
    assert float(start[1]) > float(end[1])
    assert path.get("stroke") == sample(LIGHT.attention, 0.9)
    widths = [
        float(found[name].get("stroke-width", "0")) for name in ("le reads black: 0.0600", "noir reads black: 1.00")
    ]
    assert widths[0] < widths[1]


def test_known_links_are_dashed_and_go_where_they_should() -> None:
    svg = word_alignment(ENGLISH, FRENCH, np.zeros((3, 3)), KNOWN)
    at = words(svg)
    dashed = [
        p for p in ElementTree.fromstring(svg).iter(f"{SVG}path") if p.get("stroke-dasharray") and "C" in p.get("d", "")
    ]
    ends = [(float(p.get("d", "")[1:].split()[0]), float(p.get("d", "").split()[-2])) for p in dashed]
    wanted = [(at["le"], at["the"]), (at["chat"], at["cat"]), (at["noir"], at["black"])]
    np.testing.assert_allclose(ends, wanted, atol=0.1)
    assert "known alignment" in at
    assert "alignment not known" in words(word_alignment(ENGLISH, FRENCH, WEIGHTS))


def test_words_keep_their_places_while_the_sentence_grows() -> None:
    whole, part = (words(word_alignment(ENGLISH, FRENCH, WEIGHTS, KNOWN, shown=n, theme=DARK)) for n in (3, 2))
    assert "noir" not in part
    assert all(whole[word] == part[word] for word in (*ENGLISH, "le", "chat"))


def test_it_is_said_in_words_and_text_is_text() -> None:
    assert alignment_in_words(ENGLISH, FRENCH, WEIGHTS).startswith("le reads the: 0.900. chat reads cat: 0.900.")
    assert alignment_in_words(ENGLISH, (), np.zeros((0, 3))) == "Nothing is written yet."
    assert "<b>" in words(word_alignment(("<b>",), ("&",), [[1.0]]))


def test_wrong_shapes_are_named() -> None:
    with pytest.raises(ValueError, match=r"expected \[3, 3\]"):
        word_alignment(ENGLISH, FRENCH, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="known: expected at most 1"):
        word_alignment(("a",), ("b",), [[1.0]], KNOWN)
