"""Vendors' times to an instant in UTC and the local offset: with an offset, without one, as milliseconds, as a day.

Where a vendor writes the wall clock and nothing else, it is read in the person's own zone; on a
journey that is wrong, and no such file can tell. ``Z`` names an instant, not a place: its local
offset is that of the person's zone too. An hour that the clocks repeat is read as its first
pass; one that they skip is read with the offset from before.
"""

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import NamedTuple

from rhythm.bridge.wearables.exports.collecting import Times, UnusableError
from rhythm.bridge.wearables.problems import ProblemKind

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE = timedelta(minutes=1)
_SPACED_OFFSET = re.compile(r"\s+(?=[+-]\d\d:?\d\d$)", re.ASCII)
_OFFSET_WORDS = re.compile(r"(?:UTC|GMT)?\s*(?:([+-])(\d{1,2}):?(\d\d)?|Z)?", re.ASCII)
_US = re.compile(r"(\d{1,2})/(\d{1,2})/(\d\d|\d{4})(?:[ T](\d{1,2}):(\d\d)(?::(\d\d))?)?", re.ASCII)
_LONGEST_TEXT = 60
_FARTHEST_MIN = 15 * 60


class Moment(NamedTuple):
    """An instant in UTC, and the local time minus UTC there, in minutes."""

    at: datetime
    offset_min: int


def moment(value: object, zone: tzinfo) -> Moment:
    """An ISO 8601 time, with or without an offset, or milliseconds since 1970.

    Raises:
        UnusableError: it is no time.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return from_millis(value, zone)
    return _located(_parsed(value), zone, names_place=not (isinstance(value, str) and value[-1:] in "Zz"))


def from_millis(value: object, zone: tzinfo) -> Moment:
    """Milliseconds since 1970.

    Raises:
        UnusableError: no number, or beyond any calendar.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnusableError(ProblemKind.BAD_DATE)
    try:
        at = _EPOCH + timedelta(milliseconds=value)
    except (OverflowError, ValueError):
        raise UnusableError(ProblemKind.BAD_DATE) from None
    return Moment(at, offset_at(at, zone))


def utc_moment(value: object, zone: tzinfo) -> Moment:
    """A time that is in UTC although nothing in it says so.

    Raises:
        UnusableError: it is no time.
    """
    parsed = _parsed(value)
    return _located(parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC), zone, names_place=False)


def us_wall(value: object) -> datetime:
    """``12/31/23 23:59:00`` (month first) as a naive wall clock; ISO forms too.

    Raises:
        UnusableError: it is no date.
    """
    found = _US.fullmatch(value) if isinstance(value, str) and len(value) <= _LONGEST_TEXT else None
    if found is None:
        return _parsed(value).replace(tzinfo=None)
    month, day, year, *clock = found.groups()
    try:
        whole_year = int(year) + (2000 if len(year) == 2 else 0)
        hour, minute, second = (int(c or 0) for c in clock)
        return datetime(whole_year, int(month), int(day), hour, minute, second)  # noqa: DTZ001 - a wall clock
    except ValueError:
        raise UnusableError(ProblemKind.BAD_DATE) from None


def at_offset(value: object, offset_min: int) -> Moment:
    """A wall clock whose offset is known from elsewhere; an offset of its own comes first.

    Raises:
        UnusableError: it is no time.
    """
    return _located(_parsed(value), timezone(timedelta(minutes=offset_min)), names_place=True)


def in_zone(wall: datetime, zone: tzinfo) -> Moment:
    """A naive wall clock in a zone.

    Raises:
        UnusableError: beyond any calendar.
    """
    return _located(wall, zone, names_place=True)


def offset_words(text: object) -> int | None:
    """``UTC-05:00``, ``GMT+1``, ``+0530``, ``UTCZ`` as minutes; None where it is none of these."""
    found = _OFFSET_WORDS.fullmatch(text.strip()) if isinstance(text, str) and len(text) <= _LONGEST_TEXT else None
    if found is None or not found.group(0):
        return None
    minutes = int(found.group(2) or 0) * 60 + int(found.group(3) or 0)
    if minutes > _FARTHEST_MIN:
        return None
    return -minutes if found.group(1) == "-" else minutes


