"""Google Calendar's own interface, version 3, with the person's own app: the events of a window, already laid out.

The whole window is asked for each time, with ``singleEvents``: a sync token cannot go with a window, and ends with
410 at any time. What is cancelled is left out; what the person declined, and what is marked free, says so; focus time,
absence, working location and birthdays are kept apart from meetings. Fields: https://developers.google.com/calendar/api;
never run against Google itself.
"""

from datetime import UTC, date, datetime, time, tzinfo
from typing import Any

from rhythm.bridge.accounts.credentials import Login
from rhythm.bridge.accounts.face import AccountError, AccountErrorKind, Request, items_of, text_at
from rhythm.bridge.accounts.session import Session
from rhythm.bridge.calendar.drafts import CANCELLED_TITLE
from rhythm.bridge.calendar.events import (
    CalendarContents,
    CalendarError,
    CalendarEvent,
    EventKind,
    EventStatus,
    Problem,
    ProblemKind,
    Window,
)
from rhythm.bridge.calendar.problems import ProblemLog

MOST_PAGES = 200
_KINDS = {
    "focusTime": EventKind.FOCUS_TIME,
    "outOfOffice": EventKind.OUT_OF_OFFICE,
    "workingLocation": EventKind.WORKING_LOCATION,
    "birthday": EventKind.BIRTHDAY,
}


class GoogleCalendar:
    """Where Google's calendars are, and how a person lets Rhythm in."""

    name = "google-calendar"
    title = "Google Calendar"
    base_url = "https://www.googleapis.com"
    login = Login(
        "https://oauth2.googleapis.com/token",
        "https://accounts.google.com/o/oauth2/v2/auth",
        ("https://www.googleapis.com/auth/calendar.events.readonly",),
        (("access_type", "offline"), ("prompt", "consent")),
        "make an OAuth client of your own at https://console.cloud.google.com and switch the Google Calendar API on",
    )


class AccountCalendarError(CalendarError):
    """A calendar that its account does not give."""

    def __init__(self, error: AccountError) -> None:
        super().__init__(str(error))
        self.kind = error.kind


def read_google(session: Session, zone: tzinfo, window: Window, *, name: str = "") -> CalendarContents:
    """The events of the person's main calendar that touch a window.

    Args:
        session: of `GoogleCalendar`.
        zone: the person's zone, for dates.
        window: the stretch of time wanted.
        name: what the person calls it.

    Raises:
        AccountCalendarError: it cannot be read.
    """
    log, after, read = ProblemLog(), "", 0
    found: dict[tuple[str, str | None], CalendarEvent] = {}  # pages shift where events change meanwhile
    pages: set[str] = set()
    for _ in range(MOST_PAGES):
        query = [
            ("singleEvents", "true"),
            ("maxResults", "250"),
            ("timeMin", window.start_at.astimezone(UTC).isoformat()),
            ("timeMax", window.end_at.astimezone(UTC).isoformat()),
        ]
        try:
            path = "/calendar/v3/calendars/primary/events"
            answer = session.get(Request(path, (*query, ("pageToken", after)) if after else tuple(query)))
        except AccountError as error:
            raise AccountCalendarError(error) from None
        for item in items_of(answer, "items"):
            read += 1
            event = _event(item, zone, name, log, read)
            if event is not None and window.meets(event.start_at, event.end_at):
                found[event.uid or f"item {read}", event.recurrence_id] = event
        after = text_at(answer, "nextPageToken")
        if not after:
            break
        if after in pages:
            raise AccountCalendarError(AccountError(AccountErrorKind.BAD_ANSWER, "Google gives pages without an end"))
        pages.add(after)
    else:
        log.add(ProblemKind.TOO_LARGE, f"page {MOST_PAGES}")
    events = sorted(found.values(), key=lambda event: (event.start_at, event.end_at, event.uid))
    problems: tuple[Problem, ...] = log.problems
    return CalendarContents(tuple(events), problems, read, name)


def _event(item: Any, zone: tzinfo, name: str, log: ProblemLog, number: int) -> CalendarEvent | None:
    if (
        not isinstance(item, dict)
        or item.get("status") == "cancelled"
        or CANCELLED_TITLE.match(text_at(item, "summary"))
    ):
        return None
    start, end = _edge(item.get("start"), zone), _edge(item.get("end"), zone)
    if start is None or end is None:
        log.add(ProblemKind.BAD_TIME if item.get("start") else ProblemKind.NO_START, f"item {number}")
        return None
    (start_at, start_day), (end_at, end_day) = start, end
    all_day = start_day is not None and end_day is not None and end_day > start_day
    if end_at < start_at:
        log.add(ProblemKind.END_BEFORE_START, f"item {number}")
        end_at = start_at
    people = [one for one in items_of(item, "attendees") if isinstance(one, dict) and not one.get("resource")]
    original = _edge(item.get("originalStartTime"), zone)
    return CalendarEvent(
        uid=text_at(item, "iCalUID") or text_at(item, "id"),
        recurrence_id=_recurrence(original) if text_at(item, "recurringEventId") and original else None,
        start_at=start_at,
        end_at=end_at,
        all_day=all_day,
        start_day=start_day if all_day else None,
        end_day=end_day if all_day else None,
        title=text_at(item, "summary").strip(),
        others=sum(not one.get("self") for one in people),
        transparent=item.get("transparency") == "transparent",
        declined=any(one.get("self") and one.get("responseStatus") == "declined" for one in people),
        status=EventStatus.TENTATIVE if item.get("status") == "tentative" else EventStatus.CONFIRMED,
        kind=_KINDS.get(text_at(item, "eventType"), EventKind.DEFAULT),
        source=name,
    )


def _edge(value: Any, zone: tzinfo) -> tuple[datetime, date | None] | None:
    """A start or an end as an instant, and its day where it has no time; None where it cannot be read."""
    try:
        if text := text_at(value, "dateTime"):
            at = datetime.fromisoformat(text)
            return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC), None
        if text := text_at(value, "date"):
            day = date.fromisoformat(text)
            return datetime.combine(day, time(), zone).astimezone(UTC), day
    except (ValueError, OverflowError):
        return None
    return None


def _recurrence(original: tuple[datetime, date | None]) -> str:
    at, day = original
    return at.isoformat() if day is None else day.isoformat()
