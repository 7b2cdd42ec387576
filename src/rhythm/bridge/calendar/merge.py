"""Calendars together: an event that several of them hold counts once.

Two occurrences are the same where uid and occurrence agree, or where start, end and title
agree (a meeting invited to two accounts, a calendar subscribed to twice). Of the two the one
that says more is kept: one that takes time over one marked free or declined, then the one
with more people on it, then the first. Without a title only the uid can tell.
"""

from collections.abc import Callable, Hashable, Iterable

from rhythm.bridge.calendar.events import CalendarEvent
from rhythm.bridge.calendar.phrases import words_of


def merge_events(calendars: Iterable[Iterable[CalendarEvent]]) -> tuple[CalendarEvent, ...]:
    """The events of all calendars, each once, by start, end, uid.

    Args:
        calendars: occurrences of each calendar; earlier calendars win between equals.
    """
    once = _once((event for events in calendars for event in events), _by_uid)
    once = _once(once, _by_time)
    return tuple(sorted(once, key=lambda e: (e.start_at, e.end_at, e.uid, e.recurrence_id or "")))


def _once(events: Iterable[CalendarEvent], key_of: Callable[[CalendarEvent], Hashable]) -> list[CalendarEvent]:
    kept: dict[Hashable, CalendarEvent] = {}
    for event in events:
        key = key_of(event)
        kept[key] = _fuller(kept[key], event) if key in kept else event
    return list(kept.values())


def _by_uid(event: CalendarEvent) -> Hashable:
    # A single event is told apart by its start too: some exporters give one uid to several.
    return event.uid, event.recurrence_id or event.start_at


def _by_time(event: CalendarEvent) -> Hashable:
    words = tuple(words_of(event.title))
    return (event.start_at, event.end_at, event.all_day, words) if words else _by_uid(event)


def _fuller(first: CalendarEvent, second: CalendarEvent) -> CalendarEvent:
    def weight(event: CalendarEvent) -> tuple[bool, int]:
        return not (event.transparent or event.declined), event.others

    return second if weight(second) > weight(first) else first
