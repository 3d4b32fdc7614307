"""HTML tables: escaped, with semantics, colours and sums that are checked."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from viz_model.figures import matrix_table, prediction_table, softmax_table, terms_table
from viz_model.figures.theme import DARK, LIGHT

NASTY = ["<script>alert(1)</script>", "<s>", "a & b", '"quoted"', "שלום", "it's"]


class Reader(HTMLParser):
    """Cells as a browser would have them; any tag that is not ours fails."""

    ours = frozenset(
        {"div", "style", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "span", "bdi", "p"}
    )

    def __init__(self, text):
        super().__init__()
        self.rows, self.open, self.scopes, self.titles, self.roles = [], [], [], [], []
        self.loose = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in self.ours, tag
        self.open.append(tag)
        given = dict(attrs)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
            self.roles.append((given.get("class") or "").split())
            self.titles.append(given.get("title"))
        if tag == "th":
            self.scopes.append(given["scope"])
        assert not any(name.startswith("on") for name in given)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data
        elif "style" not in self.open:
            self.loose += data


def test_predictions_before_and_after():
    table = Reader(prediction_table(["on", "under"], [0.42, 0.21], [0.3, 0.25]))
    assert table.rows == [
        ["token", "before", "after", "change"],
        ["on", "0.300", "0.420", "+0.120"],
        ["under", "0.250", "0.210", "-0.0400"],
    ]
    assert table.scopes == ["col"] * 4 + ["row"] * 2
    assert ["n", "more"] in table.roles
    assert ["n", "less"] in table.roles


def test_predictions_alone():
    text = prediction_table(["on", "under"], [0.42, 0.21])
    assert Reader(text).rows[1:] == [["on", "0.420"], ["under", "0.210"]]
    assert re.findall(r'style="width:([\d.]+)%"', text) == ["42", "21"]


@pytest.mark.parametrize("token", NASTY)
def test_what_a_person_types_is_text(token):
    for text in (
        prediction_table([token], [0.5], caption=token),
        terms_table([token], [1.0], [2.0], 2.0, caption=token, total_name=token),
        softmax_table([token], [1.0], [1.0], caption=token),
        matrix_table([[1.0]], [token], [token], caption=token),
    ):
        table = Reader(text)
        assert token in (cell for row in table.rows for cell in row)
        assert table.loose.startswith(token)


def test_terms_add_up_and_say_so():
    q, k = [1.0, 2.0, -3.0], [0.2, 0.5, 1.0]
    text = terms_table(["0", "1", "2"], q, k, -1.8)
    table = Reader(text)
    assert table.rows[0] == ["dimension", "q", "k", "q × k"]
    assert table.rows[1:4] == [
        ["0", "1.00", "0.200", "0.200"],
        ["1", "2.00", "0.500", "1.00"],
        ["2", "-3.00", "1.00", "-3.00"],
    ]
    assert table.rows[4] == ["sum", "", "", "-1.80"]
    assert "✓" in table.loose
    assert table.roles[4:8] == [[], ["n", "query"], ["n", "key"], ["n"]]


def test_terms_that_do_not_add_up_say_both_numbers():
    said = Reader(terms_table(["0"], [1.0], [2.0], 2.5)).loose
    assert "✓" not in said
    assert "2.00" in said
    assert "2.50" in said
    assert "add up" not in Reader(terms_table(["0"], [1.0], [2.0])).loose


def test_rounding_in_float32_still_adds_up():
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 512)).astype(np.float32)
    assert "✓" in terms_table([str(i) for i in range(512)], q, k, np.float32(np.dot(q, k)))


def test_softmax_row_from_its_formula():
    scores = np.array([1.0, 2.0, 1000.0])
    weights = np.exp([1.0, 2.0]) / np.exp([1.0, 2.0]).sum()
    table = Reader(softmax_table(["a", "b", "c"], scores, [*weights, 0.0], [True, True, False]))
    assert table.rows[1] == ["a", "1.00", "0.368", "0.269"]
    assert table.rows[2] == ["b", "2.00", "1.00", "0.731"]
    assert table.rows[3] == ["c", "masked", "0", "0"]
    assert table.rows[4] == ["sum", "", "1.37", "1.000"]
    assert "✓" in table.loose
    assert "✓" not in Reader(softmax_table(["a", "b"], [1.0, 2.0], [0.5, 0.5])).loose


def test_a_row_without_any_key_says_so():
    table = Reader(softmax_table(["a", "b"], [1.0, 2.0], [0.0, 0.0], [False, False]))
    assert "No key available" in table.loose
    assert not any("not a number" in cell for row in table.rows for cell in row)


def test_the_full_value_is_the_title():
    table = Reader(terms_table(["0"], np.float32([0.1234567]), [1.0]))
    assert "0.1234567" in table.titles


def test_a_long_matrix_says_what_it_leaves_out():
    n = 70
    table = Reader(matrix_table(np.eye(n), ["r"] * n, ["c"] * n, mask=np.tril(np.ones((n, n), dtype=bool))))
    assert len(table.rows) == 65
    assert {len(row) for row in table.rows} == {65}
    assert "the first 64 of 70 rows" in table.loose
    assert table.rows[1][1:3] == ["1.00", "masked"]


def test_one_string_serves_light_and_dark():
    text = terms_table(["0"], [1.0], [2.0])
    assert f"var(--glass-query, light-dark({LIGHT.query}, {DARK.query}))" in text
    assert "tabular-nums" in text
    assert "<script" not in text
    assert "http" not in text


def test_wrong_lengths_are_refused():
    with pytest.raises(ValueError, match="right: expected one value for each of 2"):
        terms_table(["0", "1"], [1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match=r"expected \[1, 2\]"):
        matrix_table([[1.0]], ["r"], ["a", "b"])
