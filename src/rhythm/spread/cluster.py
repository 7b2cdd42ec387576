"""The workers of a Dask cluster that do the items of a run, on whatever machines they stand (extra ``cluster``).

Dask keeps the list of items, gives them out, and gives an item to another worker where one dies. Rhythm adds that a
worker has the same code, does one item at a time, and that everything that is wrong is said in a sentence.
"""

import logging
import re
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager
from typing import Any, Final

from rhythm.spread.code import Code, code_here, files_here, refuse_other
from rhythm.spread.crew import Crew
from rhythm.spread.errors import (
    MissingClusterError,
    NoSchedulerError,
    NoWorkersError,
    OtherCodeError,
    WorkerLostError,
)
from rhythm.vocab import InvalidValueError

ANSWERS_WITHIN_S: Final = 10.0
WORKS_WITHIN_S: Final = 30.0
AHEAD: Final = 128
"""Items that wait with the scheduler at most, or four for each worker: the weights that they carry fill its memory."""
_ADDRESS: Final = re.compile(r"(tcp|tls)://([\w.-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")
_START: Final = "dask worker ADDRESS --nworkers -1 --nthreads 1"


@contextmanager
def connected(address: str) -> Iterator[Crew]:
    """The workers of the scheduler at an address, until the block is left.

    Args:
        address: ``tcp://HOST:PORT`` or ``tls://HOST:PORT``; certificates for TLS are named as Dask has it
            (``DASK_DISTRIBUTED__COMM__TLS__CA_FILE`` and so on; see docs/operator.md).

    Raises:
        InvalidValueError: no such address can be.
        MissingClusterError: the extra is not installed.
        NoSchedulerError: nobody answers there, or not any more.
        NoWorkersError: no worker came within some time.
        OtherCodeError: a worker's results would not be those of this machine.
        WorkerLostError: an item ended every worker that it was given to.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found[3]) < 1 << 16:
        raise InvalidValueError(f"{address[:80]!r} is no address of a Dask scheduler; give one like tcp://HOST:8786")
    try:
        import distributed  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"distributed", "dask"}:
            raise
        raise MissingClusterError(
            "distributed is not installed; a cluster needs the extra: pip install 'rhythm[cluster]'"
        ) from None
    for name in ("distributed", "distributed.client"):  # what it logs is said by the errors here
        logging.getLogger(name).setLevel(logging.CRITICAL)
    client = _client(distributed, address)
    try:
        yield from _checked_crew(client, address)
    except distributed.KilledWorker:
        raise WorkerLostError(
            "an item ended every worker that it was given to, as when memory runs out; what was done is kept. "
            "Give workers more memory (--memory-limit), look into their logs, and run again to go on"
        ) from None
    except CancelledError:
        raise NoSchedulerError(
            f"the scheduler at {address} went away; what was done is kept: start it and run again to go on"
        ) from None
    finally:
        client.close()


def _client(engine: Any, address: str) -> Any:
    security = engine.Security()
    if address.startswith("tls"):
        _check_certificates(security)
    try:
        return engine.Client(address, timeout=ANSWERS_WITHIN_S, set_as_default=False, name="rhythm", security=security)
    except (OSError, TimeoutError):
        raise NoSchedulerError(
            f"no scheduler answers at {address} within {ANSWERS_WITHIN_S:.0f} s; start one there with "
            "`dask scheduler`; see that the port can be reached from here, and that both sides speak TLS or neither"
        ) from None


def _check_certificates(security: Any) -> None:
    """Before a client is made, which without them waits for long and says little."""
    try:
        context = security.get_connection_args("client").get("ssl_context")
    except (OSError, ValueError) as error:
        raise NoSchedulerError(f"the certificates for TLS cannot be read: {error}; see docs/operator.md") from None
    if context is None:
        raise NoSchedulerError(
            "a tls:// address needs certificates: DASK_DISTRIBUTED__COMM__TLS__CA_FILE, and the client's in "
            "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and __KEY; see docs/operator.md"
        )


def _checked_crew(client: Any, address: str) -> Iterator[Crew]:
    """The crew of a client, its workers checked; what is given and not done as it is left is cancelled."""

    def look() -> None:
        try:
            client.wait_for_workers(1, timeout=WORKS_WITHIN_S)
        except TimeoutError:
            raise NoWorkersError(
                f"the scheduler at {address} has no worker, and none came within {WORKS_WITHIN_S:.0f} s; start some, "
                f"on any machine that has this Rhythm: {_START.replace('ADDRESS', address)}"
            ) from None

    ours = code_here()
    _check_scheduler(client, address)
    look()
    standing: dict[str, tuple[Code, int] | Exception] = client.run(_standing, on_error="return")
    for worker, found in standing.items():
        if isinstance(found, Exception):
            raise _without_rhythm(f"the worker at {worker}", found)
        _check(worker, *found, ours)
    executor = _Checked(client.get_executor(pure=False), ours)
    try:
        yield Crew(executor, max(AHEAD, 4 * len(standing)), look)
    finally:
        executor.shutdown(cancel_futures=True)


def _check_scheduler(client: Any, address: str) -> None:
    """The scheduler unpickles items to see what they wait for, so it needs the package's files, and no more."""
    try:
        files = client.run_on_scheduler(files_here)
    except Exception as error:  # noqa: BLE001 - whatever came of it there is raised here
        raise _without_rhythm(f"the scheduler at {address}", error) from None
    refuse_other({"files": files}, {"files": files_here()}, f"the scheduler at {address}")


def _without_rhythm(who: str, error: Exception) -> OtherCodeError:
    return OtherCodeError(
        f"{who} cannot say what its Rhythm is ({error}); install this version where it runs, and start it again"
    )


class _Checked(Executor):
    """Dask's executor, whose items are done only by a worker that has the code that is here."""

    def __init__(self, dask: Any, ours: Code) -> None:
        self._dask = dask
        self._ours = ours

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        found: Future[Any] = self._dask.submit(_if_same, self._ours, fn, args, kwargs)
        return found

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._dask.shutdown(wait=wait and not cancel_futures)


def _standing(dask_worker: Any) -> tuple[Code, int]:
    """Of a worker: its code, and how many items it does at once."""
    return code_here(), dask_worker.state.nthreads


def _if_same(ours: Code, call: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """On a worker, which may have come while the run was under way: its code is checked, then the item done."""
    from distributed import get_worker  # noqa: PLC0415

    worker = get_worker()
    _check(worker.address, *_standing(worker), ours)
    return call(*given, **named)


def _check(worker: str, code: Code, threads: int, ours: Code) -> None:
    refuse_other(code, ours, f"the worker at {worker}")
    if threads != 1:
        raise OtherCodeError(
            f"the worker at {worker} does {threads} items at once in one process, and compiled kernels are not made "
            "for that; start it with --nthreads 1, and one for each core with --nworkers -1"
        )
