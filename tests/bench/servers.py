"""Streamlit servers and the Chromium that looks at them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CHROMIUM = Path("/usr/bin/chromium")
READY = "TESTS_BENCH_ENVIRONMENT"
PATIENCE = 90.0


@dataclass(frozen=True, slots=True)
class Server:
    address: str
    started: float  # seconds since the epoch, just before the process was started


@contextmanager
def server(script: str, **settings: str) -> Iterator[Server]:
    """`streamlit run script` from the repository's folder, as a user starts it, until the block ends.

    settings: environment variables of its own.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [f"--server.port={port}", "--server.address=127.0.0.1", "--server.headless=true"]
    # Without what this process was given for its own measurements: a user's server has none of that.
    own = {*os.environ.get(READY, "").split(","), READY}
    environment = {**{name: value for name, value in os.environ.items() if name not in own}, **settings}
    started = time.time()
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", script, *options],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + PATIENCE
        while not answers(port):
            if process.poll() is not None:
                raise RuntimeError(f"the server of {script} ended with code {process.returncode}")
            if time.monotonic() > until:
                raise RuntimeError(f"the server of {script} did not come up in {PATIENCE:.0f} s")
            time.sleep(0.02)
        yield Server(f"http://127.0.0.1:{port}", started)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def answers(port: int) -> bool:
    with socket.socket() as line:
        line.settimeout(1)
        return line.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def chromium() -> Iterator[Any]:
    """A fresh browser; every window gets its animation frames, whichever lies on top. Raises ImportError."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM) if CHROMIUM.exists() else None,
            args=["--no-sandbox", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows"],
        )
        try:
            yield browser
        finally:
            browser.close()
