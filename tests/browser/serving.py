"""A Streamlit server for the tests, started as a user starts it, and the Chromium that looks at it."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

ROOT = Path(__file__).parents[2]
PATIENCE = 90.0  # seconds until a server answers, on a busy machine
CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # No name but this machine's is found: whatever would need the internet fails here as it would without one.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None  # loaded here: little is safe between fork and exec
_PR_SET_PDEATHSIG = 1


def chromium() -> str | None:
    """The browser that $GLASS_CHROMIUM names, or the first on the path; None leaves it to Playwright's own."""
    names = (os.environ.get("GLASS_CHROMIUM"), "chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if name and (path := shutil.which(name))), None)


@contextmanager
def serving(script: Path, log: Path) -> Iterator[str]:
    """`streamlit run script` on a free port until the block ends, however it ends; gives its address.

    The settings are the repository's own (.streamlit/config.toml). What the server says is in `log`. Raises
    RuntimeError, with the end of the log, where it does not come up.
    """
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--server.address=127.0.0.1", "--server.headless=true"],
            cwd=ROOT,
            # The small apps of the tests import what the app itself finds beside it.
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_until_healthy(process, address, log)
        yield address
    finally:
        _end(process)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def tail(log: Path, n_lines: int = 40) -> str:
    """The last lines of a log, without the requests that went well."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join([line for line in lines if not line.endswith((" 200", " 304"))][-n_lines:])


def _wait_until_healthy(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    until = monotonic() + PATIENCE
    while True:
        with suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
            return
        if process.poll() is not None or monotonic() > until:
            raise RuntimeError(f"expected a server on {address}, got none:\n{tail(log)}")
        sleep(0.1)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the server and whatever it started."""
    for sent in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, sent)
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
            break
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _die_with_parent() -> None:
    """On Linux the server ends even where the tests are killed and clean up nothing."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
