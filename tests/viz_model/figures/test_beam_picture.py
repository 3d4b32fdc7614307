"""The beam's tree as a picture: every candidate once, kept above pruned, lines from parent to child."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from viz_model.figures.beam_picture import Branch, beam_in_words, beam_picture
from viz_model.figures.theme import DARK

SVG = "{http://www.w3.org/2000/svg}"
TREE = [
    Branch("le", None, 0, 0.6, -0.5, True, False, True),
    Branch("<la>", None, 0, 0.3, -1.2, True, False, False),
    Branch("un", None, 0, 0.1, -2.3, False, False, False),
    Branch("chien", 0, 1, 0.2, -2.1, False, False, False),
    Branch("chat", 0, 1, 0.7, -0.9, True, True, True),
    Branch("robe", 1, 1, 0.5, -1.9, True, True, False),
]


def boxes(svg: str) -> dict[str, tuple[float, float, float]]:
    """Left, right and top of each candidate's box by its word."""
    found = {}
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        if group.get("class") == "candidate":
            box = group.find(f"{SVG}rect")
            x, y, width = (float(box.get(name)) for name in ("x", "y", "width"))
            found[group.find(f"{SVG}text").text] = (x, x + width, y)
    return found


def branches(svg: str) -> list[ElementTree.Element]:
    return [path for path in ElementTree.fromstring(svg).iter(f"{SVG}path") if path.get("class") == "branch"]


def test_every_candidate_stands_in_the_column_of_its_word() -> None:
    found = boxes(beam_picture(TREE))
    assert set(found) == {"le", "<la>", "un", "chien", "chat", "robe"}
    assert found["le"][0] == found["<la>"][0] == found["un"][0]
    assert found["chat"][0] == found["chien"][0] > max(found[word][1] for word in ("le", "<la>", "un"))
    assert found["le"][2] < found["<la>"][2] < found["un"][2]
    assert found["chat"][2] < found["robe"][2] < found["chien"][2]


def test_lines_lead_from_the_parent_and_tell_kept_from_pruned() -> None:
    svg = beam_picture(TREE, theme=DARK)
    found = boxes(svg)
    ends = {}
    for path in branches(svg):
        numbers = path.get("d", "")[1:].replace("C", " ").split()
        ends[float(numbers[0]), float(numbers[-2]), float(numbers[-1])] = path
    assert len(ends) == len(TREE)
    for child, parent in (("chien", "le"), ("chat", "le"), ("robe", "<la>")):
        _, _, top = found[child]
        (path,) = (
            p for (x0, x1, y1), p in ends.items() if x0 == pytest.approx(found[parent][1], abs=0.2) and y1 == top + 16
        )
        assert bool(path.get("stroke-dasharray")) == (child == "chien")
    assert sum(path.get("stroke-width") == "3" for path in branches(svg)) == 2


def test_pruned_candidates_may_be_left_out() -> None:
    assert set(boxes(beam_picture(TREE, pruned=False))) == {"le", "<la>", "chat", "robe"}


def test_it_is_said_in_words() -> None:
    assert beam_in_words(TREE) == "6 candidates compared, 4 kept. Best: le chat, score -0.900."
    with pytest.raises(ValueError, match="at least one"):
        beam_picture([])
