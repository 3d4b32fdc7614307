"""The cat sat: each step's numbers are the example's; a change, a what-if reaches all that follows."""

from __future__ import annotations

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import viz_model as vm
from tests.pages.seeing import by_key, calculation, choose, exact, link_of, notes, panes, selector, sound, trigger
from viz_model.textbook import MATRICES

STEPS = ["tokens", "ids", "embedding", "positions", "qkv", "dots", "scale", "mask", "softmax", "heads", "out"]
GIVEN = {name: np.array(values) for name, values in MATRICES.items()}


def by_hand(query: int = 1, *, scaled: bool = True, causal: bool = False, temperature: float = 1.0, **given):
    """The example from its formulas, in numpy: {step: the numbers that the step ends on}."""
    e, p, w_q, w_k, w_v, w_o = ({**GIVEN, **given}[name] for name in ("E", "P", "W_Q", "W_K", "W_V", "W_O"))
    x = e + p
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    q = given.get("Q", q)
    dots = q[query] @ k.T
    scores = dots / ((2.0 if scaled else 1.0) * temperature)
    allowed = np.arange(3) <= query if causal else np.full(3, True)
    exponentials = np.where(allowed, np.exp(scores), 0.0)
    weights = exponentials / exponentials.sum()
    head = weights @ v
    return {
        **{"embedding": e, "positions": x, "dots": dots, "scale": scores},
        **{"softmax": weights, "heads": head, "out": head @ w_o},
    }


def ends_on(page: AppTest) -> np.ndarray:
    """The result of the step's last equation."""
    n = sum((each.key or "").startswith("calculation_") for each in page.get("bidi_component"))
    found = calculation(sound(page), n - 1)
    return found.values[found.header["result"]]


def at_step(page: AppTest, step: str) -> AppTest:
    return sound(selector(page, "step").set_value(step).run())


@pytest.fixture(scope="module")
def lesson(visit) -> AppTest:
    """One visit that rows which only step through it share."""
    return visit("")


def test_the_textbook_softmax_of_cat_is_a_tenth_seven_tenths_two_tenths(visit) -> None:
    page = sound(visit("", step="softmax"))
    found = calculation(page)
    np.testing.assert_allclose(found.values["result"], [[0.1, 0.7, 0.2]], atol=5e-4)
    names = {item["key"]: (item["rows"], item["columns"]) for item in found.header["items"] if item["kind"] == "matrix"}
    assert names["result"] == (["cat"], ["The", "cat", "sat"])
    assert "The row sums to 1.000." in page.caption[0].value


def test_the_textbook_output_is_that_mixture_of_the_values(visit) -> None:
    page = sound(visit("", step="heads"))
    values = calculation(page).values["V"]
    np.testing.assert_allclose(ends_on(page)[0], np.array([0.1, 0.7, 0.2]) @ values, atol=2e-3)


@pytest.mark.parametrize("step", [step for step in STEPS if step in by_hand()])
def test_every_step_ends_on_the_number_of_its_formula(lesson, step: str) -> None:
    np.testing.assert_allclose(
        ends_on(at_step(lesson, step)).squeeze(), np.squeeze(by_hand()[step]), atol=1e-5, err_msg=step
    )


def test_next_and_back_walk_through_all_steps_and_stop_at_the_ends(visit) -> None:
    page = visit("")
    seen = [page.session_state["step"]]
    assert by_key(page.button, "back").disabled
    while not by_key(page.button, "next").disabled:
        sound(by_key(page.button, "next").click().run())
        seen.append(page.session_state["step"])
        assert page.subheader[0].value.startswith(f"{len(seen)} / 11  ")
    assert seen == STEPS
    while not by_key(page.button, "back").disabled:
        sound(by_key(page.button, "back").click().run())
        seen.pop()
        assert page.session_state["step"] == seen[-1]
    assert seen == ["tokens"]


def test_the_steps_of_a_sentence_hold_the_norm_too(visit) -> None:
    page = visit("", mode="sentence", step="positions")
    by_key(page.button, "next").click().run()
    assert page.session_state["step"] == "norm"
    selector(sound(page), "mode").set_value("textbook").run()
    assert (sound(page).session_state["step"], notes(page)) == ("qkv", [])


@pytest.mark.parametrize("query", [0, 2])
def test_the_word_that_reads_can_be_chosen(visit, query: int) -> None:
    page = sound(selector(visit("", step="softmax"), "word").set_value(query).run())
    np.testing.assert_allclose(ends_on(page)[0], by_hand(query)["softmax"], atol=1e-6)


