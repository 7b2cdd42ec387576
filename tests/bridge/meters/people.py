"""Invented people's days for the meters' tests: what happened is in the arguments."""

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from rhythm.bridge.meters import CalendarDay, MeterInputs
from rhythm.bridge.wearables.days import DaySummary, DayValue
from rhythm.bridge.wearables.nights import Sleep
from rhythm.bridge.wearables.signals import Signal
from rhythm.vocab import Action, Done, PartOfDay, slot_number

TODAY = date(2026, 3, 12)
"""A Thursday."""
BERLIN = ZoneInfo("Europe/Berlin")
WATCH = "apple_health/Watch"


def value(number: float, day: date = TODAY, source: str = WATCH) -> DayValue:
    """A signal's value, recorded at six in the morning."""
    return DayValue(number, 1, source, datetime(day.year, day.month, day.day, 5, tzinfo=UTC))


def night(day: date, asleep_min: float = 450.0, wake_h: float = 7.0, source: str = WATCH) -> Sleep:
    """A night that ended on a day at a local hour (UTC+1)."""
    awake_at = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(hours=wake_h - 1)
    return Sleep(source, awake_at - timedelta(minutes=asleep_min), awake_at, 60, asleep_min, 90.0, 90.0, 0.0)


def usual_days(
    count: int,
    *,
    signals: dict[Signal, tuple[float, float]] | None = None,
    until: date = TODAY,
    seed: int = 1,
    asleep_min: Callable[[date], float] | None = None,
) -> dict[date, DaySummary]:
    """Days up to ``until`` (included) with each signal around a mean with a spread, and a night each."""
    draw = random.Random(seed)
    days = {}
    for back in range(count, -1, -1):
        day = until - timedelta(days=back)
        values = {s: value(draw.gauss(mean, sd), day) for s, (mean, sd) in (signals or {}).items()}
        minutes = draw.gauss(450, 30) if asleep_min is None else asleep_min(day)
        days[day] = DaySummary(day, night(day, minutes), (), values)
    return days


def with_value(
    days: dict[date, DaySummary], signal: Signal, number: float, day: date = TODAY
) -> dict[date, DaySummary]:
    """The same days with one value replaced."""
    old = days.get(day, DaySummary(day))
    return days | {day: DaySummary(day, old.night, old.naps, old.values | {signal: value(number, day)})}


def without_night(days: dict[date, DaySummary], day: date = TODAY) -> dict[date, DaySummary]:
    """The same days with one night not recorded."""
    return days | {day: DaySummary(day, None, (), days[day].values)}


def calendar_days(
    count: int,
    done: Callable[[date], dict[PartOfDay, Action]],
    share: Callable[[date], float | None] = lambda _: None,
    until: date = TODAY,
) -> dict[date, CalendarDay]:
    """Calendar days up to ``until`` (included)."""
    days = {}
    for back in range(count, -1, -1):
        day = until - timedelta(days=back)
        spent = tuple(Done(slot_number(day, part), action, "calendar") for part, action in done(day).items())
        days[day] = CalendarDay(day, spent, share(day))
    return days


def inputs(days: dict[date, DaySummary] | None = None, calendar: dict[date, CalendarDay] | None = None) -> MeterInputs:
    """Inputs of a person in Berlin."""
    return MeterInputs(days or {}, calendar or {}, zone=BERLIN)


def slot(part: PartOfDay = PartOfDay.MORNING, day: date = TODAY) -> int:
    """Today's slot of that part."""
    return slot_number(day, part)
