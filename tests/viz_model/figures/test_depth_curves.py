"""Curves over depth: every point where it belongs, axes of powers of ten, curves that differ in more than colour."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.viz_model.figures.page_reader import NASTY
from viz_model.figures.depth_curves import DASHES, MOST_TICKS, depth_curves, powers_of_ten, stream_norms
from viz_model.figures.theme import DARK, LIGHT


def spec_of(chart):
    spec = chart.to_dict()  # validates against the Vega-Lite schema
    json.dumps(spec, allow_nan=False)
    return spec


def rows_of(chart):
    return [row for rows in spec_of(chart)["datasets"].values() for row in rows]


def test_gradients_stand_at_their_layers_on_a_logarithmic_axis() -> None:
    chart = depth_curves({"pre": ([0, 1], [1e-8, 2.0]), "post": ([0, 1], [0.5, 0.25])}, title="12 layers")
    assert [(r["curve"], r["x"], r["y"]) for r in rows_of(chart)] == [
        ("pre", 0, 1e-8), ("pre", 1, 2.0), ("post", 0, 0.5), ("post", 1, 0.25)
    ]  # fmt: skip
    for layer in spec_of(chart)["layer"]:
        y, x = layer["encoding"]["y"], layer["encoding"]["x"]
        assert y["scale"]["type"] == "log"
        assert y["scale"]["domain"] == [1e-8, 10.0]
        assert x["axis"]["values"] == [0, 1]
    assert spec_of(chart)["title"] == "12 layers"


def test_a_curve_keeps_its_looks_when_others_go() -> None:
    known, line = ("a", "b", "c", "d"), ([0, 1], [1.0, 2.0])

    def looks(*names: str) -> dict[str, list[object]]:
        found: dict[str, list[object]] = {}
        for layer in spec_of(depth_curves({name: line for name in names}, known=known))["layer"]:
            for channel in ("color", "strokeDash", "shape"):
                scale = layer["encoding"].get(channel, {}).get("scale", {"domain": [], "range": []})
                for name, value in zip(scale["domain"], scale["range"], strict=True):
                    found.setdefault(name, []).append(value)
        return found

    every = looks(*known)
    assert looks("d", "b") == {name: every[name] for name in ("b", "d")}
    assert len({str(value) for value in every.values()}) == 4


def test_what_vanished_or_exploded_leaves_a_gap() -> None:
    chart = depth_curves({"a": ([0, 1, 2, 3], [1.0, 0.0, math.inf, math.nan])})
    assert [r["y"] for r in rows_of(chart)] == [1.0, None, None, None]
    assert rows_of(depth_curves({"a": ([0], [0.0])}))[0]["y"] is None


def test_curves_differ_in_dash_and_shape_too_and_are_few_enough() -> None:
    names = [f"v{i}" for i in range(5)]
    chart = depth_curves({name: ([0, 1], [1.0, 2.0]) for name in names}, theme=DARK)
    points, lines = spec_of(chart)["layer"]
    for channel, layer in (("color", lines), ("strokeDash", lines), ("shape", points)):
        scale = layer["encoding"][channel]["scale"]
        assert scale["domain"] == names
        assert len({str(each) for each in scale["range"]}) == len(names)
    with pytest.raises(ValueError, match=f"at most {len(DASHES)} curves, got 6"):
        depth_curves({f"v{i}": ([0], [1.0]) for i in range(6)})
    with pytest.raises(ValueError, match="v: expected x and y of one length"):
        depth_curves({"v": ([0, 1], [1.0])})


@given(st.lists(st.floats(1e-30, 1e30), min_size=1, max_size=6))
def test_the_axis_holds_every_value_between_whole_powers_of_ten(values) -> None:
    low, ticks, high = powers_of_ten(values)
    assert low <= min(values) * (1 + 1e-9)
    assert high >= max(values) * (1 - 1e-9)
    assert low < high
    assert 2 <= len(ticks) <= MOST_TICKS
    assert all(math.log10(tick) == pytest.approx(round(math.log10(tick)), abs=1e-9) for tick in ticks)


def test_every_position_is_a_line_and_the_chosen_one_stands_out() -> None:
    norms = [[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]]
    chart = stream_norms(["embedding", "attention 0"], norms, ["the", "cat", "the"], 1)
    others, own, marks, names = spec_of(chart)["layer"]
    data = spec_of(chart)["datasets"]

    def seen(layer):
        return [(r["place"], r["position"], r["norm"]) for r in data[layer["data"]["name"]]]

    assert seen(own) == seen(marks) == [(0, 1, 2.0), (1, 1, 5.0)]
    assert seen(others) == [(0, 0, 1.0), (0, 2, 3.0), (1, 0, 4.0), (1, 2, 9.0)]
    assert others["encoding"]["detail"]["field"] == "position"  # two equal tokens stay two lines
    assert [(r["token"], r["position"]) for r in data[names["data"]["name"]]] == [("cat", 1), ("the", 2)]
    assert own["mark"]["color"] == LIGHT.text
    assert json.loads(own["encoding"]["x"]["axis"]["labelExpr"].removesuffix("[datum.value]")) == [
        "embedding", "attention 0"
    ]  # fmt: skip


@pytest.mark.parametrize("token", NASTY)
def test_tokens_stay_themselves(token) -> None:
    assert {r["token"] for r in rows_of(stream_norms(["a"], [[1.0]], [token], 0))} == {token}


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(ValueError, match=r"norms: expected \[2, 1\] as labelled"):
        stream_norms(["a", "b"], [[1.0]], ["x"], 0)
    with pytest.raises(ValueError, match="chosen: expected a position from 0 to 0, got 1"):
        stream_norms(["a"], [[1.0]], ["x"], 1)
