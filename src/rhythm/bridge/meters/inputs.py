"""What the meters are computed from: day summaries of the body, and plain facts of the calendar."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache

import msgspec

from rhythm.bridge.wearables.days import DaySummary
from rhythm.vocab.history import Done
from rhythm.vocab.slots import PartOfDay, SlotTimes, day_of, slot_number


class CalendarDay(msgspec.Struct, frozen=True):
    """What a calendar says of one local day; a day without one is unknown, a day with an empty one was free.

    Attributes:
        day: the local day.
        done: what slots were spent on; of slots that are over.
        meeting_share: share of the working window in meetings, [0, 1]; None where there is none.
        longest_free_min: longest stretch of the working window without a meeting; None where unknown.
    """

    day: date
    done: tuple[Done, ...] = ()
    meeting_share: float | None = None
    longest_free_min: float | None = None


class MeterInputs(msgspec.Struct, frozen=True):
    """Everything known of a person's days.

    Attributes:
        days: day summaries by local day; missing days are missing.
        calendar: calendar facts by local day.
        times: when the person's slots begin.
        zone: where the person is.
    """

    days: Mapping[date, DaySummary] = {}
    calendar: Mapping[date, CalendarDay] = {}
    times: SlotTimes = SlotTimes()
    zone: tzinfo = UTC

    def start_at(self, slot: int) -> datetime:
        """The instant at which a slot begins, UTC."""
        return _start_at(slot, self.times, self.zone)

    def calendar_as_of(self, slot: int) -> datetime | None:
        """Until when the calendar is known before a slot: its start, or the end of the last known day."""
        today = day_of(slot)
        if today in self.calendar:
            return self.start_at(slot)
        earlier = [day for day in self.calendar if day < today]
        return self.start_at(slot_number(max(earlier) + timedelta(days=1), PartOfDay.MORNING)) if earlier else None


@lru_cache(maxsize=1024)
def _start_at(slot: int, times: SlotTimes, zone: tzinfo) -> datetime:
    """Remembered, since each morning is compared with all slots of the months before it."""
    return times.bounds_at(slot, zone)[0]


@lru_cache(maxsize=1024)
def days_before(slot: int, count: int) -> tuple[date, ...]:
    """The ``count`` local days before a slot's own, latest first."""
    today = day_of(slot)
    return tuple(today - timedelta(days=i) for i in range(1, min(count, today.toordinal() - 1) + 1))
