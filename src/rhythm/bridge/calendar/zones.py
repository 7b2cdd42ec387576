"""Time zone names as calendars write them, to time zones; unknown ones are told, never silently floating.

A name is looked for, in this order, as: an IANA name (any letter case); a Windows name; a
zone that the file itself defines (VTIMEZONE); the tail of a vendor path
(``/example.org/20070129_1/Europe/Berlin``); a plain offset (``UTC+01:00``); a Windows name
with a copy's number behind it. The last three are guesses and are counted. What is still
unknown is read in the calendar's own zone, and counted.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

import msgspec
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from rhythm.bridge.calendar.events import ProblemKind
from rhythm.bridge.calendar.problems import ProblemLog

_COPY_NUMBER = re.compile(r"(.*\S)[ _]+\d{1,3}", re.ASCII)
_PLAIN_OFFSET = re.compile(r"\(?(?:UTC|GMT)[ ]?([+-])(\d{1,2}):?(\d\d)?\)?", re.ASCII | re.IGNORECASE)
MAX_NAME_CHARS = 120
_WINDOWS = {name.casefold(): zone for name, zone in WINDOWS_TO_OLSON.items()}


class FoundZone(msgspec.Struct, frozen=True):
    """A zone and whether it is a guess."""

    zone: tzinfo
    guessed: bool = False


class Zones:
    """The zones of one calendar: its own default, those it defines, and the world's.

    Attributes:
        own: the zone of floating times and of names that nobody knows.
        stated: the calendar itself names its own zone, so a series in UTC follows it.
    """

    def __init__(
        self,
        own: tzinfo,
        log: ProblemLog,
        *,
        stated: bool = False,
        define: Callable[[str], tzinfo | None] | None = None,
    ) -> None:
        self.own = own
        self.stated = stated
        self._define = define
        self._log = log
        self._found: dict[str, FoundZone] = {}

    def find(self, name: str, where: str) -> FoundZone:
        """The zone of that name; the calendar's own where it is unknown, which is counted each time."""
        key = name.strip()[:MAX_NAME_CHARS]
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._look_up(key)
        if found.guessed:
            kind = ProblemKind.UNKNOWN_ZONE if found.zone is self.own else ProblemKind.GUESSED_ZONE
            self._log.add(kind, where)
        return found

    def _look_up(self, name: str) -> FoundZone:
        known = named_zone(name)
        if known is None and self._define is not None:
            known = self._define(name)
        if known is not None:
            return FoundZone(known)
        guess = _tail_of_path(name) or _plain_offset(name) or _without_copy_number(name)
        return FoundZone(guess or self.own, guessed=True)


def named_zone(name: str) -> tzinfo | None:
    """The zone of an IANA or Windows name, any letter case; None where there is none."""
    name = name.strip().strip("/")[:MAX_NAME_CHARS]
    if name.upper() in ("UTC", "Z", "GMT"):
        return UTC
    exact = _zone_info(name)
    if exact is not None:
        return exact
    key = name.casefold()
    other = _WINDOWS.get(key) or _iana_names().get(key)
    return _zone_info(other) if other else None


def to_utc(wall: datetime, zone: tzinfo) -> datetime:
    """The instant of a wall time: of a repeated one the first, of a skipped one with the offset before the gap.

    Raises:
        OverflowError: before year 1 or after year 9999.
    """
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def is_plain(wall: datetime, zone: tzinfo) -> bool:
    """Whether a wall time happens exactly once; False where the clocks skip or repeat it."""
    aware = wall.replace(tzinfo=zone)
    return aware.utcoffset() == aware.replace(fold=1).utcoffset()


def _zone_info(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError, KeyError):  # not a key, a folder or no file, not found
        return None


@cache
def _iana_names() -> dict[str, str]:
    return {name.casefold(): name for name in available_timezones()}


def _tail_of_path(name: str) -> tzinfo | None:
    parts = name.strip("/").split("/")
    for start in range(1, len(parts)):
        zone = named_zone("/".join(parts[start:]))
        if zone is not None:
            return zone
    return None


def _without_copy_number(name: str) -> tzinfo | None:
    match = _COPY_NUMBER.fullmatch(name)
    return named_zone(match[1]) if match else None


def _plain_offset(name: str) -> tzinfo | None:
    match = _PLAIN_OFFSET.fullmatch(name)
    if match is None or int(match[2]) > 14 or int(match[3] or 0) > 59:
        return None
    size = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    return timezone(-size if match[1] == "-" else size)
