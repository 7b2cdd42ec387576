"""Random calendars: zones, events as records, and events as iCalendar text."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import msgspec
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


class WrittenEvent(msgspec.Struct, frozen=True):
    """An event as iCalendar text, and what it must come out as.

    Attributes:
        uid: its UID.
        text: the lines of the VEVENT.
        start_at: its start where the text fixes one in UTC, else None.
        length: its length.
        rule: it repeats.
    """

    uid: str
    text: str
    start_at: datetime | None
    length: timedelta
    rule: bool


_RULES = st.sampled_from(
    [
        *("", "", "FREQ=DAILY", "FREQ=DAILY;INTERVAL=3;COUNT=20", "FREQ=WEEKLY;BYDAY=MO,WE,FR"),
        *("FREQ=WEEKLY;UNTIL=20260320", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=MONTHLY;BYMONTHDAY=31", "FREQ=YEARLY"),
        "FREQ=HOURLY;INTERVAL=7;COUNT=30",
    ]
)


@st.composite
def _written(draw: st.DrawFn, number: int) -> WrittenEvent:
    uid = f"event-{number}"
    wall = datetime(2025, 11, 1) + timedelta(minutes=draw(st.integers(0, 240 * 1440)))  # noqa: DTZ001
    length = timedelta(minutes=draw(st.integers(0, 400) | st.integers(0, 3000)))
    rule = draw(_RULES)
    form = draw(st.sampled_from(["utc", "zoned", "floating", "dates"]))
    lines = [f"UID:{uid}"]
    start_at: datetime | None = None
    if form == "dates":
        length = max(timedelta(days=1), timedelta(days=length.days))
        lines += [f"DTSTART;VALUE=DATE:{wall:%Y%m%d}", f"DTEND;VALUE=DATE:{wall + length:%Y%m%d}"]
        rule = rule.replace("HOURLY", "DAILY")
    else:
        name = draw(zones())
        place = {"utc": "", "zoned": f";TZID={name}", "floating": ""}[form]
        lines.append(f"DTSTART{place}:{wall:%Y%m%dT%H%M%S}{'Z' if form == 'utc' else ''}")
        lines.append(f"DURATION:PT{int(length.total_seconds()) // 60}M")
        if form != "floating":
            start_at = wall.replace(tzinfo=UTC if form == "utc" else ZoneInfo(name)).astimezone(UTC)
    if rule:
        lines.append(f"RRULE:{rule}")
    if draw(st.booleans()):
        lines.append("TRANSP:TRANSPARENT")
    return WrittenEvent(uid, "\n".join(lines), start_at, length, bool(rule))


@st.composite
def calendars(draw: st.DrawFn) -> list[WrittenEvent]:
    """Up to twelve events in every form that iCalendar has for a time."""
    return [draw(_written(number)) for number in range(draw(st.integers(0, 12)))]


@st.composite
def events_of_daytime(draw: st.DrawFn) -> WrittenEvent:
    """A zoned event by day, when no clock changes, with an end."""
    uid = f"event-{draw(st.integers(0, 10**6))}"
    wall = datetime(2025, 11, 1, 9) + timedelta(days=draw(st.integers(0, 200)), minutes=draw(st.integers(0, 480)))  # noqa: DTZ001
    length = timedelta(minutes=draw(st.integers(1, 300)))
    zone = draw(st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Australia/Sydney"]))
    rule = draw(_RULES.filter(lambda text: "HOURLY" not in text and "UNTIL" not in text))
    lines = [
        f"UID:{uid}",
        f"DTSTART;TZID={zone}:{wall:%Y%m%dT%H%M%S}",
        f"DTEND;TZID={zone}:{wall + length:%Y%m%dT%H%M%S}",
    ]
    if rule:
        lines.append(f"RRULE:{rule}")
        gone = wall + timedelta(days=draw(st.integers(0, 60)))
        lines.append(f"EXDATE;TZID={zone}:{gone:%Y%m%dT%H%M%S}")
    return WrittenEvent(uid, "\n".join(lines), None, length, bool(rule))
