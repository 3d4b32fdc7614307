"""Arcs stand on the words they join and do not cross; tables hold every number; nothing typed becomes markup."""

from __future__ import annotations

import base64
import itertools
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from html.parser import HTMLParser

import pytest

from tests.viz_model.figures.eyes import contrast
from tests.viz_model.figures.page_reader import NASTY, PageReader
from viz_model.figures.relation_pictures import links_table, relation_accuracies
from viz_model.figures.sentence_arcs import description, sentence_arcs, sentence_arcs_html
from viz_model.figures.theme import DARK, LIGHT, sample, visible_token
from viz_model.tasks import english

SVG = "{http://www.w3.org/2000/svg}"
WORDS = ["[BOS]", "The", "cat", "sat", "on", "the", "mat"]
LINKS = [
    ("determiner-noun", 2, 1),
    ("subject-verb", 3, 2),
    ("head-preposition", 4, 3),
    ("determiner-noun", 6, 5),
    ("preposition-noun", 6, 4),
]
WEIGHTS = [0.25, 0.883, 0.0, 1.0, 0.0001]
HITS = [False, True, False, True, False]


@dataclass(frozen=True)
class Arc:
    query: float
    key: float
    top: float
    width: float
    colour: str


def arcs(svg: str) -> list[Arc]:
    """Where each arc stands, how high it goes and how its weight is drawn, from its path."""
    found = []
    for path in ElementTree.fromstring(svg).iter(f"{SVG}path"):
        if path.get("class") == "weight":
            d = path.get("d") or ""
            start, end = (re.match(r"M([\d.]+)", d), re.search(r" ([\d.]+) [\d.]+V[\d.]+$", d))
            top = re.search(r"Q[\d.]+ ([\d.]+)", d)
            assert None not in (start, end, top), d
            width = float(path.get("stroke-width") or 0)
            found.append(Arc(float(start[1]), float(end[1]), float(top[1]), width, path.get("stroke") or ""))
    return found


def words_at(svg: str) -> dict[str, float]:
    texts = [text for text in ElementTree.fromstring(svg).iter(f"{SVG}text") if text.get("font-size") == "16"]
    return {text.text or "": float(text.get("x") or 0) for text in texts}


