"""The suggestions feed: valid by re-reading, stable, and never making anyone look busy."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from icalendar import Calendar

from bridge.calendar.ics_texts import BERLIN
from rhythm.bridge.calendar.busy import blocks
from rhythm.bridge.calendar.events import CalendarContents, Window
from rhythm.bridge.calendar.feed_out import FeedEntry, suggestions_feed
from rhythm.bridge.calendar.ics import read_ics
from rhythm.vocab.actions import Action
from rhythm.vocab.errors import InvalidValueError

MADE_AT = datetime(2026, 3, 10, 6, tzinfo=UTC)
START_AT = datetime(2026, 3, 10, 17, tzinfo=UTC)


def entry(slot: int = 7, action: Action = Action.EXERCISE, title: str = "Exercise", **fields: object) -> FeedEntry:
    given_fields: dict[str, object] = {
        "start_at": START_AT,
        "end_at": START_AT + timedelta(hours=1),
        "reason": "",
        "made_at": MADE_AT,
    } | fields
    return FeedEntry(slot, action, title=title, **given_fields)  # type: ignore[arg-type]


def read_back(feed: bytes) -> CalendarContents:
    return read_ics(feed, BERLIN, Window(datetime(1990, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)))


def test_feed_says_that_it_is_published_and_when_to_look_again() -> None:
    calendar = Calendar.from_ical(suggestions_feed([entry()]))
    assert calendar["METHOD"] == "PUBLISH"
    assert calendar["VERSION"] == "2.0"
    assert calendar["X-PUBLISHED-TTL"] == "PT1H"
    [event] = calendar.walk("VEVENT")
    assert event["CLASS"] == "PRIVATE"
    assert event.decoded("DTSTAMP") == MADE_AT


def test_uid_is_of_slot_and_action_alone() -> None:
    assert entry(title="a", reason="b").uid == entry(title="c", made_at=MADE_AT + timedelta(days=1)).uid
    assert len({entry(slot, action).uid for slot in range(4) for action in Action}) == 40


def test_a_later_suggestion_of_the_same_replaces_the_earlier() -> None:
    later = entry(title="new", made_at=MADE_AT + timedelta(hours=1))
    assert suggestions_feed([later, entry(title="old")]) == suggestions_feed([later])


def test_the_same_suggestions_give_the_same_bytes() -> None:
    entries = [entry(1), entry(2, Action.LEARN, "Learn")]
    assert suggestions_feed(entries) == suggestions_feed(reversed(entries))


def test_an_empty_feed_is_a_calendar() -> None:
    assert read_back(suggestions_feed([])) == CalendarContents(name="Rhythm suggestions")


@st.composite
def entries_of_any_kind(draw: st.DrawFn) -> FeedEntry:
    moments = st.datetimes(datetime(2000, 1, 1), datetime(2090, 1, 1), timezones=st.just(BERLIN))  # noqa: DTZ001
    start_at = draw(moments).astimezone(UTC).replace(microsecond=0)
    return entry(
        draw(st.integers(0, 10**6)),
        draw(st.sampled_from(Action)),
        "x" + draw(st.text(max_size=80)),
        reason=draw(st.text(max_size=300)),
        start_at=start_at,
        end_at=start_at + timedelta(minutes=draw(st.integers(1, 600))),
    )


@settings(deadline=None)
@given(st.lists(entries_of_any_kind(), max_size=8, unique_by=lambda e: e.uid))
def test_what_goes_out_comes_back(entries: list[FeedEntry]) -> None:
    feed = suggestions_feed(entries)
    assert all(len(line) <= 75 for line in feed.split(b"\r\n"))
    contents = read_back(feed)
    assert contents.problems == ()
    assert {(e.uid, e.start_at, e.end_at) for e in contents.events} == {(e.uid, e.start_at, e.end_at) for e in entries}
    assert not any(blocks(e) for e in contents.events)
    parsed = Calendar.from_ical(feed)
    assert len(parsed.walk("VEVENT")) == len(entries)


@pytest.mark.parametrize(
    "fields",
    [
        {"end_at": START_AT},
        {"start_at": START_AT.replace(tzinfo=None)},
        {"made_at": MADE_AT.replace(tzinfo=None)},
        {"title": "  "},
    ],
)
def test_an_entry_that_is_none_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidValueError):
        entry(**fields)  # type: ignore[arg-type]
