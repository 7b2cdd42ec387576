"""Google Calendar over real HTTP: pages, cancelled and declined events, states that are no meetings, odd times."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bridge.accounts.peers import CLIENT, CLIENT_SECRET, REFRESH, Answer, Peer, Query, paged, serving
from rhythm.bridge.accounts.credentials import Credentials
from rhythm.bridge.accounts.google_calendar import AccountCalendarError, GoogleCalendar, read_google
from rhythm.bridge.accounts.session import Session
from rhythm.bridge.calendar.events import CalendarContents, EventKind, ProblemKind
from rhythm.bridge.calendar.ics import window_around

BERLIN = ZoneInfo("Europe/Berlin")
WINDOW = window_around(datetime(2026, 3, 12, 9, tzinfo=UTC))


def timed(uid: str, **more: Any) -> dict[str, Any]:
    edges = {"start": {"dateTime": "2026-03-12T10:00:00+01:00"}, "end": {"dateTime": "2026-03-12T11:00:00+01:00"}}
    return {"id": uid, "iCalUID": f"{uid}@google.com", "status": "confirmed", "summary": uid, **edges, **more}


ITEMS: list[Any] = [
    timed("plain", attendees=[{"self": True, "responseStatus": "accepted"}, {"email": "a@b"}, {"resource": True}]),
    timed("declined", attendees=[{"self": True, "responseStatus": "declined"}, {"email": "a@b"}]),
    timed("free", transparency="transparent"),
    timed("focus", eventType="focusTime"),
    timed("office", eventType="workingLocation"),
    {"id": "gone", "status": "cancelled", "originalStartTime": {"dateTime": "2026-03-12T10:00:00+01:00"}},
    timed("day", start={"date": "2026-03-29"}, end={"date": "2026-03-30"}),
    timed("series", recurringEventId="s", originalStartTime={"dateTime": "2026-03-12T09:00:00+01:00"}),
    timed("reversed", start={"dateTime": "2026-03-12T12:00:00+01:00"}),
    timed("broken", start={"dateTime": "2026-13-40"}),
    timed("startless", start=None),
    timed("outside", start={"dateTime": "2020-01-01T10:00:00Z"}, end={"dateTime": "2020-01-01T11:00:00Z"}),
    None,
    7,
]


@pytest.fixture
def peer() -> Iterator[Peer]:
    def data(path: str, query: Query) -> Answer:
        assert path == "/calendar/v3/calendars/primary/events"
        assert query["singleEvents"] == "true"
        assert "syncToken" not in query, "a sync token cannot go with a window"
        items, after = paged(ITEMS, 3, query.get("pageToken", ""))
        return 200, {"items": items, **({"nextPageToken": after} if after else {})}

    with serving(Peer(data, "/token")) as served:
        yield served


def read(peer: Peer, refresh: str = REFRESH) -> CalendarContents:
    given = Credentials(CLIENT, CLIENT_SECRET, refresh)
    with Session(GoogleCalendar(), given, lambda _: None, host=peer.url, sleep=lambda _: None) as session:
        return read_google(session, BERLIN, WINDOW, name="mine")


def test_events_come_as_the_calendar_means_them(peer: Peer) -> None:
    contents = read(peer)
    events = {event.title: event for event in contents.events}
    assert set(events) == {"plain", "declined", "free", "focus", "office", "day", "series", "reversed"}
    assert events["plain"].others == 1
    assert events["plain"].start_at == datetime(2026, 3, 12, 9, tzinfo=UTC)
    assert events["declined"].declined
    assert events["free"].transparent
    assert (events["focus"].kind, events["office"].kind) == (EventKind.FOCUS_TIME, EventKind.WORKING_LOCATION)
    assert (events["day"].start_day, events["day"].end_day) == (date(2026, 3, 29), date(2026, 3, 30))
    assert events["day"].length_min == 23 * 60, "the clocks go forward"
    assert events["series"].recurrence_id == "2026-03-12T08:00:00+00:00"
    assert events["reversed"].length_min == 0
    kinds = {problem.kind for problem in contents.problems}
    assert kinds == {ProblemKind.END_BEFORE_START, ProblemKind.BAD_TIME, ProblemKind.NO_START}
    assert len(peer.asked) == 5


def test_a_login_that_is_not_taken_is_a_calendar_error(peer: Peer) -> None:
    with pytest.raises(AccountCalendarError):
        read(peer, refresh="old")
    peer.trouble = [(429, "9999")]
    with pytest.raises(AccountCalendarError):
        read(peer)


def pages(answers: list[dict[str, Any]]) -> Peer:
    """A server that gives these pages, the last again and again."""
    return Peer(lambda _p, _q: (200, answers.pop(0) if len(answers) > 1 else answers[0]), "/token")


def test_an_event_that_two_pages_tell_counts_once() -> None:
    told: list[dict[str, Any]] = [
        {"items": [timed("a"), timed("b")], "nextPageToken": "2"},
        {"items": [timed("b"), timed("c")]},
    ]
    with serving(pages(told)) as served:
        assert [event.title for event in read(served).events] == ["a", "b", "c"]


def test_pages_that_go_round_are_an_error_so_that_what_was_read_before_stands() -> None:
    told: list[dict[str, Any]] = [{"items": [timed("a")], "nextPageToken": name} for name in ("2", "3", "2")]
    with serving(pages(told)) as served, pytest.raises(AccountCalendarError):
        read(served)
    assert len(served.asked) == 3


def test_cancelled_in_the_title_only_counts_as_cancelled() -> None:
    with serving(pages([{"items": [timed("x", summary="Canceled: review"), timed("y")]}])) as served:
        assert [event.title for event in read(served).events] == ["y"]
