"""Live training as people use it: to the end and back through time, away and back, gone, diverged, own text, kept."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from time import monotonic

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import viz_model as vm
from tests.browser.conftest import OpenPage
from tests.browser.reading import Traffic, becomes, wait_for_link
from tests.browser.serving import ROOT, serving
from tests.browser.watching import no_traceback, painted, settled
from viz_model.training.saved import read_run

VIEW = ".training-view"
FREED = 60.0  # seconds after which a viewer who left holds no worker


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A cluster of the test's own, so that it can see what the app leaves on it; gives the scheduler's address."""
    command = [sys.executable, "-m", "viz_model.training.local_cluster"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert child.stdin is not None
    assert child.stdout is not None
    yield child.stdout.readline().strip()
    child.stdin.close()
    child.wait(30)


@pytest.fixture(scope="module")
def trains(cluster: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app that trains on that cluster."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASS_SCHEDULER", cluster)
        with serving(ROOT / "app.py", tmp_path_factory.mktemp("trains") / "app.log") as address:
            yield address


@pytest.fixture
def live(open_page: OpenPage, trains: str):
    """Opens the training page with these parameters of the link."""

    def go(link: str = "") -> Page:
        page = open_page(f"/live{link and '?v=1&' + link}", at=trains)
        painted(page, VIEW)
        return page

    return go


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def state(page: Page) -> str:
    return page.locator(VIEW).evaluate("root => root.querySelector('[data-part=state]').dataset.state")


def newest_step(page: Page) -> int:
    return int(page.locator(f"{VIEW} [data-part=progress]").get_attribute("aria-valuenow") or 0)


def frames(page: Page) -> int:
    return int(page.locator(VIEW).get_attribute("data-frames") or 0)


def reaches(page: Page, wanted: str) -> None:
    becomes_within(page, lambda: state(page) == wanted, 240, wanted)


def becomes_within(page: Page, holds, seconds: float, what: str) -> None:
    until = monotonic() + seconds
    while not holds():
        assert monotonic() < until, f"waited {seconds:.0f} s for {what}"
        page.wait_for_timeout(100)


def role(page: Page, name: str) -> float:
    """The chosen head's score in a role, as it stands beside its name."""
    found = page.locator(f"{VIEW} [data-part=roles] span", has_text=name)
    return float(found.locator("b").inner_text())


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
    page = live("task=sort&recipe=steps%3D20000")
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


def test_a_viewer_who_closes_the_tab_frees_the_worker(live, cluster: str) -> None:
    from distributed import Client

    page = live("task=sort&recipe=steps%3D20000")
    press(page, "Start")
    becomes_within(page, lambda: state(page) == "running", 60, "the run")
    with Client(cluster, set_as_default=False) as client:

        def held() -> int:
            return sum(client.run(lambda dask_worker: len(dask_worker.state.actors)).values())

        assert held() >= 1
        page.close()
        until = monotonic() + FREED
        while held():
            assert monotonic() < until, "the worker still holds the run"


def test_a_run_that_diverges_says_where_and_why_and_keeps_what_was_before(live) -> None:
    page = live("task=copy")
    press(page, "Diverge on purpose")
    warning = page.get_by_test_id("stAlert").filter(has_text="Step")
    expect(warning).to_contain_text("likely too high", timeout=120_000)
    reaches(page, "failed")
    settled(page)
    assert frames(page) >= 2
    no_traceback(page)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hebrew", "בראשית ברא אלהים את השמים ואת הארץ והארץ היתה תהו ובהו וחשך על פני תהום "),
        ("chinese", "天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬藏閏餘成歲律呂調陽雲騰致雨露結為霜"),
    ],
)
def test_ones_own_text_in_any_script(live, tmp_path: Path, name: str, text: str) -> None:
    page = live()
    file = tmp_path / f"{name}.txt"
    file.write_text(text * 60, encoding="utf-8")
    page.goto(page.url.split("?")[0] + "?v=1&task=own-text&source=yours&recipe=steps%3D60")
    settled(page)
    page.locator("input[type=file]").first.set_input_files(file)
    expect(page.get_by_text(file.name)).to_be_visible()
    settled(page)
    press(page, "Start")
    painted(page, VIEW)
    reaches(page, "done")
    tokens = page.locator(VIEW).evaluate("root => root.view.recording.films[0].queries")
    assert sum(token in text for token in tokens) > 20
    no_traceback(page)


def test_train_save_load_and_open_in_the_workbench(live, tmp_path: Path) -> None:
    page = live("task=copy&recipe=steps%3D60")
    press(page, "Start")
    reaches(page, "done")
    settled(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the run").click()
    kept = tmp_path / "copy.safetensors"
    download.value.save_as(kept)
    saved = read_run(kept.read_bytes())
    assert saved.snapshots[-1].step == 60

    other = live("task=sort")
    load(other, kept)
    becomes(other, lambda: newest_step(other), 60)
    press(other, "Open in the workbench")
    wait_for_link(other, text=saved.task.probe()[0].text)
    painted(other)
    with other.expect_download() as traced:
        other.get_by_role("button", name="Trace (NPZ)").click()
    with np.load(BytesIO(Path(traced.value.path()).read_bytes())) as arrays:
        labels = json.loads(str(arrays["labels"]))
        shown = {name: arrays[name] for name in arrays.files if name != "labels"}
    trace = vm.run(saved.model, labels["text"])
    for i, block in enumerate(trace.blocks):
        weights = next(values for name, values in shown.items() if name.endswith(f"{i}.attention.weights"))
        np.testing.assert_allclose(weights, block.attention.weights.numpy(), atol=1e-6)
    np.testing.assert_allclose(shown["logits"], trace.logits.numpy(), atol=1e-6)


def load(page: Page, file: Path) -> None:
    press(page, "Load")
    page.get_by_test_id("stPopoverBody").locator("input[type=file]").set_input_files(file)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x80\x04\x95 something", "a pickle"),
        (b"\x00" * 5000, "damaged"),
    ],
)
def test_a_bad_file_says_what_it_is_and_the_run_on_show_stays(live, tmp_path: Path, content: bytes, said: str) -> None:
    page = live()
    before = newest_step(page), frames(page)
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(content)
    load(page, bad)
    told = page.get_by_test_id("stAlert").filter(has_text="was not loaded")
    expect(told).to_have_count(2)  # on the page, and where the file was given
    expect(told.last).to_contain_text(said)
    assert (newest_step(page), frames(page)) == before
    no_traceback(page)
