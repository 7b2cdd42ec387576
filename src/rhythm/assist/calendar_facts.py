"""Stored occurrences to what the meters and the planner ask of a calendar: slots in use, facts of days."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from rhythm.bridge.calendar.busy import SlotUse, blocks, done_in, slot_uses
from rhythm.bridge.calendar.classify import Classifier, features_of
from rhythm.bridge.calendar.density import meeting_density
from rhythm.bridge.calendar.events import CalendarEvent, EventKind
from rhythm.bridge.calendar.merge import merge_events
from rhythm.bridge.meters import CalendarDay
from rhythm.store import Occurrence, PersonSettings
from rhythm.vocab.actions import Action
from rhythm.vocab.history import Done
from rhythm.vocab.slots import SLOTS_PER_DAY, PartOfDay, SlotTimes, day_of, slot_number

CLASSIFIER = "rules and titles/2"
MARGIN = timedelta(days=3)
"""Events are known so far beyond the days of a view."""


def to_occurrences(
    events: Sequence[CalendarEvent], classifier: Classifier, zone: ZoneInfo, times: SlotTimes
) -> list[Occurrence]:
    """Events as the store keeps them, each with what it is taken to be."""
    found = classifier.classify([features_of(event, zone, times) for event in events])
    made = []
    for event, kind in zip(events, found, strict=True):
        known = kind.action is not None or kind.confidence > 0
        made.append(
            Occurrence(
                uid=event.uid,
                recurrence=event.recurrence_id or "",
                start_at=event.start_at,
                end_at=event.end_at,
                title=event.title,
                all_day=event.all_day,
                busy=blocks(event),
                meeting=kind.meeting or event.others >= 1,
                attendees=event.others,
                is_activity=(kind.action is not None) if known else None,
                action=kind.action,
                confidence=kind.confidence if known else None,
                classifier=f"{CLASSIFIER}: {kind.rule}",
                start_day=event.start_day,
                end_day=event.end_day,
                detail={"kind": event.kind.value, "declined": event.declined, "free": event.transparent},
            )
        )
    return made


def _to_event(one: Occurrence) -> CalendarEvent:
    return CalendarEvent(
        uid=one.uid,
        recurrence_id=one.recurrence or None,
        start_at=one.start_at,
        end_at=one.end_at,
        all_day=one.all_day,
        start_day=one.start_day,
        end_day=one.end_day,
        title=one.title,
        others=one.attendees,
        transparent=not one.busy,
        kind=EventKind(one.detail.get("kind", EventKind.DEFAULT)),
        declined=bool(one.detail.get("declined")),
    )


class CalendarView(msgspec.Struct, frozen=True):
    """A stretch of a person's calendars, each event once.

    Attributes:
        events: by start.
        actions: what each is taken to be; None for no activity.
        meetings: whether each is called a meeting.
        first, last: slots that it covers, both included.
        zone, times: the person's.
    """

    events: tuple[CalendarEvent, ...]
    actions: tuple[Action | None, ...]
    meetings: tuple[bool, ...]
    first: int
    last: int
    zone: ZoneInfo
    times: SlotTimes

    def uses(self, first: int | None = None, last: int | None = None) -> tuple[SlotUse, ...]:
        """How each slot is used."""
        slots = range(self.first if first is None else first, (self.last if last is None else last) + 1)
        return slot_uses(self.events, self.actions, slots, self.zone, self.times)

    def on_slot(self, slot: int) -> tuple[tuple[CalendarEvent, Action | None], ...]:
        """The timed events that touch a slot, with what each is taken to be."""
        start_at, end_at = self.times.bounds_at(slot, self.zone)
        return tuple(
            (event, action)
            for event, action in zip(self.events, self.actions, strict=True)
            if not event.all_day and event.start_at < end_at and event.end_at > start_at
        )

    def on_day(self, day: date) -> tuple[CalendarEvent, ...]:
        """The events without times that touch a local day."""
        return tuple(e for e in self.events if e.start_day and e.end_day and e.start_day <= day < e.end_day)

    def days(self, uses: Iterable[SlotUse], now_at: datetime) -> dict[date, CalendarDay]:
        """Facts of each local day: what slots were spent on, how much meetings take."""
        done: dict[date, list[Done]] = defaultdict(list)
        for one in done_in(uses, now_at):
            done[day_of(one.slot)].append(one)
        events: dict[date, list[int]] = defaultdict(list)
        for place, event in enumerate(self.events):
            for ordinal in range(
                event.start_at.astimezone(self.zone).toordinal(), event.end_at.astimezone(self.zone).toordinal() + 1
            ):
                events[date.fromordinal(ordinal)].append(place)
        facts = {}
        for number in range(self.first, self.last + 1, SLOTS_PER_DAY):
            day = day_of(number)
            here = events[day]
            density = meeting_density([self.events[i] for i in here], [self.meetings[i] for i in here], day, self.zone)
            facts[day] = CalendarDay(day, tuple(done[day]), density.share, density.longest_free_min)
        return facts


def _within(event: CalendarEvent, from_at: datetime, until_at: datetime) -> CalendarEvent:
    """The event as far as it concerns a stretch: one that lasts from year 1 to 9999 costs no more than others."""
    if event.start_at >= from_at and event.end_at <= until_at:
        return event
    start_at, end_at = max(event.start_at, from_at), min(event.end_at, until_at)
    return msgspec.structs.replace(event, start_at=start_at.astimezone(UTC), end_at=end_at.astimezone(UTC))


def view_of(
    occurrences: Sequence[Occurrence], settings: PersonSettings, first_day: date, last_day: date
) -> CalendarView:
    """The calendars between two local days, both included.

    Args:
        occurrences: those that touch the stretch, of all calendars.
        settings: the person's zone and slot times.
        first_day: first local day.
        last_day: last local day.
    """
    events = merge_events([[_to_event(one) for one in occurrences]])
    known = {(one.uid, one.recurrence, one.start_at): one for one in occurrences}
    kept = [known[event.uid, event.recurrence_id or "", event.start_at] for event in events]
    from_at = datetime.combine(first_day, time(), settings.zone_info) - MARGIN
    until_at = datetime.combine(last_day, time(), settings.zone_info) + MARGIN
    return CalendarView(
        tuple(_within(event, from_at, until_at) for event in events),
        tuple(one.action for one in kept),
        tuple(one.meeting for one in kept),
        slot_number(first_day, PartOfDay.MORNING),
        slot_number(last_day, PartOfDay.NIGHT),
        settings.zone_info,
        settings.slot_times,
    )
