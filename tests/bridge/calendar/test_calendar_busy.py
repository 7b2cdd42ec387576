"""Events to slots: what blocks, what is busy, what a slot counts as, and that no minute is lost or doubled."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.calendar.calendar_strategies import events_in, zones
from bridge.calendar.ics_texts import BERLIN, at
from rhythm.bridge.calendar.busy import SlotUse, blocks, done_in, slot_uses
from rhythm.bridge.calendar.density import meeting_density
from rhythm.bridge.calendar.events import CalendarEvent, EventKind
from rhythm.bridge.calendar.intervals import merged, minutes
from rhythm.vocab.actions import Action
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.history import Done
from rhythm.vocab.slots import PartOfDay, SlotTimes, slot_number

DAY = date(2026, 3, 10)
MORNING = slot_number(DAY, PartOfDay.MORNING)
SLOTS = range(MORNING, MORNING + 4)


def event(begin: str, end: str, **fields: object) -> CalendarEvent:
    return CalendarEvent("u", None, at(f"2026-03-10 {begin}"), at(f"2026-03-10 {end}"), **fields)  # type: ignore[arg-type]


def uses(*pairs: tuple[CalendarEvent, Action | None]) -> tuple[SlotUse, ...]:
    return slot_uses([e for e, _ in pairs], [a for _, a in pairs], SLOTS, BERLIN)


@pytest.mark.parametrize(
    "fields",
    [
        {"all_day": True, "start_day": DAY, "end_day": DAY + timedelta(days=1)},
        {"transparent": True},
        {"declined": True},
        {"kind": EventKind.WORKING_LOCATION},
        {"kind": EventKind.BIRTHDAY},
        {"end_at": at("2026-03-12 06:00")},
        {"end_at": at("2026-03-10 06:00")},
    ],
)
def test_what_takes_no_time_never_blocks(fields: dict[str, object]) -> None:
    given_event = event("06:00", "12:00", **{k: v for k, v in fields.items() if k != "end_at"})
    if "end_at" in fields:
        given_event = CalendarEvent("u", None, given_event.start_at, fields["end_at"])  # type: ignore[arg-type]
    assert not blocks(given_event)
    assert not any(use.busy or use.action is not None for use in uses((given_event, Action.DEEP_WORK)))


def test_half_a_slot_makes_it_busy() -> None:
    assert uses((event("06:00", "09:00"), None))[0].busy
    almost = uses((event("06:00", "08:59"), None))[0]
    assert not almost.busy
    assert almost.open_at == (at("2026-03-10 08:59"), at("2026-03-10 12:00"))


def test_crumbs_of_free_time_leave_no_room() -> None:
    crumbs = [event(f"{h:02}:00", f"{h:02}:10") for h in range(6, 13)]
    [morning, *_] = uses(*((e, None) for e in crumbs))
    assert morning.share < 0.5
    assert morning.busy


def test_overlaps_count_once() -> None:
    [morning, *_] = uses((event("08:00", "09:30"), None), (event("09:00", "10:00"), None))
    assert morning.blocked_min == 120
    assert not morning.busy


def test_an_event_over_a_boundary_counts_where_it_fills_enough() -> None:
    long = uses((event("10:30", "13:00"), Action.DEEP_WORK))
    assert [use.action for use in long] == [Action.DEEP_WORK, Action.DEEP_WORK, None, None]
    short = uses((event("10:30", "12:30"), Action.DEEP_WORK))
    assert [use.action for use in short] == [Action.DEEP_WORK, None, None, None]


def test_most_minutes_decide_and_short_sport_counts() -> None:
    both = uses((event("08:00", "09:30"), Action.LEARN), (event("09:30", "10:30"), Action.ADMIN_WORK))
    assert both[0].action is Action.LEARN
    assert uses((event("07:00", "07:45"), Action.EXERCISE))[0].action is Action.EXERCISE
    assert uses((event("07:00", "07:45"), Action.ADMIN_WORK))[0].action is None


def test_many_short_events_of_one_action_add_up() -> None:
    meetings = [event(f"{h:02}:00", f"{h:02}:30") for h in (8, 9)]
    assert uses(*((e, Action.ADMIN_WORK) for e in meetings))[0].action is Action.ADMIN_WORK


def test_done_tells_only_of_slots_that_are_over() -> None:
    found = uses((event("07:00", "09:00"), Action.LEARN), (event("18:00", "20:00"), Action.SOCIALIZE))
    assert done_in(found, at("2026-03-10 17:00")) == (Done(MORNING, Action.LEARN, "calendar"),)
    assert len(done_in(found, at("2026-03-11 06:00"))) == 2


def test_night_belongs_to_the_day_it_begins_on() -> None:
    late = CalendarEvent("u", None, at("2026-03-11 01:00"), at("2026-03-11 05:30"))
    assert uses((late, None))[3].busy


def test_misfitting_arguments_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="one for each"):
        slot_uses([event("06:00", "07:00")], [], SLOTS, BERLIN)
    with pytest.raises(InvalidValueError, match="consecutive"):
        slot_uses([], [], range(0, 8, 2), BERLIN)
    assert slot_uses([], [], range(0), BERLIN) == ()


@settings(deadline=None)
@given(st.data(), zones())
def test_slots_tile_time_and_no_blocked_minute_is_lost_or_doubled(data: st.DataObject, zone_name: str) -> None:
    zone = ZoneInfo(zone_name)
    times = SlotTimes()
    events = data.draw(events_in(datetime(2026, 1, 1, tzinfo=UTC), days=60))
    first = times.slot_at(datetime(2026, 1, 1, tzinfo=UTC), zone)
    slots = range(first, first + data.draw(st.integers(1, 250)))
    found = slot_uses(events, [None] * len(events), slots, zone, times)
    assert [use.slot for use in found] == list(slots)
    assert all(a.end_at == b.start_at for a, b in pairwise(found))
    whole = (found[0].start_at, found[-1].end_at)
    blocked = merged(((e.start_at, e.end_at) for e in events if blocks(e)), whole)
    assert sum(use.blocked_min for use in found) == pytest.approx(sum(minutes(part) for part in blocked))
    for use in found:
        touching = sorted(e.uid for e in events if blocks(e) and e.start_at < use.end_at and use.start_at < e.end_at)
        assert sorted(use.uids) == touching
        if use.open_at is not None:
            assert use.start_at <= use.open_at[0] < use.open_at[1] <= use.end_at
            assert not merged(blocked, use.open_at)
        assert use.busy == (use.open_at is None)


def test_density_merges_clips_and_leaves_out_what_is_no_meeting() -> None:
    events = [
        event("08:00", "10:00", others=2),
        event("09:30", "10:30", others=1),
        event("13:00", "14:00"),
        event("15:30", "15:45", others=1),
        event("14:00", "15:00"),
        event("15:00", "16:00", others=3, kind=EventKind.FOCUS_TIME),
        event("15:00", "16:00", others=3, declined=True),
    ]
    found = meeting_density(events, [False, False, True, False, False, True, True], DAY, BERLIN)
    assert found.share == pytest.approx(165 / 480)
    assert found.meetings == 4
    assert found.longest_free_min == 150
    assert found.focus_min == 150


@settings(deadline=None)
@given(st.data())
def test_density_is_a_share(data: st.DataObject) -> None:
    events = data.draw(events_in(at("2026-03-08 00:00"), days=4))
    found = meeting_density(events, [True] * len(events), DAY, BERLIN)
    assert 0.0 <= found.share <= 1.0
    assert found.focus_min <= (1 - found.share) * 480 + 1e-6
    assert found.longest_free_min <= (1 - found.share) * 480 + 1e-6
