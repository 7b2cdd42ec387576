"""The occurrences of one series in a window: master, rule, extra and excluded dates, overrides.

Cancelled events are dropped here: a cancelled master takes its whole series along, a
cancelled override its occurrence.
"""

# ruff: noqa: DTZ901 (wall times have no zone)

from datetime import UTC, date, datetime, time, timedelta, tzinfo

import msgspec

from rhythm.bridge.calendar.drafts import NO_TIME, ONE_DAY, Draft
from rhythm.bridge.calendar.events import CalendarEvent, ProblemKind, Window
from rhythm.bridge.calendar.limits import Deadline, Limits
from rhythm.bridge.calendar.problems import ProblemLog
from rhythm.bridge.calendar.recurrence import TooManyStepsError, occurrences
from rhythm.bridge.calendar.repeat_rule import Rule
from rhythm.bridge.calendar.values import BadValueError, Moment, read_bare_moment
from rhythm.bridge.calendar.zones import Zones, to_utc

Key = datetime | date
"""What tells the occurrences of a series apart: an instant, or for a series of dates a date."""


class Reading(msgspec.Struct, frozen=True):
    """What a series is laid out against."""

    zones: Zones
    window: Window
    limits: Limits
    deadline: Deadline
    log: ProblemLog
    source: str = ""


def series_events(drafts: list[Draft], reading: Reading) -> list[CalendarEvent]:
    """The occurrences of all drafts of one uid that touch the window.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    masters = [d for d in drafts if d.recurrence is None]
    overrides = [d for d in drafts if d.recurrence is not None]
    if not masters:
        return _Series(None, overrides, reading).events()
    master = max(masters, key=lambda d: d.rank)
    if master.cancelled:
        return []
    events = _Series(master, overrides, reading).events()
    for other in masters:
        # Some exporters give the same uid to separate events; an older version of one has a lower SEQUENCE.
        twin = other.sequence == master.sequence and other.start != master.start
        if twin and not (other.cancelled or other.rules or master.rules):
            events += _Series(other, [], reading, twin=True).events()
    return events


class _Series:
    def __init__(self, master: Draft | None, overrides: list[Draft], reading: Reading, *, twin: bool = False) -> None:
        self._reading = reading
        self._master = None if master is None else _on_own_wall(master, reading.zones)
        self._named = twin or bool(overrides or (master is not None and (master.rules or master.more)))
        self._zone: tzinfo = self._master.start.zone if self._master is not None else reading.zones.own
        self._dates = master.dates if master is not None else all(d.dates for d in overrides)
        self._overrides: dict[Key, Draft] = {}
        for draft in sorted(overrides, key=lambda d: d.rank):
            for key in self._keys(draft.recurrence, draft.where)[:1]:
                self._overrides[key] = draft
        self._future = sorted(
            ((_order(key), draft) for key, draft in self._overrides.items() if draft.and_future),
            key=lambda pair: pair[0],
        )
        excluded = master.excluded if master is not None else ()
        where = master.where if master is not None else ""
        self._excluded = {key for moment in excluded for key in self._keys(moment, where)}

    def events(self) -> list[CalendarEvent]:
        """The occurrences that touch the window."""
        found: list[CalendarEvent | None] = []
        used: set[Key] = set()
        for moment in self._moments():
            keys = self._keys(moment, "the ends of time")
            if not keys or any(key in self._excluded for key in (*keys, moment.day)):
                continue
            match = next((key for key in (*keys, moment.day) if key in self._overrides), None)
            if match is None:
                found.append(self._from_template(moment, keys[0]))
            elif match not in used:
                used.add(match)
                draft = self._overrides[match]
                found.append(self._event(draft, draft.start, keys[0]))
        for key, draft in self._overrides.items():
            if key not in used and key not in self._excluded:
                found.append(self._event(draft, draft.start, key))
        return [event for event in found if event is not None]

    def _keys(self, moment: Moment | None, where: str) -> list[Key]:
        """What an occurrence, an excluded date or a RECURRENCE-ID answers to, the surest first.

        A series of dates is told apart by date, whatever form the exporter gave it; in a
        series of times a bare date stands for its day. None, and a problem counted, out of range.
        """
        if moment is None:
            return []
        if moment.is_date:
            return [moment.day]
        try:
            if self._dates:
                midnight = moment.wall.time() == time()
                return [moment.day if midnight or not moment.utc else moment.in_zone(self._reading.zones.own).day]
            unsure = moment.floating or moment.guessed
            return [to_utc(moment.wall, self._zone), moment.at] if unsure else [moment.at]
        except OverflowError:
            self._reading.log.add(ProblemKind.OUT_OF_RANGE, where)
            return []

    def _moments(self) -> list[Moment]:
        """Where the master's rule puts occurrences, in a stretch that surely holds the window."""
        master = self._master
        if master is None:
            return []
        reading = self._reading
        reach = max(master.length.total, *(d.length.total for _, d in self._future), NO_TIME) + 2 * ONE_DAY
        for _, draft in self._future:
            reach += abs(self._shift(draft))
        low = _shifted(reading.window.start_at.astimezone(UTC).replace(tzinfo=None), -reach)
        high = _shifted(reading.window.end_at.astimezone(UTC).replace(tzinfo=None), reach)
        walls = {master.start.wall}
        for moment in master.more:
            try:
                wall = moment.in_zone(self._zone).wall
            except OverflowError:
                reading.log.add(ProblemKind.OUT_OF_RANGE, master.where)
                continue
            walls.add(datetime.combine(wall, master.start.wall.time()) if moment.is_date else wall)
        try:
            for rule in master.rules:
                walls |= self._by_rule(rule, master, low, high)
        except TooManyStepsError:
            reading.log.add(ProblemKind.TOO_MANY_OCCURRENCES, master.where)
        except BadValueError:
            reading.log.add(ProblemKind.BAD_RULE, master.where)
        change = msgspec.structs.replace
        return [change(master.start, wall=wall) for wall in sorted(walls)]

    def _by_rule(self, rule: Rule, master: Draft, low: datetime, high: datetime) -> set[datetime]:
        limits = self._reading.limits
        walls: set[datetime] = set()
        for wall in occurrences(
            rule,
            master.start.wall,
            _last_wall(rule, master, self._zone),
            low,
            high,
            max_steps=limits.max_rule_steps,
            deadline=self._reading.deadline,
        ):
            walls.add(wall)
            if len(walls) > limits.max_series_occurrences:
                raise TooManyStepsError
        return walls

    def _from_template(self, moment: Moment, key: Key) -> CalendarEvent | None:
        """The occurrence as the master has it, or as the last override for all later ones has it."""
        draft = self._master
        place = _order(key)
        for since, override in self._future:
            if since < place:
                draft = override
        if draft is None:
            return None
        if draft is self._master:
            return self._event(draft, moment, key)
        wall = _shifted(moment.wall, self._shift(draft))
        return self._event(draft, msgspec.structs.replace(moment, wall=wall), key)

    def _shift(self, draft: Draft) -> timedelta:
        """How far an override for all later occurrences moves them on the wall."""
        if draft.recurrence is None:
            return NO_TIME
        try:
            return draft.start.in_zone(self._zone).wall - draft.recurrence.in_zone(self._zone).wall
        except OverflowError:
            return NO_TIME

    def _event(self, draft: Draft, start: Moment, key: Key) -> CalendarEvent | None:
        """The occurrence as a record, or None where it is cancelled, out of range or outside the window."""
        if draft.cancelled:
            return None
        reading = self._reading
        start_day: date | None = None
        end_day: date | None = None
        try:
            if draft.dates:
                start_day, end_day = start.day, (start.wall + draft.length.nominal).date()
                midnights = (datetime.combine(day, time()) for day in (start_day, end_day))
                start_at, end_at = (to_utc(midnight, reading.zones.own) for midnight in midnights)
            else:
                start_at = start.at
                end_at = max(start_at, draft.length.end_at(start))
        except OverflowError:
            reading.log.add(ProblemKind.OUT_OF_RANGE, draft.where)
            return None
        if not reading.window.meets(start_at, end_at):
            return None
        return CalendarEvent(
            draft.uid,
            _recurrence_id(key) if self._named else None,
            start_at,
            end_at,
            all_day=draft.dates,
            start_day=start_day,
            end_day=end_day,
            title=draft.title,
            others=draft.others,
            transparent=draft.transparent,
            declined=draft.declined,
            status=draft.status,
            kind=draft.kind,
            source=reading.source,
            zone_guessed=draft.start.guessed,
        )


