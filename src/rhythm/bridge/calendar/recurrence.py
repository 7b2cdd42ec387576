"""The occurrences of a repeat rule in a stretch of time (RFC 5545, section 3.3.10).

A rule is walked period by period: year, month, week, day, hour ... Without COUNT the walk
begins at the stretch that is asked for, so a series from 1970 costs no more than one from
yesterday, and a rule that never matches ends with the stretch. With COUNT it begins at the
start of the series. The steps are bounded in either case. All times are wall times of one zone.
"""

# ruff: noqa: DTZ001, DTZ901 (wall times have no zone)

import calendar
from collections.abc import Iterator
from datetime import MAXYEAR, date, datetime, timedelta

import msgspec

from rhythm.bridge.calendar.limits import Deadline
from rhythm.bridge.calendar.repeat_rule import Frequency, Rule

_SECONDS = {Frequency.HOURLY: 3600, Frequency.MINUTELY: 60, Frequency.SECONDLY: 1}
_DAY_S = 86_400
_LAST_DAY = date.max.toordinal()


class TooManyStepsError(Exception):
    """A rule that takes more steps than are allowed."""


def occurrences(
    rule: Rule,
    start: datetime,
    until: datetime | None,
    low: datetime,
    high: datetime,
    *,
    max_steps: int,
    deadline: Deadline,
) -> Iterator[datetime]:
    """The occurrences that a rule makes from its start on, within [low, high], rising; all wall times.

    Args:
        rule: the rule; its own UNTIL text is not read here.
        start: the wall time of DTSTART, which lends what the rule leaves open.
        until: no occurrence after it.
        low: first moment wanted.
        high: last moment wanted.
        max_steps: periods and candidates that may be tried.
        deadline: when to stop.

    Raises:
        TooManyStepsError: the rule takes more steps.
        OutOfTimeError: the deadline has passed.
    """
    walk = _Walk(_completed(rule, start), start)
    last = high if until is None else min(high, until)
    index = walk.first_index(max(low, start)) if rule.count is None or walk.one_per_period else 0
    seen = index  # exact where it matters: one occurrence in each period
    steps = 0
    while walk.begin(index) <= last:
        if index % 256 == 0:
            deadline.check()
        found = walk.candidates(index, max_steps - steps)
        steps += 1 + len(found)
        if steps > max_steps:
            raise TooManyStepsError
        for at in found:
            if at < start:
                continue
            if rule.count is not None and seen >= rule.count:
                return
            seen += 1
            if low <= at <= last:
                yield at
        index += 1
        if index > walk.last_index:
            return


def _completed(rule: Rule, start: datetime) -> Rule:
    """The rule with what it leaves open taken from the start of the series."""
    if rule.by_year_day or rule.by_month_day or rule.by_day:
        return rule
    change = msgspec.structs.replace
    if rule.by_week_no or rule.frequency is Frequency.WEEKLY:
        return change(rule, by_day=((0, start.weekday()),))
    if rule.frequency is Frequency.MONTHLY:
        return change(rule, by_month_day=(start.day,))
    if rule.frequency is Frequency.YEARLY:
        return change(rule, by_month=rule.by_month or (start.month,), by_month_day=(start.day,))
    return rule


