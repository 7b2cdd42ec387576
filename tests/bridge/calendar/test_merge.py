"""Calendars together: each event once, whichever calendars hold it."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.calendar.calendar_strategies import events_in
from rhythm.bridge.calendar.events import CalendarEvent
from rhythm.bridge.calendar.merge import merge_events

NOON_AT = datetime(2026, 3, 10, 12, tzinfo=UTC)


def event(uid: str, title: str = "", hours: int = 0, **fields: object) -> CalendarEvent:
    start_at = NOON_AT + timedelta(hours=hours)
    return CalendarEvent(uid, None, start_at, start_at + timedelta(hours=1), title=title, **fields)  # type: ignore[arg-type]


def test_same_uid_counts_once_and_the_fuller_one_stays() -> None:
    assert merge_events([[event("a", others=1)], [event("a", others=3)]]) == (event("a", others=3),)
    assert merge_events([[event("a", transparent=True, others=9)], [event("a")]]) == (event("a"),)
    assert merge_events([[event("a", source="one")], [event("a", source="two")]])[0].source == "one"


def test_same_start_end_and_title_count_once_whatever_the_uid() -> None:
    assert len(merge_events([[event("a", "Team Sync")], [event("b", "team sync!")]])) == 1
    assert len(merge_events([[event("a", "Team Sync")], [event("b", "Team Sync", hours=1)]])) == 2
    assert len(merge_events([[event("a", "Team Sync")], [event("b", "Other")]])) == 2


def test_without_a_title_only_the_uid_tells() -> None:
    assert len(merge_events([[event("a")], [event("b")]])) == 2


def test_occurrences_of_a_series_are_told_apart() -> None:
    first, second = (
        CalendarEvent("a", f"2026-03-1{n}", NOON_AT + timedelta(days=n), NOON_AT + timedelta(days=n, hours=1))
        for n in range(2)
    )
    assert merge_events([[first, second], [second, first]]) == (first, second)


@settings(deadline=None)
@given(st.lists(events_in(NOON_AT, 3), max_size=4))
def test_merging_is_idempotent_and_invents_nothing(calendars: list[list[CalendarEvent]]) -> None:
    once = merge_events(calendars)
    assert merge_events([once]) == once
    assert merge_events([*calendars, once]) == once
    everything = [e for events in calendars for e in events]
    assert set(once) <= set(everything)
    assert {e.uid for e in everything if not e.title} == {e.uid for e in once if not e.title}
    assert list(once) == sorted(once, key=lambda e: (e.start_at, e.end_at, e.uid))
