"""Live training opens on what was recorded, with its true numbers, and takes from the link what it says."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from streamlit.config import get_option

from pages.ui import link_table
from tests.pages.live_runs import RECORDED, enabled, labels
from tests.pages.seeing import by_key, link_of, notes, sound, training
from viz_model.checkpoint import BUNDLED
from viz_model.tasks.names import make_task
from viz_model.training.recipe import recipes
from viz_model.training.recipe_words import changed

pytestmark = pytest.mark.usefixtures("nowhere")  # no test starts a cluster but the one that says so


@pytest.mark.parametrize("name", RECORDED)
def test_the_page_opens_on_the_recorded_run_with_its_true_numbers(visit, name: str) -> None:
    page = sound(visit("live", task=name))
    assert notes(page) == []
    payload = training(page)
    with np.load(io.BytesIO((BUNDLED / name / "history.npz").read_bytes())) as arrays:
        rows = payload.arrays.get("row", np.arange(len(arrays["step"])))  # a long curve is thinned
        np.testing.assert_array_equal(payload.arrays["step"], arrays["step"][rows])
        np.testing.assert_array_equal(payload.arrays["loss"], arrays["loss"][rows].astype(np.float32))
        np.testing.assert_array_equal(
            payload.arrays["gradient_norm"][1:], arrays["gradient_norm"][rows][1:].astype("f4")
        )
        np.testing.assert_array_equal(payload.arrays["picture_step"], arrays["step"][arrays["picture_row"]])
        np.testing.assert_array_equal(payload.arrays["accuracy"], arrays["accuracy"])
        kinds = json.loads(arrays["card"].tobytes())["names"]["attention"]
        for i, kind in enumerate(kinds):
            np.testing.assert_array_equal(payload.arrays[f"frames/{kind}"], arrays[f"attention_{i}"])
    header = payload.header
    assert (header["state"], header["total_steps"]) == ("recorded", recipes[name].steps)
    assert (header["rows"], header["first_row"], header["first_picture"]) == (recipes[name].steps + 1, 0, 0)
    probe = make_task(name).probe()[0]
    sides = {"self": (probe.tokens,) * 2, "encoder": (probe.tokens,) * 2}
    sides |= {"decoder": (probe.target_tokens,) * 2, "cross": (probe.target_tokens, probe.tokens)}
    assert [film["kind"] for film in header["films"]] == kinds
    for film in header["films"]:
        assert (film["queries"], film["keys"]) == tuple(map(list, sides[film["kind"]]))
    assert np.isnan(payload.arrays["gradient_norm"][0])  # there was no step yet


@pytest.mark.parametrize(("task", "kind"), [("english-french", "cross"), ("copy", "self")])
def test_the_page_opens_on_the_attention_between_two_texts_where_there_are_two(visit, task: str, kind: str) -> None:
    assert training(sound(visit("live", task=task))).header["selection"]["kind"] == kind


def test_the_page_opens_on_the_attention_that_the_link_names(visit) -> None:
    page = sound(visit("live", task="english-french", film="encoder"))
    assert training(page).header["selection"]["kind"] == "encoder"


def test_the_causal_mask_is_in_the_picture(visit) -> None:
    payload = training(sound(visit("live", task="copy")))
    size = len(payload.header["films"][0]["queries"])
    bits = np.unpackbits(payload.arrays["mask/self"][0])[: size * size].reshape(size, size)
    np.testing.assert_array_equal(bits, np.tri(size))


def test_a_browser_remembers_what_a_busy_server_may_still_refer_to() -> None:
    """At Streamlit's own two runs, four looks a second on a busy server ended the page with "ForwardMsg MISS"."""
    assert get_option("global.maxCachedMessageAge") >= 20


@pytest.mark.parametrize("task", link_table.TASKS)
def test_every_task_opens_and_says_what_it_asks(visit, task: str) -> None:
    page = sound(visit("live", task=task))
    assert notes(page) == []
    assert by_key(page.selectbox, "task").value == task
    assert "start" in enabled(page)
    about = "Windows of a text" if task == "own-text" else make_task(task).about.split(";")[0]
    assert any(about[:20] in each.value.replace("\\", "") for each in page.caption)


def test_a_task_without_a_recorded_run_says_what_to_do(visit) -> None:
    page = sound(visit("live", task="own-text"))
    assert any("Nothing is trained yet: press Start" in each.value for each in page.caption)
    assert not [each for each in page.get("bidi_component") if each.key == "training"]
    assert "open_workbench" not in labels(page)


BAD_VALUES = {
    "task": ("bogus", "The link's task was not read"),
    "film": ("sideways", "The link's film was not read"),
    "source": ("the web", "The link's source was not read"),
    "objective": ("magic", "The link's objective was not read"),
    "tokenizer": ("magic", "The link's tokenizer was not read"),
    "seed": ("-4", "The link's seed was not read"),
    "recipe": ("n_heads=3", "The recipe is as usual: n_heads: expected one that divides d_model 64"),
}


