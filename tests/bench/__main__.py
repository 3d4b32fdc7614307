"""`python -m tests.bench [--only training|trace|payload|start|browser|live] [--quick]`: one table of ratios.

A slow or a failed measurement is a row of the table, never an error: timings on a shared machine judge nobody.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module

from tests.bench.servers import READY
from tests.bench.table import Row, count, missing, tell, text, why

# In this order: what drives a browser comes last.
IDEAS = {"training": "training", "trace": "tracing", "payload": "payload"} | {
    name: name for name in ("start", "browser", "live")
}
# glibc reads the first two at start; large buffers then stay with the process, for us and the peers alike.
ENVIRONMENT = {
    "MALLOC_TRIM_THRESHOLD_": str(2**30),
    "MALLOC_MMAP_THRESHOLD_": str(2**30),
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="How fast and how small, beside peers.")
    parser.add_argument("--only", choices=IDEAS, action="append", help="one part (may be given more than once)")
    parser.add_argument("--quick", action="store_true", help="fewer shapes and turns, under three minutes")
    asked = parser.parse_args()
    if READY not in os.environ:
        os.environ.update(ENVIRONMENT, **{READY: ",".join(name for name in ENVIRONMENT if name not in os.environ)})
        os.execv(sys.executable, [sys.executable, "-m", "tests.bench", *sys.argv[1:]])
    rows: list[Row] = []
    for name in asked.only or IDEAS:
        rows += measured(name, import_module(f"tests.bench.{IDEAS[name]}").rows, quick=asked.quick)
    print(text(rows))
    print()
    print("ratio: ours / peer, the median over turns in which both were measured. Training and trace rows are in this")
    print("process's processor time on one thread, the browser's and the start's in wall time.")
    print(count(rows))


def measured(name: str, make: Callable[..., Iterator[Row]], *, quick: bool) -> list[Row]:
    """The rows of one part; where it breaks off, the last row says why."""
    rows: list[Row] = []
    try:
        rows.extend(make(quick=quick))
    except Exception as error:
        tell(f"{name}: {error!r}")
        rows.append(missing(name, None, why(error)))
    return rows


if __name__ == "__main__":
    import torch

    torch.set_num_threads(1)
    main()
