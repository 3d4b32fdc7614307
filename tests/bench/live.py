"""Training in front of people: to the first picture, beside a loop that nobody watches, and what others feel of it.

The app and the bench share one local cluster, so that the streamed runs and the headless loop have the same workers.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from statistics import median
from typing import Any

from tests.bench.browser import PATIENCE, PLACES, Sentences, Window
from tests.bench.pairing import Pair
from tests.bench.servers import ROOT, chromium, server
from tests.bench.table import NONE, Bound, Row, missing, tell, why
from tests.bench.viewer import Viewer, Watcher

FIRST = Bound(1.0, most=True, of="ours", unit=" s")
STOPS = Bound(1.0, most=True, of="ours", unit=" s")
STREAMED = Bound(0.9, most=False)
CROWDED = Bound(2.0, most=True)
CROWD = 8
TASK, PAGE = "sort", "live"
QUERY = f"v=1&task={TASK}&recipe=steps%3D20000"
# The view's state and newest step, wherever Streamlit put its shadow root.
SEEN = """root => [root.dataset.frames, Number(root.querySelector("[data-part=progress]").ariaValueNow
    ?? root.querySelector("[data-part=progress]").getAttribute("aria-valuenow")),
    root.querySelector("[data-part=state]").dataset.state]"""


def rows(*, quick: bool) -> Iterator[Row]:
    try:
        with ExitStack() as stack:
            address = stack.enter_context(cluster())
            app = stack.enter_context(server("app.py", GLASS_SCHEDULER=address)).address
            browser = stack.enter_context(chromium())
            page = opened(browser, f"{app}/{PAGE}?{QUERY}")
            yield from starts_and_stops(page, 3 if quick else 9)
            turns = 2 if quick else 6
            yield from streamed(OnScreen(page), address, turns, "a page in a browser on the same cores", None)
            page.context.close()
            with Viewer(app, PAGE, QUERY) as viewer:
                yield from streamed(viewer, address, turns, "a page", STREAMED)
            yield from crowded(browser, app, 5 if quick else 15)
    except Exception as error:
        yield missing("live training", None, why(error))


@contextmanager
def cluster() -> Iterator[str]:
    """The local cluster as the app starts it; gives the scheduler's address."""
    child = subprocess.Popen(
        [sys.executable, "-m", "viz_model.training.local_cluster"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert child.stdout is not None
    assert child.stdin is not None
    try:
        yield child.stdout.readline().strip()
    finally:
        child.stdin.close()
        child.wait(20)


def opened(browser: Any, address: str) -> Any:
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.wait_for_selector(".training-view[data-painted]")
    page.wait_for_timeout(1500)
    return page


def seen(page: Any) -> tuple[int, int, str]:
    """Pictures that the view holds, its newest step, its state."""
    frames, step, state = page.locator(".training-view").evaluate(SEEN)
    return int(frames or 0), int(step or 0), str(state)


def press(page: Any, name: str) -> float:
    """Presses a button; gives the time of the press."""
    button = page.get_by_role("button", name=name, exact=True)
    button.wait_for()
    pressed = time.monotonic()
    button.click()
    return pressed


def until(page: Any, want: Any) -> float:
    """Seconds on the clock when the view is as wanted."""
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end:
        if want(*seen(page)):
            return time.monotonic()
        time.sleep(0.01)
    raise TimeoutError(f"the view stayed at {seen(page)}")


def running(frames: int, step: int, state: str) -> bool:
    return state == "running" and frames >= 1 and step >= 1


class OnScreen:
    """The live page in a browser, as `Watcher` has it."""

    def __init__(self, page: Any) -> None:
        self.page = page

    @property
    def newest(self) -> tuple[int, str]:
        return seen(self.page)[1:]

    def press(self, button: str) -> float:
        return press(self.page, button)

    def until(self, want: Callable[[int, str], bool]) -> float:
        return until(self.page, lambda _frames, step, state: want(step, state))


def starts_and_stops(page: Any, turns: int) -> Iterator[Row]:
    tell("start and stop")
    first, stop = [], []
    for turn in range(-1, turns):  # the first warms the worker
        began = press(page, "Start")
        seconds = until(page, running) - began
        time.sleep(1.0)
        began = press(page, "Stop")
        stopped = until(page, lambda _frames, _step, state: state == "stopped") - began
        if turn >= 0:
            first.append(seconds)
            stop.append(stopped)
    for what, taken, bound in (
        ("Start to first curve point and picture", first, FIRST),
        ("Stop to stopped", stop, STOPS),
    ):
        yield Row(
            f"{what}, in the page",
            f"{median(taken):.2f} s",
            bound=str(bound),
            holds=bound.holds(median(taken)),
            note=f"{min(taken):.2f} to {max(taken):.2f} s",
        )


def steps_in(seconds: float) -> float:
    """Steps a second of the same run with nobody watching: in a worker, called as one piece."""
    from viz_model.tasks.names import make_task
    from viz_model.training.recipe import recipes
    from viz_model.training.recipe_words import changed
    from viz_model.training.trainer import Trainer

    trainer = Trainer(changed(recipes[TASK], ("steps=20000",)), make_task(TASK))
    trainer.advance()
    began = time.monotonic()
    while time.monotonic() < began + seconds:
        trainer.advance()
    return (trainer.step - 1) / (time.monotonic() - began)


def streamed(watcher: Watcher, address: str, turns: int, what: str, bound: Bound | None) -> Iterator[Row]:
    from distributed import Client

    tell(f"streamed to {what}, beside headless")
    ours, peer, seconds = [], [], 6.0
    with Client(address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        for _ in range(turns):
            peer.append(client.submit(steps_in, seconds, pure=False).result())
            watcher.press("Start")
            watcher.until(lambda step, state: state == "running" and step >= 1)
            ours.append(rate(watcher, seconds))
            watcher.press("Stop")
            watcher.until(lambda _step, state: state == "stopped")
    pair = Pair.of(ours, peer)
    yield Row(
        f"training streamed to {what} / the same loop in a worker, steps a second",
        f"{pair.ours:.0f}/s",
        f"{pair.peer:.0f}/s",
        f"{pair.ratio:.2f}",
        *((NONE, NONE) if bound is None else (str(bound), bound.holds(pair.ratio))),
        f"{pair.quartiles}; wall time, {TASK}",
    )


def rate(watcher: Watcher, seconds: float) -> float:
    """Steps a second as the page sees them, from one change of its newest step to another."""
    points: list[tuple[float, int]] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        step = watcher.newest[0]
        if not points or step != points[-1][1]:
            points.append((time.monotonic(), step))
        time.sleep(0.01)
    (began, first), (ended, last) = points[1], points[-1]
    return (last - first) / (ended - began)


def crowded(browser: Any, app: str, turns: int) -> Iterator[Row]:
    what = f"sentence to picture in the workbench, 12 tokens, while {CROWD} sessions train / while none does"
    tell(what)
    place = PLACES[-1]
    window, sentences = Window(browser, place, f"{app}/{place.path}"), Sentences(12)

    def measured() -> list[float]:
        return [window.time(sentences.another()) for _ in range(turns + 1)][1:]

    with ExitStack() as stack:
        crowd = [stack.enter_context(Viewer(app, PAGE, QUERY)) for _ in range(CROWD)]
        for viewer in crowd:
            viewer.until(lambda _step, state: state != "")
        idle = measured()
        for viewer in crowd:
            viewer.press("Start")
        for viewer in crowd:
            viewer.until(lambda step, state: state == "running" and step >= 1)
        busy = measured()
        trained = [viewer.newest[0] for viewer in crowd]
        for viewer in crowd:
            viewer.press("Stop")
        for viewer in crowd:
            viewer.until(lambda _step, state: state == "stopped")
        idle += measured()
    ratio = median(busy) / median(idle)
    yield Row(
        what,
        f"{median(busy):.0f} ms",
        f"{median(idle):.0f} ms",
        f"{ratio:.2f}",
        str(CROWDED),
        CROWDED.holds(ratio),
        f"wall time; the {CROWD} reached steps {min(trained)} to {max(trained)} meanwhile",
    )
