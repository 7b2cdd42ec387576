"""Apple's dates, fast: ``2026-03-29 01:30:00 +0100`` to an instant in UTC and the local offset.

A large export holds tens of millions of dates but few different offsets, so these are
remembered: a date costs one look-up and the standard library's own reading of the clock part.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - subtracted from a wall clock
_CLOCK_LENGTH = len("2026-03-29 01:30:00")
_OFFSET = re.compile(r" ([+-])(\d\d):?(\d\d)", re.ASCII)
_FARTHEST_MIN = 15 * 60
_GMT = re.compile(r"(?:GMT|UTC)(?:([+-])(\d\d):?(\d\d))?", re.ASCII)
_ZONE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+\-]{0,31}(?:/[A-Za-z][A-Za-z0-9_+\-]{0,31}){0,2}", re.ASCII)
_MINUTE = timedelta(minutes=1)
_MOST_ZONES = 1_000


class DateError(ValueError):
    """Not a date as Apple writes it, or one that no calendar knows."""


class _Offsets(dict[str, tuple[datetime, int]]):
    """Offset text to the wall clock at the epoch and the minutes; filled as they are met."""

    def __missing__(self, text: str) -> tuple[datetime, int]:
        found = _OFFSET.fullmatch(text)
        minutes = _signed_min(found) if found else None
        if minutes is None:
            raise DateError("no offset from UTC, or one that no place on earth has")
        known = self[text] = _NAIVE_EPOCH + minutes * _MINUTE, minutes
        return known


class AppleDates:
    """Reads dates; one for each import, so that its memory goes with it."""

    def __init__(self) -> None:
        self._offsets = _Offsets()
        self._zones: dict[str, ZoneInfo | int | None] = {}

    def spans(self, starts: Sequence[str], ends: Sequence[str]) -> tuple[list[datetime], list[datetime]]:
        """The starts and the ends in UTC; the cheap way for many. A spot sample has one instant for both.

        Raises:
            DateError: one of them is not such a date, or one that no calendar knows.
        """
        read, offsets = datetime.fromisoformat, self._offsets
        try:
            starts_at = [_EPOCH + (read(t[:_CLOCK_LENGTH]) - offsets[t[_CLOCK_LENGTH:]][0]) for t in starts]
            ends_at = [
                at if t == start else _EPOCH + (read(t[:_CLOCK_LENGTH]) - offsets[t[_CLOCK_LENGTH:]][0])
                for t, start, at in zip(ends, starts, starts_at, strict=True)
            ]
        except (ValueError, TypeError, OverflowError):
            raise DateError("not a date as Apple writes it") from None
        return starts_at, ends_at

    def offsets_min(self, texts: Sequence[str]) -> list[int]:
        """The offsets in minutes.

        Raises:
            DateError: one of them has none.
        """
        offsets = self._offsets
        return [offsets[t[_CLOCK_LENGTH:]][1] for t in texts]

    def offset_in(self, zone: str, at: datetime) -> int | None:
        """Minutes from UTC of a named zone (``Europe/Berlin``, ``GMT+0530``) at an instant; None if unknown."""
        if zone not in self._zones:
            if len(self._zones) >= _MOST_ZONES:
                self._zones.clear()
            self._zones[zone] = _zone(zone)
        known = self._zones[zone]
        if known is None or isinstance(known, int):
            return known
        try:
            offset = at.astimezone(known).utcoffset()
        except OverflowError:
            return None
        return None if offset is None else round(offset / _MINUTE)


def _signed_min(found: re.Match[str]) -> int | None:
    """The minutes of a sign, hours and minutes; None beyond any place on earth."""
    minutes = int(found.group(2)) * 60 + int(found.group(3))
    if minutes > _FARTHEST_MIN or int(found.group(3)) >= 60:
        return None
    return -minutes if found.group(1) == "-" else minutes


def _zone(name: str) -> ZoneInfo | int | None:
    if found := _GMT.fullmatch(name):
        return _signed_min(found) if found.group(1) else 0
    if not _ZONE_NAME.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        return None
