"""Altair charts: what is drawn, in which order, under which literal names."""

import json

import altair as alt
import numpy as np
import pytest

from viz_model.figures import attribution_bars, bars, curve, prediction_bars
from viz_model.figures.theme import DARK, LIGHT

WORDS = ["the", "cat", "<s>", "שלום1984", "the", "👨‍👩‍👧‍👦", "it's", '"']


def rows_of(chart):
    spec = chart.to_dict()  # validates against the Vega-Lite schema
    (rows,) = spec["datasets"].values()
    return rows


def encoding(chart, layer=0):
    return chart.to_dict()["layer"][layer]["encoding"]


def axis_words(chart):
    expression = encoding(chart)["y"]["axis"]["labelExpr"]
    assert expression.endswith("[datum.value]")
    return json.loads(expression.removesuffix("[datum.value]"))


def test_a_curve_has_its_points_and_its_units():
    chart = curve({"train": ([0, 1, 2], [3.0, 2.0, 1.5])}, x_title="step", y_title="loss (nats)", title="Loss")
    assert [(row["x"], row["y"]) for row in rows_of(chart)] == [(0, 3.0), (1, 2.0), (2, 1.5)]
    assert encoding(chart)["x"]["title"] == "step"
    assert encoding(chart)["y"]["title"] == "loss (nats)"
    assert chart.to_dict()["title"] == "Loss"


def test_curves_differ_in_more_than_colour():
    chart = curve({"b": ([0], [1]), "a": ([0], [2])}, x_title="step", y_title="loss")
    dashes = encoding(chart)["strokeDash"]["scale"]
    assert dashes["domain"] == ["b", "a"]  # the order given, not the alphabet's
    assert dashes["range"][0] != dashes["range"][1]
    assert encoding(chart)["color"]["scale"]["range"][:2] == list(LIGHT.series[:2])


def test_what_is_not_finite_leaves_a_gap():
    chart = curve({"loss": ([0, 1, 2, np.nan], [1.0, np.nan, np.inf, 4.0])}, x_title="step", y_title="loss")
    assert [(row["x"], row["y"]) for row in rows_of(chart)] == [(0, 1.0), (1, None), (2, None)]
    json.dumps(chart.to_dict(), allow_nan=False)


def test_logarithmic_axes_take_only_what_is_positive():
    data = {"time": ([0, 1, 10], [1.0, 0.0, 5.0])}
    chart = curve(data, x_title="tokens", y_title="ms", log_x=True, log_y=True)
    assert [(row["x"], row["y"]) for row in rows_of(chart)] == [(1, None), (10, 5.0)]
    assert encoding(chart)["x"]["scale"]["type"] == encoding(chart)["y"]["scale"]["type"] == "log"


def test_unequal_lengths_are_named():
    with pytest.raises(ValueError, match=r"held out: expected x and y of one length"):
        curve({"held out": ([0, 1], [1.0])}, x_title="step", y_title="loss")


def test_equal_tokens_stay_two_bars_and_all_are_literal():
    chart = prediction_bars(WORDS, np.linspace(0.3, 0.01, 8))
    assert axis_words(chart) == WORDS
    assert [row["index"] for row in rows_of(chart)] == list(range(8))
    assert [row["token"] for row in rows_of(chart)] == WORDS
    assert encoding(chart)["y"]["sort"] is None
    assert encoding(chart)["y"]["type"] == "ordinal"


def test_before_and_after_stand_beside_each_other():
    chart = prediction_bars(["on", "under"], [0.42, 0.21], [0.3, 0.25], theme=DARK)
    drawn = {(row["index"], row["measure"]): row["value"] for row in rows_of(chart)}
    assert drawn == {(0, "before"): 0.3, (0, "after"): 0.42, (1, "before"): 0.25, (1, "after"): 0.21}
    assert encoding(chart)["yOffset"]["sort"] == ["before", "after"]
    assert encoding(chart)["x"]["scale"]["domain"][0] == 0
    assert 0.42 < encoding(chart)["x"]["scale"]["domain"][1] <= 1
    assert chart.to_dict()["config"]["axis"]["labelColor"] == DARK.text


def test_attributions_share_an_axis_but_keep_their_own_values():
    methods = {"attention": [0.2, 0.8], "ablation": [-4.0, 1.0], "gradient": [0.0, 0.0]}
    chart = attribution_bars(["a", "b"], methods)
    drawn = {(row["measure"], row["index"]): (row["bar"], row["value"], row["text"]) for row in rows_of(chart)}
    assert drawn["attention", 0] == (0.25, 0.2, "0.200")
    assert drawn["attention", 1] == (1.0, 0.8, "0.800")
    assert drawn["ablation", 0] == (-1.0, -4.0, "-4.00")
    assert drawn["ablation", 1] == (0.25, 1.0, "1.00")
    assert drawn["gradient", 0] == (0.0, 0.0, "0.00")
    colours = encoding(chart)["color"]["scale"]
    assert dict(zip(colours["domain"], colours["range"], strict=True))["attention"] == LIGHT.series[0]
    assert len(set(colours["range"])) == 3
    low, high = encoding(chart)["x"]["scale"]["domain"]
    assert low < -1
    assert high > 1


def test_numbers_stand_outside_their_bars_on_both_sides():
    layers = bars(["a", "b"], [1.0, -2.0], value_title="change (nats)").to_dict()["layer"]
    assert [layer["mark"]["type"] for layer in layers] == ["bar", "text", "text"]
    sides = {layer["mark"]["align"]: layer["transform"][0]["filter"] for layer in layers[1:]}
    assert sides == {"left": "datum.bar >= 0", "right": "datum.bar < 0"}


def test_a_value_that_is_not_finite_is_said_in_words():
    rows = rows_of(bars(["a", "b"], [np.nan, 1.0], value_title="loss"))
    assert (rows[0]["text"], rows[0]["value"]) == ("not a number", None)
    with pytest.raises(ValueError, match="one value for each of 2 labels"):
        bars(["a", "b"], [1.0], value_title="loss")


def test_no_theme_is_registered_for_everybody():
    before = alt.theme.active
    curve({"a": ([0], [1])}, x_title="x", y_title="y", theme=DARK)
    assert alt.theme.active == before
