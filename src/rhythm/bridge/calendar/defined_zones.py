"""Time zones that a calendar defines itself (VTIMEZONE, RFC 5545, section 3.6.5).

Needed for names that nobody else knows (``Customized Time Zone``). The onsets of standard
and daylight time are laid out once for the years that can matter; outside them the nearest
offset holds.
"""

# ruff: noqa: DTZ001 (wall times have no zone)

from bisect import bisect_right
from datetime import datetime, timedelta, tzinfo

from rhythm.bridge.calendar.events import ProblemKind
from rhythm.bridge.calendar.limits import Deadline, Limits
from rhythm.bridge.calendar.lines import Component
from rhythm.bridge.calendar.problems import ProblemLog
from rhythm.bridge.calendar.recurrence import TooManyStepsError, occurrences
from rhythm.bridge.calendar.repeat_rule import BadRuleError, read_rule
from rhythm.bridge.calendar.values import BadValueError, read_bare_moment, read_offset
from rhythm.bridge.calendar.zones import named_zone

_FIRST = datetime(1970, 1, 1)
_LAST = datetime(2060, 1, 1)
MAX_ONSETS = 2_000


class DefinedZone(tzinfo):
    """A zone from a list of (onset in UTC without a zone, offset before, offset after)."""

    def __init__(self, name: str, onsets: list[tuple[datetime, timedelta, timedelta]]) -> None:
        self._name = name
        onsets = sorted(onsets)
        self._onsets = [at for at, _, _ in onsets]
        self._offsets = [onsets[0][1], *(after for _, _, after in onsets)]
        pairs = list(zip(self._offsets, self._offsets[1:], strict=False))
        # Wall times from which the next offset holds: of a repeated hour the first pass belongs to
        # the old offset, and so does a skipped one (fold 0); the second pass to the new (fold 1).
        self._walls_late = [at + max(pair) for at, pair in zip(self._onsets, pairs, strict=True)]
        self._walls_early = [at + min(pair) for at, pair in zip(self._onsets, pairs, strict=True)]

    def utcoffset(self, dt: datetime | None) -> timedelta:
        """The offset that holds at a wall time."""
        if dt is None:
            return self._offsets[-1]
        walls = self._walls_early if dt.fold else self._walls_late
        return self._offsets[bisect_right(walls, dt.replace(tzinfo=None, fold=0))]

    def dst(self, dt: datetime | None) -> timedelta | None:
        """Not told apart from the offset."""
        return None

    def tzname(self, dt: datetime | None) -> str:
        """The name that the calendar gave."""
        return self._name

    def fromutc(self, dt: datetime) -> datetime:
        """The wall time of a UTC time."""
        offset = self._offsets[bisect_right(self._onsets, dt.replace(tzinfo=None, fold=0))]
        wall = dt + offset
        return wall if self.utcoffset(wall) == offset else wall.replace(fold=1)


def define_zone(component: Component, limits: Limits, deadline: Deadline, log: ProblemLog) -> tzinfo | None:
    """The zone of a VTIMEZONE; None, and a problem counted, where it cannot be read."""
    location = component.text("X-LIC-LOCATION")
    known = named_zone(location) if location else None
    if known is not None:
        return known
    onsets: list[tuple[datetime, timedelta, timedelta]] = []
    for part in component.parts:
        if part.name in ("STANDARD", "DAYLIGHT"):
            try:
                onsets += _onsets(part, limits, deadline)
            except (BadValueError, BadRuleError, TooManyStepsError, OverflowError):
                log.add(ProblemKind.BAD_ZONE_DEFINITION, part.where)
    if not onsets or len(onsets) > MAX_ONSETS:
        log.add(ProblemKind.BAD_ZONE_DEFINITION, component.where)
        return None
    return DefinedZone(component.text("TZID")[:120], onsets)


def _onsets(part: Component, limits: Limits, deadline: Deadline) -> list[tuple[datetime, timedelta, timedelta]]:
    before = read_offset(part.text("TZOFFSETFROM"))
    after = read_offset(part.text("TZOFFSETTO"))
    start = read_bare_moment(part.text("DTSTART"))
    walls = {start}
    for line in part.lines.get("RDATE", ()):
        walls.update(read_bare_moment(text) for text in line.value.split(",")[:MAX_ONSETS])
    for line in part.lines.get("RRULE", ()):
        rule = read_rule(line.value)
        until = read_bare_moment(rule.until) + before if rule.until else None
        begin = max(start, _FIRST)
        walls.update(
            occurrences(
                rule, start, until, begin, _LAST, max_steps=min(limits.max_rule_steps, 20_000), deadline=deadline
            )
        )
    return [(wall - before, before, after) for wall in walls]