class _Walk:
    """The periods of a completed rule by their index: 0 holds the start of the series."""

    def __init__(self, rule: Rule, start: datetime) -> None:
        self._rule = rule
        self._start = start
        self._unit_s = _SECONDS.get(rule.frequency, 0)
        ordinal = start.toordinal()
        self._week = ordinal - (start.weekday() - rule.week_start) % 7
        self._ticks = 0
        if self._unit_s:
            elapsed_s = start.hour * 3600 + start.minute * 60 + start.second
            self._ticks = (ordinal * _DAY_S + elapsed_s) // self._unit_s
        self.last_index = self._index_of(datetime.max)
        filters = (rule.by_month, rule.by_week_no, rule.by_year_day, rule.by_month_day, rule.by_set_pos)
        clock = (rule.by_hour, rule.by_minute, rule.by_second)
        days = rule.by_day if rule.frequency is not Frequency.WEEKLY or len(rule.by_day) > 1 else ()
        same_weekday = rule.frequency is not Frequency.WEEKLY or rule.by_day == ((0, start.weekday()),)
        self.one_per_period = rule.frequency >= Frequency.WEEKLY and not any((*filters, *clock, days)) and same_weekday

    def _index_of(self, at: datetime) -> int:
        """The index of the last period that begins at or before a moment."""
        rule, start = self._rule, self._start
        match rule.frequency:
            case Frequency.YEARLY:
                distance = at.year - start.year
            case Frequency.MONTHLY:
                distance = (at.year - start.year) * 12 + at.month - start.month
            case Frequency.WEEKLY:
                distance = (at.toordinal() - self._week) // 7
            case Frequency.DAILY:
                distance = at.toordinal() - start.toordinal()
            case _:
                elapsed_s = at.toordinal() * _DAY_S + at.hour * 3600 + at.minute * 60 + at.second
                distance = elapsed_s // self._unit_s - self._ticks
        return distance // rule.interval

    def first_index(self, low: datetime) -> int:
        """The first period that can hold something at or after a moment, not before that of the start."""
        return max(0, self._index_of(low))

    def begin(self, index: int) -> datetime:
        """The first moment of a period; the end of time where the period lies behind it."""
        step = index * self._rule.interval
        match self._rule.frequency:
            case Frequency.YEARLY:
                year = self._start.year + step
                return datetime(year, 1, 1) if year <= MAXYEAR else datetime.max
            case Frequency.MONTHLY:
                year, month = self._month(step)
                return datetime(year, month, 1) if year <= MAXYEAR else datetime.max
            case Frequency.WEEKLY:
                return _midnight(max(1, self._week + 7 * step))
            case Frequency.DAILY:
                return _midnight(self._start.toordinal() + step)
            case _:
                day, second = divmod((self._ticks + step) * self._unit_s, _DAY_S)
                return _midnight(day) + timedelta(seconds=second) if day <= _LAST_DAY else datetime.max

    def candidates(self, index: int, most: int) -> list[datetime]:
        """What the rule makes in a period, rising.

        Raises:
            TooManyStepsError: more than the most allowed.
        """
        rule = self._rule
        begin = self.begin(index)
        hours, minutes, seconds = self._clock(begin)
        if not (hours and minutes and seconds):
            return []
        days = [day for day in self._days(index, begin) if _keeps(rule, day)]
        if len(days) * len(hours) * len(minutes) * len(seconds) > most:
            raise TooManyStepsError
        found = [
            datetime(day.year, day.month, day.day, hour, minute, second)
            for day in days
            for hour in hours
            for minute in minutes
            for second in seconds
        ]
        if rule.by_set_pos:
            size = len(found)
            places = {p - 1 if p > 0 else size + p for p in rule.by_set_pos}
            found = [found[place] for place in sorted(places) if 0 <= place < size]
        return found

    def _month(self, step: int) -> tuple[int, int]:
        year, month = divmod(self._start.year * 12 + self._start.month - 1 + step, 12)
        return year, month + 1

    def _days(self, index: int, begin: datetime) -> list[date]:
        rule = self._rule
        if rule.frequency is Frequency.YEARLY:
            return [day for month in rule.by_month or range(1, 13) for day in _days_of_month(begin.year, month)]
        if rule.frequency is Frequency.MONTHLY:
            return _days_of_month(begin.year, begin.month)
        if rule.frequency is Frequency.WEEKLY:
            week = self._week + 7 * index * rule.interval
            return [date.fromordinal(n) for n in range(max(1, week), min(week + 7, _LAST_DAY + 1))]
        return [begin.date()]

    def _clock(self, begin: datetime) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Hours, minutes and seconds of the occurrences in a period."""
        rule, start = self._rule, self._start
        hours = _part(rule.by_hour, start.hour, begin.hour, within=rule.frequency >= Frequency.HOURLY)
        minutes = _part(rule.by_minute, start.minute, begin.minute, within=rule.frequency >= Frequency.MINUTELY)
        seconds = _part(rule.by_second, start.second, begin.second, within=rule.frequency >= Frequency.SECONDLY)
        return hours, minutes, tuple(s for s in seconds if s < 60)


def _part(given: tuple[int, ...], of_start: int, of_period: int, *, within: bool) -> tuple[int, ...]:
    """One part of the clock: inside a shorter period the period's own, where the rule lets it pass."""
    if within:
        return (of_period,) if not given or of_period in given else ()
    return given or (of_start,)


def _midnight(ordinal: int) -> datetime:
    return datetime.fromordinal(ordinal) if ordinal <= _LAST_DAY else datetime.max


def _days_of_month(year: int, month: int) -> list[date]:
    return [date(year, month, day) for day in range(1, calendar.monthrange(year, month)[1] + 1)]


def _keeps(rule: Rule, day: date) -> bool:
    """Whether a rule lets a day pass."""
    if rule.by_month and day.month not in rule.by_month:
        return False
    if rule.by_month_day:
        length = calendar.monthrange(day.year, day.month)[1]
        if day.day not in rule.by_month_day and day.day - length - 1 not in rule.by_month_day:
            return False
    if rule.by_year_day and not _is_numbered(rule.by_year_day, day.timetuple().tm_yday, _year_length(day.year)):
        return False
    if rule.by_week_no and not _is_numbered(rule.by_week_no, *_week_number(day, rule.week_start)):
        return False
    return not rule.by_day or any(_is_weekday(rule, nth, weekday, day) for nth, weekday in rule.by_day)


def _is_weekday(rule: Rule, nth: int, weekday: int, day: date) -> bool:
    if day.weekday() != weekday:
        return False
    if nth == 0 or rule.frequency > Frequency.MONTHLY:
        return True
    if rule.frequency is Frequency.MONTHLY or rule.by_month:
        place, length = day.day, calendar.monthrange(day.year, day.month)[1]
    else:
        place, length = day.timetuple().tm_yday, _year_length(day.year)
    return nth == (place - 1) // 7 + 1 if nth > 0 else -nth == (length - place) // 7 + 1


def _is_numbered(wanted: tuple[int, ...], number: int, last: int) -> bool:
    return number in wanted or number - last - 1 in wanted


def _year_length(year: int) -> int:
    return 366 if calendar.isleap(year) else 365


def _week_number(day: date, week_start: int) -> tuple[int, int]:
    """The number of a day's week and that of the last week of the same week-year.

    Week 1 is the first with at least four days in its year, whichever weekday weeks begin on.
    """
    middle = day.toordinal() - (day.weekday() - week_start) % 7 + 3
    year = date.fromordinal(min(max(1, middle), _LAST_DAY)).year
    first = _first_week(year, week_start)
    number = (middle - first) // 7 + 1
    return number, (_first_week(year + 1, week_start) - first) // 7 if year < MAXYEAR else number


def _first_week(year: int, week_start: int) -> int:
    """The ordinal of the day in the middle of a year's first week."""
    fourth = date(year, 1, 4)
    return fourth.toordinal() - (fourth.weekday() - week_start) % 7 + 3
