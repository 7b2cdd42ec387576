"""How much of a calendar is read at once: bounds on bytes, events, occurrences and time.

A calendar is somebody else's text. Every loop over it runs against one of these bounds,
so that no file and no feed can hold the machine.
"""

import time

import msgspec

from rhythm.vocab.errors import InvalidValueError


class Limits(msgspec.Struct, frozen=True):
    """Bounds; the defaults hold the largest calendars that people keep, with room.

    Attributes:
        max_bytes: bytes read from one calendar.
        max_line_bytes: bytes of one unfolded line; longer ones are left out.
        max_kept_bytes: bytes of lines held in memory at once.
        max_events: events and overrides.
        max_occurrences: occurrences in the window, over all series.
        max_series_occurrences: occurrences of one series in the window.
        max_rule_steps: periods of one repeat rule that are tried.
        budget_s: seconds for the whole reading.
    """

    max_bytes: int = 256 * 1024 * 1024
    max_line_bytes: int = 256 * 1024
    max_kept_bytes: int = 64 * 1024 * 1024
    max_events: int = 100_000
    max_occurrences: int = 100_000
    max_series_occurrences: int = 4_000
    max_rule_steps: int = 60_000
    budget_s: float = 20.0

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if not value > 0:
                raise InvalidValueError(f"limit {name} is {value!r}; give a number above 0")


class OutOfTimeError(Exception):
    """The time budget is spent; caught where the reading can stop cleanly."""


class Deadline:
    """A point in time after which a reading stops."""

    def __init__(self, budget_s: float) -> None:
        self._until_s = time.monotonic() + budget_s

    @property
    def passed(self) -> bool:
        """Whether the budget is spent."""
        return time.monotonic() > self._until_s

    def check(self) -> None:
        """Stop where the budget is spent.

        Raises:
            OutOfTimeError: it is.
        """
        if self.passed:
            raise OutOfTimeError
