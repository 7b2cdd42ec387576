"""Vendors' times: with an offset and without, where the clocks change, as milliseconds; and any text."""

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhythm.bridge.wearables.exports import clocks
from rhythm.bridge.wearables.exports.collecting import UnusableError

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = st.sampled_from(["Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Pacific/Auckland", "UTC"]).map(
    ZoneInfo
)
INSTANTS = st.datetimes(
    min_value=datetime(1990, 1, 2),  # noqa: DTZ001
    max_value=datetime(2099, 12, 30),  # noqa: DTZ001
    timezones=st.just(UTC),
).map(lambda at: at.replace(microsecond=0))


@given(at=INSTANTS, offset_min=st.integers(-720, 840), space=st.sampled_from(["", " "]), mark=st.sampled_from("T "))
def test_a_time_with_its_own_offset_keeps_instant_and_offset(
    at: datetime, offset_min: int, space: str, mark: str
) -> None:
    written = at.astimezone(timezone(timedelta(minutes=offset_min)))
    text = f"{written:%Y-%m-%d}{mark}{written:%H:%M:%S}{space}{written:%z}"
    assert clocks.moment(text, BERLIN) == (at, offset_min)


@given(at=INSTANTS, zone=ZONES)
def test_an_instant_without_a_place_has_the_offset_of_the_persons_zone(at: datetime, zone: ZoneInfo) -> None:
    offset = at.astimezone(zone).utcoffset()
    assert offset is not None
    wanted = (at, round(offset / timedelta(minutes=1)))
    assert clocks.moment(f"{at:%Y-%m-%dT%H:%M:%S}Z", zone) == wanted
    assert clocks.moment(at.timestamp() * 1000, zone) == wanted
    assert clocks.utc_moment(f"{at:%Y-%m-%dT%H:%M:%S}.0", zone) == wanted


@given(at=INSTANTS, zone=ZONES)
def test_a_wall_clock_alone_is_read_in_the_persons_zone(at: datetime, zone: ZoneInfo) -> None:
    local = at.astimezone(zone)
    if local.replace(fold=0).astimezone(UTC) == at:  # the first pass of a repeated hour
        assert clocks.moment(f"{local:%Y-%m-%dT%H:%M:%S}.000", zone).at == at


def test_an_hour_that_is_skipped_or_repeated_is_still_an_instant() -> None:
    assert clocks.moment("2026-03-29T02:30:00", BERLIN).at == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    assert clocks.moment("2026-10-25T02:30:00", BERLIN) == (datetime(2026, 10, 25, 0, 30, tzinfo=UTC), 120)


@given(day=st.dates(date(1990, 1, 3), date(2099, 12, 28)), zone=ZONES)
def test_a_day_is_23_or_24_hours_from_its_midnight_and_lies_on_itself(day: date, zone: ZoneInfo) -> None:
    whole, within = clocks.whole_day(day, zone), clocks.within_day(day, zone)
    assert timedelta(hours=22, minutes=30) < whole.end_at - whole.start_at <= timedelta(days=1)
    for times in (whole, within):
        offset = timedelta(minutes=times.offset_min)
        assert (times.start_at + offset).date() == day
        assert (times.end_at + offset - timedelta(seconds=1)).date() == day
    assert (within.end_at + timedelta(minutes=within.offset_min)).date() == day


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("UTC-05:00", -300),
        ("GMT+1", 60),
        ("+0530", 330),
        ("UTCZ", 0),
        ("Z", 0),
        ("", None),
        ("UTC+99", None),
        ("CET", None),
    ],
)
def test_offsets_in_words(text: str, minutes: int | None) -> None:
    assert clocks.offset_words(text) == minutes


@given(value=st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | st.lists(st.integers()))
def test_anything_is_a_time_or_a_typed_problem(value: object) -> None:
    for read in (clocks.moment, clocks.utc_moment, clocks.from_millis):
        try:
            found = read(value, BERLIN)
        except UnusableError:
            continue
        assert found.at.tzinfo is UTC
        assert abs(found.offset_min) <= 15 * 60
    with suppress(UnusableError):
        assert clocks.us_wall(value).tzinfo is None
