"""Pictures as files: what a program that knows nothing of us reads in the SVG and sees in the PNG."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

import numpy as np
import pytest
from PIL import Image

from viz_model.figures import attention_heatmap, head_grid, logit_lens, tensor_heatmap
from viz_model.figures.atlas_drawing import atlas_drawing
from viz_model.figures.beam_picture import Branch, beam_picture
from viz_model.figures.clocks import clocks_drawing
from viz_model.figures.marked_curves import marked_curve
from viz_model.figures.picture_files import NARROWEST, png_file, svg_file
from viz_model.figures.position_pictures import marked_encoding
from viz_model.figures.sentence_arcs import sentence_arcs
from viz_model.figures.theme import DARK, LIGHT, sample
from viz_model.figures.word_drawings import marked_text_drawing, word_bars_drawing

SVG = "{http://www.w3.org/2000/svg}"
CAPTION = "english-causal · “The <b>cat</b> & 猫” · edits uniform_0_0"
WORDS = ["The", "<cat>", "sat"]
WEIGHTS = np.array([[1, 0, 0], [0.25, 0.75, 0], [0.125, 0.5, 0.375]], np.float32)
CAUSAL = np.tril(np.ones((3, 3), bool))

PICTURES = {
    "chart": marked_curve({"dots": ([1, 2, 3], [0.5, 2.0, 4.5])}, x_title="width", y_title="variance"),
    "specification": marked_curve({"dots": ([1, 2], [1, 2])}, x_title="width", y_title="variance").to_dict(),
    "map": attention_heatmap(WEIGHTS, WORDS, WORDS, mask=CAUSAL),
    "grid": head_grid(np.stack([WEIGHTS] * 2), WORDS, WORDS, mask=CAUSAL),
    "lens": logit_lens([["a", "b"]], [[0.5, 1.0]], title=""),
    "arcs": sentence_arcs(WORDS, [("subject-verb", 2, 1)], [0.5], [True]),
    "beam": beam_picture([Branch("le", None, 0, 0.9, -0.1, True, False, True)]),
    "text": marked_text_drawing(WORDS, [0.1, 0.5, 0.0], [1]),
    "bars": word_bars_drawing(WORDS, {"attention": [0.1, 0.5, 0.4]}),
}


def texts(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def colour(code: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(code[1:]))


@pytest.mark.parametrize("name", PICTURES)
def test_each_kind_has_its_title_and_its_caption_and_lies_on_white(name: str) -> None:
    svg = svg_file(PICTURES[name], title="What is <read>", caption=CAPTION)
    said = texts(svg)
    assert "What is <read>" in said
    assert CAPTION in " ".join(said)
    assert ElementTree.fromstring(svg).find(f"{SVG}desc").text == f"What is <read> {CAPTION}"
    assert not re.search(r"""(?:src|href)=["']?https?:""", svg)
    seen = pixels(png_file(svg))
    height, width = seen.shape[:2]
    root = ElementTree.fromstring(svg)
    assert (width, height) == (2 * int(root.get("width")), 2 * int(root.get("height")))
    assert width >= 2 * NARROWEST
    edges = (seen[:8], seen[-8:], seen[:, :8], seen[:, -8:])
    assert all((edge == 255).all() for edge in edges), "a margin of white all around"
    assert (seen.min(axis=2) < 110).sum() > 500, "ink"


@pytest.mark.parametrize(
    "picture",
    [
        marked_curve({"a": ([1, 2], [1, 2])}, x_title="x", y_title="y", title="Its own"),
        attention_heatmap(WEIGHTS, WORDS, WORDS, title="Its own"),
    ],
    ids=["chart", "map"],
)
def test_a_picture_with_a_title_is_not_given_another(picture) -> None:
    said = texts(svg_file(picture, title="Another", caption="c"))
    assert "Its own" in said
    assert "Another" not in said


def test_a_chart_has_its_axes_and_its_points() -> None:
    svg = svg_file(PICTURES["chart"], title="t")
    assert {"width", "variance"} <= set(texts(svg))
    (line,) = [
        path.get("d")
        for path in ElementTree.fromstring(svg).iter(f"{SVG}path")
        if path.get("fill") != "none" and path.get("stroke") in LIGHT.series and (path.get("d") or "").count("L") == 2
    ] or [None]
    assert line is not None
    points = np.array(re.findall(r"([-\d.]+),([-\d.]+)", line), float)
    # x is even; y goes up (SVG: down) by 1.5 and by 2.5.
    assert np.diff(points[:, 0]) == pytest.approx([np.ptp(points[:, 0]) / 2] * 2)
    rises = -np.diff(points[:, 1])
    assert rises[1] / rises[0] == pytest.approx(2.5 / 1.5, rel=1e-3)


