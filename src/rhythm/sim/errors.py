"""Errors of the simulator's public faces."""

from collections.abc import Iterator
from contextlib import contextmanager

from rhythm.vocab import RhythmError


class MissingExtraError(RhythmError, ImportError):
    """A face of the simulator was asked for whose library is not installed."""


class NotEnoughMemoryError(RhythmError, MemoryError):
    """More people side by side than the machine's memory holds."""


@contextmanager
def needs_extra(library: str, extra: str) -> Iterator[None]:
    """Import an optional library inside this block.

    Raises:
        MissingExtraError: the library is not installed; says which extra brings it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != library:
            raise
        raise MissingExtraError(
            f"{library} is not installed; this face of the simulator needs it: pip install 'rhythm[{extra}]'"
        ) from None
