"""The harness of the browser tests: servers, a Chromium, and windows in which nothing may go wrong unseen.

A test takes `open_page` and gets a visitor of its own for every call; or `page`, one that has opened nothing yet.
`painted`, `settled` and `no_traceback` are in watching.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

from tests.browser.serving import CHROMIUM_ARGUMENTS, ROOT, chromium, serving, tail
from tests.browser.training import cluster, live, trains  # noqa: F401
from tests.browser.watching import Watch, settled

SCREENSHOTS = ROOT / "build" / "screenshots"
PATIENCE = 30_000  # milliseconds: two busy cores are slow, and a wait that is over costs nothing
expect.set_options(timeout=PATIENCE)

Serve = Callable[[str], str]
OpenPage = Callable[..., Page]
Screenshot = Callable[..., Path]

_windows = pytest.StashKey[list[Page]]()
_logs = pytest.StashKey[list[Path]]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Puts beside a failure what the servers said, and pictures of the windows."""
    report = yield
    if report.failed:
        for number, page in enumerate(item.stash.get(_windows, [])):
            name = re.sub(r"[^\w.-]+", "-", item.name)
            with suppress(Error):
                report.sections.append(("window", str(_picture(page, f"failed-{name}-{number}"))))
        for log in item.session.stash.get(_logs, []):
            report.sections.append((log.name, tail(log)))
    return report


@pytest.fixture(scope="session")
def serve(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Starts the app of a file (a path in the repository), once however often it is asked for; gives the address."""
    folder = tmp_path_factory.mktemp("servers")
    addresses: dict[str, str] = {}
    with ExitStack() as stack:

        def start(script: str) -> str:
            if script not in addresses:
                log = folder / f"{Path(script).stem}.log"
                request.session.stash.setdefault(_logs, []).append(log)
                addresses[script] = stack.enter_context(serving(ROOT / script, log))
            return addresses[script]

        yield start


@pytest.fixture(scope="session")
def app(serve: Serve) -> str:
    """The address of the app itself."""
    return serve("app.py")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium for the tests of one file, so that a crash takes no other file with it."""
    with sync_playwright() as playwright:
        instance = playwright.chromium.launch(executable_path=chromium(), args=list(CHROMIUM_ARGUMENTS))
        yield instance
        instance.close()


@pytest.fixture
def new_page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[OpenPage]:
    """Opens an empty window of a new visitor: nothing kept, motion reduced. At the end nothing may have gone wrong.

    width, height, scheme ('light' or 'dark'), and whatever else a browser context takes. forgive: a pattern of the
    console errors that this test is about.
    """
    watches: list[Watch] = []
    windows = request.node.stash.setdefault(_windows, [])

    def make(*, width: int = 1400, height: int = 900, scheme: str = "light", forgive: str = "", **options: Any) -> Page:
        options = {"reduced_motion": "reduce", "color_scheme": scheme, **options}
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(PATIENCE)
        watches.append(Watch(context, forgive))
        windows.append(context.new_page())
        return windows[-1]

    yield make
    for page in windows:
        page.context.close()
    faults = [fault for watch in watches for fault in watch.faults]
    assert not faults, "\n".join(faults)


@pytest.fixture
def page(new_page: OpenPage, app: str) -> Page:
    """A window that has opened nothing yet; `page.goto('/workbench')` is an address of the app."""
    return new_page(base_url=app)


@pytest.fixture
def open_page(new_page: OpenPage, app: str) -> OpenPage:
    """Opens a path of the app (or of the server `at`) as a new visitor and waits for its script's end."""

    def go(path: str = "/", *, at: str | None = None, **options: Any) -> Page:
        page = new_page(base_url=at or app, **options)
        page.goto(path)
        settled(page)
        return page

    return go


@pytest.fixture
def screenshot() -> Screenshot:
    """Keeps a picture of a window in build/screenshots, for people to look at."""
    return _picture


def _picture(page: Page, name: str, *, full_page: bool = True) -> Path:
    path = SCREENSHOTS / f"{name}.png"
    page.screenshot(path=path, full_page=full_page, timeout=10_000)
    return path
