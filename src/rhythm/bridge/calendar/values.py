"""Property values to Python values: dates, wall times, durations, offsets and text (RFC 5545, section 3.3)."""

# ruff: noqa: DTZ001 (wall times have no zone)

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

import msgspec

from rhythm.bridge.calendar.events import ProblemKind
from rhythm.bridge.calendar.lines import Line
from rhythm.bridge.calendar.zones import Zones, to_utc

_DATE = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)", re.ASCII)
_DATE_TIME = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)?(?:\.\d+)?(Z?)", re.ASCII | re.IGNORECASE)
_DURATION = re.compile(
    r"([+-]?)P(?:(\d{1,6})W)?(?:(\d{1,7})D)?(?:T(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,10})S)?)?", re.ASCII
)
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d):?(\d\d)?", re.ASCII)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
MAX_TITLE_CHARS = 500


class BadValueError(ValueError):
    """A value that cannot be read; it carries the kind of problem that it is."""

    def __init__(self, kind: ProblemKind) -> None:
        super().__init__(kind.value)
        self.kind = kind


class Moment(msgspec.Struct, frozen=True):
    """A point as a calendar writes it: a date, or a wall time in a zone.

    Attributes:
        wall: the wall time; midnight for a date.
        zone: the zone of the wall time; for a date and a floating time the calendar's own.
        is_date: only a date was given.
        utc: it was written in UTC.
        floating: it was written without a zone.
        guessed: its zone name is unknown or was guessed.
    """

    wall: datetime
    zone: tzinfo
    is_date: bool = False
    utc: bool = False
    floating: bool = False
    guessed: bool = False

    @property
    def at(self) -> datetime:
        """The instant in UTC.

        Raises:
            OverflowError: before year 1 or after year 9999 in UTC.
        """
        return to_utc(self.wall, self.zone)

    @property
    def day(self) -> date:
        """The date of its wall time."""
        return self.wall.date()

    def in_zone(self, zone: tzinfo) -> "Moment":
        """The same instant on another zone's wall; a date stays that date.

        Raises:
            OverflowError: before year 1 or after year 9999 there.
        """
        if self.is_date or zone is self.zone:
            return self
        return msgspec.structs.replace(self, wall=self.at.astimezone(zone).replace(tzinfo=None, fold=0), zone=zone)


def read_bare_moment(text: str) -> datetime:
    """A DATE or DATE-TIME value as it stands, without a zone; midnight for a date.

    Raises:
        BadValueError: it is neither, or a date that does not exist.
    """
    text = text.strip()
    try:
        if match := _DATE.fullmatch(text):
            return datetime(*(int(g) for g in match.groups()))  # type: ignore[arg-type]
        if match := _DATE_TIME.fullmatch(text):
            return _wall(match)
    except (ValueError, OverflowError):
        pass
    raise BadValueError(ProblemKind.BAD_TIME)


def read_moment(text: str, line: Line, zones: Zones) -> Moment:
    """A DATE or DATE-TIME value; what the value looks like counts for more than its VALUE parameter.

    Raises:
        BadValueError: it is neither, or a date that does not exist.
    """
    wall = read_bare_moment(text)
    if _DATE.fullmatch(text.strip()):
        return Moment(wall, zones.own, is_date=True)
    if text.strip()[-1] in "zZ":
        return Moment(wall, UTC, utc=True)
    name = line.parameters.get("TZID", "")
    if not name:
        return Moment(wall, zones.own, floating=True)
    found = zones.find(name, f"line {line.number}")
    return Moment(wall, found.zone, guessed=found.guessed)


def _wall(match: re.Match[str]) -> datetime:
    year, month, day, hour, minute, second = (int(g or 0) for g in match.groups()[:6])
    if hour == 24 and minute == second == 0:
        return datetime(year, month, day) + timedelta(days=1)
    return datetime(year, month, day, hour, minute, min(second, 59))


def read_duration(text: str) -> tuple[timedelta, timedelta]:
    """A DURATION value as its nominal part (whole days on the wall) and its exact part (elapsed time).

    Raises:
        BadValueError: it is not a duration, is empty or is too long.
    """
    match = _DURATION.fullmatch(text.strip().upper())
    if match is None or not any(match.groups()[1:]):
        raise BadValueError(ProblemKind.BAD_TIME)
    weeks, days, hours, minutes, seconds = (int(g or 0) for g in match.groups()[1:])
    sign = -1 if match[1] == "-" else 1
    try:
        return sign * timedelta(days=days, weeks=weeks), sign * timedelta(hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError:
        raise BadValueError(ProblemKind.OUT_OF_RANGE) from None


def read_offset(text: str) -> timedelta:
    """A UTC-OFFSET value, within a day.

    Raises:
        BadValueError: it is not one.
    """
    match = _OFFSET.fullmatch(text.strip())
    if match is None or int(match[2]) > 23 or int(match[3]) > 59:
        raise BadValueError(ProblemKind.BAD_ZONE_DEFINITION)
    size = timedelta(hours=int(match[2]), minutes=int(match[3]), seconds=min(int(match[4] or 0), 59))
    return -size if match[1] == "-" else size


def read_text(text: str) -> str:
    """A TEXT value on one line: escapes undone, whitespace trimmed and joined, control characters left out."""
    plain = _ESCAPE.sub(lambda m: "\n" if m[1] in "nN" else m[1], text[: 4 * MAX_TITLE_CHARS])
    words = "".join(c if c.isprintable() else " " for c in plain).split()
    return " ".join(words)[:MAX_TITLE_CHARS]
