"""Where the items of a run are done: by processes of this machine, or by the workers of a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rhythm.spread.crew import Crew
from rhythm.spread.local import cores, processes
from rhythm.vocab import InvalidValueError

CLUSTER_VARIABLE: Final = "RHYTHM_CLUSTER"


@contextmanager
def opened(workers: int | None, cluster: str, items: int) -> Iterator[Crew]:
    """Whoever does a run's items, until the block is left; left by an error or Ctrl+C, it cancels what waits.

    Args:
        workers: processes of this machine; one for each core by default.
        cluster: address of a Dask scheduler (``tcp://HOST:8786``, ``tls://HOST:8786``); empty for this machine.
        items: how many there are. Without any, nobody is asked, and a finished run needs no cluster.

    Raises:
        InvalidValueError: workers and a cluster, or an address that is none.
        SpreadError: no cluster that could do them, or it is lost (see `rhythm.spread.errors`).
    """
    if cluster and workers is not None:
        raise InvalidValueError(
            f"got {workers} workers of this machine and the cluster {cluster[:80]!r}; leave --workers away, "
            "since a cluster has its own, or say --cluster '' to stay on this machine"
        )
    if cluster and items:
        from rhythm.spread.cluster import connected  # noqa: PLC0415 - the engine is an extra

        with connected(cluster) as crew:
            yield crew
    else:
        with processes(max(1, min(workers or cores(), items))) as crew:
            yield crew