def test_a_changed_number_reaches_every_later_step_and_no_earlier_one(visit) -> None:
    page = visit("", step="qkv")
    trigger(page, "calculation_0", "edit", {"matrix": "W_Q", "row": 1, "column": 1, "value": 2.5})
    assert link_of(sound(page))["changes"] == "W_Q-1-1:2.5"
    w_q = GIVEN["W_Q"].copy()
    w_q[1, 1] = 2.5
    changed, before = by_hand(W_Q=w_q), by_hand()
    for step in ("positions", "dots", "scale", "softmax", "heads", "out"):
        np.testing.assert_allclose(ends_on(at_step(page, step)).squeeze(), changed[step], atol=1e-5, err_msg=step)
        assert np.allclose(changed[step], before[step]) == (step == "positions"), step


def test_a_computed_number_can_be_set_over_what_was_computed(visit) -> None:
    page = visit("", step="dots")
    trigger(page, "calculation_0", "edit", {"matrix": "q(cat)", "row": 0, "column": 2, "value": 3.0})
    q = (GIVEN["E"] + GIVEN["P"]) @ GIVEN["W_Q"]
    q[1, 2] = 3.0
    assert link_of(sound(page))["changes"] == "Q-1-2:3.0"
    np.testing.assert_allclose(ends_on(at_step(page, "softmax"))[0], by_hand(Q=q)["softmax"], atol=1e-5)


def test_a_number_set_back_is_no_change(visit) -> None:
    page = visit("", step="embedding", changes="E-0-0:4.0~W_Q-1-1:2.5")
    trigger(page, "calculation_0", "edit", {"matrix": "result", "row": 0, "column": 0, "value": 1.0})
    assert link_of(sound(page))["changes"] == "W_Q-1-1:2.5"


def test_reset_gives_the_textbook_back(visit) -> None:
    page = visit("", step="softmax", changes="W_K-0-1:3.0", scaled="0", causal="1", softmax_temperature="2")
    assert not np.allclose(ends_on(page)[0], by_hand()["softmax"], atol=1e-2)
    sound(by_key(page.button, "reset").click().run())
    np.testing.assert_allclose(ends_on(page)[0], by_hand()["softmax"], atol=1e-6)
    assert link_of(page) == {"v": "1", "step": "softmax"}
    assert by_key(page.button, "reset").disabled


@pytest.mark.parametrize("value", [1e9, float("nan"), "x", None])
def test_a_number_that_cannot_be_taken_is_refused_in_a_sentence(visit, value) -> None:
    page = visit("", step="embedding")
    trigger(page, "calculation_0", "edit", {"matrix": "result", "row": 0, "column": 0, "value": value})
    assert any(note.startswith("The number was not taken") for note in notes(sound(page)))
    np.testing.assert_allclose(ends_on(page), GIVEN["E"], atol=1e-6)


def test_no_scaling(visit) -> None:
    page = sound(by_key(visit("", step="softmax").toggle, "scaled").set_value(False).run())
    np.testing.assert_allclose(ends_on(page)[0], by_hand(scaled=False)["softmax"], atol=1e-6)


def test_the_causal_mask_strikes_out_the_future(visit) -> None:
    page = sound(by_key(visit("", step="softmax").toggle, "causal").set_value(True).run())
    found = calculation(page)
    np.testing.assert_allclose(found.values["result"][0], by_hand(causal=True)["softmax"], atol=1e-6)
    assert found.masked["result"].tolist() == [[False, False, True]]


@pytest.mark.parametrize("temperature", [0.1, 10.0])
def test_temperature_sharpens_and_flattens(visit, temperature: float) -> None:
    page = sound(by_key(visit("", step="softmax").slider, "softmax_temperature").set_value(temperature).run())
    np.testing.assert_allclose(ends_on(page)[0], by_hand(temperature=temperature)["softmax"], atol=1e-6)


def test_each_experiment_does_what_it_says(visit) -> None:
    page = visit("", mode="sentence")
    sound(by_key(page.button, "try_0").click().run())
    np.testing.assert_allclose(ends_on(page)[0], by_hand(scaled=False)["softmax"], atol=1e-6)
    page = sound(by_key(visit("").button, "try_1").click().run())
    assert calculation(page).masked["result"].tolist() == [[False, False, True]]
    page = sound(by_key(visit("").button, "try_2").click().run())
    weights = ends_on(page)[0]
    assert weights[1] == pytest.approx(weights[2], abs=1e-3)