def test_a_map_paints_every_cell_in_its_colour_and_hatches_the_masked() -> None:
    seen = pixels(png_file(svg_file(PICTURES["map"])))
    for weight in (1.0, 0.75, 0.5, 0.375, 0.25, 0.125):
        near = np.abs(seen.astype(int) - colour(sample(LIGHT.attention, weight))).max(axis=2) <= 3
        assert near.sum() > 3000, weight
    svg = svg_file(PICTURES["map"])
    hatched = ElementTree.fromstring(svg).findall(f".//{SVG}path[@class='masked']")
    assert len(hatched) == 1
    runs = re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)", hatched[0].get("d"))
    widths = np.array(runs, float)[:, 2]
    assert widths[0] == pytest.approx(2 * widths[1], rel=1e-3), "two cells of the first row, one of the second"
    assert len(runs) == 2


def test_a_map_has_its_labels_numbers_names_and_bar() -> None:
    said = texts(svg_file(PICTURES["map"]))
    assert [said.count(word) for word in WORDS] == [2, 2, 2]
    assert {"1.00", "0.750", "0.250", "0.500", "0.375", "0.125"} <= set(said)
    assert "down: query (reads) · across: key (is read)" in said
    assert {"weight", "0", "0.5", "1"} <= set(said)


def test_a_signed_map_has_both_ends_of_its_bar_and_both_colours() -> None:
    svg = svg_file(tensor_heatmap([[-2.0, 0.0, 4.0]], ["a"], ["x", "y", "z"], axes=("word", "dimension")))
    assert {"-4.00", "4.00", "-2.00"} <= set(texts(svg))
    painted = {path.get("fill") for path in ElementTree.fromstring(svg).iter(f"{SVG}path")}
    assert {sample(LIGHT.signed, 1.0), LIGHT.background} <= painted
    assert any(abs(int(code[1:3], 16) - int(sample(LIGHT.signed, 0.25)[1:3], 16)) <= 2 for code in painted if code)


def test_a_grid_of_heads_names_layers_and_heads_and_frames_the_chosen() -> None:
    grid = head_grid(np.stack([[WEIGHTS] * 3] * 2), WORDS, WORDS, selected=(1, 2))
    svg = svg_file(grid)
    said = texts(svg)
    assert [said.count(str(i)) for i in range(3)] == [3, 3, 1]  # layers, heads and the bar's ends
    frames = [rect for rect in ElementTree.fromstring(svg).iter(f"{SVG}rect") if rect.get("stroke") == LIGHT.accent]
    assert len(frames) == 1


def test_a_large_map_leaves_names_out_and_stays_small() -> None:
    svg = svg_file(marked_encoding(np.sin(np.arange(64 * 96.0)).reshape(64, 96), 20))
    said = texts(svg)
    assert "56" in said
    assert "57" not in said
    root = ElementTree.fromstring(svg)
    assert int(root.get("width")) < 1100
    assert len(svg) < 400_000


def test_a_figure_without_a_map_is_refused_in_words() -> None:
    import plotly.graph_objects as go

    with pytest.raises(ValueError, match="expected one map with a colour bar, got 0"):
        svg_file(go.Figure(layout={"height": 300}))
    with pytest.raises(ValueError, match="expected an SVG with width and height"):
        svg_file("<p>no picture</p>")


def test_a_long_caption_stays_inside_the_picture() -> None:
    caption = f"{'word ' * 60}{'x' * 400}"
    svg = svg_file(PICTURES["bars"], title="t", caption=caption)
    assert "".join(caption.split()) in "".join("".join(texts(svg)).split())
    seen = pixels(png_file(svg))
    assert (seen[:, -20:] == 255).all()


@pytest.mark.parametrize("text", ["שלום עולם", "a\u202eb", "\ud800", "👩‍👩‍👧", "\x00\t"])
def test_any_text_is_a_well_formed_file(text: str) -> None:
    picture = attention_heatmap([[1.0]], [text], [text])
    for drawn in (picture, marked_text_drawing([text], [0.5]), word_bars_drawing([text], {"attention": [0.5]})):
        svg = svg_file(drawn, title=text, caption=text)
        assert ElementTree.fromstring(svg.encode()) is not None
        assert png_file(svg)[:8] == b"\x89PNG\r\n\x1a\n"


