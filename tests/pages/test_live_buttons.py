"""The buttons of a run are those of its phase, reach it, and lose nothing of it."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import streamlit

from pages.train.parts import experiments, watching
from pages.ui import training as ui
from tests.pages.live_runs import PHASES, RECORDED, SMALL, desk_of, enabled, labels, opened, shown, trained
from tests.pages.seeing import by_key, notes, offered, sound, training
from viz_model.tasks.names import make_task
from viz_model.training.recipe import recipes
from viz_model.training.recipe_words import changed

pytestmark = pytest.mark.usefixtures("nowhere")  # no test starts a cluster but the one that says so


@pytest.mark.parametrize("phase", PHASES)
def test_the_buttons_are_those_of_the_phase(visit, phase: str) -> None:
    page = opened(visit, shown(phase))
    assert enabled(page) == PHASES[phase]
    assert labels(page)["pause"] == ("Go on" if phase in ("paused", "stopped") else "Pause")
    assert by_key(page.select_slider, "rate_factor").disabled == (phase not in ("starting", "running", "paused"))
    assert training(page).header["state"] == phase
    assert training(page).arrays["step"].tolist() == list(range(8))


def test_without_a_run_there_is_nothing_to_hold_or_end(visit) -> None:
    assert enabled(sound(visit("live", task="copy"))) == {"start", "open_workbench"}


def test_without_a_checkpoint_nothing_is_kept_or_opened(visit) -> None:
    page = opened(visit, shown("running", saved=False))
    assert enabled(page) == {"start", "pause", "stop", "reset"}
    assert offered(page)["save_run"] is None


def test_a_stopped_run_at_its_end_does_not_go_on(visit) -> None:
    whole = shown("stopped")
    whole.recipe = replace(SMALL, steps=7)
    assert enabled(opened(visit, whole)) == {"start", "reset", "open_workbench"}


def test_a_run_that_has_shown_nothing_yet_says_that_it_starts(visit) -> None:
    page = opened(visit, shown("starting", steps=-1, saved=False))
    assert any(each.value.startswith("Starting: a worker makes the model") for each in page.caption)


@pytest.mark.parametrize(
    ("waited", "worker", "beside", "fact", "sentence"),
    [
        (3, "", 1, {"a worker": "makes the model"}, "Starting: a worker makes the model"),
        (11, "", 1, {"waits for": "a worker"}, "seconds: no worker is up yet."),
        (42, "a", 4, {"waits for": "3 other runs"}, "seconds: its worker takes turns with 3 other runs"),
        (10, "a", 1, {"waits for": "a busy machine"}, "seconds: a worker has it, and is slow"),
    ],
)
def test_a_run_that_is_long_in_starting_says_why(
    visit, nowhere, monkeypatch, waited: int, worker: str, beside: int, fact: dict[str, str], sentence: str
) -> None:
    late = shown("starting", steps=-1, saved=False)
    late.run.worker = worker  # type: ignore[union-attr]
    monkeypatch.setattr(nowhere, "beside", lambda run: beside)
    page = opened(visit, shown("done"))
    desk_of(page).current, late.began = late, time.monotonic() - waited
    page = sound(page.run())
    (said,) = (each.value for each in page.caption if sentence in each.value)
    assert waited < 10 or waited <= int(said.split()[2]) <= waited + 30  # 'Starting for 42 seconds'
    payload = training(page)  # the picture before it
    assert (payload.header["run"], payload.header["state"], payload.header["status"]) == ("run-1", "starting", fact)


def test_the_buttons_reach_the_run(visit, nowhere) -> None:
    on_show = shown("running")
    page = opened(visit, on_show)
    for key in ("pause", "one_step", "pause", "stop"):
        by_key(sound(page).button, key).click().run()
    assert on_show.run.asked == ["pause", "step", "resume", "stop"]  # type: ignore[union-attr]
    by_key(sound(page).button, "pause").click().run()  # goes on from the checkpoint
    assert nowhere.started == [(SMALL, 4, None, trained()[1])]
    assert [one.step for one in desk_of(page).current.kept] == list(range(8))
    assert sound(page).session_state["desk"].earlier == []


def test_the_learning_rate_is_changed_while_the_run_goes_on(visit) -> None:
    on_show = shown("running")
    page = opened(visit, on_show)
    by_key(page.select_slider, "rate_factor").set_value(10.0).run()
    assert on_show.run.asked == ["rate 10"]  # type: ignore[union-attr]
    assert by_key(sound(page).select_slider, "rate_factor").value == 10.0
    by_key(page.button, "reset").click().run()
    assert by_key(sound(page).select_slider, "rate_factor").value == 1.0


def test_reset_puts_the_run_away_to_compare_with(visit, nowhere) -> None:
    on_show = shown("running")
    page = opened(visit, on_show)
    by_key(page.button, "reset").click().run()
    assert nowhere.forgotten == [on_show.run]
    assert training(sound(page)).header["run"] == "recorded-copy"
    by_key(page.multiselect, "compare").set_value(["copy, for this test"]).run()
    payload = training(sound(page))
    assert [each["name"] for each in payload.header["compare"]] == ["copy, for this test"]
    expected = np.array([one.loss for one in trained()[0]], np.float32)
    np.testing.assert_array_equal(payload.arrays["compare/0/loss"], expected)


def test_while_a_run_starts_the_picture_before_it_stays_and_says_so(visit, nowhere) -> None:
    page = opened(visit, shown("running"))
    by_key(page.button, "start").click().run()
    payload = training(sound(page))
    assert payload.header["state"] == "starting"
    assert (payload.header["run"], payload.arrays["step"].tolist()) == ("run-1", list(range(8)))


def test_steps_that_arrive_during_a_look_wait_for_the_next(visit, monkeypatch) -> None:
    on_show = shown("running")
    page = opened(visit, on_show)
    late = on_show.run.snapshots.pop()  # type: ignore[union-attr]
    pace = ui.Shown.pace

    def slow(of: ui.Shown) -> tuple[float, float]:
        if late not in of.snapshots:
            of.run.snapshots.append(late)  # type: ignore[union-attr]
        return pace(of)

    monkeypatch.setattr(ui.Shown, "pace", slow)
    payload = training(sound(page.run()))
    assert (payload.header["rows"], payload.arrays["step"].tolist()) == (7, list(range(7)))
    assert training(sound(page.run())).arrays["step"].tolist() == list(range(8))


def test_start_puts_the_run_before_away(visit, nowhere) -> None:
    on_show = shown("running")
    page = opened(visit, on_show)
    by_key(page.button, "start").click().run()
    assert nowhere.forgotten == [on_show.run]
    assert nowhere.started == [(recipes["copy"], 0, None, None)]
    assert desk_of(sound(page)).earlier == [on_show]


def test_going_on_twice_before_a_step_loses_nothing(visit, nowhere) -> None:
    seen, state = trained()
    page = opened(visit, ui.Shown("x", SMALL, 4, make_task("copy"), None, None, list(seen), state, "loaded"))
    for _ in range(2):
        by_key(page.button, "pause").click().run()
        by_key(sound(page).button, "stop").click().run()
        assert [one.step for one in sound(page).session_state["desk"].current.snapshots] == list(range(8))
    assert nowhere.started == [(SMALL, 4, None, state)] * 2


@pytest.mark.parametrize("news", ["message", "checkpoint"])
def test_news_between_two_looks_reach_the_page_around_the_picture(visit, monkeypatch, news: str) -> None:
    """Streamlit looks again by itself in a browser only: here the second look is the one of another fragment run."""
    on_show = shown("running", saved=False)
    looks: list[Any] = []
    fragment = streamlit.fragment

    def caught(look: Any, **how: Any) -> Any:
        looks.append(look)
        return fragment(look, **how)

    monkeypatch.setattr(streamlit, "fragment", caught)
    asked: list[str] = []
    opened(visit, on_show)
    monkeypatch.setattr(watching, "pictures", SimpleNamespace(training=lambda *_: None))
    monkeypatch.setattr(watching.st, "rerun", lambda: asked.append("rerun"))
    monkeypatch.setattr(watching, "_payload", lambda *_: b"")
    monkeypatch.setattr(watching.st, "session_state", {})
    looks[-1]()
    assert asked == []
    if news == "message":
        on_show.run.message = "The worker was lost at step 7; the run goes on from step 0 on another."  # type: ignore[union-attr]
    else:
        on_show.run.saved = (7, trained()[1])  # type: ignore[union-attr]
    looks[-1]()
    assert asked == ["rerun"]


@pytest.mark.parametrize(("runs", "seconds"), [(1, 0.25), (2, 0.5), (3, 1.0), (4, 1.0), (15, 4.0)])
def test_the_page_looks_less_often_at_runs_that_take_turns(nowhere, monkeypatch, runs: int, seconds: float) -> None:
    """Eight viewers at four looks a second each left the server no time to send any of them a picture."""
    monkeypatch.setattr(nowhere, "beside", lambda run: runs)
    asked: list[float | None] = []
    monkeypatch.setattr(streamlit, "fragment", lambda look, run_every: asked.append(run_every) or (lambda: None))
    for phase in ("running", "starting", "stopped"):
        monkeypatch.setattr(watching, "on_show", lambda plan, phase=phase: shown(phase))
        watching.show(None)  # type: ignore[arg-type]
    assert asked == [seconds, seconds, None]


def test_a_message_of_the_run_is_shown_as_it_is(visit) -> None:
    on_show = shown("failed")
    on_show.run.message = "Step 7: the loss was nan. A learning rate of 1e+03 is likely too high for this model."  # type: ignore[union-attr]
    (said,) = opened(visit, on_show).warning
    assert said.value.replace("\\", "") == on_show.message


@pytest.mark.parametrize("i", range(len(experiments.TRIES)))
def test_an_experiment_starts_its_recipe_beside_the_usual_one(visit, nowhere, i: int) -> None:
    _, _, task, words = experiments.TRIES[i]
    page = sound(visit("live", task="own-text"))
    by_key(page.button, f"try_{i}").click().run()
    assert notes(sound(page)) == []
    assert nowhere.started == [(changed(recipes[task], words), 0, None, None)]
    assert (page.session_state["task"], tuple(page.session_state["recipe"])) == (task, words)
    if task in RECORDED:
        assert by_key(page.multiselect, "compare").value == [f"{task}, as shipped"]
