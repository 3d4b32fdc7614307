"""Live training as people use it: to the end and back through time, away and back, two tabs, gone, diverged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from playwright.sync_api import expect

import viz_model as vm
from tests.browser.reading import Traffic, becomes
from tests.browser.training import VIEW, becomes_within, frames, newest_step, press, reaches, role, state
from tests.browser.watching import no_traceback, painted, settled

FREED = 60.0  # seconds after which a viewer who left holds no worker
LONG = "task=sort&recipe=steps%3D20000"


@contextmanager
def held_by(cluster: str) -> Iterator[Callable[[], int]]:
    """How many runs the workers hold."""
    from distributed import Client

    with Client(cluster, set_as_default=False) as client:
        yield lambda: sum(client.run(lambda dask_worker: len(dask_worker.state.actors)).values())


def test_induction_is_trained_to_its_end_and_the_head_is_seen_to_appear(live) -> None:
    page = live("task=induction&seed=1&layer=1")
    press(page, "Start")
    becomes_within(page, lambda: state(page) == "running", 60, "the first picture")
    reaches(page, "done")
    settled(page)
    assert newest_step(page) == vm.recipes["induction"].steps
    held = frames(page)
    assert held > 100
    at_end = role(page, "the letter that came next last time")
    assert at_end > 0.6
    traffic = Traffic(page)
    slider = page.locator(f"{VIEW} [data-part=slider]")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.locator(f"{VIEW}[data-step='0']")).to_have_count(1)
    assert role(page, "the letter that came next last time") < 0.2
    scores = []
    for _ in range(held - 1):
        page.keyboard.press("ArrowRight")
        scores.append(role(page, "the letter that came next last time"))
    assert scores[-1] == at_end
    born = next(i for i, score in enumerate(scores) if score > 0.5)
    assert max(scores[: born // 2]) < 0.25, "the head is not there from the beginning"
    assert traffic.sent == 0, "no trip to the server for a frame"
    no_traceback(page)


def test_the_run_goes_on_while_another_page_is_open(live) -> None:
    page = live(LONG)
    press(page, "Start")
    becomes_within(page, lambda: state(page) == "running" and newest_step(page) > 3, 90, "some steps")
    left_at = newest_step(page)
    page.get_by_role("link", name="Workbench").click()
    painted(page)
    page.wait_for_timeout(2500)
    page.get_by_role("link", name="Live training").click()
    painted(page, VIEW)
    becomes_within(page, lambda: newest_step(page) > left_at + 5, 30, "a later step than the one we left at")
    assert state(page) == "running"
    press(page, "Pause")
    reaches(page, "paused")
    page.wait_for_timeout(700)
    at = newest_step(page)
    press(page, "Step")
    becomes(page, lambda: newest_step(page), at + 1)
    press(page, "Stop")
    reaches(page, "stopped")


def test_of_two_tabs_one_closes_and_the_other_goes_on(live, cluster: str) -> None:
    with held_by(cluster) as held:
        until = monotonic() + FREED
        while held():  # those of other journeys
            assert monotonic() < until
        one = live(LONG)
        other = one.context.new_page()
        other.goto(one.url)
        painted(other, VIEW)
        for page in (one, other):
            press(page, "Start")
        for page in (one, other):
            becomes_within(page, lambda page=page: state(page) == "running" and newest_step(page) > 2, 90, "both runs")
        assert held() == 2
        one.close()
        until = monotonic() + FREED
        while held() > 1:
            assert monotonic() < until, "the worker still holds the run of the closed tab"
        at = newest_step(other)
        becomes_within(other, lambda: newest_step(other) > at + 5, 30, "later steps of the tab that stayed")
        assert (state(other), held()) == ("running", 1)
        other.close()
        until = monotonic() + FREED
        while held():
            assert monotonic() < until, "the worker still holds the run of the last tab"


def test_a_run_that_diverges_says_where_and_why_and_keeps_what_was_before(live) -> None:
    page = live("task=copy")
    press(page, "Diverge on purpose")
    warning = page.get_by_test_id("stAlert").filter(has_text="Step")
    expect(warning).to_contain_text("likely too high", timeout=120_000)
    reaches(page, "failed")
    settled(page)
    assert frames(page) >= 2
    no_traceback(page)
