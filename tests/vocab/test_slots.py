"""Slots in local time: over any zone and year they tile time, and an instant finds its slot."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.slots import SLOTS_PER_DAY, PartOfDay, SlotTimes, day_of, part_of, slot_number

ZONES = sorted(available_timezones() - {"localtime", "Factory"})
TIMES = SlotTimes()
DAYS = st.dates(date(1900, 1, 1), date(2100, 1, 1))


@st.composite
def slot_times(draw: st.DrawFn) -> SlotTimes:
    minutes = sorted(draw(st.sets(st.integers(0, 1439), min_size=4, max_size=4)))
    return SlotTimes(*(time(m // 60, m % 60) for m in minutes))


@settings(deadline=None, max_examples=400)
@given(st.sampled_from(ZONES), DAYS, slot_times())
@example("Pacific/Apia", date(2011, 12, 30), TIMES)
@example("Pacific/Kwajalein", date(1993, 8, 21), TIMES)
@example("Australia/Lord_Howe", date(2026, 10, 4), SlotTimes(time(2), time(2, 15), time(2, 30), time(22)))
@example("America/Sao_Paulo", date(2018, 11, 4), SlotTimes(time(0), time(6), time(12), time(18)))
@example("Africa/Monrovia", date(1972, 1, 7), TIMES)
@example("America/Juneau", date(1867, 10, 18), TIMES)
def test_consecutive_slots_tile_time(name: str, day: date, times: SlotTimes) -> None:
    zone = ZoneInfo(name)
    first = slot_number(day, PartOfDay.MORNING) - 2 * SLOTS_PER_DAY
    bounds = [times.bounds_at(slot, zone) for slot in range(first, first + 5 * SLOTS_PER_DAY)]
    for (start_at, end_at), (next_start_at, _) in pairwise(bounds):
        assert start_at <= end_at == next_start_at
        assert start_at.tzinfo is UTC


@settings(deadline=None, max_examples=400)
@given(st.sampled_from(ZONES), DAYS, slot_times(), st.integers(0, 86_399))
@example("Pacific/Apia", date(2011, 12, 30), TIMES, 0)
@example("Australia/Lord_Howe", date(2026, 4, 5), SlotTimes(time(1, 30), time(1, 45), time(2), time(22)), 5_400)
@example("America/Juneau", date(1867, 10, 18), TIMES, 40_000)
def test_an_instant_lies_in_the_slot_that_it_finds(name: str, day: date, times: SlotTimes, second: int) -> None:
    zone = ZoneInfo(name)
    at = datetime.combine(day, time(), tzinfo=UTC) + timedelta(seconds=second)
    start_at, end_at = times.bounds_at(times.slot_at(at, zone), zone)
    assert start_at <= at < end_at


@settings(deadline=None, max_examples=400)
@given(st.sampled_from(ZONES), DAYS, slot_times(), st.sampled_from(PartOfDay))
@example("Pacific/Apia", date(2011, 12, 30), TIMES, PartOfDay.AFTERNOON)
def test_the_bounds_of_a_slot_find_it_again(name: str, day: date, times: SlotTimes, part: PartOfDay) -> None:
    zone = ZoneInfo(name)
    slot = slot_number(day, part)
    start_at, end_at = times.bounds_at(slot, zone)
    assert times.length(slot, zone) == end_at - start_at
    if start_at < end_at:
        assert times.slot_at(start_at, zone) == slot
        assert times.slot_at(end_at - timedelta(microseconds=1), zone) == slot
    else:
        assert times.slot_at(start_at, zone) > slot


@pytest.mark.parametrize(
    ("name", "day", "part", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 28), PartOfDay.NIGHT, 7),
        ("Europe/Berlin", date(2026, 10, 24), PartOfDay.NIGHT, 9),
        ("Europe/Berlin", date(2026, 3, 29), PartOfDay.MORNING, 6),
        ("Australia/Lord_Howe", date(2026, 10, 3), PartOfDay.NIGHT, 7.5),
        ("Australia/Lord_Howe", date(2026, 4, 4), PartOfDay.NIGHT, 8.5),
        ("Asia/Kathmandu", date(2026, 3, 28), PartOfDay.NIGHT, 8),
    ],
)
def test_nights_are_as_long_as_the_clocks_make_them(name: str, day: date, part: PartOfDay, hours: float) -> None:
    assert TIMES.length(slot_number(day, part), ZoneInfo(name)) == timedelta(hours=hours)


def test_a_day_that_a_zone_skips_has_slots_without_length() -> None:
    """Samoa went from 29 to 31 December 2011."""
    zone = ZoneInfo("Pacific/Apia")
    skipped = slot_number(date(2011, 12, 30), PartOfDay.MORNING)
    assert [TIMES.length(slot, zone) for slot in range(skipped, skipped + 3)] == [timedelta(0)] * 3
    around = range(skipped - SLOTS_PER_DAY, skipped + 2 * SLOTS_PER_DAY)
    assert sum((TIMES.length(slot, zone) for slot in around), timedelta(0)) == timedelta(hours=48)


@pytest.mark.parametrize(
    ("local", "day", "part"),
    [
        ("2026-03-10T05:59:59", date(2026, 3, 9), PartOfDay.NIGHT),
        ("2026-03-10T06:00:00", date(2026, 3, 10), PartOfDay.MORNING),
        ("2026-03-10T12:00:00", date(2026, 3, 10), PartOfDay.AFTERNOON),
        ("2026-03-10T17:00:00", date(2026, 3, 10), PartOfDay.EVENING),
        ("2026-03-10T22:00:00", date(2026, 3, 10), PartOfDay.NIGHT),
        ("2026-03-11T00:30:00", date(2026, 3, 10), PartOfDay.NIGHT),
    ],
)
def test_the_night_belongs_to_the_day_on_which_it_begins(local: str, day: date, part: PartOfDay) -> None:
    zone = ZoneInfo("Europe/Berlin")
    slot = TIMES.slot_at(datetime.fromisoformat(local).replace(tzinfo=zone), zone)
    assert (day_of(slot), part_of(slot)) == (day, part)


def test_a_naive_instant_has_no_slot() -> None:
    with pytest.raises(InvalidValueError, match="time zone"):
        TIMES.slot_at(datetime(2026, 3, 10), ZoneInfo("Europe/Berlin"))  # noqa: DTZ001


@settings(deadline=None)
@given(slot_times().filter(lambda t: t.morning > time(0)))
def test_times_that_do_not_rise_are_refused(times: SlotTimes) -> None:
    with pytest.raises(InvalidValueError, match="rise"):
        SlotTimes(times.afternoon, times.morning, times.evening, times.night)
    with pytest.raises(InvalidValueError, match="rise"):
        SlotTimes(times.morning, times.afternoon, times.evening, times.evening)
    with pytest.raises(InvalidValueError, match="without a time zone"):
        SlotTimes(times.morning.replace(tzinfo=UTC), times.afternoon, times.evening, times.night)
