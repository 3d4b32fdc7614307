"""The live page on a cluster of the tests' own: what every journey through training does and looks at."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from time import monotonic

import pytest
from playwright.sync_api import Page

from tests.browser.serving import ROOT, serving
from tests.browser.watching import painted

VIEW = ".training-view"


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
def live(open_page, trains: str):
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
