"""Whoever does the items of a run: given them a few at a time, giving back what they found as they finish."""

import pickle
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeVar

from rhythm.spread.errors import ItemError

Key = TypeVar("Key")
Found = TypeVar("Found")

LOOK_S: Final = 30.0
"""After so long in which no item was finished it is looked whether anybody is there."""


@dataclass(frozen=True)
class Crew:
    """Whoever does items; see `rhythm.spread.opened`.

    Attributes:
        executor: takes them.
        at_once: how many it is given before one is finished. Whatever waits with it could not be taken back from
            a pool of processes, which fetch ahead.
        look: raises where nobody is there any more to do them.
    """

    executor: Executor
    at_once: int
    look: Callable[[], None] = lambda: None

    def finished(self, call: Callable[..., Found], items: Mapping[Key, tuple[Any, ...]]) -> Iterator[tuple[Key, Found]]:
        """Have items done; gives each one's key and what was found, in the order of finishing.

        Args:
            call: a function of a module, which every process can import.
            items: what it is called with, each by its key.

        Raises:
            Exception: an item's own error, as soon as one fails; leave `opened` then, which cancels the others.
            SpreadError: those who do them are gone.
        """
        waiting = iter(items.items())
        running: dict[Future[Found], Key] = {}
        while True:
            for key, given in islice(waiting, self.at_once - len(running)):
                running[self.executor.submit(_done, call, given)] = key
            if not running:
                return
            done = wait(running, LOOK_S, FIRST_COMPLETED).done
            if not done:
                self.look()
            for future in sorted(done, key=_failed):  # what was done beside an item that failed is not lost
                yield running.pop(future), future.result()


def _failed(future: Future[Any]) -> bool:
    return future.cancelled() or future.exception() is not None


def _done(call: Callable[..., Found], given: tuple[Any, ...]) -> Found:
    """An item, in the process that does it; its error is one that can be sent."""
    try:
        return call(*given)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301 - made in the line itself
        except Exception:  # noqa: BLE001 - whatever an error's own pickling raises
            raise ItemError(f"{type(error).__name__}: {error}") from None
        raise