def test_marked_text_says_each_word_and_weight_and_frames_the_chosen() -> None:
    svg = marked_text_drawing(WORDS, [0.125, 0.5, 0.0], [1])
    said = texts(svg)
    assert said[:6] == ["The", "0.125", "<cat>", "0.500", "sat", "0"]
    framed = [r for r in ElementTree.fromstring(svg).iter(f"{SVG}rect") if r.get("stroke") == LIGHT.value]
    assert [r.get("fill") for r in framed] == [sample(LIGHT.attention, 0.5)]
    with pytest.raises(ValueError, match="expected one for each of 3 words, got 1"):
        marked_text_drawing(WORDS, [1.0])


def test_bars_are_as_long_as_their_numbers_and_start_in_the_middle_where_signed() -> None:
    svg = word_bars_drawing(WORDS, {"share": [0.25, 1.0, 2.0], "change": [-0.5, 0.25, 0.0]}, signed=("change",))
    rects = [r for r in ElementTree.fromstring(svg).iter(f"{SVG}rect") if r.get("fill") != LIGHT.surface]
    by_colour: dict[str, list[tuple[float, float]]] = {}
    for rect in rects:
        by_colour.setdefault(rect.get("fill"), []).append((float(rect.get("x")), float(rect.get("width"))))
    shares = [width for _, width in by_colour[LIGHT.attention[6]]]
    assert shares == pytest.approx([shares[1] / 4, shares[1], shares[1]]), "a share ends at 1"
    ((left, down),) = by_colour[LIGHT.signed[2]]
    (middle, up), _ = by_colour[LIGHT.signed[8]]
    assert (down, left + down) == pytest.approx((2 * up, middle), abs=0.02)
    assert {"0.250", "-0.500", "+0.250"} <= set(texts(svg))
    with pytest.raises(ValueError, match="share: expected 3 numbers, one a word, got 1"):
        word_bars_drawing(WORDS, {"share": [1.0]})


def test_a_drawing_in_the_dark_has_the_darks_colours() -> None:
    assert f'fill="{sample(DARK.attention, 0.5)}"' in marked_text_drawing(["a"], [0.5], theme=DARK)


def test_the_tip_of_each_clock_lies_at_sine_and_cosine() -> None:
    angles = np.array([0.0, 1.0, 4.0, 5.5])
    root = ElementTree.fromstring(clocks_drawing(angles, [6.28, 20.0, 60.0, 190.0], pairs=[0, 3, 5, 7], trail=[angles]))
    dials = [c for c in root.iter(f"{SVG}circle") if c.get("fill") == "none"]
    tips = [c for c in root.iter(f"{SVG}circle") if c.get("class") == "tip"]
    for angle, dial, tip in zip(angles, dials, tips, strict=True):
        radius = float(dial.get("r"))
        across, up = ((float(tip.get(key)) - float(dial.get(key))) / radius for key in ("cx", "cy"))
        assert (across, -up) == pytest.approx((np.sin(angle), np.cos(angle)), abs=1e-3)
    said = texts(ElementTree.tostring(root, encoding="unicode"))
    assert [word for word in said if word.startswith("pair")] == ["pair 0", "pair 3", "pair 5", "pair 7"]
    assert {"a turn in 20.0", "sin 0.841, cos 0.540"} <= set(said)


def test_the_atlas_has_every_heads_role_score_and_chance_and_frames_the_chosen() -> None:
    @dataclass(frozen=True)
    class Role:
        role: str
        score: float
        chance: float

    @dataclass(frozen=True)
    class OfHead(Role):
        layer: int
        head: int
        roles: tuple[Role, ...] = ()

    heads = [OfHead("first", 0.5, 0.25, 0, 0), OfHead("mixed", 0.9, 0.9, 1, 1, (Role("same", 0.3, 0.2),))]
    root = ElementTree.fromstring(atlas_drawing(heads, selected=(1, 1)))
    said = texts(ElementTree.tostring(root, encoding="unicode"))
    assert {"head 0", "head 1", "layer 0", "layer 1", "first", "0.500 (chance 0.250)"} <= set(said)
    assert {"mixed", "most: same", "0.300 (chance 0.200)"} <= set(said), "a head without a role says what it reads most"
    bars = [float(r.get("width")) for r in root.iter(f"{SVG}rect") if r.get("class") == "score"]
    assert bars[0] / bars[1] == pytest.approx(0.5 / 0.3, rel=1e-3)
    assert [r.get("stroke") for r in root.iter(f"{SVG}rect")].count(LIGHT.accent) == 1
