"""Spread a compiled pass over rows across the cores of the machine.

The rows are cut into pieces, and every core takes the next piece when it is free, the
calling thread among them. So a core that somebody else keeps busy delays one piece, not
the pass: a fixed split with a barrier (OpenMP, which `numba.prange` uses) waits for its
slowest thread, and on two busy cores fell from 70 to 8 million steps/s where this kept 30.
Whoever computes a row, its bits are the same.
"""

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

PIECE_ROWS: Final = 8192
"""Rows in a piece: long enough (about 0.25 ms) that handing it out costs nothing."""

CORES: Final = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
"""Cores that this process may use."""

_pools: list[ThreadPoolExecutor] = []
os.register_at_fork(after_in_child=_pools.clear)  # a forked child has none of its parent's threads


def _pool() -> ThreadPoolExecutor:
    if not _pools:
        _pools.append(ThreadPoolExecutor(CORES - 1, thread_name_prefix="rhythm-rows"))
    return _pools[0]


def spread(work: Callable[[int, int], None], rows: int) -> None:
    """Call ``work(start, stop)`` until all rows were covered, on all cores.

    Args:
        work: computes rows ``start`` to ``stop``; must release the interpreter lock (as
            compiled kernels do) to gain anything, and touch no other row.
        rows: how many there are.
    """
    pieces = -(-rows // PIECE_ROWS)
    helping = min(CORES, pieces) - 1
    if helping <= 0:
        work(0, rows)
        return
    taken = itertools.count()

    def take_pieces() -> None:
        while (piece := next(taken)) < pieces:
            start = piece * PIECE_ROWS
            work(start, min(start + PIECE_ROWS, rows))

    others = [_pool().submit(take_pieces) for _ in range(helping)]
    try:
        take_pieces()
    finally:
        for other in others:
            other.result()