def _on_own_wall(master: Draft, zones: Zones) -> Draft:
    """A series in UTC of a calendar that names its own zone follows that zone's clocks (old Google feeds)."""
    if not (zones.stated and master.start.utc and (master.rules or master.more)):
        return master
    try:
        return msgspec.structs.replace(master, start=master.start.in_zone(zones.own))
    except OverflowError:
        return master


def _last_wall(rule: Rule, master: Draft, zone: tzinfo) -> datetime | None:
    """The last wall time that UNTIL allows, never losing the last day: a bare date lasts until its end.

    Raises:
        BadValueError: UNTIL is neither date nor time.
    """
    if not rule.until:
        return None
    wall = read_bare_moment(rule.until)
    end_of_day = time(23, 59, 59)
    utc = rule.until[-1] in "zZ"
    try:
        local = wall.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None, fold=0) if utc else wall
    except OverflowError:
        local = wall
    if master.dates:
        return datetime.combine(max(wall, local), end_of_day)
    return datetime.combine(wall, end_of_day) if len(rule.until) <= len("2026-01-01") else local


def _shifted(wall: datetime, by: timedelta) -> datetime:
    """A wall time moved, held within what a date can express."""
    try:
        return wall + by
    except OverflowError:
        return datetime.max if by > NO_TIME else datetime.min


def _order(key: Key) -> datetime:
    return key if isinstance(key, datetime) else datetime.combine(key, time(), tzinfo=UTC)


def _recurrence_id(key: Key) -> str:
    return key.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(key, datetime) else key.isoformat()
