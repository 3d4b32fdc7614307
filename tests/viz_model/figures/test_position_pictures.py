"""The pictures of 'positions', and its clocks: where a hand points, what stands on which axis, where a curve ends."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from tests.viz_model.figures.page_reader import PageReader
from tests.viz_model.figures.test_marked_curves import layers_of, marked
from viz_model.figures.clocks import clocks
from viz_model.figures.position_pictures import (
    distance_map,
    dots_by_offset_curve,
    loss_by_position_curve,
    marked_encoding,
    neighbour_curve,
    two_orders,
)
from viz_model.figures.theme import DARK, LIGHT


def test_a_dial_for_each_pair_with_its_numbers() -> None:
    angles = [0.0, math.pi / 2, 4.0]
    markup = clocks(angles, [6.2831853, 62.8, 628], pairs=[0, 4, 9], caption="Position 7")
    page = PageReader(markup)
    assert page.text.startswith("Position 7pair 0a turn in 6.28sin 0.00, cos 1.00pair 4a turn in 62.8sin 1.00")
    assert page.labels == [
        "pair 0: sine 0.00, cosine 1.00",
        f"pair 4: sine 1.00, cosine {math.cos(math.pi / 2):.2e}",
        "pair 9: sine -0.757, cosine -0.654",
    ]
    assert "6.2831853" in page.titles
    assert str(np.float64(math.sin(4.0))) in page.titles
    hands = re.findall(r'class="hand" style="transform:rotate\(([\d.]+)rad\)"', markup)
    assert [float(hand) for hand in hands] == pytest.approx(angles, abs=1e-4)
    assert "past" not in re.sub(r"<style>.*?</style>", "", markup)


def test_a_trail_stays_on_its_own_dial() -> None:
    markup = clocks([1.0, 2.0], [6, 60], trail=[[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], caption="")
    dials = markup.split("<li>")[1:]
    turned = [[float(a) for a in re.findall(r'class="past" style="transform:rotate\(([\d.]+)rad', d)] for d in dials]
    assert turned == [[0.1, 0.3, 0.5], [0.2, 0.4, 0.6]]


def test_both_themes_are_in_the_dials_and_captions_are_text() -> None:
    markup = clocks([0.5], [6], caption="<b>&")
    assert PageReader(markup).text.startswith("<b>&")
    for theme in (LIGHT, DARK):
        assert theme.series[1] in markup
        assert theme.text in markup
    assert "<svg" not in markup  # Streamlit would take it out


def test_dials_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="for each pair"):
        clocks([1, 2], [6], caption="")
    with pytest.raises(ValueError, match="for each pair"):
        clocks([1, 2], [6, 7], pairs=[0], caption="")
    with pytest.raises(ValueError, match=r"expected \[earlier position, 2\]"):
        clocks([1, 2], [6, 7], trail=[[1]], caption="")


def test_distances_have_both_positions_and_start_at_nought() -> None:
    distance = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    for theme in (LIGHT, DARK):
        figure = distance_map(distance, theme=theme)
        np.testing.assert_array_equal(np.asarray(figure.data[0].z), distance.astype(np.float32))
        assert (figure.data[0].zmin, figure.data[0].zmax) == (0, 3)
        assert figure.data[0].colorscale[0][1] == theme.background
        assert figure.layout.yaxis.title.text == "position"
        assert figure.layout.xaxis.title.text == "other position"


def test_the_band_is_the_spread_of_one_offset() -> None:
    layers = layers_of(dots_by_offset_curve([0, 1], [5.0, 3.0], [4.0, 2.0], [6.0, 3.5]))
    (area,) = marked(layers, "area")
    assert [(row["x"], row["y"], row["top"]) for row in area["rows"]] == [(0, 4, 6), (1, 2, 3.5)]
    assert [(row["x"], row["y"]) for row in marked(layers, "line")[0]["rows"]] == [(0, 5), (1, 3)]
    assert marked(layers, "line")[0]["encoding"]["x"]["title"] == "offset k (positions)"


def test_neighbours_stand_on_an_axis_from_nought() -> None:
    (line,) = marked(layers_of(neighbour_curve({"sinusoidal": [1.5, 1.5], "learned": [3.0, 5.0]})), "line")
    assert [(row["curve"], row["x"], row["y"]) for row in line["rows"]] == [
        ("sinusoidal", 0, 1.5),
        ("sinusoidal", 1, 1.5),
        ("learned", 0, 3.0),
        ("learned", 1, 5.0),
    ]
    assert line["encoding"]["y"]["scale"]["domain"] == [0, 5.5]


def test_a_curve_that_cannot_go_on_ends_in_a_point() -> None:
    losses = {"learned": ([2, 3, 4, 5], [1.0, 0.9, np.nan, np.nan]), "rotary": ([2, 3, 4, 5], [1.0, 0.9, 2.0, 3.0])}
    layers = layers_of(loss_by_position_curve(losses, trained=4, best=0.8, chance=2.08))
    (end,) = marked(layers, "point")
    assert [(row["curve"], row["x"], row["y"]) for row in end["rows"]] == [("learned", 3, 0.9)]
    rows = [row for row in marked(layers, "line")[0]["rows"] if row["curve"] == "learned"]
    assert [row["y"] for row in rows] == [1.0, 0.9, None, None]
    names = {layer["rows"][0]["name"]: layer["rows"][0] for layer in marked(layers, "rule")}
    assert names["trained on 4 positions"]["x"] == 3.5  # after position 3, the last that was trained
    assert names["best possible"]["y"] == 0.8
    assert names["knowing nothing"]["y"] == 2.08
    assert not marked(layers_of(loss_by_position_curve({"rotary": losses["rotary"]}, trained=4)), "point")


def test_the_marked_position_is_framed() -> None:
    encoding = np.linspace(-1, 1, 40).reshape(8, 5)
    figure = marked_encoding(encoding, 6, theme=DARK)
    np.testing.assert_array_equal(np.asarray(figure.data[0].z), encoding.astype(np.float32))
    (frame,) = (shape for shape in figure.layout.shapes if shape.type == "rect")
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (-0.5, 4.5, 5.5, 6.5)
    assert frame.line.color == DARK.text


def test_two_orders_lie_row_by_row_with_their_difference() -> None:
    first, second = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 2.0], [3.5, 2.0]])
    figure = two_orders(first, second, ["cat", "sat"], bound=9)
    np.testing.assert_array_equal(
        np.asarray(figure.data[0].z), np.float32([[1, 2], [1, 2], [0, 0], [3, 4], [3.5, 2], [0.5, -2]])
    )
    assert list(dict(figure.layout.yaxis.labelalias).values())[3:] == ["sat, first", "sat, second", "sat, difference"]
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-9, 9)
    with pytest.raises(ValueError, match="a row for each of 1"):
        two_orders(first, second, ["cat"])


def test_the_chosen_offset_has_a_line() -> None:
    layers = layers_of(dots_by_offset_curve([0, 1], [5.0, 3.0], [4.0, 2.0], [6.0, 3.5], marked=1))
    assert [(row["name"], row["x"]) for layer in marked(layers, "rule") for row in layer["rows"]] == [("k = 1", 1)]
    plain = layers_of(dots_by_offset_curve([0, 1], [5.0, 3.0], [4.0, 2.0], [6.0, 3.5]))
    assert not marked(plain, "rule")
