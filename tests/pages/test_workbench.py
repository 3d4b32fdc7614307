"""The workbench: the picture, the inspector, the predictions and the edits are the model's own numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest

import viz_model as vm
from tests.pages.seeing import (
    attention,
    by_key,
    choose,
    link_of,
    link_rows,
    notes,
    pane,
    predictions,
    sound,
)
from viz_model.link import link

TEXT = "The cat sat on the mat"
ROWS = {"q · k": "dot", "score": "score", "exp": "exponential", "÷ sum": "exponential_sum", "weight": "softmax"}


def model(name: str = "english-causal"):
    return vm.load(name)


@pytest.mark.parametrize("name", ["english-causal", "english-masked", "untrained"])
@pytest.mark.parametrize(("layer", "head"), [(0, 3), (1, 2)])
def test_the_picture_is_the_chosen_head_exactly(visit, name: str, layer: int, head: int) -> None:
    page = sound(visit("workbench", model=name, text=TEXT, layer=str(layer), head=str(head)))
    trace = vm.run(model(name), TEXT)
    payload = attention(page)
    for i, block in enumerate(trace.blocks):
        for j in range(block.attention.weights.shape[1]):
            expected = block.attention.weights[0, j].numpy()
            assert np.array_equal(payload.arrays[f"weights/{i}/{j}"], expected), (i, j)
            assert not np.array_equal(expected, expected.T)  # so that swapped axes would have been seen
    assert (payload.header["selection"]["layer"], payload.header["selection"]["head"]) == (layer, head)
    assert payload.header["queries"] == list(trace.tokens)
    assert payload.header["keys"] is None
    allowed = np.unpackbits(payload.arrays["mask"][0])[: len(trace.tokens) ** 2] if "mask" in payload.arrays else None
    causal = np.tri(len(trace.tokens), dtype=np.uint8)
    assert (allowed is None) if name == "english-masked" else (allowed.reshape(causal.shape) == causal).all()


def test_a_long_text_still_shows_the_chosen_head_exactly(visit) -> None:
    text = "the cat sees the dog and " * 30
    page = sound(visit("workbench", text=text, layer="2", head="1"))
    payload = attention(page)
    expected = vm.run(model(), text).blocks[2].attention.weights[0, 1].numpy()
    assert [name for name in payload.arrays if name.startswith("weights")] == ["weights/2/1"]
    assert np.array_equal(payload.arrays["weights/2/1"], expected)


def test_a_choice_in_the_picture_moves_everything(visit) -> None:
    page = visit("workbench")
    choose(page, "attention", "selection", {"layer": 1, "head": 3, "query": 4, "key": 2})
    choose(page, "attention", "look", {"view": "arcs", "share": 0.5})
    assert link_of(sound(page)) == {
        **{"v": "1", "layer": "1", "head": "3", "query": "4", "key": "2"},
        **{"view": "arcs", "share": "0.5"},
    }
    header = attention(page).header
    assert header["selection"] == {"layer": 1, "head": 3, "query": 4, "key": 2}
    assert (header["view"], header["share"]) == ("arcs", 0.5)
    weight = float(vm.run(model(), TEXT).blocks[1].attention.weights[0, 3, 4, 2])
    assert float(link_rows(page)["weight"]) == pytest.approx(weight, rel=1e-6)


@pytest.mark.parametrize(("query", "key"), [(4, 2), (2, 2), (1, 5)])
@pytest.mark.parametrize("edits", ["", "uniform_1_2", "cut_1_2_4_2_yes"])
def test_the_inspector_is_the_link_number_by_number(visit, query: int, key: int, edits: str) -> None:
    page = sound(visit("workbench", layer="1", head="2", query=str(query), key=str(key), edits=edits))
    made = tuple(vm.parse_edit(code) for code in [edits] if code)
    found = link(vm.run(model(), TEXT, edits=made).blocks[1].attention, head=2, query=query, key=key)
    rows = link_rows(page)
    assert ("mask" in rows) == (key > query)
    for row, field in ROWS.items():
        if row in rows:
            assert float(rows[row]) == pytest.approx(getattr(found, field), rel=1e-5, abs=1e-7), row
    assert float(rows["× scale"]) == model().config.d_head ** -0.5
    assert ("edited" in rows) == found.edited
    if found.edited:
        assert float(rows["edited"]) == pytest.approx(found.weight, rel=1e-5, abs=1e-7)
    assert float(rows["row sum"]) == pytest.approx(1.0, abs=1e-3)
    assert "✓" in pane(page, 'glass-table glass-link"')
    tokens = vm.run(model(), TEXT).tokens
    assert re.findall(r"<bdi>(.*?)</bdi>", pane(page, 'glass-table glass-link"'))[:2] == [tokens[query], tokens[key]]


@pytest.mark.parametrize(
    ("name", "text", "query", "position"),
    [
        ("english-causal", TEXT, 2, -1),
        ("untrained", TEXT, 2, -1),
        ("english-masked", "The [MASK] sat on the mat", 4, 2),
        ("english-masked", TEXT, 3, 3),
    ],
)
def test_predictions_are_the_models_softmax(visit, name: str, text: str, query: int, position: int) -> None:
    page = sound(visit("workbench", model=name, text=text, query=str(query)))
    loaded = model(name)
    expected = vm.run(loaded, text).logits[0, position].softmax(-1)
    found = predictions(page)
    best = expected.topk(len(found))
    assert list(found) == [loaded.tokenizer.token(i) for i in best.indices.tolist()]
    np.testing.assert_allclose(list(found.values()), best.values.numpy(), atol=1e-6)
    assert len(found) == 8


def test_the_numbers_stand_in_a_table_too(visit) -> None:
    page = visit("workbench", layer="1", head="2")
    sound(by_key(page.button, "as_table").click().run())
    table = pane(page, "Weights of layer 1, head 2")
    expected = vm.run(model(), TEXT).blocks[1].attention.weights[0, 2]
    rows = table.split("<tbody>")[1].split("<tr>")[1:]
    for i, row in enumerate(rows):
        values = [float(value) for value in re.findall(r'title="(.*?)"', row)]
        np.testing.assert_allclose(values, expected[i, : i + 1].numpy(), rtol=1e-5, atol=1e-7)
        assert row.count("masked") == 6 - i


def test_the_export_carries_model_text_and_edits(visit) -> None:
    header = attention(visit("workbench", edits="ablate_0_1")).header
    assert header["model"] == "english-causal"
    for part in ("english-causal", TEXT, "ablate_0_1"):
        assert part in header["caption"]


def test_every_experiment_of_the_page_runs_and_leads_somewhere(visit) -> None:
    seen = set()
    for i in range(3):
        page = visit("workbench")
        sound(by_key(page.button, f"try_{i}").click().run())
        assert notes(page) == []
        seen.add(tuple(sorted(link_of(page).items())))
    assert len(seen) == 3
    assert () not in seen


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (1, 3), (2, 2)])
def test_the_question_is_answered_by_the_head_on_show(visit, layer: int, head: int) -> None:
    page = visit("workbench", layer=str(layer), head=str(head))
    weights = vm.run(model(), TEXT).blocks[layer].attention.weights[0, head]
    hits = sum(int(weights[i].argmax()) == i - 1 for i in range(1, len(weights)))
    by_key(page.radio, "predict_workbench").set_value("yes").run()
    said = sound(page).markdown[-1].value
    assert f"{hits} of {len(weights) - 1} words" in said
    assert said.startswith("**Yes.**") == (hits > (len(weights) - 1) / 2)
