"""The cluster's processes: polite, private, as fast as they can be, and gone with the server, however that ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import psutil
import pytest
from distributed import Worker

from viz_model.training.local_cluster import ENVIRONMENT, NICENESS
from viz_model.training.runner import Runner

from .conftest import alive
from .counting import Counting
from .curves import LONG, begun
from .waiting import slack, tree, until, worker_pids

ROOT = Path(__file__).parents[3]


def test_workers_are_polite_and_ready(runner: Runner) -> None:
    def found(dask_worker: Worker) -> tuple[int, int, bool, bool]:
        import sys

        import torch

        ready = "viz_model.training.actor" in sys.modules
        return dask_worker.state.nthreads, torch.get_num_threads(), ready, "torch" in sys.modules

    assert list(runner.client().run(found).values()) == [(1, 1, True, True)] * 2
    for pid in worker_pids(runner).values():
        assert psutil.Process(pid).nice() == min(psutil.Process().nice() + NICENESS, 19)
        given = psutil.Process(pid).environ()  # what malloc saw when the process began
        assert {name: given.get(name) for name in ENVIRONMENT} == ENVIRONMENT


def test_the_cluster_is_one_childs_and_private(runner: Runner) -> None:
    assert len(worker_pids(runner)) == 2
    pids = {process.pid for process in tree(runner)}
    assert set(worker_pids(runner).values()) < pids
    assert os.getpid() not in pids
    listening = [
        connection.laddr
        for process in tree(runner)
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert len(listening) >= 3
    assert {address.ip for address in listening} == {"127.0.0.1"}
    about = runner.client().scheduler_info(n_workers=-1)
    ports = {port for each in (about, *about["workers"].values()) for port in each["services"].values()}
    assert 8787 not in ports
    for port in ports:
        for page in ("", "status", "info/main/workers.html", "json/counts.json", "metrics", "health"):
            with pytest.raises(HTTPError, match="404"):
                urlopen(f"http://127.0.0.1:{port}/{page}", timeout=5)


def test_a_killed_cluster_is_made_anew_and_the_run_goes_on() -> None:
    runner = Runner(workers=1)
    run = begun(runner)
    seen, first = run.step, tree(runner)
    os.kill(first[0].pid, signal.SIGKILL)
    try:
        assert until(lambda: run.message, 30)
        assert until(lambda: run.step > seen + 50 or not run.alive, 60)
        assert run.alive, run.message
        assert [s.step for s in run.snapshots] == list(range(run.step + 1))
        assert until(lambda: not any(alive(process) for process in first), 20)
    finally:
        processes = tree(runner)
        runner.close()
    assert until(lambda: not any(alive(process) for process in processes), 20)
    assert run.state == "stopped"
    late = runner.start(LONG, task=Counting())
    late.thread.join(10)
    assert (late.state, late.message) == ("failed", "Training: the server is closing.")


SERVER = """
import json, signal, sys, time
# A suite that runs in the background of a shell has SIGINT ignored, and its children inherit that: a server has not.
signal.signal(signal.SIGINT, signal.default_int_handler)
from tests.viz_model.training.curves import begun
from tests.viz_model.training.waiting import tree
from viz_model.training.runner import Runner
runner = Runner(workers=1)
run = begun(runner)
print(json.dumps([process.pid for process in tree(runner)]), flush=True)
if sys.argv[1] == "ends":
    sys.exit()
time.sleep(600)
"""


@pytest.mark.parametrize("how", ["ends", "SIGKILL", "SIGINT"])
def test_no_process_outlives_the_server(how: str) -> None:
    """Training at the time, and without a word of goodbye. SIGINT to the whole group is what Ctrl-C sends."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, how], stdout=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
    )
    assert server.stdout is not None
    processes = [psutil.Process(pid) for pid in json.loads(server.stdout.readline())]
    assert len(processes) >= 2
    if how.startswith("SIG"):
        assert all(alive(process) for process in processes)
        os.killpg(server.pid, getattr(signal, how))
    try:
        server.wait(60 * slack())
    finally:
        server.kill()  # nothing is left behind by a test that fails
        server.stdout.close()
    assert until(lambda: not any(alive(process) for process in processes), 20)
