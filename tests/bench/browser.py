"""From committing a sentence to the painted picture, beside the rerun of an empty page, in a real Chromium."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.bench.pairing import Pair
from tests.bench.servers import chromium, server
from tests.bench.table import NONE, Bound, Row, missing, tell, why
from viz_model import load

SIZES = (12, 64, 128, 512)
QUICK = (12, 128)
BOUND_TO = 128  # tokens: beyond, the time is shown and nothing was promised
PROBE = Path(__file__).with_name("probe.js")
PATIENCE = 30_000  # milliseconds
SETTLED = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"


@dataclass(frozen=True, slots=True)
class Place:
    """A page that answers a sentence."""

    name: str
    script: str
    path: str
    kind: str  # what probe.js watches
    bound: Bound | None = None


EMPTY = Place("empty page", "tests/bench/apps/empty.py", "", "text")
# The same page with the collector settled as the app does it: nothing is judged by it, but it says what that is worth.
SETTLED_EMPTY = Place("settled empty page", "tests/bench/apps/empty_settled.py", "", "text")
PLACES = (
    Place("attention view alone", "tests/bench/apps/attention_alone.py", "", "picture", Bound(1.2, most=True)),
    Place("whole workbench", "app.py", "workbench", "picture", Bound(2.5, most=True)),
)


def rows(*, quick: bool) -> Iterator[Row]:
    with ExitStack() as stack:
        windows = opened(stack)
        for size in QUICK if quick else SIZES:
            yield from compare(windows, size, turns=5 if quick else 15, seconds=15 if quick else 40)


def opened(stack: ExitStack) -> dict[Place, Window | str]:
    """A window for each page, or the reason why there is none."""
    places = (EMPTY, SETTLED_EMPTY, *PLACES)
    try:
        browser = stack.enter_context(chromium())
    except Exception as error:
        return {place: why(error) for place in places}
    windows: dict[Place, Window | str] = {}
    for place in places:
        tell(f"opening {place.name}")
        try:
            address = stack.enter_context(server(place.script)).address
            windows[place] = Window(browser, place, f"{address}/{place.path}")
        except Exception as error:
            windows[place] = why(error)
    return windows


class Window:
    """One page in a browser window of its own."""

    def __init__(self, browser: Any, place: Place, address: str) -> None:
        self.place = place
        self.page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.add_init_script(path=PROBE)
        self.page.goto(address)
        self.page.wait_for_selector("input[aria-label=Sentence]")
        if place.kind == "picture":
            self.page.wait_for_selector(".attention-view[data-painted]")
        self.rest()

    def time(self, sentence: str) -> float:
        """Milliseconds from the commit of a sentence to the paint of its answer."""
        ask = f"""([sentence, kind]) => Promise.race([
            sentenceToPaint(sentence, kind),
            new Promise((_, fail) => setTimeout(() => fail(new Error("no answer")), {PATIENCE})),
        ])"""
        taken: float = self.page.evaluate(ask, [sentence, self.place.kind])
        self.rest()
        return taken

    def rest(self) -> None:
        """Until the script has ended and what it left to do is done."""
        self.page.wait_for_function(SETTLED)
        time.sleep(0.3)


def compare(windows: dict[Place, Window | str], size: int, *, turns: int, seconds: float) -> Iterator[Row]:
    tell(f"sentence to picture, {size} tokens")
    taken: dict[Place, list[float]] = {place: [] for place in windows}
    broken = {place: found for place, found in windows.items() if isinstance(found, str)}
    sentences = Sentences(size)
    until = time.monotonic() + seconds
    for turn in range(-1, turns):  # the turn before the first warms up
        if turn >= 3 and time.monotonic() > until:
            break
        for place in list(windows) if turn % 2 else reversed(windows):
            window = windows[place]
            if isinstance(window, str) or place in broken:
                continue
            try:
                milliseconds = window.time(sentences.another())
            except Exception as error:
                broken[place] = why(error)
                continue
            if turn >= 0:
                taken[place].append(milliseconds)
    for place in PLACES:
        bound = bound_of(place, size)
        if because := broken.get(place) or broken.get(EMPTY):
            yield missing(name_of(place, size), bound, because)
            continue
        pair = Pair.of(taken[place], taken[EMPTY])
        yield Row(
            name_of(place, size),
            f"{pair.ours:.0f} ms",
            f"{pair.peer:.0f} ms",
            f"{pair.ratio:.2f}",
            *((NONE, NONE) if bound is None else (str(bound), bound.holds(pair.ratio))),
            f"{pair.quartiles}; fastest {min(taken[place]):.0f} / {min(taken[EMPTY]):.0f} ms"
            + settled_note(taken[place], taken[SETTLED_EMPTY]),
        )


class Sentences:
    """Sentences of a number of tokens in words that the bundled model knows; no two alike, so that no cache helps."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.random = random.Random(size)

    @cached_property
    def words(self) -> list[str]:
        tokens = load("english-causal").tokenizer.tokens
        return [token for token in tokens if token.isalpha() and token.islower()]

    @cached_property
    def added(self) -> int:
        """Tokens that the tokenizer adds by itself."""
        return len(load("english-causal").tokenizer.encode(self.words[0])) - 1

    def another(self) -> str:
        return " ".join(self.random.choices(self.words, k=self.size - self.added))


def name_of(place: Place, size: int) -> str:
    return f"sentence to picture, {place.name}, {size} tokens / empty page's rerun"


def settled_note(ours: list[float], settled: list[float]) -> str:
    """How the same times compare with an empty page that collects no garbage."""
    return f"; to a settled empty page {Pair.of(ours, settled).ratio:.2f}" if len(ours) == len(settled) else ""


def bound_of(place: Place, size: int) -> Bound | None:
    return place.bound if size <= BOUND_TO else None
