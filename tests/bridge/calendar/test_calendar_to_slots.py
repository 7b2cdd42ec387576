"""Whole way: any calendar that can be written, in any zone, yields slots without overlap or loss."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
import recurring_ical_events
from hypothesis import given, settings
from hypothesis import strategies as st
from icalendar import Calendar

from bridge.calendar.calendar_strategies import WrittenEvent, calendars, events_of_daytime, zones
from bridge.calendar.ics_texts import calendar
from rhythm.bridge.calendar.busy import blocks, slot_uses
from rhythm.bridge.calendar.events import Window
from rhythm.bridge.calendar.ics import read_ics
from rhythm.bridge.calendar.intervals import merged, minutes
from rhythm.vocab.slots import SlotTimes

BEGIN_AT = datetime(2026, 1, 1, tzinfo=UTC)
SPAN = Window(BEGIN_AT, BEGIN_AT + timedelta(days=120))


@settings(deadline=None, max_examples=60)
@given(calendars(), zones())
def test_any_calendar_in_any_zone_yields_slots_without_overlap_or_loss(
    events: list[WrittenEvent], zone_name: str
) -> None:
    zone = ZoneInfo(zone_name)
    contents = read_ics(calendar(*(event.text for event in events)), zone, SPAN)
    assert contents.problems == ()
    times = SlotTimes()
    slots = range(times.slot_at(SPAN.start_at, zone), times.slot_at(SPAN.end_at, zone) + 1)
    uses = slot_uses(contents.events, [None] * len(contents.events), slots, zone, times)
    assert all(a.end_at == b.start_at for a, b in pairwise(uses))
    whole = (uses[0].start_at, uses[-1].end_at)
    blocked = merged(((e.start_at, e.end_at) for e in contents.events if blocks(e)), whole)
    assert sum(use.blocked_min for use in uses) == pytest.approx(sum(minutes(part) for part in blocked))
    held = {(use.slot, uid) for use in uses for uid in use.uids}
    for event in contents.events:
        if blocks(event):
            first = times.slot_at(max(event.start_at, whole[0]), zone)
            last = times.slot_at(min(event.end_at, whole[1]) - timedelta(microseconds=1), zone)
            assert all((slot, event.uid) in held for slot in range(first, last + 1))


@settings(deadline=None, max_examples=60)
@given(calendars(), zones())
def test_each_single_event_is_found_once_at_its_instant(events: list[WrittenEvent], zone_name: str) -> None:
    contents = read_ics(calendar(*(event.text for event in events)), ZoneInfo(zone_name), SPAN)
    for event in events:
        found = [e for e in contents.events if e.uid == event.uid]
        if event.rule:
            starts = [e.start_at for e in found]
            assert starts == sorted(set(starts))
        elif event.start_at is not None:
            inside = SPAN.meets(event.start_at, event.start_at + event.length)
            assert [e.start_at for e in found] == ([event.start_at] if inside else [])
            assert all(e.end_at - e.start_at == event.length for e in found)


@settings(deadline=None, max_examples=40)
@given(st.lists(events_of_daytime(), min_size=1, max_size=4, unique_by=lambda e: e.uid))
def test_agrees_with_an_independent_expansion_away_from_clock_changes(events: list[WrittenEvent]) -> None:
    """The library that others use is right where no clock changes at the hour and no end is missing."""
    text = calendar(*(event.text for event in events))
    ours = {(e.uid, e.start_at, e.end_at) for e in read_ics(text, ZoneInfo("Europe/Berlin"), SPAN).events}
    found = recurring_ical_events.of(Calendar.from_ical(text)).between(SPAN.start_at, SPAN.end_at)
    theirs = {(str(e["UID"]), e["DTSTART"].dt.astimezone(UTC), e["DTEND"].dt.astimezone(UTC)) for e in found}
    assert ours == theirs


@settings(deadline=None)
@given(st.integers(0, 3000), st.integers(1, 400), zones())
def test_all_day_events_keep_their_dates_in_every_zone(first: int, days: int, zone_name: str) -> None:
    start = date(2020, 1, 1) + timedelta(days=first)
    text = calendar(f"UID:a\nDTSTART;VALUE=DATE:{start:%Y%m%d}\nDTEND;VALUE=DATE:{start + timedelta(days=days):%Y%m%d}")
    span = Window(datetime(2019, 1, 1, tzinfo=UTC), datetime(2032, 1, 1, tzinfo=UTC))
    [event] = read_ics(text, ZoneInfo(zone_name), span).events
    assert (event.start_day, event.end_day) == (start, start + timedelta(days=days))
    assert not blocks(event)
