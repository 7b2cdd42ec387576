"""The processes of this machine that do the items of a run, where no cluster is named."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from rhythm.spread.crew import Crew
from rhythm.spread.errors import WorkerLostError


@contextmanager
def processes(count: int) -> Iterator[Crew]:
    """Processes, started as they are needed; spawned, since a fork of a process with threads may hang.

    Args:
        count: at most.

    Raises:
        WorkerLostError: one of them ended.
    """
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"))
    try:
        yield Crew(pool, count)
    except BrokenProcessPool:
        raise WorkerLostError(
            "a process of this run ended on its own, as when memory runs out; what was done is kept: "
            "run again with fewer --workers to go on"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
