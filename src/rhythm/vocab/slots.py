"""Slots: four parts of a day, twenty-eight a week, in simulation and in local time.

A *slot number* counts slots since the morning of Monday, 1 January of year 1, so that
``slot % 28`` is the step of the week (0 is Monday morning) in both worlds: a simulated
week starts at slot 0, a real one at the slot number of its Monday. A day begins with
its morning; the night belongs to the day on which it begins, even past midnight.
"""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import IntEnum
from itertools import pairwise

import msgspec

from rhythm.vocab.checks import is_whole
from rhythm.vocab.errors import InvalidValueError

SLOTS_PER_DAY = 4
DAYS_PER_WEEK = 7
WEEK_STEPS = SLOTS_PER_DAY * DAYS_PER_WEEK

_MOST = 2**63

DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class PartOfDay(IntEnum):
    """The four slots of a day in order."""

    MORNING = 0
    AFTERNOON = 1
    EVENING = 2
    NIGHT = 3

    @property
    def label(self) -> str:
        """The word a person reads, lower case."""
        return self.name.lower()


def week_step(slot: int) -> int:
    """The step of the week, 0..27, that a slot number falls on."""
    return slot % WEEK_STEPS


def part_of(slot: int) -> PartOfDay:
    """The part of the day of a slot number (or of a step)."""
    return PartOfDay(slot % SLOTS_PER_DAY)


def weekday_of(slot: int) -> int:
    """The weekday of a slot number (or of a step), 0 for Monday to 6 for Sunday."""
    return (slot // SLOTS_PER_DAY) % DAYS_PER_WEEK


def slot_number(day: date, part: PartOfDay) -> int:
    """The slot number of that part of that calendar day."""
    return (day.toordinal() - 1) * SLOTS_PER_DAY + part


def check_slot(slot: object, what: str = "slot") -> None:
    """A whole number of 64 bits; whether there is such a slot is for whoever learns from it to say.

    Raises:
        InvalidValueError: no whole number, or one of more than 64 bits.
    """
    if type(slot) is int and 0 <= slot < _MOST:
        return
    if not is_whole(slot, -_MOST, _MOST - 1):
        got = (
            "one of more than 64 bits" if isinstance(slot, int) and not isinstance(slot, bool) else type(slot).__name__
        )
        raise InvalidValueError(f"{what}: a slot number is a whole number of at most 64 bits; got {got}")


def day_of(slot: int) -> date:
    """The calendar day on which a slot number begins.

    Raises:
        InvalidValueError: not a slot of the years 1 to 9999.
    """
    try:
        return date.fromordinal(slot // SLOTS_PER_DAY + 1)
    except (ValueError, OverflowError, TypeError):
        got = slot if isinstance(slot, int) and abs(slot) < _MOST else type(slot).__name__
        last = date.max.toordinal() * SLOTS_PER_DAY - 1
        raise InvalidValueError(
            f"slot {got} is on no calendar day; slots run from 0 to {last}, in the year 9999"
        ) from None


def describe_slot(slot: int) -> str:
    """``Tuesday evening``."""
    return f"{DAY_NAMES[weekday_of(slot)]} {part_of(slot).label}"


class SlotTimes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When each part of the day begins, in the person's local time.

    Attributes:
        morning, afternoon, evening, night: local starts, strictly rising; the night ends
            where the next day's morning begins.
    """

    morning: time = time(6)
    afternoon: time = time(12)
    evening: time = time(17)
    night: time = time(22)

    def __post_init__(self) -> None:
        starts = self.starts
        if not all(isinstance(t, time) for t in starts):
            raise InvalidValueError(f"slot times are times of day; got {', '.join(type(t).__name__ for t in starts)}")
        if any(t.tzinfo is not None for t in starts):
            raise InvalidValueError("slot times are local; give them without a time zone")
        if not all(a < b for a, b in pairwise(starts)):
            got = ", ".join(t.isoformat("minutes") for t in starts)
            raise InvalidValueError(f"slot times must rise from morning to night within one day; got {got}")

    @property
    def starts(self) -> tuple[time, time, time, time]:
        """The four starts in order."""
        return self.morning, self.afternoon, self.evening, self.night

    def bounds_at(self, slot: int, zone: tzinfo) -> tuple[datetime, datetime]:
        """Start and end of a slot as aware instants in UTC.

        The end of a slot is the start of the next, so the slots of any stretch of days
        neither overlap nor leave a gap, on days of 23 and 25 hours too.
        """
        return self._start_at(slot, zone), self._start_at(slot + 1, zone)

    def slot_at(self, at: datetime, zone: tzinfo) -> int:
        """The slot number that an aware instant falls in.

        Raises:
            InvalidValueError: the datetime has no time zone, or lies at either end of the calendar.
        """
        if at.tzinfo is None:
            raise InvalidValueError("a naive datetime has no slot; give it a time zone")
        try:
            return self._slot_at(at, zone)
        except OverflowError:
            raise InvalidValueError(f"no slot can be worked out so near the end of the calendar, {at.year}") from None

    def _slot_at(self, at: datetime, zone: tzinfo) -> int:
        local = at.astimezone(zone)
        slot = slot_number(local.date(), PartOfDay.MORNING)
        # The local day before or after can own the instant: the night runs past midnight,
        # and a zone change can move a boundary over it. Search the neighbours by instant.
        slot -= SLOTS_PER_DAY
        while self._start_at(slot + 1, zone) <= at:
            slot += 1
        return slot

    def _start_at(self, slot: int, zone: tzinfo) -> datetime:
        local = datetime.combine(day_of(slot), self.starts[part_of(slot)], tzinfo=zone)
        try:
            at = local.astimezone(UTC)
        except OverflowError:
            raise InvalidValueError(f"slot {slot} begins in UTC beyond the ends of the calendar") from None
        if at.astimezone(zone).replace(tzinfo=None) == local.replace(tzinfo=None):
            return at
        return _gap_end_at(local, zone)

    def length(self, slot: int, zone: tzinfo) -> timedelta:
        """How long a slot lasts; it differs on days when the clocks change."""
        start_at, end_at = self.bounds_at(slot, zone)
        return end_at - start_at


def _gap_end_at(local: datetime, zone: tzinfo) -> datetime:
    """When the clocks jump over a local time: the instant of the jump, so starts keep their order."""
    before_at, after_at = sorted(local.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    offset_after = after_at.astimezone(zone).utcoffset()
    while after_at - before_at > timedelta(seconds=1):
        middle_at = before_at + (after_at - before_at) / 2
        if middle_at.astimezone(zone).utcoffset() == offset_after:
            after_at = middle_at
        else:
            before_at = middle_at
    return after_at.replace(microsecond=0)
