"""Plotly maps: orientation, fixed scales, masks, literal and repeated labels, sizes."""

import base64
import html
import json
import re
import time

import numpy as np
import plotly.graph_objects as go
import pytest

from viz_model.figures import attention_heatmap, head_grid, logit_lens, positional_encoding, tensor_heatmap
from viz_model.figures.theme import DARK, LIGHT

WORDS = ["the", "cat", "sat", "on", "the", "mat"]
CAUSAL = np.tril(np.ones((6, 6), dtype=bool))


def causal_weights(n=6, seed=0):
    raw = np.exp(np.random.default_rng(seed).normal(size=(n, n))) * np.tril(np.ones((n, n)))
    return (raw / raw.sum(-1, keepdims=True)).astype(np.float32)


def seen(figure: go.Figure) -> go.Figure:
    """The figure as a browser gets it: through JSON."""
    return go.Figure(json.loads(figure.to_json()))


def decoded(array):
    """Plotly's typed array as numpy."""
    if isinstance(array, dict):
        flat = np.frombuffer(base64.b64decode(array["bdata"]), dtype=array["dtype"])
        return flat.reshape([int(part) for part in array["shape"].split(",")])
    return np.asarray(array)


def literal(text):
    """What the reader sees of Plotly text: tags gone, entities decoded."""
    return html.unescape(re.sub(r"<[^>]*>", "", text))


def labels(axis):
    return [literal(axis.labelalias[str(i)]) for i in range(len(axis.labelalias))]


def test_queries_run_down_the_side_and_keys_along_the_top():
    weights = np.array([[0.1, 0.7, 0.2], [0.5, 0.25, 0.25]], dtype=np.float32)
    figure = attention_heatmap(weights, ["q0", "q1"], ["k0", "k1", "k2"])
    sent = json.loads(figure.to_json())["data"][0]
    np.testing.assert_array_equal(decoded(sent["z"]), weights)
    assert labels(figure.layout.yaxis) == ["q0", "q1"]
    assert labels(figure.layout.xaxis) == ["k0", "k1", "k2"]
    assert figure.layout.yaxis.title.text.startswith("query")
    assert figure.layout.xaxis.title.text.startswith("key")
    assert figure.layout.xaxis.side == "top"
    assert figure.layout.yaxis.range == (1.5, -0.5)  # row 0 at the top
    assert figure.layout.xaxis.range == (-0.5, 2.5)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_scale_is_always_nought_to_one_with_its_bar(theme):
    for peak in (0.01, 1.0):
        trace = attention_heatmap(np.full((2, 2), peak), ["a", "b"], ["a", "b"], theme=theme).data[0]
        assert (trace.zmin, trace.zmax, trace.showscale) == (0, 1, True)
        assert [colour for _, colour in trace.colorscale] == list(theme.attention)
        assert list(trace.colorbar.tickvals) == [0, 0.5, 1]


def test_masked_cells_are_gaps_over_a_hatch_not_zeros():
    figure = attention_heatmap(causal_weights(), WORDS, WORDS, mask=CAUSAL)
    z = np.asarray(figure.data[0].z)
    np.testing.assert_array_equal(np.isnan(z), ~CAUSAL)
    (hatch,) = figure.layout.images
    assert (hatch.layer, hatch.x, hatch.y, hatch.sizex, hatch.sizey) == ("below", -0.5, -0.5, 6, 6)
    over = np.asarray(figure.data[1].z)
    np.testing.assert_array_equal(np.isnan(over), CAUSAL)
    assert "masked" in figure.data[1].hovertemplate
    assert [len(cell) > 0 for row in figure.data[0].text for cell in row] == CAUSAL.ravel().tolist()


def test_a_zero_that_is_not_masked_stays_a_zero():
    figure = attention_heatmap([[0.0, 1.0]], ["q"], ["a", "b"])
    assert not figure.layout.images
    assert np.asarray(figure.data[0].z).tolist() == [[0.0, 1.0]]
    assert [literal(cell) for cell in figure.data[0].text[0]] == ["0.00", "1.00"]


