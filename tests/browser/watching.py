"""What must not happen in a window, whatever a test looks at: script errors, and requests that leave this machine."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request

HERE = {"127.0.0.1", "localhost"}
INSIDE = {"data", "blob", "about", "file"}  # addresses of what the page itself or the disk holds

# A link such as /workbench could mean a page of an app at / or an app that is served at /workbench. Streamlit's page
# asks both places; the one where there is no app answers 404, and Chromium writes that to the console.
PROBE_OF_STREAMLIT = re.compile(r"https?://[^/]+/[^/]+/_stcore/(health|host-config)$")


class Watch:
    """Collects the faults of a browser context and all its windows."""

    def __init__(self, context: BrowserContext, forgive: str = "") -> None:
        self.faults: list[str] = []
        self._forgive = re.compile(forgive or "(?!)")  # without a pattern nothing is forgiven
        context.on("console", self._console)
        context.on("weberror", lambda error: self.faults.append(f"error in the page: {error.error}"))
        context.on("request", self._request)
        context.on("page", lambda page: page.on("websocket", lambda socket: self._address(socket.url)))

    def _console(self, message: ConsoleMessage) -> None:
        address = message.location.get("url", "")
        forgiven = PROBE_OF_STREAMLIT.match(address) or self._forgive.search(message.text)
        if message.type == "error" and not forgiven:
            self.faults.append(f"console error: {message.text} ({address})")

    def _request(self, request: Request) -> None:
        self._address(request.url)

    def _address(self, address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme not in INSIDE and parts.hostname not in HERE:
            self.faults.append(f"request that leaves this machine: {address}")


def settled(page: Page) -> None:
    """Waits until the page's script has run to its end."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')


def painted(page: Page, selector: str = ".attention-view") -> None:
    """Waits until a picture of ours is on its canvas."""
    page.wait_for_selector(f"{selector}[data-painted]")


def no_traceback(page: Page) -> None:
    """Fails where the page shows a Python error."""
    found = page.locator(".stException, [data-testid=stException]").all_inner_texts()
    assert found == [], found
