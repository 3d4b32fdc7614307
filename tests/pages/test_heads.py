"""Heads: roles, ablations, contributions and counts on the page are the models' own, worked out here in another way."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

import viz_model as vm
from pages.learn.parts import heads_tables
from tests.pages.seeing import (
    attention,
    by_key,
    choose,
    component,
    exact,
    link_of,
    notes,
    offered,
    pane,
    panes,
    predictions,
    selector,
    sound,
    trigger,
)
from tests.viz_model.figures.page_reader import PageReader
from viz_model.analysis.held_out_heads import measured_ablation
from viz_model.edits import AblateHead
from viz_model.figures.theme import format_number

STUDIES = Path(__file__).parents[2] / "assets" / "studies"
CAT = "The cat sat on the mat"
KEYS = "The keys to the cabinet are on the table"
RULES = "The new government with three new rules"


def bundled(kind: str, model: str) -> dict:
    return json.loads((STUDIES / f"{kind}-{model}.json").read_text(encoding="utf-8"))


def head_of(model: str, layer: int, head: int) -> dict:
    (found,) = (one for one in bundled("atlas", model)["heads"] if (one["layer"], one["head"]) == (layer, head))
    return found


def without(model: str, layer: int, head: int, kept: str = "without") -> dict:
    (found,) = (one for one in bundled("ablation", model)[kept] if (one["layer"], one["head"]) == (layer, head))
    return found


def atlas(page: AppTest) -> str:
    return json.loads(component(page, "head_atlas").json)


def said(page: AppTest) -> str:
    return "\n".join(each.value for each in page.markdown)


def table(page: AppTest, mark: str) -> list[list[str]]:
    return PageReader(pane(page, mark)).rows


@pytest.fixture(scope="module")
def lesson(visit) -> AppTest:
    return sound(visit("heads"))


@pytest.mark.parametrize("model", ["english-causal", "english-masked", "induction"])
def test_the_atlas_names_every_head_with_its_score_and_chance(visit, model: str) -> None:
    text = {"text": "a b c a b c"} if model == "induction" else {}
    page = sound(visit("heads", model=model, **text))
    cells = [cell for row in PageReader(atlas(page)).rows[1:] for cell in row[1:]]
    heads = bundled("atlas", model)["heads"]
    assert len(cells) == len(heads)
    for cell, head in zip(cells, heads, strict=True):
        assert cell.startswith(head["role"])
        shown = head if head["role"] not in ("mixed", "broad") else head["roles"][0]
        score, chance = cell.split(" (chance ")
        assert float(score[-5:].lstrip("abcdefghijklmnopqrstuvwxyz)")) == pytest.approx(shown["score"], rel=5e-3)
        assert float(chance.split(")")[0]) == pytest.approx(shown["chance"], rel=5e-3)
    assert not page.info


def test_it_opens_on_a_finished_picture(lesson) -> None:
    assert link_of(lesson) == {}
    weights = vm.run(vm.load("english-causal"), CAT).blocks[0].attention.weights[0, 0]
    np.testing.assert_array_equal(attention(lesson).arrays["weights/0/0"], weights.numpy())
    assert attention(lesson).header["roles"][2][0] == "subject-verb (due)"
    assert "(due)**: the position before the later word" in said(lesson)
    assert "come at least 0.4 of the way from chance to 1" in said(lesson)


def test_a_head_is_picked_in_the_atlas_in_the_map_and_by_the_lists(visit) -> None:
    page = visit("heads")
    sound(trigger(page, "head_atlas", "picked", {"layer": 2, "head": 1}))
    assert link_of(page) == {"v": "1", "layer": "2", "head": "1"}
    assert attention(page).header["selection"] == {"layer": 2, "head": 1, "query": 2, "key": 1}
    assert atlas(page).count("data-chosen") == 1
    assert 'data-layer="2" data-head="1" data-chosen' in atlas(page)
    assert "Layer 2, head 1 is named **preposition-noun (due)**" in said(page)
    sound(choose(page, "attention", "selection", {"layer": 1, "head": 2, "query": 4, "key": 3}))
    assert link_of(page) == {"v": "1", "layer": "1", "head": "2", "query": "4", "key": "3"}
    sound(by_key(page.selectbox, "layer").set_value(0).run())
    assert 'data-layer="0" data-head="2" data-chosen' in atlas(page)


def test_a_locked_head_stays(visit) -> None:
    page = visit("heads", layer="1", head="1", lock="layer~head~word")
    trigger(page, "head_atlas", "picked", {"layer": 2, "head": 3})
    choose(sound(page), "attention", "selection", {"layer": 0, "head": 0, "query": 4, "key": 3})
    assert attention(page).header["selection"] == {"layer": 1, "head": 1, "query": 2, "key": 1}
    assert by_key(page.selectbox, "layer").disabled


def test_the_heads_whole_table_of_roles(visit) -> None:
    page = visit("heads", layer="2", head="0")
    head = head_of("english-causal", 2, 0)
    roles = sorted(head["roles"], key=lambda role: -(role["score"] - role["chance"]) * role["per_text"])
    assert [row[0] for row in table(page, "mean weight on each kind")[1:]] == [role["role"] for role in roles[:8]]
    assert "its mean weight on such words is **0.805**, where a head that reads all alike has 0.212" in said(page)
    assert f"entropy of **{head['entropy']:.3f} nats**" in said(page)
    assert f"lie **{head['distance']:.2f} positions**" in said(page)
    sound(by_key(page.button, "all_roles").click().run())
    pieces = [PageReader(each).rows for each in panes(page) if "mean weight on each kind" in each]
    whole = max(pieces, key=len)[1:]
    assert [row[0] for row in whole] == [role["role"] for role in roles]
    for row, role in zip(whole, roles, strict=True):
        assert float(row[1]) == pytest.approx(role["score"], rel=6e-3)
        assert float(row[2]) == pytest.approx(role["chance"], rel=6e-3)


@pytest.mark.parametrize("kept", ["without", "only"])
def test_ablations_are_the_bundled_ones(visit, kept: str) -> None:
    page = sound(visit("heads", heads_panel="without", kept=kept, layer="2", head="2"))
    recorded = bundled("ablation", "english-causal")
    rows = table(page, "verb agrees")
    assert rows[1][0] == "the whole model"
    for row, one in zip(rows[2:], [*recorded[kept], *recorded["none"]], strict=True):
        assert float(row[1]) == pytest.approx(one["loss"], rel=5e-3)
        assert float(row[3]) == pytest.approx(one["loss"] - recorded["whole"]["loss"], rel=6e-3)
        assert [float(cell) for cell in row[4:]] == pytest.approx([one["accuracy"], one["agreement"]], rel=5e-3)
    one = without("english-causal", 2, 2, kept)
    assert f"The verb agrees in **{format_number(one['agreement'])}** of cases" in said(page)
    assert "**As recorded.** 1,000 held-out texts" in said(page)
    assert ("the model needs the head" in said(page)) == (kept == "without")


@pytest.mark.parametrize("kept", ["without", "only"])
def test_the_sentence_is_run_under_the_ablation_too(visit, kept: str) -> None:
    page = sound(visit("heads", text=KEYS, heads_panel="without", kept=kept, layer="1", head="2"))
    model = vm.load("english-causal")
    silent = [2] if kept == "without" else [0, 1, 3]
    logits = vm.run(model, KEYS, edits=[AblateHead(1, head) for head in silent]).logits[0, -1]
    wanted = logits.softmax(-1)
    found = predictions(page)
    assert model.tokenizer.token(int(wanted.argmax())) in found
    for token, share in found.items():
        assert share == pytest.approx(float(wanted[model.tokenizer.id(token)]), abs=1e-6)


def test_attention_is_not_explanation_with_both_heads_numbers(visit) -> None:
    page = sound(visit("heads", heads_panel="without", layer="2", head="0"))
    numbers = [
        *(head_of("english-causal", 2, head)["score"] for head in (2, 0)),
        *(without("english-causal", 2, head)["agreement"] for head in (2, 0)),
    ]
    (line,) = (each.value for each in page.markdown if each.value.startswith("**Attention is not explanation.**"))
    assert [f"{number:.3f}" for number in numbers] == ["0.590", "0.805", "0.764", "1.000"]
    assert all(format_number(number) in line for number in numbers)
    assert "the model can do without the head" in said(page)
    assert "agreement suffers most without layer 2, head 2: 0.764" in said(page)


def test_measured_now_is_run_and_labelled(visit, monkeypatch) -> None:
    monkeypatch.setattr(heads_tables, "FEW_TEXTS", 8)
    monkeypatch.setattr(heads_tables, "FEW_CHOICES", 12)
    heads_tables.measured.clear()
    page = visit("heads", heads_panel="without", layer="1", head="0")
    sound(by_key(page.button, "measure").click().run())
    assert link_of(page)["measured_now"] == "1"
    sentences = bundled("held-out", "sentences")["sentences"]
    fresh = measured_ablation("english-causal", sentences, n_texts=8, n_choices=12)
    assert f"{fresh.n_asked:,} words asked for, 12 verbs." in said(page)
    assert "**Measured now**, in " in said(page)
    assert "**As recorded.**" not in said(page)
    assert float(table(page, "verb agrees")[1][1]) == pytest.approx(fresh.whole.loss, rel=5e-3)
    assert f"As recorded, on 1,000 texts, the loss is {without('english-causal', 1, 0)['loss']:.2f}." in said(page)
    sound(by_key(page.button, "measure").click().run())
    assert "**As recorded.**" in said(page)
    heads_tables.measured.clear()


@pytest.mark.parametrize(("layer", "query"), [(1, 5), (2, 0)])
def test_what_the_heads_add_is_the_product_with_their_rows_of_w_o(visit, layer: int, query: int) -> None:
    page = sound(visit("heads", text=KEYS, heads_panel="adds", layer=str(layer), query=str(query)))
    model = vm.load("english-causal")
    trace = vm.run(model, KEYS).blocks[layer].attention
    weight, bias = (part.detach() for part in (model.stack.blocks[layer].attention.w_o.weight, trace.out[0, query]))
    out, terms = bias, []
    for head in range(4):
        rows = weight.T[head * 16 : (head + 1) * 16]  # W_O as the formula has it: [in, out]
        terms.append(trace.heads[0, head, query].detach() @ rows)
    terms.append(model.stack.blocks[layer].attention.w_o.bias.detach())
    assert torch.allclose(sum(terms), out, atol=1e-5)
    rows = table(page, "What the heads of layer")
    for row, term in zip(rows[1:6], terms, strict=True):
        assert float(row[2]) == pytest.approx(float(term @ out / (out @ out)), rel=6e-3, abs=1e-5)
        assert float(row[3]) == pytest.approx(float(term.norm()), rel=6e-3)
    assert rows[6][2] == "1.00"
    assert "✓ The terms add up to the layer's output" in pane(page, "What the heads of layer")
    residual = float(said(page).split("by at most ")[1].split(":")[0])
    assert 0 <= residual < 1e-5


def test_the_word_is_chosen_from_a_list_too(visit) -> None:
    page = visit("heads", heads_panel="adds")
    sound(by_key(page.selectbox, "query").set_value(4).run())
    assert link_of(page)["query"] == "4"
    assert "What the heads of layer 0 add for “on”" in pane(page, "What the heads of layer")


def test_the_budget_is_counted_on_the_model_and_on_the_paper(visit) -> None:
    page = sound(visit("heads", heads_panel="budget"))
    layer = vm.load("english-causal").stack.blocks[0].attention
    per_layer = sum(parameter.numel() for parameter in layer.parameters())
    assert f"have {per_layer:,} parameters" in said(page)
    choices = table(page, "every way to share 64 among heads")[1:]
    assert [row[:3] for row in choices] == [[str(2**i), str(64 // 2**i), "64"] for i in range(7)]
    assert [row[3] != "" for row in choices] == [2**i == 4 for i in range(7)]
    assert f"512 = 8 × 64, {4 * 512 * 512 + 4 * 512:,} parameters" in said(page)
    assert table(page, "s base model: one attention layer")[-1][2:] == ["1,048,576", "2,048"]


def test_of_other_models_a_note_says_what_is_not_known(visit) -> None:
    page = sound(visit("heads", model="untrained", heads_panel="without"))
    assert sum("were measured for english-causal" in note for note in notes(page)) == 1
    assert not [each for each in page.get("bidi_component") if each.key == "head_atlas"]
    assert attention(page).header["model"] == "untrained"
    assert "the heads of this model were not measured" in said(page)
    selector(page, "heads_panel").set_value("adds").run()
    assert "✓ The terms add up" in pane(sound(page), "What the heads of layer")


@pytest.mark.parametrize("model", ["english-causal", "english-masked"])
def test_the_question_is_answered_from_the_table(visit, model: str) -> None:
    page = visit("heads", model=model)
    by_key(page.radio, "predict_heads_english-causal").set_value("layer 2, head 2").run()
    assert "**Yes.** Without layer 2, head 2 the verb agrees in 0.764 of 500 cases" in sound(page).markdown[-1].value
    by_key(page.radio, "predict_heads_english-causal").set_value("layer 2, head 0").run()
    assert page.markdown[-1].value.startswith("**No: layer 2, head 2.**")
    needed = min((0, 2), key=lambda head: without("english-causal", 2, head)["agreement"])
    assert needed == 2


def test_each_experiment_shows_what_it_says(visit) -> None:
    page = visit("heads", model="english-masked")
    for i, head in enumerate((2, 0)):
        sound(by_key(page.button, f"try_{i}").click().run())
        assert attention(page).header["selection"] == {"layer": 2, "head": head, "query": 7, "key": 3}
        assert attention(page).header["queries"][1:] == RULES.split()
        weights = attention(page).arrays[f"weights/2/{head}"]
        assert weights[7, 3] == weights[7].max() > 0.85
        probabilities = predictions(page)
        assert (probabilities.get("are", 0.0) > probabilities["is"]) == (head == 2)
        assert ("the model needs the head" in said(page)) == (head == 2)
        assert ("can do without the head" in said(page)) == (head == 0)
    sound(by_key(page.button, "try_2").click().run())
    header = attention(page).header
    assert header["model"] == "induction"
    query, key = header["selection"]["query"], header["selection"]["key"]
    letters = header["queries"]
    assert letters[key - 1] == letters[query]
    assert attention(page).arrays["weights/1/0"][query].argmax() == key


def test_tables_hold_the_full_numbers(visit) -> None:
    page = visit("heads", layer="1", head="0")
    sound(by_key(page.button, "atlas_table").click().run())
    assert any(
        value == pytest.approx(head_of("english-causal", 2, 0)["score"], abs=1e-6)
        for value in exact(pane(page, "words in 1,000 held-out texts"))
    )
    page = visit("heads", layer="1", head="0")
    sound(by_key(page.button, "as_table").click().run())
    weights = vm.run(vm.load("english-causal"), CAT).blocks[1].attention.weights[0, 0]
    assert any(
        value == pytest.approx(float(weights[3, 2]), abs=1e-7)
        for value in exact(pane(page, "Weights of layer 1, head 0"))
    )


def test_a_teachers_link_hides_and_locks(visit) -> None:
    page = sound(visit("heads", hide="downloads~question~experiments~equation~panels", lock="text~model"))
    assert not page.latex
    assert not page.radio
    assert not offered(page)
    assert not page.button_group
    page = sound(visit("heads", heads_panel="without", lock="panel"))
    assert selector(page, "heads_panel").disabled
    assert by_key(page.button, "measure").disabled
    assert all(by_key(page.button, f"try_{i}").disabled for i in range(3))


def test_the_edits_of_the_workbench_are_said_not_to_hold(visit) -> None:
    page = sound(visit("heads", edits="ablate_0_0"))
    assert any("not in force here" in caption.value for caption in page.caption)


def test_bad_values_of_a_link_fall_back_with_a_note(visit) -> None:
    page = sound(visit("heads", heads_panel="other", kept="all", measured_now="2", layer="9"))
    assert len(notes(page)) == 4
    assert attention(page).header["selection"]["layer"] == 2
