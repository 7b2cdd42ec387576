"""Items that processes and workers can import: they count, wait, fail, or end whoever does them."""

import os
import time
from pathlib import Path

from rhythm.vocab import InvalidValueError, UnknownNameError


def doubled(number: int) -> int:
    return 2 * number


def marked(folder: str, number: int, seconds: float) -> int:
    """Says that it was begun, then takes its time."""
    (Path(folder) / f"{number}").touch()
    time.sleep(seconds)
    return number


def refused(number: int) -> int:
    if number == 0:
        raise InvalidValueError("item 0 is refused")
    time.sleep(0.2)
    return number


def unsendable(number: int) -> int:
    raise UnknownNameError("item", number, ("none",))


def ended(status: int) -> int:
    os._exit(status)


def stuck_once(folder: str, number: int) -> int:
    """Whoever does it first never comes back; it says which process that is."""
    mark = Path(folder) / f"stuck-{number}"
    if not mark.exists():
        mark.with_suffix(".new").write_text(str(os.getpid()))
        mark.with_suffix(".new").rename(mark)
        time.sleep(600.0)
    return 2 * number
