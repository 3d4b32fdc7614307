"""The pictures of 'why not RNNs or CNNs': what is drawn where, what is said in words, what is exactly nothing."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from tests.viz_model.figures.page_reader import PageReader
from viz_model.figures import steps_view
from viz_model.figures.comparison_curves import accuracy_curves, body_colours, gradient_curves, length_curves
from viz_model.figures.comparison_tables import BodyRow, CostRow, bodies_table, costs_table, curves_table
from viz_model.figures.field_picture import description, field_html, field_picture
from viz_model.figures.theme import DARK, LIGHT

SVG = "{http://www.w3.org/2000/svg}"
CONE = {(1, 3): ((0, 3), (0, 2)), (0, 3): (), (0, 2): ()}


def layers_of(chart) -> list[dict]:
    spec = chart.to_dict()
    json.dumps(spec, allow_nan=False)
    return [{**each, "rows": spec["datasets"][each.get("data", spec.get("data"))["name"]]} for each in spec["layer"]]


def test_a_body_keeps_its_colour_whatever_is_added_to_its_name() -> None:
    names = {"RNN": 0, "LSTM, forget bias 3": 0, "attention, every vector": 0, "CNN, sees 63": 0}
    plain = dict.fromkeys(["RNN", "LSTM", "attention", "CNN"], 0)
    for theme in (LIGHT, DARK):
        assert list(body_colours(names, theme).values()) == list(body_colours(plain, theme).values())
        assert len(set(body_colours(names, theme).values())) == 4


def test_exact_zeros_stand_in_a_row_of_their_own() -> None:
    chart = gradient_curves({"CNN": ([0, 1, 2], [1.0, 1e-5, 0.0]), "RNN": ([0, 1, 2], [1.0, 0.1, 1e-9])}, far=1)
    line, _, crosses, rule = layers_of(chart)
    assert {(row["curve"], row["x"]) for row in line["rows"]} == {
        ("CNN", 0),
        ("CNN", 1),
        ("RNN", 0),
        ("RNN", 1),
        ("RNN", 2),
    }
    ((zero),) = crosses["rows"]
    assert (zero["curve"], zero["x"], zero["y"]) == ("CNN", 2, 0)
    low, _ = crosses["encoding"]["y"]["scale"]["domain"]
    assert low < zero["at"] < 1e-9
    assert zero["at"] in crosses["encoding"]["y"]["axis"]["values"]
    assert "'none'" in crosses["encoding"]["y"]["axis"]["labelExpr"]
    assert [row["x"] for row in rule["rows"]] == [1]


def test_without_zeros_there_is_no_such_row() -> None:
    layers = layers_of(gradient_curves({"RNN": ([0, 1], [1.0, 0.1])}))
    assert [layer["mark"]["type"] for layer in layers] == ["line", "circle"]


def test_levels_carry_their_numbers_and_lengths_their_mark() -> None:
    texts = [
        row["name"]
        for layer in layers_of(accuracy_curves({"RNN": ([0], [0.1])}, levels={"chance": 0.1}, y_title="right"))
        if layer["mark"]["type"] == "text"
        for row in layer["rows"]
    ]
    assert texts == ["chance 0.100"]
    chart = length_curves({"RNN": ([8, 16], [8, 16]), "attention": ([8, 16], [2, 2])}, y_title="steps", length=16)
    spec = chart.to_dict()
    domain = spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert domain[0] <= 2
    assert domain[1] >= 16


def test_tables_say_what_is_none_and_what_is_missing() -> None:
    page = PageReader(
        curves_table({"CNN": ([0, 1], [0.5, 0.0]), "RNN": ([1, 2], [1e-9, 0.25])}, x_title="distance", caption="c")
    )
    assert page.rows == [
        ["distance", "CNN", "RNN"],
        ["0", "0.500", "–"],
        ["1", "none", "1.00e-9"],
        ["2", "–", "0.250"],
    ]
    rows = [BodyRow("RNN <b>", 1234, 8, 1, "all before", None, 0), BodyRow("CNN", 1200, 6, 5, "63", 0.25, 300)]
    page = PageReader(bodies_table(rows, metric="right", caption="c"))
    assert page.rows[1] == ["RNN <b>", "–", "0", "1,234", "8", "1", "all before"]
    assert page.rows[2][:4] == ["CNN", "0.250", "300", "1,200"]
    page = PageReader(costs_table([CostRow("recurrent", ("O(n)", "O(1)", "O(2)"), 7, None, "none")], n=8, caption="c"))
    assert page.rows[1] == ["recurrent", "O(n)", "7", "O(1)", "–", "O(2)", "none"]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_field_has_a_line_for_every_reading_and_hatches_what_moves_nothing(theme) -> None:
    picture = ElementTree.fromstring(field_picture(4, 1, CONE, [0.0, 0.0, 0.5, 1.0], theme=theme))
    assert len([path for path in picture.iter(f"{SVG}path") if path.get("d", "").count("L") == 1]) == 2
    filled = [circle for circle in picture.iter(f"{SVG}circle") if circle.get("fill") == theme.series[0]]
    assert len(filled) == len(CONE)
    strip = [rect.get("fill") for rect in picture.iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None]
    assert strip[:2] == ["url(#hatch)"] * 2
    assert len(set(strip)) == 3
    assert "computed from 2 tokens; changing any of 2 moves it" in description(4, 1, CONE, [0.0, 0.0, 0.5, 1.0])
    with pytest.raises(ValueError, match="each of 4 positions, got 1"):
        field_picture(4, 1, CONE, [1.0])


def test_the_field_on_a_page_is_described_in_words() -> None:
    page = field_html(4, 1, CONE, [0.0, 0.0, 0.5, 1.0])
    assert re.search(r'<img alt="1 convolutional layers over 4 tokens[^"]*"', page)
    assert 'role="region"' in page


def test_the_steps_payload_ends_with_its_slowest_body() -> None:
    def work(name: str, step: dict[tuple[int, int], int]) -> steps_view.Work:
        return steps_view.Work(name, 1, step, {node: () for node in step}, ())

    tokens = {(0, 0): 0, (0, 1): 0}
    payload = json.loads(
        steps_view.pack([work("a", tokens | {(1, 0): 1, (1, 1): 1}), work("b", tokens | {(1, 0): 1, (1, 1): 2})], 2, 9)
    )
    assert (payload["n"], payload["tick"], payload["end"]) == (2, 2, 2)
    assert [body["steps"] for body in payload["bodies"]] == [[[0, 0], [1, 1]], [[0, 0], [1, 2]]]
    assert [body["last"] for body in payload["bodies"]] == [1, 2]
    assert "export default" in steps_view.script()
    assert "prefers-reduced-motion" in steps_view.style()