def day_of(value: object) -> date:
    """The calendar day that a text begins with: ``2026-03-29`` and anything behind it.

    Raises:
        UnusableError: it begins with no day.
    """
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        raise UnusableError(ProblemKind.BAD_DATE) from None


def whole_day(day: date, zone: tzinfo) -> Times:
    """From a day's local midnight to the next, by the offset at its start: 23 or 24 hours.

    The 25th hour of a day on which the clocks go back is left out: by the offset at the day's start it
    would lie on the next day, and take a share of the day's total with it.

    Raises:
        UnusableError: beyond any calendar.
    """
    try:
        start = in_zone(datetime(day.year, day.month, day.day), zone)  # noqa: DTZ001 - a wall clock
        end = in_zone(datetime(day.year, day.month, day.day) + timedelta(days=1), zone)  # noqa: DTZ001
    except OverflowError:
        raise UnusableError(ProblemKind.BAD_DATE) from None
    return Times(start.at, min(end.at, start.at + timedelta(days=1)), start.offset_min)


def within_day(day: date, zone: tzinfo) -> Times:
    """The same, ending a second before the next midnight, so that its end is on the day too.

    Raises:
        UnusableError: beyond any calendar.
    """
    start_at, end_at, offset_min = whole_day(day, zone)
    return Times(start_at, end_at - timedelta(seconds=1), offset_min)


def small_hours(day: date, zone: tzinfo) -> Times:
    """Four in the morning: for a value of the night that ended on a day, where no file says when it was slept.

    Raises:
        UnusableError: beyond any calendar.
    """
    return spot(in_zone(datetime(day.year, day.month, day.day, 4), zone))  # noqa: DTZ001 - a wall clock


def between(start: Moment, end: Moment) -> Times:
    """From one moment to another, with the offset of the first."""
    return Times(start.at, end.at, start.offset_min)


def lasting(start: Moment, seconds: float) -> Times:
    """From a moment, for so long.

    Raises:
        UnusableError: beyond any calendar.
    """
    try:
        return Times(start.at, start.at + timedelta(seconds=seconds), start.offset_min)
    except (OverflowError, ValueError):
        raise UnusableError(ProblemKind.BAD_DATE) from None


def spot(moment_of: Moment) -> Times:
    """A moment as times that start and end there."""
    return Times(moment_of.at, moment_of.at, moment_of.offset_min)


def offset_at(at: datetime, zone: tzinfo) -> int:
    """Minutes from UTC of a zone at an instant.

    Raises:
        UnusableError: beyond any calendar.
    """
    try:
        offset = at.astimezone(zone).utcoffset()
    except (OverflowError, ValueError):
        raise UnusableError(ProblemKind.BAD_DATE) from None
    return 0 if offset is None else round(offset / _MINUTE)


def _parsed(value: object) -> datetime:
    if not isinstance(value, str) or not value.strip():
        raise UnusableError(ProblemKind.MISSING_FIELD)
    if len(value) > _LONGEST_TEXT:
        raise UnusableError(ProblemKind.BAD_DATE)
    try:
        return datetime.fromisoformat(_SPACED_OFFSET.sub("", value.strip()))
    except ValueError:
        raise UnusableError(ProblemKind.BAD_DATE) from None


def _located(parsed: datetime, zone: tzinfo, *, names_place: bool) -> Moment:
    try:
        aware = parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=zone)
        at = aware.astimezone(UTC)
        offset = aware.utcoffset() if names_place else at.astimezone(zone).utcoffset()
    except (OverflowError, ValueError):
        raise UnusableError(ProblemKind.BAD_DATE) from None
    minutes = 0 if offset is None else round(offset / _MINUTE)
    if abs(minutes) > _FARTHEST_MIN:
        raise UnusableError(ProblemKind.BAD_DATE)
    return Moment(at, minutes)