def test_the_question_is_answered_by_the_live_picture(visit) -> None:
    page = visit("", step="softmax")
    by_key(page.radio, "predict_the_cat_sat").set_value("grow").run()
    largest = by_hand()["softmax"].max(), by_hand(scaled=False)["softmax"].max()
    said = page.markdown[-1].value
    assert said.startswith("**Yes.**")
    assert f"{largest[0]:.3f} with the division and {largest[1]:.3f} without" in said
    by_key(page.radio, "predict_the_cat_sat").set_value("shrink").run()
    assert page.markdown[-1].value.startswith("**No: grow.**")


def test_a_chosen_cell_is_written_out_and_checked(visit) -> None:
    page = visit("", step="scale")
    choose(page, "calculation_0", "cell", {"matrix": "result", "row": 0, "column": 2})
    assert link_of(sound(page))["cell"] == "0.1.0.2"
    assert calculation(page).header["selected"] == {"matrix": "result", "row": 0, "column": 2}
    assert page.caption[0].value.startswith("✓")


def test_a_cell_that_the_step_does_not_have_is_no_cell(visit) -> None:
    page = sound(visit("", step="softmax", cell="7.7.7.7"))
    assert calculation(page).header["selected"] == {"matrix": "result", "row": 0, "column": 0}


def test_the_norm_of_a_sentence_is_written_out_with_its_numbers(visit) -> None:
    page = sound(visit("", mode="sentence", step="norm", cell="0.3.2.5"))
    model = vm.load("english-causal")
    normed = vm.run(model, "The cat sat on the mat").blocks[0].normed_attention[0, 2, 5]
    (line,) = (each for each in panes(page) if "deviation" in each)
    assert any(value == pytest.approx(float(normed), abs=1e-5) for value in exact(line)), line[-600:]
    assert "✓" in line


@pytest.mark.parametrize("name", ["english-causal", "english-masked", "untrained"])
def test_a_sentence_of_ones_own_shows_the_models_own_numbers(visit, name: str) -> None:
    text, layer, head, query = "The dog sees the old man", 1, 2, 3
    page = visit("", mode="sentence", step="softmax", model=name, text=text, layer="1", head="2", query="3")
    model = vm.load(name)
    trace = vm.run(model, text)
    attention = trace.blocks[layer].attention
    q, k, v = (part[0, head].numpy() for part in (attention.q, attention.k, attention.v))
    dots = q[query] @ k.T
    expected = {
        "ids": trace.ids[0].numpy(),
        "positions": trace.embedding[0].numpy(),
        "norm": trace.blocks[layer].normed_attention[0].numpy(),
        "qkv": v,
        "dots": dots,
        "scale": dots / np.sqrt(model.config.d_head),
        "softmax": attention.weights[0, head, query].numpy(),
        "heads": attention.weights[0, head, query].numpy() @ v,
        "out": attention.out[0, query].numpy(),
    }
    for step, numbers in expected.items():
        np.testing.assert_allclose(ends_on(at_step(page, step)).squeeze(), numbers, atol=2e-5, err_msg=step)
    assert (ends_on(at_step(page, "softmax")) == expected["softmax"]).all()
    assert not calculation(page).header["items"][-1]["editable"]


def test_junk_among_the_changes_is_said_once_and_left_out(visit) -> None:
    page = sound(visit("", step="softmax", changes="junk~W_Q-9-9:1~V-0-0:1e99~X-0-0:0.5"))
    assert sum("was not read" in note for note in notes(page)) == 3
    assert link_of(page)["changes"] == "X-0-0:0.5"
    assert notes(page.run()) == []


def test_every_step_has_its_words_and_its_equation(lesson) -> None:
    for step in STEPS:
        at_step(lesson, step)
        assert any(re.fullmatch(r"\*\*.+\.\*\* .+\.", each.value) for each in lesson.markdown), step
        assert len(lesson.latex) == 1


def test_the_question_is_answered_by_the_sentence_on_show(visit) -> None:
    page = sound(visit("", mode="sentence", query="3", step="softmax", layer="1", head="2"))
    page = sound(by_key(page.radio, "predict_the_cat_sat").set_value("grow").run())
    trace = vm.run(vm.load("english-causal"), "The cat sat on the mat").blocks[1].attention
    dots = trace.dots[0, 2, 3, :4]
    divided, plain = (dots / 4).softmax(-1).max(), dots.softmax(-1).max()
    assert any(f"“sat” it is {divided:.3f} with the division and {plain:.3f} without" in m.value for m in page.markdown)


def test_the_edits_of_the_workbench_are_said_not_to_hold(visit) -> None:
    page = sound(visit("", mode="sentence", edits="ablate_0_0"))
    assert any("not in force here" in caption.value for caption in page.caption)
    assert not any("not in force" in caption.value for caption in sound(visit("", mode="sentence")).caption)
