"""Random calendars: zones, events as records, and events as iCalendar text."""

from datetime import datetime, timedelta
from zoneinfo import available_timezones

from hypothesis import strategies as st

from rhythm.bridge.calendar.events import CalendarEvent, EventKind

ZONE_NAMES = sorted(name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "SystemV/")))
HARD_ZONES = [
    *("Europe/Berlin", "America/New_York", "Pacific/Apia", "Australia/Lord_Howe", "Africa/Casablanca"),
    *("Asia/Kathmandu", "Pacific/Kiritimati", "America/St_Johns", "Antarctica/Troll", "Pacific/Chatham"),
]


def zones() -> st.SearchStrategy[str]:
    """A zone name; the hard ones often."""
    return st.sampled_from(HARD_ZONES) | st.sampled_from(ZONE_NAMES)


@st.composite
def event_records(draw: st.DrawFn, start_at: datetime, days: int) -> CalendarEvent:
    """An event that starts within some days of an instant; not of dates."""
    begin_at = start_at + timedelta(minutes=draw(st.integers(-1440, days * 1440)))
    length = timedelta(minutes=draw(st.integers(0, 300) | st.integers(0, 3 * 1440)))
    return CalendarEvent(
        f"u{draw(st.integers(0, 10**6))}",
        None,
        begin_at,
        begin_at + length,
        others=draw(st.integers(0, 5)),
        transparent=draw(st.booleans()),
        declined=draw(st.booleans()),
        kind=draw(st.sampled_from(EventKind)),
    )


def events_in(start_at: datetime, days: int) -> st.SearchStrategy[list[CalendarEvent]]:
    """Up to twenty events around a stretch of days."""
    return st.lists(event_records(start_at, days), max_size=20)