def test_repeated_tokens_keep_their_own_columns():
    figure = seen(attention_heatmap(causal_weights(), WORDS, WORDS, mask=CAUSAL))
    assert labels(figure.layout.xaxis) == WORDS
    assert (figure.layout.xaxis.tickmode, figure.layout.xaxis.dtick) == ("linear", 1)
    assert figure.layout.xaxis.type is None  # never 'category'


@pytest.mark.parametrize(
    "token", ["<s>", "</s>", "<br>", "a & b", "&lt;", "<b>x</b>", "שלום1984", "👨‍👩‍👧‍👦", "中文", "true", "1984"]
)
def test_tokens_are_shown_literally(token):
    figure = attention_heatmap([[1.0]], [token], [token], title=token)
    for text in (figure.layout.xaxis.labelalias["0"], figure.layout.yaxis.labelalias["0"], figure.layout.title.text):
        assert "<" not in text  # Plotly drops tags that it does not know
        assert html.unescape(text) == token
    lens = logit_lens([[token]], [[0.5]], positions=[token])
    assert literal(lens.data[0].text[0][0]) == token
    assert html.unescape(lens.data[0].customdata[0][0]) == token


def test_dollars_do_not_start_tex():
    text = attention_heatmap([[1.0]], ["$x$"], ["$x$"]).layout.xaxis.labelalias["0"]
    assert "$" not in text
    assert html.unescape(text) == "$x$"


def test_hovering_gives_every_digit():
    template = attention_heatmap([[0.123456789]], ["q"], ["k"]).data[0].hovertemplate
    assert "%{z:.7~g}" in template  # 7 digits are what a float32 holds for certain
    assert "%{y}" in template
    assert "%{x}" in template


def test_512_tokens_stay_fast_and_small():
    weights, tokens = causal_weights(512), [f"w{i}" for i in range(512)]
    attention_heatmap([[1.0]], ["a"], ["a"])  # the first figure imports validators
    start = time.perf_counter()
    sent = attention_heatmap(weights, tokens, tokens, mask=np.tril(np.ones((512, 512), dtype=bool))).to_json()
    assert time.perf_counter() - start < 2
    assert len(sent) < 1.75e6  # float32 in base64 is 1.40 MB: no second layer, no text a cell
    figure = json.loads(sent)
    assert len(figure["layout"]["xaxis"]["labelalias"]) == 512
    assert 512 / figure["layout"]["xaxis"]["dtick"] <= 24
    assert figure["layout"]["yaxis"]["dtick"] > 1


@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (2,), (1, 2, 2)])
def test_wrong_shapes_say_what_was_expected(shape):
    with pytest.raises(ValueError, match=r"expected \[2, 2\].*got shape"):
        attention_heatmap(np.zeros(shape), ["a", "b"], ["c", "d"])


def test_a_mask_of_numbers_is_refused():
    with pytest.raises(ValueError, match="expected bool"):
        attention_heatmap(np.eye(2), ["a", "b"], ["a", "b"], mask=np.eye(2))
    with pytest.raises(ValueError, match=r"expected \[2, 2\]"):
        attention_heatmap(np.eye(2), ["a", "b"], ["a", "b"], mask=np.ones((3, 2), dtype=bool))


def test_signed_values_are_symmetric_about_zero():
    trace = tensor_heatmap([[-0.5, 2.0]], ["r"], ["a", "b"]).data[0]
    assert (trace.zmin, trace.zmax) == (-2, 2)
    assert trace.colorscale[5] == (0.5, LIGHT.background)
    assert list(trace.colorbar.ticktext) == ["-2.00", "0.00", "2.00"]
    nothing = tensor_heatmap([[0.0]], ["r"], ["a"]).data[0]
    assert (nothing.zmin, nothing.zmax) == (-1, 1)
    assert tensor_heatmap([[1.0]], ["r"], ["a"], bound=5).data[0].zmax == 5
    unsigned = tensor_heatmap([[0.5, 2.0]], ["r"], ["a", "b"], signed=False).data[0]
    assert (unsigned.zmin, unsigned.zmax) == (0, 2)