def test_each_arc_joins_its_words_and_is_as_thick_as_its_weight() -> None:
    svg = sentence_arcs(WORDS, LINKS, WEIGHTS, HITS)
    at = words_at(svg)
    assert list(at) == WORDS
    assert sorted(at.values()) == list(at.values())
    drawn = sorted(arcs(svg), key=lambda arc: (arc.query, -arc.key))
    joined = {
        (min(at, key=lambda w: abs(at[w] - arc.query)), min(at, key=lambda w: abs(at[w] - arc.key))) for arc in drawn
    }
    assert joined == {(WORDS[query], WORDS[key]) for _, query, key in LINKS}
    assert sorted(arc.width for arc in drawn) == pytest.approx(sorted(6 * w for w in WEIGHTS), abs=0.01)
    assert {arc.colour for arc in drawn} == {sample(LIGHT.attention, w) for w in WEIGHTS}
    texts = [text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert {"0.250", "0.883", "< 0.001", "1.000"} <= set(texts)
    assert texts.count("determiner-noun") == 2


def test_arcs_of_real_sentences_neither_cross_nor_lie_on_each_other() -> None:
    """Two arcs cross where one's foot stands under the other's roof and that roof is the lower one."""
    seen = 0
    for sentence in english.corpus(150, seed=3):
        links = [(link.kind, link.query, link.key) for link in sentence.relations]
        spans = [sorted(ends) for _, *ends in links]
        if any(a < c < b < d for (a, b), (c, d) in itertools.permutations(spans, 2)):
            continue  # links that cross as such cannot be drawn without it
        seen += 1
        drawn = arcs(sentence_arcs(sentence.words, links, [0.5] * len(links), [True] * len(links)))
        assert len(drawn) == len(links)
        for one, other in itertools.permutations(drawn, 2):
            left, right = sorted((one.query, one.key))
            for foot in (other.query, other.key):
                if left + 1 < foot < right - 1:
                    assert other.top > one.top, sentence.words
        feet = [foot for arc in drawn for foot in (arc.query, arc.key)]
        assert len({round(foot, 1) for foot in feet}) == len(feet)
    assert seen > 100


def test_every_arc_is_as_wide_as_its_label() -> None:
    svg = sentence_arcs(["a", "b"], [("a-very-long-relation-indeed", 1, 0)], [0.5], [True])
    (arc,) = arcs(svg)
    assert abs(arc.query - arc.key) > 27 * 12 * 0.5


def test_a_word_that_reads_itself_has_a_loop() -> None:
    (arc,) = arcs(sentence_arcs(["The", "cat"], [("determiner-noun", 0, 0)], [0.5], [True]))
    assert 5 < arc.key - arc.query < 30


def test_feet_on_one_word_stand_apart_when_a_word_reads_itself_too() -> None:
    links = [("subject-verb", 2, 1), ("auxiliary-verb", 2, 2), ("verb-object", 2, 3)]
    subject, itself, thing = sorted(
        arcs(sentence_arcs(["a", "b", "c", "d"], links, [0.5] * 3, [True] * 3)), key=lambda arc: arc.query
    )
    assert subject.query < itself.query < itself.key < thing.query
    assert min(itself.query - subject.query, itself.key - itself.query, thing.query - itself.key) >= 5


def test_light_and_dark_are_readable() -> None:
    for theme in (LIGHT, DARK):
        svg = sentence_arcs(WORDS, LINKS, WEIGHTS, HITS, theme=theme)
        assert f'fill="{theme.background}"' in svg
        inks = {node.get("fill") for node in ElementTree.fromstring(svg).iter(f"{SVG}text") if node.get("fill")}
        assert inks
        assert all(contrast(ink, theme.background) >= 4.5 for ink in {*inks, theme.text})


def test_no_links_are_said_in_words() -> None:
    svg = sentence_arcs(["Hello", "you"], [], [], [])
    assert arcs(svg) == []
    assert "No links are known" in svg
    assert ElementTree.fromstring(sentence_arcs([], [], [], [])).tag == f"{SVG}svg"


def test_the_description_says_every_link() -> None:
    said = description(WORDS, LINKS[:2], WEIGHTS[:2], HITS[:2])
    assert said == "cat reads The (determiner-noun): 0.250. sat reads cat (subject-verb): 0.883, its largest."


class Image(HTMLParser):
    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.given: dict[str, str] = {}
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "img":
            self.given = {name: value or "" for name, value in attrs}


@pytest.mark.parametrize("word", NASTY)
def test_words_are_text(word: str) -> None:
    links, weights, hits = [(word, 0, 1)], [0.5], [True]
    root = ElementTree.fromstring(sentence_arcs([word, "b"], links, weights, hits))
    texts = [node.text for node in root.iter(f"{SVG}text")]
    assert word in texts  # the relation
    assert visible_token(word, 24) in texts  # the word, cut where it is long
    image = Image(sentence_arcs_html([word, "b"], links, weights, hits))
    assert image.tags == ["style", "div", "img"]
    assert image.given["alt"] == f"{word} reads b ({word}): 0.500, its largest."
    kind, _, data = image.given["src"].partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(data).decode() == sentence_arcs([word, "b"], links, weights, hits)
    table = PageReader(links_table([word, "b"], links, weights, hits, caption=word))
    assert table.rows[1] == [word, "b", word, "0.500", "largest of all words"]


def test_the_links_as_a_table() -> None:
    page = PageReader(links_table(WORDS, LINKS, WEIGHTS, HITS))
    assert page.rows[2] == ["sat", "cat", "subject-verb", "0.883", "largest of all words"]
    assert page.rows[3] == ["on", "sat", "head-preposition", "0.00", "another word has more"]


@pytest.mark.parametrize("make", [sentence_arcs, links_table, sentence_arcs_html])
def test_a_weight_for_every_link(make) -> None:
    with pytest.raises(ValueError, match="a weight and a hit for each"):
        make(WORDS, LINKS, WEIGHTS[:2], HITS)


def test_a_link_to_no_word_is_refused() -> None:
    with pytest.raises(ValueError, match="places from 0 to 1, got 2 and 0"):
        sentence_arcs(["a", "b"], [("x", 2, 0)], [0.1], [True])


@dataclass(frozen=True)
class Relation:
    relation: str = "subject-verb"
    n: int = 609
    offset: int = -1
    offset_accuracy: float = 0.5
    best: tuple[int, int] = (1, 0)
    verdict: str = "better than any offset"
    accuracy: tuple[tuple[float, ...], ...] = ((0.1, 0.2), (0.75, 0.4))
    weight: tuple[tuple[float, ...], ...] = ((0.1, 0.2), (0.6, 0.4))
    error: tuple[tuple[float, ...], ...] = ((0.01, 0.02), (0.05, 0.04))
    chance_accuracy: float = 0.25


def test_relations_show_the_best_head_beside_the_offset() -> None:
    markup = relation_accuracies([Relation(), Relation("adverb-verb", offset=0)], caption="english-causal")
    page = PageReader(markup)
    assert page.rows[1][:6] == ["subject-verb", "1.0", "", "0.750", "-1", "0.500"]
    assert page.rows[1][6:] == ["better than any offset", "609", "0.600", "0.250"]
    assert page.rows[2][4] == "0"
    assert "<strong>better" not in markup
    places = re.findall(r"left:(?:calc\()?([\d.]+)%", markup)
    assert places[:3] == ["65", "50", "75"]  # whisker from .75 - 2 x .05, offset, dot
    assert "width:20%" in markup


def test_any_head_can_be_shown_in_place_of_the_best() -> None:
    page = PageReader(relation_accuracies([Relation()], shown=(0, 1), caption="layer 0, head 1"))
    assert page.rows[1] == ["subject-verb", "0.1", "", "0.200", "-1", "0.500", "-0.300", "609", "0.200", "0.250"]
    assert page.rows[0][6] == "head \u2212 offset"


def test_that_a_head_is_no_better_is_said_loudly() -> None:
    markup = relation_accuracies([Relation(verdict="no better than an offset")], caption="")
    assert "<strong>no better than an offset</strong>" in markup


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_chosen_links_stand_out_and_the_others_can_still_be_read(theme) -> None:
    chosen = [False, True, False, False, False]
    svg = ElementTree.fromstring(sentence_arcs(WORDS, LINKS, WEIGHTS, HITS, chosen=chosen, theme=theme))
    said = {text.text: text for text in svg.iter(f"{SVG}text")}
    assert [name for name, _, _ in LINKS if said[name].get("font-weight") == "600"] == ["subject-verb"]
    assert said["0.883"].get("font-weight") == "600"
    assert said["0.250"].get("font-weight") is None
    assert contrast(said["0.250"].get("fill"), theme.background) >= 4.5
    assert arcs(sentence_arcs(WORDS, LINKS, WEIGHTS, HITS, chosen=chosen)) == arcs(
        sentence_arcs(WORDS, LINKS, WEIGHTS, HITS)
    )


def test_a_choice_of_other_length_is_refused() -> None:
    with pytest.raises(ValueError, match="chosen"):
        sentence_arcs(WORDS, LINKS, WEIGHTS, HITS, chosen=[True])


@pytest.mark.parametrize("word", NASTY)
def test_relations_are_text(word: str) -> None:
    page = PageReader(relation_accuracies([Relation(word, verdict=word)], caption=word))
    assert page.rows[1][0] == page.rows[1][6] == word
