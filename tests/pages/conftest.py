"""Visits a page without a browser: the whole router runs, as for a visitor who follows a link."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from tests.pages.live_runs import FakeRunner

ROUTER = Path(__file__).parents[2] / "pages" / "ui" / "router.py"
PATIENCE = 60  # seconds of one run: the first one imports torch

Visit = Callable[..., AppTest]


@pytest.fixture(scope="session")
def visit() -> Visit:
    """Follows a link: the page's path ('' is the landing page) and the link's parameters; gives the page that ran."""

    def go(path: str = "", **link: str) -> AppTest:
        page = AppTest.from_file(str(ROUTER), default_timeout=PATIENCE)
        for name, value in link.items():
            page.query_params[name] = value
        # AppTest can only switch from a page that ran, which would have read the link; the first page of a real visitor
        # is named by the hash of its path.
        page._page_hash = calc_hash(path)
        return page.run()

    return go


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> FakeRunner:
    """Runs that are started go nowhere; gives what remembers them."""
    from pages.train.parts import watching
    from pages.ui import training

    fake = FakeRunner()
    monkeypatch.setattr(training, "runner", lambda: fake)
    monkeypatch.setattr(watching, "runner", lambda: fake)
    return fake
