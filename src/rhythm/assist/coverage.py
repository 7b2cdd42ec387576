"""The coverage calendar: which of the last weeks' days have what, so that a gap is seen before it is believed."""

from datetime import date, timedelta
from typing import Final

import msgspec

from rhythm.assist.context import Context
from rhythm.bridge.wearables.signals import Signal
from rhythm.vocab.slots import PartOfDay, slot_number

WEEKS: Final = 12
PARTS: Final[dict[str, tuple[str, frozenset[str]]]] = {
    "S": ("sleep", frozenset({"night"})),
    "V": ("heart-rate variability", frozenset({Signal.HRV_RMSSD_MS, Signal.HRV_SDNN_MS, Signal.HRV_UNKNOWN_MS})),
    "H": ("resting heart rate", frozenset({Signal.RESTING_HR_BPM, Signal.HEART_RATE_BPM})),
    "W": ("steps", frozenset({Signal.STEPS_COUNT})),
    "T": ("stress", frozenset({Signal.STRESS_FRACTION})),
    "C": ("calendar", frozenset()),
}
"""Letter in the calendar, words, and the day values that it stands for."""


class CoveredDay(msgspec.Struct, frozen=True):
    """A local day and the letters of what is known of it, in the order of `PARTS`; days ahead have none."""

    day: date
    letters: tuple[str, ...]

    @property
    def words(self) -> str:
        """What is known, to be read out."""
        return ", ".join(PARTS[letter][0] for letter in self.letters) or "nothing"


class CoveredWeek(msgspec.Struct, frozen=True):
    """Monday to Sunday."""

    days: tuple[CoveredDay, ...]


def coverage_of(context: Context, weeks: int = WEEKS) -> tuple[CoveredWeek, ...]:
    """The weeks up to the current one, newest first; none where nothing is known of any day.

    Args:
        context: the person now.
        weeks: how many.
    """
    today = context.day
    monday = today - timedelta(days=today.weekday())
    first = monday - timedelta(weeks=weeks - 1)
    known: dict[date, set[str]] = {}
    for value in context.person.days.window(first, today):
        known.setdefault(value.day, set()).add(value.name)
    in_calendar = _calendar_days(context, first, today)

    def covered(day: date) -> CoveredDay:
        names = known.get(day, set())
        letters = [letter for letter, (_, of) in PARTS.items() if names & of or (letter == "C" and day in in_calendar)]
        return CoveredDay(day, tuple(letters))

    found = tuple(
        CoveredWeek(tuple(covered(monday - timedelta(weeks=back) + timedelta(days=n)) for n in range(7)))
        for back in range(weeks)
    )
    return found if any(day.letters for week in found for day in week.days) else ()


def _calendar_days(context: Context, first: date, last: date) -> set[date]:
    """Local days on which an event begins."""
    zone, times = context.settings.zone_info, context.settings.slot_times

    start_at = times.bounds_at(slot_number(first, PartOfDay.MORNING), zone)[0] - timedelta(days=1)
    end_at = times.bounds_at(slot_number(last, PartOfDay.NIGHT), zone)[1]
    events = context.person.occurrences.window(start_at, end_at)
    begun = [one for one in events if one.start_at >= start_at]
    days = {one.start_day or one.start_at.astimezone(zone).date() for one in begun}
    return {day for day in days if first <= day <= last}
