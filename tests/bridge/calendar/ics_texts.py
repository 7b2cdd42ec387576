"""Small calendars for the tests: event lines in, occurrences out."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from rhythm.bridge.calendar.events import CalendarContents, CalendarEvent, ProblemKind, Window
from rhythm.bridge.calendar.ics import read_ics
from rhythm.bridge.calendar.limits import Limits

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str, zone: ZoneInfo = BERLIN) -> datetime:
    """An instant from a wall time such as ``2026-03-10 09:00``."""
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def window(first: str, last: str) -> Window:
    """From the midnight of one Berlin day to that of another."""
    return Window(at(f"{first} 00:00"), at(f"{last} 00:00"))


def calendar(*events: str, head: str = "") -> bytes:
    """A calendar of events, each the lines between BEGIN:VEVENT and END:VEVENT."""
    body = "".join(f"BEGIN:VEVENT\n{event.strip()}\nEND:VEVENT\n" for event in events)
    lines = f"BEGIN:VCALENDAR\nVERSION:2.0\n{head.strip()}\n{body}END:VCALENDAR\n"
    return "\r\n".join(line.strip() for line in lines.splitlines() if line.strip()).encode() + b"\r\n"


def read(*events: str, head: str = "", span: Window | None = None, limits: Limits | None = None) -> CalendarContents:
    """What a calendar of those events gives for March to November 2026, for a person in Berlin."""
    return read_ics(calendar(*events, head=head), BERLIN, span or window("2026-03-01", "2026-11-30"), limits=limits)


def starts(contents: CalendarContents, zone: ZoneInfo = BERLIN) -> list[str]:
    """The starts as wall times."""
    return [e.start_at.astimezone(zone).strftime("%Y-%m-%d %H:%M") for e in contents.events]


def only(contents: CalendarContents) -> CalendarEvent:
    """The one event that there must be."""
    assert len(contents.events) == 1, starts(contents)
    return contents.events[0]


def kinds(contents: CalendarContents) -> set[ProblemKind]:
    """The kinds of problem met."""
    return {p.kind for p in contents.problems}


def length_h(event: CalendarEvent) -> float:
    """Hours from start to end."""
    return (event.end_at - event.start_at) / timedelta(hours=1)