def test_what_is_not_finite_is_blank_and_does_not_set_the_scale():
    trace = tensor_heatmap([[np.nan, -np.inf, 3.0]], ["r"], ["a", "b", "c"]).data[0]
    assert (trace.zmin, trace.zmax) == (-3, 3)
    assert np.isnan(np.asarray(trace.z)).tolist() == [[True, True, False]]
    assert list(trace.text[0][:2]) == ["", ""]


def test_positions_run_down_and_dimensions_across():
    encoding = np.arange(6).reshape(3, 2) / 6
    figure = positional_encoding(encoding, start=10)
    assert labels(figure.layout.yaxis) == ["10", "11", "12"]
    assert labels(figure.layout.xaxis) == ["0", "1"]
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-1, 1)
    with pytest.raises(ValueError, match="d_model"):
        positional_encoding(np.zeros(4))


def test_the_lens_shows_words_and_probabilities_in_place():
    tokens = [["a", "b", "c"], ["d", "e", "f"]]
    p = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], dtype=np.float32)
    figure = logit_lens(tokens, p, positions=["the", "the", "cat"])
    assert [[literal(cell) for cell in row] for row in figure.data[0].text] == tokens
    np.testing.assert_array_equal(np.asarray(figure.data[0].z), p)
    assert labels(figure.layout.yaxis) == ["layer 0", "layer 1"]
    assert (figure.data[0].zmin, figure.data[0].zmax) == (0, 1)
    with pytest.raises(ValueError, match="one token"):
        logit_lens([["a"]], p)


def test_every_tile_of_the_grid_is_its_own_head():
    weights = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5) / 120
    figure = head_grid(weights, list("abcd"), list("vwxyz"), selected=(1, 2))
    canvas = np.asarray(figure.data[0].z)
    assert canvas.shape == (2 * 5 - 1, 3 * 6 - 1)
    for layer in range(2):
        for head in range(3):
            tile = canvas[layer * 5 : layer * 5 + 4, head * 6 : head * 6 + 5]
            np.testing.assert_array_equal(tile, weights[layer, head])
    assert (figure.data[0].zmin, figure.data[0].zmax) == (0, 1)
    marks = figure.data[1]
    assert [tuple(pair) for pair in marks.customdata] == [(la, h) for la in range(2) for h in range(3)]
    assert literal(marks.text[5]).startswith("layer 1, head 2strongest: \u2068d\u2069 reads \u2068z\u2069, 0.992")
    # The marker of (layer 1, head 2) lies in the middle of that tile, and the accent frames it.
    assert (marks.x[5], marks.y[5]) == (2 * 6 + 2, 5 + 1.5)
    framed = [shape for shape in figure.layout.shapes if shape.line.color == LIGHT.accent]
    assert [(s.x0, s.x1, s.y0, s.y1) for s in framed] == [(11.5, 16.5, 4.5, 8.5)]


def test_one_sharp_link_survives_pooling():
    weights = np.zeros((1, 1, 200, 200), dtype=np.float32)
    weights[0, 0, 157, 31] = 1
    canvas = np.asarray(head_grid(weights, ["q"] * 200, ["k"] * 200).data[0].z)
    assert max(canvas.shape) <= 48
    assert canvas.max() == 1
    y, x = np.unravel_index(canvas.argmax(), canvas.shape)
    assert (y, x) == (157 // 5, 31 // 5)


def test_a_block_is_masked_only_where_all_of_it_is():
    mask = np.tril(np.ones((96, 96), dtype=bool))
    canvas = np.asarray(head_grid(np.ones((1, 96, 96)), ["q"] * 96, ["k"] * 96, mask=mask).data[0].z)
    np.testing.assert_array_equal(np.isnan(canvas), ~np.tril(np.ones((48, 48), dtype=bool)))
