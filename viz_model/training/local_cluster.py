"""The workers that train, on this machine: `python -m viz_model.training.local_cluster [workers]`.

Prints the scheduler's address, then waits on its standard input: it ends with the server that started it, even when
that is killed. Two workers take turns better than a process for each viewer, and at a low priority, so that pages
come first. Workers of a cluster of one's own begin as these do with
`dask worker <address> --nthreads 1 --preload viz_model.training.local_cluster`, where this code can be imported.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

# glibc gives freed memory back too eagerly for attention's large, short-lived tensors; Dask makes it worse.
ENVIRONMENT = {
    "MALLOC_TRIM_THRESHOLD_": str(2**30),
    "MALLOC_MMAP_THRESHOLD_": str(2**30),
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
SETTINGS: dict[str, Any] = {
    "distributed.nanny.pre-spawn-environ": ENVIRONMENT,
    "distributed.worker.preload": ["viz_model.training.local_cluster"],
    "distributed.worker.daemon": True,
    "distributed.deploy.lost-worker-timeout": "1 day",  # a worker that is long in coming back is not given up
    "distributed.worker.profile.enabled": False,  # it would stop the training thread a hundred times a second
    "distributed.logging.distributed": "critical",
    # Dask serves pages about itself even without a dashboard: none of them is wanted.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
NICENESS = 10
WORKERS = 2
GOODBYE = 3.0  # seconds that the workers are given to end by themselves


def dask_setup(worker: Any) -> None:
    """What each worker does before it is known to anyone: Dask calls the function of this name in a preloaded module.

    A low priority, one thread, and one step of training, which makes torch import and set up all that it needs.
    """
    import torch

    from viz_model.tasks.induction import Induction
    from viz_model.training import actor  # noqa: F401
    from viz_model.training.recipe import Recipe
    from viz_model.training.trainer import Trainer

    os.nice(NICENESS)
    torch.set_num_threads(1)
    Trainer(Recipe(task="induction", steps=1, batch_size=2), Induction()).advance()


def main(n_workers: int) -> None:
    import dask
    from distributed import LocalCluster

    # Linux shares its processors between sessions first: beside another session's processes a nice value means nothing.
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(NICENESS), encoding="ascii")
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # calls to a run that has just been let go
    with dask.config.set(SETTINGS):
        cluster = LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},  # no fixed port
            memory_limit=0,  # a worker that is paused or ended for its size would be a run that is lost
            silence_logs=50,
        )
        print(cluster.scheduler_address, flush=True)
        sys.stdin.buffer.read()  # until the server closes its end
        # Any worker that is left then ends with this process: it holds the other end of a pipe.
        late = threading.Timer(GOODBYE + 1, os._exit, (0,))
        late.daemon = True
        late.start()
        with suppress(Exception):  # busy workers may be slow to say goodbye
            cluster.close(timeout=GOODBYE)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else WORKERS)
