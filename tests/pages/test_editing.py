"""Each edit moves the picture and the predictions as the model with that edit says; Undo and Clear restore."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

import viz_model as vm
from tests.pages.seeing import (
    attention,
    by_key,
    calculation,
    choose,
    link_of,
    pane,
    predictions,
    sound,
    weights_on_show,
)

TEXT = "The cat sat on the mat"


def model(name: str = "english-causal"):
    return vm.load(name)


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
    after, before = (run.logits[0, -1].softmax(-1) for run in (trace, vm.run(model(), TEXT)))
    found = predictions(page)
    for token, share in found.items():
        assert share == pytest.approx(float(after[model().tokenizer.id(token)]), abs=1e-6), token
    assert max(found.values()) == pytest.approx(float(after.max()), abs=1e-6)
    assert not torch.allclose(after, before, atol=1e-6)
    said = pane(page, 'glass-table glass-strip"')
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


def test_an_edit_on_the_workbench_does_not_reach_the_lesson(visit) -> None:
    page = sound(visit("", mode="sentence", step="softmax", edits="uniform_0_0", query="4"))
    weights = vm.run(model(), TEXT).blocks[0].attention.weights[0, 0, 4]
    assert np.array_equal(calculation(page).values["result"][0], weights.numpy())


def test_a_masked_link_is_not_set_by_button_or_link(visit) -> None:
    """In a causal model nothing reads what comes later: a weight there would stand in no picture."""
    page = sound(visit("workbench", query="1", key="4"))
    assert by_key(page.button, "edit_set").disabled
    page = sound(visit("workbench", query="1", key="4", edits="set_0_0_1_4_0.5_yes"))
    assert any("masked for it" in note.value for note in page.info)
    assert np.array_equal(weights_on_show(page), vm.run(model(), TEXT).blocks[0].attention.weights[0, 0].numpy())


def test_the_softmax_is_that_before_the_edits_and_the_edited_row_is_said(visit) -> None:
    code = vm.SetWeight(0, 0, 2, 1, 0.5).code
    page = sound(visit("workbench", query="2", key="1", edits=code))
    html = " ".join(str(block.proto.body) for block in page.get("html"))
    assert "before your edits" in html
    assert "\u2717" not in html
    row = vm.run(model(), TEXT, edits=(vm.parse_edit(code),)).blocks[0].attention.weights[0, 0, 2].tolist()
    said = next(caption.value for caption in page.caption if caption.value.startswith("After your edits"))
    assert f"{row[1]:.3g}".replace(".", "\\.") in said


def test_a_silenced_head_says_so_beside_its_picture(visit) -> None:
    page = sound(visit("workbench", edits="ablate_0_0"))
    assert any("This head is silenced" in caption.value for caption in page.caption)
    page = sound(visit("workbench", edits="ablate_0_0", head="1"))
    assert not any("This head is silenced" in caption.value for caption in page.caption)
