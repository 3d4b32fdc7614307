"""The workbench: the picture, the inspector, the predictions and the edits are the model's own numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

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
from viz_model.display import Lens, shown
from viz_model.link import link

TEXT = "The cat sat on the mat"
SPLIT = "A zebra crossing 1984"  # cut into sub-words by the byte-level model
ROWS = {"q · k": "dot", "score": "score", "exp": "exponential", "÷ sum": "exponential_sum", "weight": "softmax"}


def model(name: str = "english-causal"):
    return vm.load(name)


def weights_on_show(page: AppTest) -> np.ndarray:
    payload = attention(page)
    chosen = payload.header["selection"]
    return payload.arrays[f"weights/{chosen['layer']}/{chosen['head']}"]


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
    choose(page, "attention", "selection", {"layer": 1, "head": 3, "query": 4, "key": 2, "view": "arcs", "share": 0.5})
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
    assert "✓" in pane(page, "glass-link")
    tokens = vm.run(model(), TEXT).tokens
    assert re.findall(r"<bdi>(.*?)</bdi>", pane(page, "glass-link"))[:2] == [tokens[query], tokens[key]]


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


EDITS = {
    "edit_ablate": vm.AblateHead(1, 0),
    "edit_cut": vm.KnockOut(1, 0, 6, 2),
    "edit_uniform": vm.UniformHead(1, 0),
    "edit_set": vm.SetWeight(1, 0, 6, 2, 0.5),
    "edit_patch": vm.PatchHead(1, 0, source="The dog ran in the park"),
}


@pytest.mark.parametrize("button", EDITS)
def test_each_edit_moves_the_predictions_as_the_model_says_and_undo_restores(visit, button: str) -> None:
    page = visit("workbench", layer="1", head="0", query="6", key="2", text_b="The dog ran in the park")
    plain = predictions(page)
    sound(by_key(page.button, button).click().run())
    trace = vm.run(model(), TEXT, edits=(EDITS[button],))
    after, before = (
        run.logits[0, -1].softmax(-1) for run in (trace, vm.run(model(), TEXT))
    )
    found = predictions(page)
    for token, share in found.items():
        assert share == pytest.approx(float(after[model().tokenizer.id(token)]), abs=1e-6), token
    assert max(found.values()) == pytest.approx(float(after.max()), abs=1e-6)
    assert not torch.allclose(after, before, atol=1e-6)
    said = pane(page, "glass-strip")
    best = model().tokenizer.id(next(iter(found)))
    was = float(re.findall(r'was <span title="(.*?)">', said)[0])
    assert was == pytest.approx(float(before[best]), abs=1e-6)
    change = float(re.findall(r', <span class="\w+" title="(.*?)">', said)[0])
    assert change == pytest.approx(float(after[best] - before[best]), abs=1e-6)
    assert np.array_equal(weights_on_show(page), trace.blocks[1].attention.weights[0, 0].numpy())
    assert np.array_equal(
        attention(page).arrays["before/1/0"], vm.run(model(), TEXT).blocks[1].attention.weights[0, 0].numpy()
    )
    sound(by_key(page.button, "undo").click().run())
    assert predictions(page) == plain
    assert "edits" not in link_of(page)


def test_edits_add_up_undo_takes_the_last_and_clear_takes_all(visit) -> None:
    page = visit("workbench")
    plain = predictions(page)
    by_key(page.button, "edit_ablate").click().run()
    one = predictions(page)
    choose(page, "attention", "selection", {"layer": 0, "head": 2})
    by_key(page.button, "edit_uniform").click().run()
    assert link_of(sound(page))["edits"] == "ablate_0_0~uniform_0_2"
    both = vm.run(model(), TEXT, edits=(vm.AblateHead(0, 0), vm.UniformHead(0, 2))).logits[0, -1].softmax(-1)
    assert max(predictions(page).values()) == pytest.approx(float(both.max()), abs=1e-6)
    said = " ".join(each.value for each in page.caption)
    assert "layer 0, head 0 silenced" in said
    assert "layer 0, head 2 made uniform" in said
    by_key(page.button, "edit_uniform").click().run()
    assert link_of(page)["edits"] == "ablate_0_0~uniform_0_2"  # twice is once
    by_key(page.button, "undo").click().run()
    assert predictions(page) == one
    by_key(page.button, "edit_uniform").click().run()
    by_key(page.button, "clear").click().run()
    assert predictions(sound(page)) == plain


def test_a_head_is_taken_from_a_second_sentence_only_where_there_is_one(visit) -> None:
    page = visit("workbench")
    assert by_key(page.button, "edit_patch").disabled
    by_key(page.text_input, "text_b").set_value("The dog ran in the park").run()
    assert not by_key(sound(page).button, "edit_patch").disabled


LENSES = [
    ({"hide_specials": "1"}, Lens(hide_specials=True)),
    ({"hide_specials": "1", "renormalise": "1"}, Lens(hide_specials=True, renormalise=True)),
    ({"merge_words": "1"}, Lens(merge_words=True)),
    ({"first": "2", "last": "4"}, Lens(first=2, last=4)),
    ({"first": "3"}, Lens(first=3)),
    ({"hide_specials": "1", "merge_words": "1", "last": "4"}, Lens(True, False, True, 0, 4)),
]


@pytest.mark.parametrize(("link", "lens"), LENSES, ids=lambda value: "+".join(value) if isinstance(value, dict) else "")
@pytest.mark.parametrize(("name", "text"), [("untrained", SPLIT), ("english-masked", TEXT)])
def test_the_picture_is_what_the_lens_shows(visit, name: str, text: str, link: dict[str, str], lens: Lens) -> None:
    page = sound(visit("workbench", model=name, text=text, layer="1", head="1", query="3", key="3", **link))
    loaded = model(name)
    seen = shown(vm.run(loaded, text), loaded.tokenizer.encode(text), lens)
    header = attention(page).header
    assert np.array_equal(weights_on_show(page), seen.weights[1][1])
    assert header["queries"] == list(seen.queries)
    assert (header["keys"] or header["queries"]) == list(seen.keys)
    place = next(i for i, row in enumerate(seen.rows) if 3 in row)
    assert header["selection"] == {"layer": 1, "head": 1, "query": place, "key": place}
    assert weights_on_show(page).shape != weights_on_show(visit("workbench", model=name, text=text)).shape or (
        name == "english-masked" and lens.merge_words and not lens.hide_specials
    )
    said = " ".join(each.value for each in page.caption)
    assert ("Special tokens are hidden" in said) == lens.hide_specials
    assert ("the last column holds the rest" in said) == bool(lens.first or lens.last)
    assert ("Sub-words are merged" in said) == lens.merge_words


@pytest.mark.parametrize("name", ["english-causal", "english-masked"])
def test_the_caption_says_how_much_is_hidden(visit, name: str) -> None:
    page = sound(visit("workbench", model=name, hide_specials="1"))
    trace, encoding = vm.run(model(name), TEXT), model(name).tokenizer.encode(TEXT)
    special = torch.tensor(encoding.special)
    layers = torch.stack([block.attention.weights[0] for block in trace.blocks])
    mass = float(layers[:, :, ~special][..., special].sum(-1).mean())
    assert 0.01 < mass < 0.99
    assert any(f"they hold {mass:.1%} of the weight" in each.value for each in page.caption)


def test_a_click_on_a_merged_or_shifted_row_chooses_the_position_behind_it(visit) -> None:
    page = visit("workbench", first="2", last="4")
    choose(page, "attention", "selection", {"layer": 0, "head": 0, "query": 2, "key": 3})
    assert (page.session_state["query"], page.session_state["key"]) == (4, 1)  # column 3 is the rest: no position
    page = visit("workbench", model="untrained", text=SPLIT, merge_words="1")
    choose(page, "attention", "selection", {"query": 3, "key": 2})
    seen = shown(vm.run(model("untrained"), SPLIT), model("untrained").tokenizer.encode(SPLIT), Lens(merge_words=True))
    assert (page.session_state["query"], page.session_state["key"]) == (seen.rows[3].start, seen.rows[2].start)
    assert page.session_state["query"] > 3


@pytest.mark.parametrize("link", [{"first": "5", "last": "2"}, {"first": "99"}])
def test_a_range_with_nothing_in_it_shows_all_and_says_so(visit, link: dict[str, str]) -> None:
    page = sound(visit("workbench", **link))
    assert weights_on_show(page).shape == (7, 7)
    assert any("There is nothing to show from position" in note for note in notes(page))


@pytest.mark.parametrize("text", ["[BOS]", "[EOS]"])
def test_a_text_of_special_tokens_alone_is_not_hidden_and_says_so(visit, text: str) -> None:
    page = sound(visit("workbench", text=text, hide_specials="1"))
    assert any("nothing but special tokens" in note for note in notes(page))
    assert text in attention(page).header["queries"]


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
