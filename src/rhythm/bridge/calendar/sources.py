"""Calendar sources: anything that gives occurrences for a window, behind one face."""

from datetime import timedelta, tzinfo
from pathlib import Path
from typing import Protocol

import msgspec

from rhythm.bridge.calendar.addresses import Resolver, look_up
from rhythm.bridge.calendar.events import CalendarContents, Window
from rhythm.bridge.calendar.feeds import FeedLimits, Validators, fetch_feed
from rhythm.bridge.calendar.ics import read_ics, read_ics_file
from rhythm.bridge.calendar.limits import Limits

SLACK = timedelta(days=1)
"""The window moves on with time; a feed that did not change is laid out anew once a day, not at each look."""


class CalendarSource(Protocol):
    """A calendar to read. Reading never changes it."""

    @property
    def name(self) -> str:
        """What the person calls it; stands in each event's `source`. Never a secret address."""
        ...

    def read(self, window: Window) -> CalendarContents | None:
        """The occurrences that touch a window, or None where nothing changed since the last reading of it.

        Raises:
            CalendarError: it cannot be read at all; what was read before still holds.
        """
        ...


class FileSource:
    """An .ics file, or a zip of them."""

    def __init__(
        self,
        path: Path,
        zone: tzinfo,
        name: str = "",
        *,
        own_addresses: frozenset[str] = frozenset(),
        limits: Limits | None = None,
    ) -> None:
        self._path = path
        self._zone = zone
        self._name = name or path.stem
        self._own_addresses = own_addresses
        self._limits = limits

    @property
    def name(self) -> str:
        """What the person calls it."""
        return self._name

    def read(self, window: Window) -> CalendarContents:
        """The occurrences that touch a window.

        Raises:
            CalendarError: the file cannot be opened, or is no calendar.
        """
        return read_ics_file(
            self._path,
            self._zone,
            window,
            source=self._name,
            own_addresses=self._own_addresses,
            limits=self._limits,
        )


class FeedState(msgspec.Struct, frozen=True):
    """What to remember of a feed between two readings, beside what was read.

    Attributes:
        validators: what the server gave to ask for changes.
        window: for which stretch of time it was read.
    """

    validators: Validators = Validators()
    window: Window | None = None

    def covers(self, window: Window) -> bool:
        """Whether "nothing changed" would answer for a window: it was read for it, save a day at the far end."""
        known = self.window
        return known is not None and known.start_at <= window.start_at and window.end_at <= known.end_at + SLACK


class FeedSource:
    """A feed by its address.

    Attributes:
        state: what to remember for the next reading, to be kept with what was read.
    """

    def __init__(
        self,
        url: str,
        zone: tzinfo,
        name: str,
        *,
        state: FeedState | None = None,
        allow_private: bool = False,
        own_addresses: frozenset[str] = frozenset(),
        feed_limits: FeedLimits | None = None,
        limits: Limits | None = None,
        resolve: Resolver = look_up,
    ) -> None:
        self._url = url
        self._zone = zone
        self._name = name
        self._allow_private = allow_private
        self._own_addresses = own_addresses
        self._feed_limits = feed_limits
        self._limits = limits
        self._resolve = resolve
        self.state = state or FeedState()

    def __repr__(self) -> str:
        """Without the address, which is a secret."""
        return f"FeedSource(name={self._name!r})"

    @property
    def name(self) -> str:
        """What the person calls it."""
        return self._name

    def read(self, window: Window) -> CalendarContents | None:
        """The occurrences that touch a window, or None where the server says that nothing changed.

        Raises:
            CalendarError: it cannot be fetched, or is no calendar.
        """
        fetched = fetch_feed(
            self._url,
            self.state.validators if self.state.covers(window) else None,
            allow_private=self._allow_private,
            limits=self._feed_limits,
            resolve=self._resolve,
        )
        if fetched.content is None:
            return None
        contents = read_ics(
            fetched.content,
            self._zone,
            window,
            source=self._name,
            own_addresses=self._own_addresses,
            limits=self._limits,
        )
        # A feed that was only read in part is asked for in full the next time.
        self.state = FeedState(fetched.validators, window) if contents.complete else FeedState()
        return contents
