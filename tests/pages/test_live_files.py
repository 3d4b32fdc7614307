"""Runs as files and in the workbench: a bad file loses nothing, a good one goes on."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from streamlit.testing.v1 import AppTest

import viz_model as vm
from pages.ui import training as ui
from tests.pages.live_runs import PHASES, SMALL, FakeRun, desk_of, enabled, labels, opened, shown, trained
from tests.pages.seeing import attention, by_key, component, link_of, notes, offered, sound, training
from viz_model.tasks.names import make_task
from viz_model.training.recipe import recipes
from viz_model.training.recipe_words import changed, words_for
from viz_model.training.runner import Runner
from viz_model.training.saved import LARGEST, read_run, write_run
from viz_model.training.state import save_run
from viz_model.training.trainer import Trainer

pytestmark = pytest.mark.usefixtures("nowhere")  # no test starts a cluster but the one that says so


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("data.pkl", b"x")
    return out.getvalue()


def good_file() -> bytes:
    seen, state = trained()
    return write_run(state, seen)


def without_numbers() -> bytes:
    """The good file, all weights not a number."""
    data = good_file()
    length = int.from_bytes(data[:8], "little")
    tensors = {k: v.fill_(float("nan")) if k.startswith("model.") else v for k, v in load_tensors(data).items()}
    return save_tensors(tensors, json.loads(data[8 : 8 + length])["__metadata__"])


BAD_FILES = {
    "empty": (b"", "got an empty file"),
    "zip": (zipped(), "got a zip archive"),
    "pickle": (b"\x80\x04K\x01.", "got a pickle"),
    "text": (b"this is no run", "got another or a damaged file"),
    "cut in half": (good_file()[: len(good_file()) // 2], "got another or a damaged file"),
    "not a number": (without_numbers(), "numbers that are not finite"),
    "cut short": (good_file()[:-100], "got another or a damaged file"),
}


def load(page: AppTest, name: str, data: bytes) -> AppTest:
    return by_key(page.file_uploader, "run_file").set_value((name, data, "application/octet-stream")).run()


@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_bad_file_is_named_and_the_run_on_show_stays_as_it_was(visit, nowhere, kind: str) -> None:
    data, expected = BAD_FILES[kind]
    on_show = shown("running")
    page = opened(visit, on_show)
    before = training(page)
    load(page, "mine.safetensors", data)
    (said,) = notes(sound(page))
    assert said.startswith("mine.safetensors was not loaded: ")
    assert expected in said
    (beside,) = page.warning  # at the file itself: the note at the top may be out of sight
    assert beside.value.replace("\\", "") == said
    assert (desk_of(page).current, desk_of(page).earlier, on_show.run.asked) == (on_show, [], [])  # type: ignore[union-attr]
    after = training(page)
    assert after.header["run"] == before.header["run"]
    assert all(np.array_equal(after.arrays[name], before.arrays[name], equal_nan=True) for name in before.arrays)
    assert enabled(page) == PHASES["running"]


def test_a_field_takes_files_as_large_as_it_says(visit) -> None:
    page = opened(visit, None, task="own-text", source="yours")
    sizes = {str(each.proto.id).rsplit("-", 1)[-1]: each.proto.max_upload_size_mb for each in page.file_uploader}
    assert sizes == {"own_file": 2, "run_file": LARGEST // 1_000_000}


def test_a_run_that_cannot_be_saved_says_why(visit) -> None:
    young = shown("running", saved=False)
    for on_show, why in ((None, "This run came with the app"), (young, "There is no checkpoint yet")):
        page = opened(visit, on_show)
        assert offered(page)["save_run"] is None
        told = json.loads(component(page, "save_run").json)
        assert told["about"].startswith(why)
        assert told["address"] == ""


def test_a_loaded_run_is_shown_can_go_on_and_be_saved_again(visit, nowhere) -> None:
    page = load(opened(visit, shown("running"), task="sort"), "mine.safetensors", good_file())
    assert notes(sound(page)) == []
    payload, (seen, _) = training(page), trained()
    assert (payload.header["name"], payload.header["state"]) == ("mine (loaded)", "loaded")
    np.testing.assert_array_equal(payload.arrays["loss"], np.array([one.loss for one in seen], np.float32))
    assert page.session_state["task"] == "copy"
    assert [each.name for each in desk_of(page).earlier] == ["copy, for this test"]
    assert enabled(page) == {"start", "pause", "reset", "open_workbench", "usual_recipe"}
    assert "n_heads=2" in page.session_state["recipe"]
    assert page.session_state["seed"] == 4
    assert labels(page)["pause"] == "Go on"
    by_key(page.button, "pause").click().run()
    ((recipe, seed, task, sent),) = nowhere.started
    assert (recipe, seed, task) == (SMALL, 4, None)
    assert sent == desk_of(sound(page)).current.state
    assert read_run(sent).snapshots[-1].step == 7


@pytest.mark.parametrize("seed", [-3, 2**40])
def test_a_loaded_run_of_a_seed_that_the_page_does_not_have(visit, seed: int) -> None:
    trainer = Trainer(SMALL, make_task("copy"), seed=seed)
    seen = [trainer.look(), trainer.advance()]
    page = load(opened(visit, None), "mine.safetensors", write_run(save_run(trainer), seen))
    assert notes(sound(page)) == []
    assert training(page).header["state"] == "loaded"
    assert (desk_of(page).current.seed, by_key(page.number_input, "seed").value) == (seed, 0)


def test_a_loaded_run_that_diverged_says_why_and_does_not_go_on(visit) -> None:
    wild = replace(SMALL, optimiser="sgd", learning_rate=1000.0, warm_up=0, clip=1000.0, steps=200)
    trainer = Trainer(wild, make_task("copy"))
    seen = [trainer.look()]
    while not trainer.done:
        seen.append(trainer.advance())
    page = load(sound(visit("live", task="copy")), "wild.safetensors", write_run(save_run(trainer), seen))
    assert training(sound(page)).header["state"] == "failed"
    assert [each.value.replace("\\", "") for each in page.warning] == [seen[-1].stopped]
    assert "pause" not in enabled(page)


def test_a_recorded_run_opens_its_model_in_the_workbench(visit) -> None:
    page = sound(visit("live", task="copy"))
    by_key(page.button, "open_workbench").click().run()
    assert [each.value for each in sound(page).title] == ["Workbench"]
    assert by_key(page.selectbox, "model").value == "copy"
    assert notes(page) == []


def test_a_model_that_the_workbench_cannot_read_is_not_offered_to_it(visit) -> None:
    task = make_task("digits")
    recipe = replace(recipes["digits"], d_model=16, d_ff=16, optimiser="adamw")
    trainer = Trainer(recipe, task)
    run = FakeRun("done", [trainer.look(), trainer.advance()], (1, save_run(trainer)))
    page = opened(visit, ui.Shown("digits", recipe, 0, task, None, run, origin="live", id="d"), task="digits")  # type: ignore[arg-type]
    button = by_key(page.button, "open_workbench")
    assert button.disabled
    assert "reads one stack of tokens" in button.help
    assert training(page).header["films"][0]["layers"] == recipe.n_layers


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Runner]:
    runner = Runner(workers=1)
    monkeypatch.setattr(ui, "runner", lambda: runner)
    from pages.train.parts import watching

    monkeypatch.setattr(watching, "runner", lambda: runner)
    yield runner
    runner.close()


def test_a_run_from_start_to_the_workbench(visit, cluster) -> None:
    words = "d_model=16~n_layers=1~n_heads=2~steps=20"
    page = sound(visit("live", task="copy", recipe=words, seed="5"))
    by_key(page.button, "start").click().run()
    run = desk_of(sound(page)).current.run
    ends = time.monotonic() + 120
    while run.alive or run.thread.is_alive():
        assert time.monotonic() < ends, (run.state, run.message)
        time.sleep(0.2)
    assert (run.state, run.message) == ("done", "")
    payload = training(sound(page.run()))
    assert payload.header["state"] == "done"
    assert payload.header["name"] == "copy, d_model=16, n_layers=1, n_heads=2, steps=20, seed 5"
    recipe = changed(recipes["copy"], words.split("~"))
    alone = Trainer(recipe, make_task("copy"), seed=5)
    expected = [alone.look().loss, *(alone.advance().loss for _ in range(20))]
    assert payload.arrays["loss"] == pytest.approx(np.array(expected, np.float32), rel=1e-4)

    file = offered(page)["save_run"]
    assert file is not None
    made = file.make()
    assert isinstance(made, bytes)
    saved = read_run(made)
    assert (saved.recipe, saved.seed, saved.snapshots[-1].step) == (recipe, 5, 20)
    assert words_for(saved.recipe, recipes["copy"]) == tuple(words.split("~"))

    by_key(page.button, "open_workbench").click().run()
    assert [each.value for each in sound(page).title] == ["Workbench"]
    name = page.session_state["model"]
    assert name.startswith("trained-")
    text = make_task("copy").probe()[0].text
    assert by_key(page.text_input, "text").value == text
    mine = vm.run(saved.model, text)
    for layer, head in ((0, 0), (0, 1)):
        weights = attention(page).arrays[f"weights/{layer}/{head}"]
        assert np.abs(weights - mine.blocks[layer].attention.weights[0, head].numpy()).max() < 1e-6
    from pages.ui import runs

    found = runs.run(name, text).trace
    assert torch.allclose(found.logits, mine.logits, rtol=0, atol=1e-6)
    other = sound(visit("workbench", **link_of(page)))
    assert component(other, "attention").bytes == component(page, "attention").bytes
