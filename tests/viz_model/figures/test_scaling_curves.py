"""The pictures of 'why scale': theory as lines, samples as points, both softmaxes on one axis."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from tests.viz_model.figures.test_marked_curves import layers_of, marked
from viz_model.figures.scaling_curves import (
    PLAIN,
    SCALED,
    entropy_curve,
    gradient_curve,
    score_distribution,
    softmax_bars,
    training_curve,
    variance_curve,
)
from viz_model.figures.theme import DARK, LIGHT

WIDTHS = np.array([1, 4, 16])


def numbers(layers: list[dict[str, Any]], name: str) -> list[tuple[float, float]]:
    return [(row["x"], row["y"]) for layer in layers for row in layer["rows"] if row["curve"] == name]


def test_variance_lies_beside_d_k_and_one() -> None:
    layers = layers_of(variance_curve(WIDTHS, [1.01, 3.9, 16.2], [1.01, 0.98, 1.0]))
    lines, points = marked(layers, "line"), marked(layers, "point")
    assert numbers(lines, PLAIN) == [(1, 1), (4, 4), (16, 16)]
    assert numbers(lines, SCALED) == [(1, 1), (4, 1), (16, 1)]
    assert numbers(points, PLAIN) == [(1, 1.01), (4, 3.9), (16, 16.2)]
    assert numbers(points, SCALED) == [(1, 1.01), (4, 0.98), (16, 1.0)]
    for axis in ("x", "y"):
        assert lines[0]["encoding"][axis]["scale"]["type"] == "log"
    assert lines[0]["encoding"]["x"]["axis"]["values"] == [1, 4, 16]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_entropy_has_the_even_spread_as_its_ceiling(theme: Any) -> None:
    chart = entropy_curve(
        WIDTHS, [3, 2, 1], [3, 3, 3], n_keys=64, dots_theory=[3.1, 2.1, 1.1], scores_theory=[3, 3, 3], theme=theme
    )
    layers = layers_of(chart)
    (rule,) = marked(layers, "rule")
    assert rule["rows"][0]["y"] == pytest.approx(math.log(64))
    assert marked(layers, "text")[0]["rows"][0]["name"] == "even over 64 keys: 4.16"
    assert numbers(marked(layers, "line"), PLAIN) == [(1, 3.1), (4, 2.1), (16, 1.1)]
    assert marked(layers, "line")[0]["encoding"]["y"]["title"] == "entropy (nats)"
    low, high = marked(layers, "line")[0]["encoding"]["y"]["scale"]["domain"]
    assert low == 0
    assert high > math.log(64)


def test_the_two_keep_their_colours_in_every_picture() -> None:
    for theme in (LIGHT, DARK):
        charts = [
            gradient_curve(WIDTHS, [1, 0.5, 0.1], [1, 1, 1], theme=theme),
            gradient_curve(WIDTHS, [1, 0.5, 0.1], [1, 1, 1], scores_theory=[1, 1, 1], theme=theme),
            softmax_bars(["a", "b"], [0.9, 0.1], [0.6, 0.4], theme=theme),
            score_distribution(np.arange(9.0), d_k=4, theme=theme),
        ]
        for chart in charts:
            scales = [
                layer["encoding"]["color"]["scale"]
                for layer in layers_of(chart)
                if "scale" in layer.get("encoding", {}).get("color", {})
            ]
            for scale in scales:
                colours = dict(zip(scale["domain"], scale["range"], strict=True))
                assert colours == {PLAIN: theme.series[2], SCALED: theme.series[1]}
            assert scales


def test_without_theory_there_are_points_alone_with_a_legend() -> None:
    layers = layers_of(gradient_curve(WIDTHS, [1, 0.5, 0.1], [1, 1, 1]))
    assert {layer["mark"]["type"] for layer in layers} == {"point"}
    assert layers[0]["encoding"]["color"]["legend"] is not None
    assert "nuclear norm" in layers[0]["encoding"]["y"]["title"]


def test_a_distribution_is_a_density() -> None:
    dots = np.random.default_rng(0).normal(size=50_000) * 8
    layers = layers_of(score_distribution(dots, d_k=64))
    for name, spread in ((PLAIN, 8.0), (SCALED, 1.0)):
        x, density = np.array(numbers(marked(layers, "point"), name)).T
        assert density.sum() * (x[1] - x[0]) == pytest.approx(1, abs=0.01)
        assert (density * x**2).sum() * (x[1] - x[0]) == pytest.approx(spread**2, rel=0.05)
        line = dict(numbers(marked(layers, "line"), name))
        assert line[0.0] == pytest.approx(1 / (spread * math.sqrt(2 * math.pi)))
        assert density.max() == pytest.approx(line[0.0], rel=0.1)
    with pytest.raises(ValueError, match="dots"):
        score_distribution(np.zeros((2, 2)), d_k=4)


def test_bars_stand_in_order_on_nought_to_one_with_literal_keys() -> None:
    keys = ["the", '"', "<s>", "the"]
    chart = softmax_bars(keys, [0.97, 0.01, 0.01, 0.01], [0.4, 0.2, 0.2, 0.2])
    (layer,) = layers_of(chart)
    drawn = {(row["index"], row["curve"]): row["weight"] for row in layer["rows"]}
    assert len(drawn) == 8
    assert drawn[0, PLAIN] == 0.97
    assert drawn[3, SCALED] == 0.2
    assert [row["key"] for row in layer["rows"][:4]] == keys
    expression = layer["encoding"]["x"]["axis"]["labelExpr"]
    assert json.loads(expression.removesuffix("[datum.value]")) == keys
    assert layer["encoding"]["y"]["scale"]["domain"] == [0, 1]
    with pytest.raises(ValueError, match="one weight for each of 2 keys"):
        softmax_bars(["a", "b"], [1.0], [0.5, 0.5])


def test_a_chosen_width_is_marked_and_named_by_the_axis_alone() -> None:
    for chart in (
        variance_curve(WIDTHS, [1, 4, 16], [1, 1, 1], chosen=4),
        entropy_curve(WIDTHS, [3, 2, 1], [3, 3, 3], n_keys=64, chosen=4),
        gradient_curve(WIDTHS, [1, 0.5, 0.1], [1, 1, 1], chosen=4),
    ):
        marks = [row for layer in marked(layers_of(chart), "rule") for row in layer["rows"] if "x" in row]
        assert marks == [{"name": "", "x": 4.0}]


def test_many_widths_have_a_tick_at_every_second_and_at_the_last() -> None:
    widths = 2 ** np.arange(11)
    (line,) = marked(layers_of(variance_curve(widths, widths, np.ones(11))), "line")
    assert line["encoding"]["x"]["axis"]["values"] == [1, 4, 16, 64, 256, 1024]


def test_two_trainings_keep_the_colours_of_the_two() -> None:
    chart = training_curve(
        ([0, 1], [4.0, 3.9]), ([0, 1], [4.0, 3.0]), names=("not divided", "divided"), y_title="nats", title="Loss"
    )
    (line,) = marked(layers_of(chart), "line")
    assert numbers([line], "not divided") == [(0, 4.0), (1, 3.9)]
    assert numbers([line], "divided") == [(0, 4.0), (1, 3.0)]
    scale = line["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True)) == {
        "not divided": LIGHT.series[2],
        "divided": LIGHT.series[1],
    }
