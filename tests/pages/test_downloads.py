"""Every picture of a page can be taken away as PNG and SVG, with what it is of; and its numbers say the same."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

import viz_model as vm
from tests.pages.seeing import plotly_values, sound
from viz_model.analysis import rollout
from viz_model.figures.theme import LIGHT, format_number, sample

SVG = "{http://www.w3.org/2000/svg}"
TEXT = "The cat sat on the mat"
# Pages, and the pictures that each gives: the names of their files.
PAGES: dict[str, tuple[str, dict[str, str], set[str]]] = {
    "sentence": ("sentence", {}, {"links"}),
    "scale": ("scale", {}, {"widths-1", "widths-2", "widths-3", "row", "dots"}),
    "scale trained": (
        "scale",
        {"scale_panel": "trained"},
        {"row", "dots", "head-row", "heads-scale-1", "heads-scale-2"},
    ),
    "scale training": ("scale", {"scale_panel": "training"}, {"row", "dots", "training-1", "training-2"}),
    "heads": ("heads", {}, {"heads"}),
    "positions": ("positions", {}, {"encoding", "clocks"}),
    "positions properties": ("positions", {"positions_part": "properties"}, {"distances", "neighbours", "dots"}),
    "positions further": ("positions", {"positions_part": "further"}, {"loss-by-position", "training-loss"}),
    "positions order": ("positions", {"positions_part": "order"}, {"orders-1", "orders-2"}),
    "block": ("block", {}, {"block", "resid_mid"}),
    "block other": ("block", {"block_layout": "other"}, {"block"}),
    "block stream": ("block", {"block_part": "stream"}, {"stream"}),
    "block norm": ("block", {"block_part": "norm"}, {"norm_attention_2-1", "norm_attention_2-2"}),
    "block start": ("block", {"block_part": "start", "block_depth": "2"}, {"gradient", "first-over-last"}),
    "block training": ("block", {"block_part": "training"}, {"gradient", "alike", "depth-study-1", "depth-study-2"}),
    "recall": ("recurrence", {}, {"recall-16"}),
    "first": ("recurrence", {"comparison": "first"}, {"first-token-50"}),
    "gradient": ("recurrence", {"comparison": "gradient"}, {"gradient"}),
    "costs": ("recurrence", {"comparison": "costs"}, {"costs-steps", "costs-work"}),
    "field": ("recurrence", {"comparison": "field"}, {"receptive-field"}),
    "bottleneck": ("recurrence", {"comparison": "bottleneck"}, {"bottleneck"}),
    "translation": ("translation", {}, {"alignment"}),
    "beam": ("translation", {"translation_part": "beam"}, {"beam"}),
    "forcing": ("translation", {"translation_part": "forcing"}, {"forcing"}),
    "cheating": ("translation", {"translation_part": "cheating"}, {"cheating-1", "cheating-2", "cheating-3"}),
    "lens": ("workbench", {"panel": "lens"}, {"lens"}),
    "rollout": ("workbench", {"panel": "rollout"}, {"rollout"}),
    "values": ("workbench", {"panel": "values"}, {"values"}),
    "attribution": ("workbench", {"panel": "attribution"}, {"attribution"}),
    "answers": ("applications", {}, {"answer-1", "answer-2"}),
    "feeling": ("applications", {"application": "feeling"}, {"influence-1", "influence-2"}),
    "summary": ("applications", {"application": "summary"}, {"read-summarising"}),
    "fine-tuning": ("fine-tuning", {}, {"fine-tuning", *(f"fine-tuning-attention-{i}" for i in (1, 2, 3))}),
}


def files(page: AppTest) -> dict[str, Any]:
    """What the page offers, by the name of the file."""
    return {each.name: each for each in page.session_state["shelf"].files.values()}


def texts(svg: str) -> list[str]:
    return ["".join(text.itertext()).strip() for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def table(page: AppTest, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files(page)[f"{name}.csv"].make())))


@pytest.mark.parametrize("name", PAGES)
def test_each_picture_of_a_page_is_a_png_and_an_svg_with_a_title_and_a_caption(visit, name: str) -> None:
    path, link, pictures = PAGES[name]
    page = sound(visit(path, **link))
    offered = files(page)
    for kind, mime in (("png", "image/png"), ("svg", "image/svg+xml")):
        found = {file.removesuffix(f".{kind}"): each for file, each in offered.items() if file.endswith(f".{kind}")}
        assert set(found) == pictures
        assert {each.mime for each in found.values()} == {mime}
    for file in pictures:
        svg = offered[f"{file}.svg"].make()
        root = ElementTree.fromstring(svg)
        caption = root.find(f"{SVG}desc")
        assert caption is not None
        assert len(caption.text or "") > 10
        assert texts(svg)[-1] in (caption.text or ""), "the caption stands below the picture"
        assert len(texts(svg)) >= 5, "labels"
        image = Image.open(io.BytesIO(offered[f"{file}.png"].make())).convert("RGB")
        assert image.size == (2 * int(root.get("width") or 0), 2 * int(root.get("height") or 0))
        assert image.getpixel((3, 3)) == (255, 255, 255)
        assert len(image.getcolors(1 << 24) or ()) > 20


def test_no_page_takes_away_without_being_let(visit) -> None:
    assert files(sound(visit("positions", hide="downloads", positions_part="properties"))) == {}


def test_a_map_in_a_file_is_the_one_on_the_page_with_model_text_and_edits(visit) -> None:
    page = sound(visit("workbench", panel="rollout", layer="1", text=TEXT, edits="uniform_0_0"))
    svg = files(page)["rollout.svg"].make()
    said = texts(svg)
    assert f"english-causal · “{TEXT}” · edits uniform_0_0 · layer 1, head 0" in " ".join(said)
    trace = vm.run(vm.load("english-causal"), TEXT, edits=(vm.UniformHead(layer=0, head=0),))
    flow = rollout(trace)[1, 0].numpy()
    assert plotly_values(page, "rollout")[6, 0] == flow[6, 0]
    assert format_number(float(flow[6, 0])) in said
    assert all(said.count(token) == 2 for token in ("[BOS]", "cat", "mat"))
    rows = table(page, "rollout")
    assert [float(row["value"]) for row in rows] == [float(x) for x in flow.ravel()]
    assert [(row["query"], row["key"]) for row in rows[7:9]] == [("The", "[BOS]"), ("The", "The")]
    colour = sample(LIGHT.attention, round(float(flow[6, 0]) * 254) / 254)
    assert f'fill="{colour}"' in svg


def test_the_arcs_in_a_file_have_the_weights_of_their_csv(visit) -> None:
    page = sound(visit("sentence", text="The government is considering closing schools"))
    said = texts(files(page)["links.svg"].make())
    rows = table(page, "links")
    assert len(rows) >= 3
    for row in rows:
        assert row["relation"] in said
        weight = float(row["weight"])
        assert (f"{weight:.3f}" if weight >= 0.0005 else "< 0.001") in said
    assert any("layer" in line and "head" in line for line in said)


def test_a_marked_text_and_its_bars_in_files_have_the_numbers_of_the_csv(visit) -> None:
    page = sound(
        visit("applications", qa_context="Ben has a red hat. Anna is in the garden.", qa_question="Where is Anna?")
    )
    rows = table(page, "answer")
    bars = texts(files(page)["answer-2.svg"].make())
    for row in rows:
        assert row["word"] in bars
        assert {format_number(float(row[end])) for end in ("start", "end")} <= set(bars)
    words = texts(files(page)["answer-1.svg"].make())
    assert [word for word in words if word in ("Ben", "hat", "Anna", "garden")] == [
        "Anna",
        "Ben",
        "hat",
        "Anna",
        "garden",
    ]
    assert "question-answering · “Where is Anna? Ben has a red hat. Anna is in the garden.”" in " ".join(words)


def test_a_file_is_drawn_for_white_paper_whatever_the_page_is(visit, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.ui import theme
    from viz_model.figures.theme import DARK

    monkeypatch.setattr(theme, "current", lambda: DARK)
    page = sound(visit("positions", positions_part="properties"))
    for file in ("distances.svg", "dots.svg"):
        svg = files(page)[file].make()
        assert LIGHT.text in svg
        assert DARK.text not in svg


def test_a_menu_holds_the_numbers_too(visit) -> None:
    page = sound(visit("scale"))
    assert {"widths.csv", "row.csv", "dots.csv"} <= set(files(page))
