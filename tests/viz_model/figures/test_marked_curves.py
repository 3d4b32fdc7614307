"""Curves with points, bands and reference lines: what is drawn, where, in which colour."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import numpy as np
import pytest

from viz_model.figures.marked_curves import marked_curve
from viz_model.figures.theme import DARK, LIGHT


def layers_of(chart: alt.LayerChart) -> list[dict[str, Any]]:
    """Each layer's mark, encoding and rows; `to_dict` validates against the Vega-Lite schema."""
    spec = chart.to_dict()
    json.dumps(spec, allow_nan=False)
    # What all layers share stands above them.
    return [{**layer, "rows": spec["datasets"][layer.get("data", spec.get("data"))["name"]]} for layer in spec["layer"]]


def marked(layers: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [layer for layer in layers if layer["mark"]["type"] == kind]


def test_lines_points_and_bands_stand_where_they_were_given() -> None:
    layers = layers_of(
        marked_curve(
            {"theory": ([1, 2], [3, 4])},
            points={"theory": ([1, 2], [3.1, 3.9]), "other": ([5], [6])},
            bands={"theory": ([1, 2], [2, 3], [4, 5])},
            x_title="width",
            y_title="size (nats)",
        )
    )
    assert [layer["mark"]["type"] for layer in layers] == ["area", "line", "circle", "point", "point"]
    area, line, hover, *points = layers
    assert [(r["x"], r["y"], r["top"]) for r in area["rows"]] == [(1, 2, 4), (2, 3, 5)]
    assert area["encoding"]["y2"]["field"] == "top"
    assert [(r["curve"], r["x"], r["y"]) for r in line["rows"]] == [("theory", 1, 3), ("theory", 2, 4)]
    assert [[(r["x"], r["y"]) for r in layer["rows"]] for layer in points] == [[(1, 3.1), (2, 3.9)], [(5, 6)]]
    assert line["encoding"]["x"]["title"] == "width"
    assert line["encoding"]["y"]["title"] == "size (nats)"
    assert hover["encoding"]["tooltip"][2]["format"] == ".7~g"  # every digit under the pointer


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_points_have_the_colour_of_their_line_and_shapes_of_their_own(theme: Any) -> None:
    data = {"a": ([1], [1]), "b": ([1], [2])}
    chart = marked_curve(data, points=data, x_title="x", y_title="y", colours={"b": theme.text}, theme=theme)
    layers = layers_of(chart)
    scale = marked(layers, "line")[0]["encoding"]["color"]["scale"]
    assert scale == {"domain": ["a", "b"], "range": [theme.series[0], theme.text]}
    points = marked(layers, "point")
    assert [layer["encoding"]["color"]["value"] for layer in points] == [theme.series[0], theme.text]
    assert len({layer["mark"]["shape"] for layer in points}) == 2
    dashes = marked(layers, "line")[0]["encoding"]["strokeDash"]["scale"]["range"]
    assert dashes[0] != dashes[1]
    assert chart.to_dict()["config"]["axis"]["labelColor"] == theme.text


def test_marks_are_named_lines_across_the_plot() -> None:
    layers = layers_of(
        marked_curve(
            {"a": ([0, 9], [0, 9])},
            x_title="x",
            y_title="y",
            x_marks={"here": 4.5},
            y_marks={"most": 8.0, "least": 1.0},
        )
    )
    rules, words = marked(layers, "rule"), marked(layers, "text")
    assert [rule["rows"][0].get("x", rule["rows"][0].get("y")) for rule in rules] == [4.5, 8.0, 1.0]
    assert [sorted(rule["encoding"]) for rule in rules] == [["x"], ["y"], ["y"]]
    assert [word["rows"][0]["name"] for word in words] == ["here", "most", "least"]
    assert [word["mark"]["baseline"] for word in words] == ["top", "bottom", "top"]  # the lowest: below its line


def test_what_is_not_finite_leaves_a_gap_and_logarithms_take_only_what_is_positive() -> None:
    chart = marked_curve({"a": ([0, 1, 2, np.nan], [1, np.nan, 3, 4])}, x_title="x", y_title="y")
    assert [(r["x"], r["y"]) for r in layers_of(chart)[0]["rows"]] == [(0, 1), (1, None), (2, 3)]
    chart = marked_curve(
        {"a": ([0, 1, 2], [1, 0, 3])}, x_title="x", y_title="y", log_x=True, log_y=True, y_domain=(0.5, 200)
    )
    line = layers_of(chart)[0]
    assert [(r["x"], r["y"]) for r in line["rows"]] == [(1, None), (2, 3)]
    assert line["encoding"]["x"]["scale"]["type"] == line["encoding"]["y"]["scale"]["type"] == "log"
    assert line["encoding"]["y"]["axis"]["values"] == [1, 10, 100]


def test_unequal_lengths_are_named() -> None:
    with pytest.raises(ValueError, match=r"held out: expected arrays of one length, got \(2,\) and \(1,\)"):
        marked_curve({"held out": ([0, 1], [1.0])}, x_title="x", y_title="y")
