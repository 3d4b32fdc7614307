"""The start of a fresh server: the first visitor, wherever the link leads."""

from __future__ import annotations

import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.serving import ROOT, serving
from tests.browser.watching import no_traceback, painted, settled


@pytest.mark.parametrize(
    ("path", "title"),
    [("/workbench?layer=1&head=2", "Workbench"), ("/", "The cat sat")],
)
def test_the_first_visitor_of_a_fresh_server_gets_the_page_of_the_link(new_page, path, title, tmp_path) -> None:
    with serving(ROOT / "app.py", tmp_path / "server.log") as address:
        page = new_page(base_url=address)
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        settled(page)
        no_traceback(page)
        assert urlsplit(page.url).path == urlsplit(path).path
        if title == "Workbench":
            painted(page)
            expect(page.locator("[data-part=name]")).to_have_text("Layer 1 · Head 2")
            assert {"layer": ["1"], "head": ["2"]}.items() <= parse_qs(urlsplit(page.url).query).items()
        page.context.close()  # before its server: a page that loses its server says so in the console


def test_a_link_to_no_page_shows_the_first_page_and_says_so(open_page) -> None:
    page = open_page("/nosuch", forgive="page that you have requested does not seem to exist")
    no_traceback(page)
    expect(page.get_by_text("Page not found")).to_be_visible()
    expect(page.get_by_role("heading", level=1, include_hidden=True)).to_have_text("The cat sat")


def test_the_settings_of_the_repository_are_in_force() -> None:
    """Streamlit takes settings from the folder that it is started in; elsewhere it would count its visitors."""
    names = ("browser.gatherUsageStats", "server.fileWatcherType", "server.showEmailPrompt")
    ask = f"from streamlit import config; print(*map(config.get_option, {names}))"
    told = subprocess.run([sys.executable, "-c", ask], cwd=ROOT, check=True, capture_output=True, text=True)
    assert told.stdout.split() == ["False", "none", "False"]


def test_nothing_of_a_server_is_left_when_its_block_ends(tmp_path: Path) -> None:
    with serving(ROOT / "app.py", tmp_path / "server.log") as address:
        pass
    with pytest.raises(OSError):  # noqa: PT011
        urllib.request.urlopen(f"{address}/_stcore/health", timeout=2)
