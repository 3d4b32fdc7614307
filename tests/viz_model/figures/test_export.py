"""Exports read back: CSV to the bit, NPZ without pickle, SVG as well-formed XML with the right cells."""

import csv
import io
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from viz_model.figures import csv_of_matrix, npz_of, svg_of_matrix
from viz_model.figures.theme import DARK, LIGHT

SVG = "{http://www.w3.org/2000/svg}"
ODD = ["<s>", "a,b", '"', "two\nlines", "=1+1", "שלום", "##ing", "👨‍👩‍👧‍👦", "", " "]


@given(hnp.arrays(np.float32, st.tuples(st.integers(1, 4), st.integers(1, 4)), elements=st.floats(width=32)))
def test_csv_gives_the_same_floats_back(values):
    rows, columns = [f"r{i}" for i in range(len(values))], [f"c{i}" for i in range(values.shape[1])]
    read = list(csv.reader(io.StringIO(csv_of_matrix(values, rows, columns), newline="")))
    assert [row[0] for row in read[1:]] == rows
    assert read[0][1:] == columns
    np.testing.assert_array_equal(np.array([[np.float32(x) for x in row[1:]] for row in read[1:]]), values)


def test_csv_labels_are_literal_and_the_first_cell_says_what_it_is():
    about = {"model": "english-causal", "seed": 0, "layer": 1, "head": 2, "text": 'a, "b"\nשלום'}
    text = csv_of_matrix(np.eye(len(ODD)), ODD, ODD, about=about)
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read[0][1:] == [row[0] for row in read[1:]] == ODD
    assert read[0][0].startswith("query (down) / key (across) ")
    assert json.loads(read[0][0][read[0][0].index("{") :]) == about
    assert {len(row) for row in read} == {len(ODD) + 1}
    csv_of_matrix([[1.0]], ["\ud83d"], ["\ud83d"]).encode()


def test_npz_reads_back_without_pickle():
    arrays = {
        "blocks.0.attention.weights": np.random.default_rng(0).random((1, 2, 3, 3), dtype=np.float32),
        "ids": np.arange(3),
        "file": np.array([True, False]),  # a name that np.savez cannot take
    }
    labels = {"model": "english-causal", "seed": 0, "text": "<s> שלום\x00", "tokens": ["<s>", "שלום", "\ud83d"]}
    sent = npz_of(arrays, labels)
    with np.load(io.BytesIO(sent), allow_pickle=False) as read:
        assert set(read.files) == {*arrays, "labels"}
        for name, array in arrays.items():
            np.testing.assert_array_equal(read[name], array)
            assert read[name].dtype == array.dtype
        assert json.loads(str(read["labels"])) == labels
    assert npz_of(arrays, labels) == sent


def test_npz_refuses_what_needs_pickle_and_names_used_twice():
    with pytest.raises(ValueError, match="Python objects"):
        npz_of({"a": np.array([object()])}, {})
    with pytest.raises(ValueError, match="labels"):
        npz_of({"labels": np.zeros(1)}, {})


def cells(svg, kind_size):
    """{(row, column): colour} from the paths of the picture."""
    found = {}
    for path in ElementTree.fromstring(svg).iter(f"{SVG}path"):
        if path.get("fill", "").startswith("#"):
            for x, y, run in re.findall(r"M(\d+) (\d+)h(\d+)", path.get("d")):
                found |= {(int(y), int(x) + i): path.get("fill") for i in range(int(run))}
    assert all(y < kind_size[0] and x < kind_size[1] for y, x in found)
    return found


def test_svg_paints_each_cell_once_in_its_colour():
    weights = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    mask = np.array([[True, False, False], [True, True, False]])
    svg = svg_of_matrix(weights, ["q0", "q1"], ["k0", "k1", "k2"], mask=mask)
    painted = cells(svg, (2, 3))
    assert set(painted) == {(0, 0), (1, 0), (1, 1)}
    assert painted[0, 0] == LIGHT.attention[-1]
    assert painted[1, 0] == painted[1, 1]
    (hatched,) = [path for path in ElementTree.fromstring(svg).iter(f"{SVG}path") if path.get("class") == "masked"]
    assert re.findall(r"M(\d+) (\d+)h(\d+)", hatched.get("d")) == [("40", "0", "80"), ("80", "40", "40")]


def test_svg_of_signed_values_is_symmetric_about_zero():
    painted = cells(svg_of_matrix([[-2.0, 2.0, 0.5]], ["r"], list("abc"), "signed", theme=DARK), (1, 3))
    assert painted[0, 0] == DARK.signed[0]
    assert painted[0, 1] == DARK.signed[-1]


def test_svg_speaks_and_keeps_labels_literal():
    caption = "english-causal, seed 0, layer 0, head 2: <The> cat & mat"
    svg = svg_of_matrix(np.eye(len(ODD)), ODD, ODD, caption=caption)
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert "query" in root.find(f"{SVG}title").text
    assert root.find(f"{SVG}desc").text == caption
    texts = [element.text for element in root.iter(f"{SVG}text")]
    for token in ("<s>", "a,b", '"', "two↵lines", "=1+1", "שלום", "##ing", "👨‍👩‍👧‍👦", "(empty)", "␣"):
        assert texts.count(token) == 2  # once down the side, once along the top
    assert " ".join(text for text in texts if "cat & mat" in text or "english" in text).replace("  ", " ")
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    ElementTree.fromstring(svg_of_matrix([[1.0]], ["\x00\x1b\ud83d\ufffe"], ["]]>"], caption="\x00"))


def test_svg_numbers_are_beside_the_colours_when_there_is_room():
    texts = [t.text for t in ElementTree.fromstring(svg_of_matrix([[0.118]], ["q"], ["k"])).iter(f"{SVG}text")]
    assert "0.118" in texts


@pytest.mark.parametrize("n", [1, 16, 512])
def test_svg_sizes(n):
    rng = np.random.default_rng(0)
    svg = svg_of_matrix(rng.random((n, n)), [f"w{i}" for i in range(n)], ["w"] * n, mask=np.tril(np.ones((n, n), bool)))
    assert len(svg) < 5_000_000
    root = ElementTree.fromstring(svg)
    assert float(root.get("width")) < 2000
    assert len(list(root.iter(f"{SVG}text"))) < 3 * 150


def test_wrong_input_is_named():
    with pytest.raises(ValueError, match="kind"):
        svg_of_matrix([[1.0]], ["a"], ["b"], "colourful")
    with pytest.raises(ValueError, match=r"expected \[1, 2\]"):
        csv_of_matrix([[1.0]], ["a"], ["b", "c"])