@pytest.mark.parametrize("key", BAD_VALUES)
def test_a_bad_value_gives_one_note_and_the_page_opens(visit, key: str) -> None:
    value, expected = BAD_VALUES[key]
    page = sound(visit("live", **{key: value}))
    assert len(notes(page)) == 1
    assert notes(page)[0].startswith(expected)
    assert training(page).header["run"] == "recorded-induction"
    assert link_of(page) == {}
    assert notes(page.run()) == []


@pytest.mark.parametrize("words", ["colour=red", "n_heads", "n_layers=99", "learning_rate=nan", "task=sort", "x" * 900])
def test_bad_words_of_a_recipe_are_named_and_the_others_hold(visit, words: str) -> None:
    page = sound(visit("live", recipe=f"n_layers=1~{words}~norm_place=post", task="sort"))
    (said,) = notes(page)
    assert said.startswith("The recipe is the usual one but for what fits: ")
    assert "expected" in said
    assert len(said) < 600
    assert recipes["sort"].n_layers != 1
    assert by_key(page.selectbox, "recipe_n_layers").value == 1
    assert link_of(page) == {"v": "1", "task": "sort", "recipe": "n_layers=1~norm_place=post"}
    assert notes(page.run()) == []


def test_words_that_fit_only_together_are_taken_together(visit) -> None:
    page = sound(visit("live", recipe="n_heads=3~d_model=96", task="sort"))
    assert notes(page) == []
    assert by_key(page.selectbox, "recipe_n_heads").value == 3


def test_many_bad_words_are_one_note(visit) -> None:
    (said,) = notes(sound(visit("live", recipe="~".join(f"colour{i}=red" for i in range(40)), task="sort")))
    assert "got 'colour0'" in said
    assert "39 more were left out" in said


def test_the_words_of_a_recipe_set_the_controls(visit, nowhere) -> None:
    words = (
        "n_layers=3~n_heads=1~position=none~norm_place=post~feed_forward=0~optimiser=sgd~learning_rate=0.01~steps=60"
    )
    page = sound(visit("live", task="sort", recipe=words, seed="9"))
    values = {each.key.removeprefix("recipe_"): each.value for each in (*page.selectbox, *page.toggle) if each.key}
    expected = {"n_layers": 3, "n_heads": 1, "position": "none", "norm_place": "post", "feed_forward": False}
    expected |= {"optimiser": "sgd", "learning_rate": 0.01, "steps": 60, "d_model": 64, "batch_size": 64}
    assert {name: values[name] for name in expected} == expected
    assert by_key(page.number_input, "seed").value == 9
    assert any("Not as usual: n_layers=3, n_heads=1" in each.value.replace("\\", "") for each in page.caption)
    assert link_of(page)["recipe"] == words
    by_key(page.button, "start").click().run()
    assert nowhere.started == [(changed(recipes["sort"], words.split("~")), 9, None, None)]


def test_a_control_goes_into_the_link_and_back(visit) -> None:
    page = sound(visit("live", task="sort"))
    by_key(page.selectbox, "recipe_n_heads").set_value(1).run()
    by_key(page.toggle, "recipe_feed_forward").set_value(False).run()
    assert link_of(sound(page)) == {"v": "1", "task": "sort", "recipe": "n_heads=1~feed_forward=0"}
    by_key(page.selectbox, "recipe_n_heads").set_value(recipes["sort"].n_heads).run()
    assert link_of(sound(page))["recipe"] == "feed_forward=0"
    next(each for each in page.button if each.label == "The usual recipe").click().run()
    assert link_of(sound(page)) == {"v": "1", "task": "sort"}
    assert by_key(page.toggle, "recipe_feed_forward").value is True


def test_a_change_that_makes_no_model_is_said_and_not_taken(visit) -> None:
    page = sound(visit("live", task="sort", recipe="d_model=16~n_heads=16"))
    by_key(page.selectbox, "recipe_position").set_value("rotary").run()
    assert notes(sound(page)) == ["The model is as before: rotary positions: expected heads of an even width, got 1."]
    assert by_key(page.selectbox, "recipe_position").value == "learned"


def test_another_task_forgets_the_changes_of_the_one_before(visit) -> None:
    page = sound(visit("live", task="sort", recipe="n_heads=1"))
    by_key(page.selectbox, "task").set_value("copy").run()
    assert link_of(sound(page)) == {"v": "1", "task": "copy"}
    assert training(page).header["run"] == "recorded-copy"


def test_what_is_locked_is_fixed(visit) -> None:
    page = sound(visit("live", lock="task~recipe~training"))
    assert enabled(page) <= {"open_workbench"}
    assert by_key(page.selectbox, "task").disabled
    assert all(each.disabled for each in page.button if str(each.key).startswith("try_"))


def test_the_rate_beside_muon_is_asked_for_where_it_says_something(visit) -> None:
    def keys(**link: str) -> set[str]:
        return {each.key for each in sound(visit("live", **link)).selectbox}

    assert "recipe_adamw_rate" in keys(task="digits")
    assert "recipe_adamw_rate" not in keys(task="copy")
    assert "recipe_adamw_rate" in keys(task="copy", recipe="optimiser=muon")
