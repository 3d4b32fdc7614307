"""The workers that train, on this machine: `python -m viz_model.training.local_cluster [workers]`.

Prints the scheduler's address, then waits on its standard input: it ends with the server that started it, even when
that is killed. Two workers take turns better than a process for each viewer, and at a low priority, so that pages
come first.
"""

from __future__ import annotations

import os
import sys
from typing import Any

# glibc gives freed memory back too eagerly for attention's large, short-lived tensors; Dask makes it worse.
ENVIRONMENT = {
    "MALLOC_TRIM_THRESHOLD_": str(2**30),
    "MALLOC_MMAP_THRESHOLD_": str(2**30),
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
NICENESS = 10
WORKERS = 2


def make_polite() -> None:
    """What each worker does once, before its first call: a low priority, one thread, torch ready."""
    import torch

    import viz_model.training.trainer  # noqa: F401  imported here, so that the first run does not wait for it

    os.nice(NICENESS)
    torch.set_num_threads(1)


def main(n_workers: int) -> None:
    import dask
    from distributed import LocalCluster

    settings: dict[str, Any] = {
        "distributed.nanny.pre-spawn-environ": ENVIRONMENT,
        "distributed.worker.daemon": True,
        "distributed.logging.distributed": "error",
        "distributed.worker.memory.terminate": False,
    }
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
    ):
        print(cluster.scheduler_address, flush=True)
        sys.stdin.buffer.read()  # until the server closes its end


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else WORKERS)
