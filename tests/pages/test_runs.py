"""Runs are shared by all sessions: bounded, never mixed up, and an edit that does not fit leaves the rest standing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch
from streamlit.testing.v1 import AppTest

import viz_model as vm
from pages.ui import runs
from tests.pages.seeing import attention, by_key, link_of, notes, predictions, sound

ROOT = Path(__file__).parents[2]
MODEL = "english-causal"
TEXT = "The cat sat on the mat"


def decorators() -> list[tuple[str, str, int]]:
    """Every cached function of the app: where, the decorator as written, and how many arguments it tells apart."""
    found = []
    for path in [ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                written = [ast.unparse(each) for each in node.decorator_list if "cache" in ast.unparse(each)]
                written = [each for each in written if each != "cached_property"]  # one value for each object
                found += [(f"{path.name}:{node.name}", each, len(node.args.args)) for each in written]
    return found


def test_every_cache_is_bounded() -> None:
    assert len(decorators()) > 4
    unbounded = [
        place
        for place, written, n_arguments in decorators()
        if n_arguments and "max_entries=" not in written and (place, written) != ("chrome.py:prose", "cache")
    ]
    assert unbounded == []


def test_no_cached_function_has_an_argument_that_is_left_out_of_the_key() -> None:
    for path in (ROOT / "pages").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any("cache" in ast.unparse(each) for each in node.decorator_list):
                assert not [each.arg for each in node.args.args if each.arg.startswith("_")], f"{path.name}:{node.name}"


def test_two_kinds_of_edit_with_equal_fields_are_two_runs() -> None:
    """Streamlit's hash takes two equal dataclasses of different types for one where they are nested."""
    codes = ("ablate_0_1", "uniform_0_1")
    made = [runs.run(MODEL, TEXT, (code,)).trace for code in codes]
    plain = vm.load(MODEL)
    edits = (vm.AblateHead(0, 1), vm.UniformHead(0, 1))
    for trace, edit in zip(made, edits, strict=True):
        assert torch.equal(trace.logits, vm.run(plain, TEXT, edits=(edit,)).logits)
    assert not torch.equal(made[0].logits, made[1].logits)


def test_the_order_of_edits_is_part_of_the_run() -> None:
    forth, back = ("set_0_0_3_1_0.5_yes", "uniform_0_0"), ("uniform_0_0", "set_0_0_3_1_0.5_yes")
    weights = [runs.run(MODEL, TEXT, edits).trace.blocks[0].attention.weights[0, 0, 3, 1] for edits in (forth, back)]
    assert [float(each) for each in weights] == pytest.approx([0.25, 0.5])


def test_the_second_text_is_part_of_the_run() -> None:
    sources = ("The dog ran in the park", "A bird sang in the tree")
    edits = ("patch_1_0_heads",)
    heads = [runs.run(MODEL, TEXT, edits, text).trace.blocks[1].attention.heads[0, 0] for text in sources]
    expected = [vm.run(vm.load(MODEL), text).blocks[1].attention.heads[0, 0] for text in sources]
    assert all(torch.equal(a, b) for a, b in zip(heads, expected, strict=True))
    assert not torch.equal(*heads)


def test_a_run_is_shared_and_a_model_is_loaded_once() -> None:
    assert runs.run(MODEL, TEXT) is runs.run(MODEL, TEXT)
    assert runs.model(MODEL) is runs.run(MODEL, TEXT, ("ablate_0_0",)).model
    assert not runs.model(MODEL).training


def test_two_sessions_with_different_edits_do_not_touch_each_other(visit) -> None:
    def picture(page: AppTest) -> tuple[bytes, dict[str, float]]:
        return attention(sound(page)).arrays["weights/0/0"].tobytes(), predictions(page)

    alone = picture(visit("workbench"))
    first, second = visit("workbench"), visit("workbench")
    by_key(first.button, "edit_uniform").click().run()
    edited = picture(first)
    assert picture(second.run()) == alone
    by_key(second.button, "edit_ablate").click().run()
    assert picture(first.run()) == edited
    assert (link_of(first)["edits"], link_of(second)["edits"]) == ("uniform_0_0", "ablate_0_0")
    by_key(first.button, "clear").click().run()
    by_key(second.button, "clear").click().run()
    assert picture(first) == picture(second) == alone == picture(visit("workbench"))


def test_a_patch_from_a_sentence_of_another_length_is_said_and_the_rest_kept(visit) -> None:
    page = sound(visit("workbench", edits="ablate_0_1~patch_1_0_heads~uniform_0_2", text_b="The dog"))
    (note,) = notes(page)
    assert note.startswith("The edit patch_1_0_heads was left out: ")
    assert "same number of tokens" in note
    edits = (vm.AblateHead(0, 1), vm.UniformHead(0, 2))
    logits = vm.run(vm.load(MODEL), TEXT, edits=edits).logits[0, -1]
    best = predictions(page)
    assert max(best.values()) == pytest.approx(float(logits.softmax(-1).max()), abs=1e-6)
    assert link_of(page)["edits"] == "ablate_0_1~patch_1_0_heads~uniform_0_2"  # it may fit the next sentence
    by_key(page.text_input, "text_b").set_value("The dog ran in the park").run()
    assert notes(sound(page)) == []
    source = vm.run(vm.load(MODEL), "The dog ran in the park")
    fits = (vm.AblateHead(0, 1), vm.PatchHead(1, 0, source=source), vm.UniformHead(0, 2))
    logits = vm.run(vm.load(MODEL), TEXT, edits=fits).logits[0, -1]
    assert max(predictions(page).values()) == pytest.approx(float(logits.softmax(-1).max()), abs=1e-6)


@pytest.mark.parametrize(
    "code",
    [
        *("junk", "ablate", "ablate_9_0", "ablate_0_9", "ablate_-1_0", "cut_0_0_99_1_yes", "set_0_0_1_1_nan_yes"),
        *("set_0_0_1_1_2.0_yes", "ablate_0_0_encoder", "uniform_0_0_cross", "patch_0_0_heads", "patch_0_0_x"),
        "ablate_999999999_0",
    ],
)
def test_an_edit_that_cannot_be_is_left_out_in_a_sentence_and_can_be_cleared(visit, code: str) -> None:
    page = sound(visit("workbench", edits=code))
    (note,) = notes(page)
    assert note.startswith(f"The edit {code} was left out: ")
    assert predictions(page) == predictions(visit("workbench"))
    by_key(page.button, "clear").click().run()
    assert (notes(sound(page)), link_of(page)) == ([], {})


def test_too_many_edits_are_counted_and_cut(visit) -> None:
    page = sound(visit("workbench", edits="~".join(f"cut_0_{i % 4}_{i % 7}_0_no" for i in range(70))))
    assert notes(page) == [f"There are 70 edits: the first {runs.MOST_EDITS} are in force."]


def test_many_edits_that_fit_are_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ran, run = [], vm.run

    def counted(model, text, *, edits=()):
        ran.append(len(edits))
        return run(model, text, edits=edits)

    monkeypatch.setattr(vm, "run", counted)
    codes = tuple(f"cut_0_0_{i}_0_no" for i in range(1, 7))
    assert runs.usable_edits(MODEL, TEXT, codes, "another text than any other test's") == codes
    assert ran == [6]
