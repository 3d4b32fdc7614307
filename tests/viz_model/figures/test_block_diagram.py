"""The drawn block: well-formed, one group an arrow of the plan, inside its frame, in both appearances and in a file."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from tests.viz_model.figures.eyes import contrast
from tests.viz_model.figures.test_block_plan import CONFIGS
from tests.viz_model.models.small_models import BASE
from viz_model.figures.block_diagram import SKELETON, STEP, WIDTH, block_diagram, script
from viz_model.figures.block_plan import block_plan
from viz_model.figures.theme import DARK, LIGHT

SVG = "{http://www.w3.org/2000/svg}"
crosses = pytest.mark.parametrize("cross", [False, True])


def read(markup: str) -> ElementTree.Element:
    """The drawing as a browser reads it, out of its frame."""
    (svg,) = re.findall(r"<svg.*</svg>", markup, re.DOTALL)
    return ElementTree.fromstring(svg)


def groups(svg: ElementTree.Element) -> list[ElementTree.Element]:
    return [g for g in svg.iter(f"{SVG}g") if "data-name" in g.attrib]


def words(part: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in part.iter(f"{SVG}text")]


@crosses
@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_there_is_one_arrow_a_tensor_with_all_its_names_and_its_shape(config, cross) -> None:
    plan = block_plan(config, cross_attention=cross, n=5, n_memory=6)
    svg = read(block_diagram(plan))
    drawn = groups(svg)
    assert sorted(g.attrib["data-name"] for g in drawn) == sorted(arrow.name for arrow in plan.arrows)
    for group in drawn:
        arrow = plan.arrow(group.attrib["data-name"])
        said = " ".join(words(group))
        for name in (arrow.name, *arrow.also):
            assert name in said
        assert " × ".join(arrow.shape) in said
        (title,) = group.iter(f"{SVG}title")
        assert title.text == f"{' = '.join((arrow.name, *arrow.also))}: {' × '.join(arrow.shape)}"
    texts = words(svg)
    assert f"× {plan.n_layers}" in texts
    norms = {"layer": "LayerNorm", "rms": "RMSNorm"}
    n_norms = len(plan.sublayers) if config.norm != "none" else 0
    assert sum(texts.count(name) for name in norms.values()) == n_norms
    assert texts.count("Feed-forward") == config.feed_forward
    assert texts.count("Cross-attention") == cross
    n_sums = sum(one.kind != "none" for one in plan.sublayers)
    assert len(svg.findall(f"{SVG}circle[@class='plus']")) == (n_sums if config.residual else 0)
    assert texts.count("no residual") == (0 if config.residual else n_sums)
    assert svg.attrib["aria-label"] == plan.summary


@crosses
@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_nothing_leaves_the_drawing_and_no_two_boxes_or_labels_meet(config, cross) -> None:
    svg = read(block_diagram(block_plan(config, cross_attention=cross)))
    height = float(svg.attrib["viewBox"].split()[3])
    boxes = [r for r in svg.iter(f"{SVG}rect") if r.attrib.get("class", "").split()[0] in ("box", "touch")]
    places = [tuple(float(r.attrib[k]) for k in ("x", "y", "width", "height")) for r in boxes]
    for x, y, w, h in places:
        assert x >= 0
        assert x + w <= WIDTH
        assert y >= 0
        assert y + h <= height
    for i, (x, y, w, h) in enumerate(places):
        for u, v, p, q in places[i + 1 :]:
            assert x + w <= u or u + p <= x or y + h <= v or v + q <= y
    for group in groups(svg):
        # 7.6 px a character of the monospaced face at 12.5 px, with room for a wider one.
        name = next(t for t in group.iter(f"{SVG}text") if t.attrib["class"] == "name")
        start = float(name.attrib["x"])
        length = 7.7 * len(name.text or "")
        left, right = (start - length, start) if name.attrib["text-anchor"] == "end" else (start, start + length)
        assert left >= 0
        assert right <= WIDTH


def test_the_chosen_arrow_alone_is_lit_by_any_name_of_its_tensor() -> None:
    plan = block_plan(replace(BASE, norm_place="post"))
    for name in ("resid_mid", "normed_attention"):
        lit = [g for g in groups(read(block_diagram(plan, chosen=name))) if "chosen" in g.attrib["class"].split()]
        assert [g.attrib["data-name"] for g in lit] == ["resid_mid"]
    assert "chosen" not in re.sub(r"<style>.*?</style>", "", block_diagram(plan))


def test_statistics_stand_beside_their_arrow_as_text() -> None:
    svg = read(block_diagram(block_plan(BASE, n=5), statistics={"attention.out": "norm <4 & 5>"}))
    said = {g.attrib["data-name"]: words(g)[-1] for g in groups(svg)}
    assert said["attention.out"] == "5 × 16 · norm <4 & 5>"
    assert said["resid_pre"] == "5 × 16"


@pytest.mark.parametrize("options", [{"chosen": "nowhere"}, {"statistics": {"nowhere": "1"}}])
def test_an_arrow_that_is_not_there_is_said(options) -> None:
    with pytest.raises(ValueError, match=r"arrow: expected one of resid_pre, normed_attention, .*, got 'nowhere'"):
        block_diagram(block_plan(BASE), **options)


def test_arrows_that_can_be_pressed_are_buttons_for_the_keyboard_too() -> None:
    plan = block_plan(BASE)
    for group in groups(read(block_diagram(plan, chosen="resid_mid", selectable=True))):
        assert (group.attrib["role"], group.attrib["tabindex"]) == ("button", "0")
        assert group.attrib["aria-pressed"] == ("true" if group.attrib["data-name"] == "resid_mid" else "false")
    assert all("role" not in g.attrib for g in groups(read(block_diagram(plan))))


def test_on_a_page_the_colours_are_the_pages_and_in_a_file_they_are_written_out() -> None:
    page = block_diagram(block_plan(BASE))
    assert page.startswith('<div class="glass-block">')
    outside = re.sub(r"var\([^;{}]*\)", "", page)
    assert "#" not in outside
    for theme in (LIGHT, DARK):
        file = block_diagram(block_plan(BASE), theme=theme)
        assert file.startswith("<svg xmlns=")
        assert "var(" not in file
        assert theme.background in file
        svg = read(file)
        assert float(svg.attrib["width"]) == WIDTH
        # Text stands on the frame's surface or in a box of the page's own colour; what is lit on the surface.
        for ink in (theme.text, theme.muted, theme.accent):
            assert contrast(ink, theme.surface) >= 4.5
            assert contrast(ink, theme.background) >= 4.5


def test_text_is_at_least_12_pixels_where_the_page_is_narrowest() -> None:
    style = re.findall(r"<style>(.*?)</style>", block_diagram(block_plan(BASE)), re.DOTALL)[0]
    (smallest,) = re.findall(r"min-width:(\d+)px", style)
    sizes = [float(size) for size in re.findall(r"font(?:-size)?:([\d.]+)px", style)]
    assert len(sizes) == 5
    assert min(sizes) * float(smallest) / WIDTH >= 12
    assert float(smallest) <= 360 - 2 * 16
    assert STEP >= 24  # the smallest target for a finger (WCAG 2.2, section 2.5.8)


def test_the_component_listens_to_what_is_drawn() -> None:
    assert "export default function" in script()
    for part in ("data-name", "role=button", "aria-pressed", '"arrow"', ".block"):
        assert part in script()
    assert 'class="block"' in SKELETON
