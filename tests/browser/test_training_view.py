"""The training view in a real Chromium: fed with deltas, what it writes, and what it tells the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.apps.training_cases import FILM, STEPS, TRACK, cut, film_of, part, shown, track_of, whole
from tests.browser.mounting import ROOT, Mounted

Mount = Callable[..., Mounted]


@pytest.fixture
def mount(new_page: Callable[..., Page], tmp_path: Path) -> Mount:
    return lambda **options: Mounted(new_page, tmp_path, **options)


def test_deltas_with_overlaps_become_the_whole_run(mount: Mount) -> None:
    view = mount()
    for payload in (part(0, 12), part(8, 20), part(20, 31)):
        view.feed(payload)
    assert view.told == []
    assert view.data("frames") == "12"
    assert view.view("view.recording.rows.step") == list(range(31))
    assert np.array_equal(np.float32(view.view("view.recording.rows.loss")), TRACK.loss)
    frames = np.array(view.view("view.recording.films[0].frames.map((frame) => [...frame])"))
    assert np.array_equal(frames.reshape(FILM.frames.shape), FILM.frames)
    roles = np.array(view.view("view.recording.roles[1].values.map((values) => [...values])"))
    assert np.array_equal(np.float32(roles.reshape(12, 2, 3)), TRACK.roles["the token before"])


def test_a_gap_asks_once_for_what_is_missing_and_the_whole_heals_it(mount: Mount) -> None:
    view = mount()
    view.feed(part(0, 12))
    view.feed(part(20, 25))
    view.feed(part(22, 31))
    assert view.told == [["missing", {"run": "run"}]]
    assert view.data("frames") == str((TRACK.picture_step < 12).sum())
    view.feed(whole(state="running"))
    assert view.data("frames") == "12"
    view.feed(part(8, 20, run="another"))
    assert view.told[1:] == [["missing", {"run": "another"}]]
    assert view.data("frames") == "12"


def test_a_film_that_begins_in_the_middle_is_asked_for_too(mount: Mount) -> None:
    view = mount()
    view.feed(whole(cut(TRACK, 0, 12), [], state="running"))
    expect(view.page.locator("[data-part=picture]")).to_be_hidden()
    view.feed(part(8, 20))
    assert view.told == [["missing", {"run": "run"}]]
    view.feed(part(0, 20))
    assert view.weight(3, 0) == shown(FILM.frames[8, 0, 0, 3, 0])


def test_accuracy_is_100_only_where_nothing_is_wrong(mount: Mount) -> None:
    view = mount()
    for share, words in ((0.9996, "99.9 %"), (1, "100 %"), (0.034, "3.4 %"), (0.5, "50 %"), (0, "0 %")):
        view.feed(whole(replace(TRACK, accuracy=np.full(12, share, np.float32))))
        assert words in view.text("facts").split("\n")


def test_a_new_run_replaces_the_old_one(mount: Mount) -> None:
    view = mount()
    view.feed(whole())
    view.page.focus("[data-part=slider]")
    view.page.keyboard.press("Home")
    other = track_of(9, 4)
    view.feed(whole(other, [film_of(other)], run="second"))
    assert (view.data("frames"), view.step) == ("4", 8)
    assert view.view("view.recording.rows.step.length") == 9


def test_the_status_line_says_where_the_run_stands(mount: Mount) -> None:
    view = mount()
    view.feed(part(0, 12, status={"time left": "3 s", "tokens a second": "<b>1</b>"}))
    facts = view.text("facts").split("\n")
    pairs = dict(zip(facts[::2], facts[1::2], strict=True))
    assert view.text("state") == "running"
    assert pairs["step"] == "11 / 30"
    assert float(pairs["loss"]) == pytest.approx(TRACK.loss[11], rel=5e-3)
    assert float(pairs["gradient norm"]) == pytest.approx(TRACK.gradient_norm[11], rel=5e-3)
    assert (pairs["time left"], pairs["tokens a second"]) == ("3 s", "<b>1</b>")
    assert view.page.locator("[data-part=progress]").get_attribute("aria-valuenow") == "11"
    view.feed(part(0, 12, state="stopped"))
    expect(view.page.locator("[data-part=state]")).to_have_text("stopped at step 11")


def test_the_table_lists_every_picture(mount: Mount) -> None:
    view = mount()
    view.feed(part(0, 20))
    view.page.click("[data-part=as-table]")
    rows = [row.split("\t") for row in view.page.locator("[data-part=table] tr").all_inner_texts()]
    assert rows[0] == ["step", "loss", "accuracy", "best head: meant", "best head: the token before"]
    count = int((TRACK.picture_step < 20).sum())
    assert len(rows) == 1 + count
    for i, row in enumerate(rows[1:]):
        assert int(row[0]) == STEPS[i]
        assert float(row[1]) == pytest.approx(TRACK.loss[STEPS[i]], rel=5e-3)
        assert float(row[2].removesuffix(" %")) == pytest.approx(100 * TRACK.accuracy[i], abs=0.51)
        for text, scores in zip(row[3:], TRACK.roles.values(), strict=True):
            layer, head = np.unravel_index(scores[i].argmax(), scores[i].shape)
            assert text == f"L{layer} H{head} {scores[i].max():.2f}"
    view.feed(part(18, 31))
    expect(view.page.locator("[data-part=table] tr")).to_have_count(13)


def test_choosing_a_head_tells_the_page_when_it_rests_and_an_old_answer_does_not_undo_it(mount: Mount) -> None:
    view = mount()
    cross = replace(film_of(TRACK, queries=2, keys=6), kind="cross")
    view.feed(whole(films=[FILM, cross]))
    view.page.mouse.move(*view.cell(1, 1))
    view.page.focus("[data-part=grid]")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        view.page.keyboard.press(key)
    expect(view.page.locator("[data-part=name]")).to_have_text("Layer 1 · Head 2")
    assert view.weight(2, 0) == shown(FILM.frames[-1, 1, 2, 2, 0])
    view.page.wait_for_function("told.length > 0")
    assert view.told == [["look", {"kind": "self", "layer": 1, "head": 2}]]
    view.page.click("[data-choice=cross]")
    assert view.weight(1, 5) == shown(cross.frames[-1, 1, 2, 1, 5])
    view.feed(whole(films=[FILM, cross], layer=1, head=2, status={"an": "answer"}))
    expect(view.page.locator("[data-choice=cross]")).to_have_attribute("aria-pressed", "true")
    view.page.wait_for_function("told.length > 1")
    assert view.told[1] == ["look", {"kind": "cross", "layer": 1, "head": 2}]


def test_a_delta_without_a_picture_changes_no_choice(mount: Mount) -> None:
    view = mount()
    view.feed(part(0, 13, layer=1, head=2))
    view.feed(whole(cut(TRACK, 13, 14), [], state="running", first_row=13, first_picture=7, layer=1, head=2))
    assert view.view("[view.selection.kind, view.selection.layer, view.selection.head]") == ["self", 1, 2]
    assert view.data("frames") == "7"
    view.feed(part(10, 20, layer=0, head=1))
    expect(view.page.locator("[data-part=name]")).to_have_text("Layer 0 · Head 1")


LONG = "a token that goes on and on until nobody would read it"
CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "compared": {"compare": [track_of(20, 5, name="a run of another name, seed 1")]},
    "long words": {
        "films": [replace(FILM, queries=[LONG] * 4, right={LONG: FILM.right["meant"], "two": FILM.right["meant"]})]
    },
    "cross": {"films": [FILM, replace(film_of(TRACK, queries=7, keys=96), kind="cross")], "kind": "cross"},
    "large": {"films": [film_of(TRACK, queries=96, keys=96, layers=3, heads=4)], "status": {"time left": "1 minute"}},
    "no film": {"films": []},
    "one head": {"films": [film_of(TRACK, layers=1, heads=1)]},
}


@pytest.mark.parametrize("width", [360, 1024])
def test_nothing_is_wider_than_the_window(mount: Mount, width: int) -> None:
    view = mount(width=width)
    for case, options in CASES.items():
        view.feed(whole(run=case, **options))
        assert view.page.evaluate("document.documentElement.scrollWidth") <= width, case
        for name in (ROOT, "[data-part=curves]", "[data-part=picture]", "[data-part=timebar]"):
            inside, outside = view.page.locator(name).evaluate("node => [node.scrollWidth, node.clientWidth]")
            assert inside <= outside, (case, name)


def test_young_and_broken_runs_are_drawn(mount: Mount) -> None:
    view = mount()
    view.feed(part(0, 1, state="starting"))
    assert (view.text("state"), view.data("frames"), view.step) == ("starting …", "1", 0)
    assert view.page.locator("[data-part=play]").is_disabled()
    numbers = ("step", "loss", "gradient_norm", "learning_rate", "picture_step", "accuracy")
    none = replace(TRACK, **{name: getattr(TRACK, name)[:0] for name in numbers}, roles={})
    view.feed(whole(none, [replace(FILM, frames=FILM.frames[:0])], run="empty", state="starting"))
    assert view.data("frames") == "0"
    expect(view.page.locator("[data-part=empty]")).to_be_visible()
    view.feed(part(0, 12, run="empty"))
    expect(view.page.locator("[data-part=film]")).to_be_visible()
    failed = track_of(4, 3)
    failed.loss[3], failed.gradient_norm[3] = np.nan, np.inf
    view.feed(whole(failed, [film_of(failed)], run="failed", state="failed"))
    assert view.text("state") == "ended at step 3"
    assert "not a number" in view.text("facts")
    assert "infinity" in view.text("facts")
