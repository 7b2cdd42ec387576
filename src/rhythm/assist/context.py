"""What is known of a person at one moment, read once and shared by everything on a page."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any, TypeVar

from rhythm.assist.calendar_facts import CalendarView, view_of
from rhythm.assist.day_facts import days_between
from rhythm.bridge.calendar.busy import SlotUse
from rhythm.bridge.meters import CalendarDay, MeterEstimate, MeterInputs, meters_at
from rhythm.bridge.wearables.days import DaySummary
from rhythm.store import ImportState, PersonSettings, PersonStore
from rhythm.vocab.slots import SLOTS_PER_DAY, PartOfDay, day_of, slot_number

BACK_DAYS = 62
"""As far as a baseline looks, with a margin."""
AHEAD_DAYS = 2
RUNS_WATCHED = 20
"""Imports whose going on or ending is noticed; that one is taken out is noticed of any."""

T = TypeVar("T")


class Context:
    """One reading of a person's settings, days and calendars.

    Attributes:
        person: their store.
        settings: theirs.
        now_at: the moment, in their zone.
        slot: the slot that it falls in.
        back_days: how many days back it reaches.
        state: what everything that is worked out here depends on; equal states give equal contents.
    """

    def __init__(
        self, person: PersonStore, now_at: datetime, *, back_days: int = BACK_DAYS, known: "Context | None" = None
    ) -> None:
        """Read settings; all else is read when it is asked for.

        Args:
            person: their store.
            now_at: the moment, aware.
            back_days: how many days back it reaches.
            known: an earlier reading; what it has worked out is used where nothing has changed since.
        """
        self.person = person
        self.back_days = back_days
        self.settings: PersonSettings = person.about().settings
        self.now_at = now_at.astimezone(self.settings.zone_info)
        self.slot = self.settings.slot_times.slot_at(now_at, self.settings.zone_info)
        self.state = (
            self.slot,
            back_days,
            self.settings,
            person.calendars.all(),
            person.imports.latest(RUNS_WATCHED),
            person.imports.count(ImportState.UNDONE),
            person.occurrences.overrides(),
        )
        unchanged = known is not None and known.state == self.state
        self._worked_out: dict[str, Any] = known._worked_out if known is not None and unchanged else {}  # noqa: SLF001

    def _once(self, name: str, work_out: Callable[[], T]) -> T:
        """What was worked out under that name, worked out now where it was not."""
        if name not in self._worked_out:
            self._worked_out[name] = work_out()
        found: T = self._worked_out[name]
        return found

    @property
    def day(self) -> date:
        """The day that the slot belongs to; past midnight still the day before."""
        return day_of(self.slot)

    @property
    def first_slot(self) -> int:
        """The morning of the day."""
        return slot_number(self.day, PartOfDay.MORNING)

    @property
    def day_slots(self) -> range:
        """The four slots of the day."""
        return range(self.first_slot, self.first_slot + SLOTS_PER_DAY)

    @property
    def days(self) -> dict[date, DaySummary]:
        """Day summaries as far as a baseline looks."""
        first = self.day - timedelta(days=self.back_days)
        return self._once("days", lambda: days_between(self.person, first, self.day))

    @property
    def has_calendar(self) -> bool:
        """Whether any calendar is read at all; without one its meters are unknown, not zero."""
        return any(source.enabled for source in self.person.calendars.all())

    @property
    def is_blank(self) -> bool:
        """Whether nothing was read at all yet."""
        return not self.has_calendar and not self.days

    @property
    def calendar(self) -> CalendarView:
        """The calendars from as far back as a baseline looks to the day after tomorrow."""
        return self._once("calendar", self._read_calendar)

    def _read_calendar(self) -> CalendarView:
        first, last = self.day - timedelta(days=self.back_days), self.day + timedelta(days=AHEAD_DAYS)
        zone = self.settings.zone_info
        from_at = datetime.combine(first, time(), zone)
        until_at = datetime.combine(last + timedelta(days=2), time(), zone)
        return view_of(self.person.occurrences.window(from_at, until_at), self.settings, first, last)

    @property
    def uses(self) -> dict[int, SlotUse]:
        """How the calendars use each slot."""
        return self._once("uses", lambda: {use.slot: use for use in self.calendar.uses()})

    @property
    def calendar_days(self) -> dict[date, CalendarDay]:
        """Facts of the days that a calendar covers; none before its first event, as it may not have been kept then."""
        return self._once("calendar_days", self._read_calendar_days)

    def _read_calendar_days(self) -> dict[date, CalendarDay]:
        if not self.has_calendar or not self.calendar.events:
            return {}
        facts = self.calendar.days(self.uses.values(), self.now_at)
        begins = self.calendar.events[0].start_at.astimezone(self.settings.zone_info).date()
        return {day: known for day, known in facts.items() if begins <= day <= self.day}

    @property
    def inputs(self) -> MeterInputs:
        """What meters are computed from."""
        return MeterInputs(self.days, self.calendar_days, self.settings.slot_times, self.settings.zone_info)

    def meters(self, slot: int | None = None) -> tuple[MeterEstimate, ...]:
        """The five meters of a slot, now's where none is given."""
        at = self.slot if slot is None else slot
        return self._once(f"meters-{at}", lambda: meters_at(at, self.inputs))
