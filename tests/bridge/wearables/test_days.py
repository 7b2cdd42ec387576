"""Day summaries: one sample once, best coverage by hour, kinds apart, missing stays missing."""

import random
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.wearables.making import made
from bridge.wearables.record_strategies import records
from rhythm.bridge.wearables.days import summarise
from rhythm.bridge.wearables.hourly import best_covered_sums
from rhythm.bridge.wearables.records import Record, from_stored
from rhythm.bridge.wearables.signals import Signal

FIRST, SECOND = date(2026, 3, 1), date(2026, 3, 2)
STEPS, RMSSD, SDNN = Signal.STEPS_COUNT, Signal.HRV_RMSSD_MS, Signal.HRV_SDNN_MS


def _steps(start: str, end: str, value: float, source: str = "a/Watch") -> Record:
    return made(STEPS, start, end, value, source)


def test_phone_and_watch_on_the_same_walk_are_not_summed() -> None:
    days = summarise(
        [
            _steps("2026-03-02 10:00", "2026-03-02 10:50", 5000, "a/Watch"),
            _steps("2026-03-02 10:05", "2026-03-02 10:40", 4800, "a/Phone"),
        ]
    )
    assert days[SECOND].values[STEPS].value == 5000


def test_each_hour_takes_the_device_that_covered_it() -> None:
    days = summarise(
        [
            _steps("2026-03-02 10:00", "2026-03-02 11:00", 3000, "a/Watch"),
            _steps("2026-03-02 10:30", "2026-03-02 10:40", 900, "a/Phone"),
            _steps("2026-03-02 15:00", "2026-03-02 16:00", 4000, "a/Phone"),
        ]
    )
    value = days[SECOND].values[STEPS]
    assert (value.value, value.source) == (7000, "a/Phone + a/Watch")


def test_a_sample_over_midnight_is_spread_by_time() -> None:
    days = summarise([_steps("2026-03-01 23:30", "2026-03-02 00:30", 600)])
    assert [days[d].values[STEPS].value for d in (FIRST, SECOND)] == [300, 300]


def test_the_same_sample_counts_once() -> None:
    sample = _steps("2026-03-02 10:00", "2026-03-02 10:10", 500)
    assert summarise([sample, sample, sample]) == summarise([sample])


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-03-30", 24), ("2026-10-25", 25)])
def test_days_of_23_24_and_25_hours_have_all_their_steps(day: str, hours: int) -> None:
    zone = ZoneInfo("Europe/Berlin")
    start_at = datetime.fromisoformat(day).replace(tzinfo=zone).astimezone(UTC)
    ends_at = (datetime.fromisoformat(day) + timedelta(days=1)).replace(tzinfo=zone).astimezone(UTC)
    made_hourly = []
    while start_at < ends_at:
        offset = start_at.astimezone(zone).utcoffset()
        assert offset is not None
        made_hourly.append(
            Record(STEPS, 100, start_at, start_at + timedelta(hours=1), offset // timedelta(minutes=1), "a/Watch")
        )
        start_at += timedelta(hours=1)
    (summary,) = summarise(made_hourly).values()
    assert summary.day == date.fromisoformat(day)
    assert summary.values[STEPS].value == pytest.approx(100 * hours)


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 3000), st.integers(0, 300), st.integers(0, 1000), st.sampled_from("ab")), max_size=20
    ),
    offset_min=st.sampled_from([-570, 0, 330, 345]),
)
def test_a_days_sum_lies_between_the_best_device_and_all_together(
    rows: list[tuple[int, int, int, str]], offset_min: int
) -> None:
    base = datetime(2026, 3, 1, tzinfo=UTC)
    made_rows = [
        Record(STEPS, n, base + timedelta(minutes=a), base + timedelta(minutes=a + m), offset_min, source)
        for a, m, n, source in rows
    ]
    total = sum(s.value for s in best_covered_sums(made_rows).values())
    assert total <= sum(n for _, _, n, _ in rows) + 1e-6
    for source in "ab":
        alone = [r for r in made_rows if r.source == source]
        in_order = sorted(alone, key=lambda r: (r.start_at, r.end_at))
        apart = all(a.end_at <= b.start_at and a.start_at < b.start_at for a, b in pairwise(in_order))
        if len(alone) == len(made_rows) and apart:
            assert total == pytest.approx(sum(r.value for r in alone))


def test_hrv_kinds_are_never_mixed() -> None:
    days = summarise([made(RMSSD, "2026-03-02 03:00", value=40), made(SDNN, "2026-03-02 03:00", value=80)])
    assert days[SECOND].values[RMSSD].value == 40
    assert days[SECOND].values[SDNN].value == 80


def test_hrv_is_of_the_night_else_the_early_morning_never_the_day() -> None:
    night = made(Signal.SLEEP_ASLEEP_MIN, "2026-03-01 23:00", "2026-03-02 07:00")
    late = made(SDNN, "2026-03-01 23:30", value=50)
    morning = made(SDNN, "2026-03-02 09:00", value=70)
    noon = made(SDNN, "2026-03-02 12:00", value=20)
    assert summarise([night, late, morning, noon])[SECOND].values[SDNN].value == 50
    assert summarise([morning, noon])[SECOND].values[SDNN].value == 70
    assert summarise([noon]) == {}


def test_spot_signals_come_from_one_device() -> None:
    rates = [made(RMSSD, f"2026-03-02 0{i}:00", value=40 + i, source="a/Ring") for i in range(5)]
    other = made(RMSSD, "2026-03-02 03:00", value=90, source="a/Strap")
    value = summarise([*rates, other])[SECOND].values[RMSSD]
    assert (value.value, value.samples, value.source) == (42, 5, "a/Ring")
    assert summarise([*rates, other], ("a/Strap",))[SECOND].values[RMSSD].value == 90


def test_sleeping_heart_rate_is_near_the_lowest_of_the_night() -> None:
    night = made(Signal.SLEEP_ASLEEP_MIN, "2026-03-01 23:00", "2026-03-02 07:00")
    beats = [made(Signal.HEART_RATE_BPM, f"2026-03-02 01:{i:02d}", value=50 + i) for i in range(40)]
    day = [made(Signal.HEART_RATE_BPM, f"2026-03-02 12:{i:02d}", value=40) for i in range(40)]
    assert summarise([night, *beats, *day])[SECOND].values[Signal.HEART_RATE_BPM].value == 54
    assert Signal.HEART_RATE_BPM not in summarise([night, *beats[:5]])[SECOND].values


def test_minutes_that_two_apps_recorded_count_once() -> None:
    both = [
        made(Signal.MINDFUL_MIN, "2026-03-02 08:00", "2026-03-02 08:20", source="a/One"),
        made(Signal.MINDFUL_MIN, "2026-03-02 08:10", "2026-03-02 08:30", source="a/Two"),
    ]
    assert summarise(both)[SECOND].values[Signal.MINDFUL_MIN].value == 30


def test_missing_is_missing_not_zero() -> None:
    days = summarise(
        [_steps("2026-03-01 10:00", "2026-03-01 10:10", 500), _steps("2026-03-04 10:00", "2026-03-04 10:10", 5)]
    )
    assert list(days) == [FIRST, date(2026, 3, 4)]
    assert days[FIRST].night is None
    assert days[FIRST].asleep_min is None
    assert set(days[FIRST].values) == {STEPS}


@given(rows=st.lists(records(tuple(Signal)), max_size=15), seed=st.integers(0, 9))
def test_any_records_in_any_order_give_the_same_days(rows: list[Record], seed: int) -> None:
    once = list({r.key: r for r in rows}.values())
    shuffled = once[:]
    random.Random(seed).shuffle(shuffled)
    assert summarise(shuffled) == summarise(once)


class _Stored:
    """A reading as a database gives it back."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.value = 50.0
        self.start_at = self.end_at = datetime(2026, 3, 2, 4, tzinfo=ZoneInfo("Europe/Berlin"))
        self.offset_min: int | None = 60
        self.source = "a/Ring"


def test_stored_readings_are_records_again_and_unknown_kinds_are_left_out() -> None:
    (record,) = from_stored([_Stored("hrv_rmssd_ms"), _Stored("aura_colour")])
    assert (record.signal, record.kind) == (RMSSD, "hrv_rmssd_ms")
    assert record.start_at == datetime(2026, 3, 2, 3, tzinfo=UTC)
    assert record.local_day == SECOND


def test_devices_that_disagree_about_the_offset_told_of_the_same_hour() -> None:
    """One was told before the clocks changed, or stayed at home on a journey."""
    at_home = made(STEPS, "2026-03-02 10:00", "2026-03-02 10:50", 5000, "a/Watch", offset_min=60)
    away = Record(STEPS, 4800, at_home.start_at, at_home.end_at, -480, "a/Phone")
    assert sum(day.values[STEPS].value for day in summarise([at_home, away]).values()) == 5000


@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 300), st.integers(1, 300), st.integers(0, 1000), st.sampled_from([-570, 0, 330, 345, 840])
        ),
        max_size=12,
    )
)
def test_a_second_device_with_any_offsets_never_doubles_what_the_first_told(
    rows: list[tuple[int, int, int, int]],
) -> None:
    """Each device tells of a time once: after a gap, so many minutes."""
    base = datetime(2026, 3, 1, tzinfo=UTC)
    ends = list(accumulate(gap + minutes for gap, minutes, _, _ in rows))

    def told(source: str, shift: int) -> list[Record]:
        return [
            Record(STEPS, n, base + timedelta(minutes=end - m), base + timedelta(minutes=end), (o, 0)[shift], source)
            for end, (_, m, n, o) in zip(ends, rows, strict=True)
        ]

    alone = sum(s.value for s in best_covered_sums(told("a/1", 0)).values())
    both = sum(s.value for s in best_covered_sums([*told("a/1", 0), *told("a/2", 1)]).values())
    assert both == pytest.approx(alone)


def test_a_value_of_a_whole_night_belongs_to_it_although_another_device_saw_it_begin_later() -> None:
    night = made(Signal.SLEEP_ASLEEP_MIN, "2026-03-01 23:20", "2026-03-02 07:00", source="a/Watch")
    strap = made(RMSSD, "2026-03-01 23:00", "2026-03-02 07:10", 40, "a/Strap")
    assert summarise([night, strap])[SECOND].values[RMSSD].value == 40
    assert summarise([strap])[SECOND].values[RMSSD].value == 40


def test_a_day_that_one_source_tells_as_a_whole_and_in_hours_counts_once() -> None:
    hours = [_steps(f"2026-03-02 {hour:02}:00", f"2026-03-02 {hour:02}:59", 600) for hour in range(8, 20)]
    whole = _steps("2026-03-02 00:00", "2026-03-03 00:00", 7200)
    assert summarise([*hours, whole])[SECOND].values[STEPS].value == pytest.approx(7200)
    so_far = _steps("2026-03-02 00:00", "2026-03-03 00:00", 3000)
    assert summarise([so_far, *hours])[SECOND].values[STEPS].value == pytest.approx(7200)
    fuller = _steps("2026-03-02 00:00", "2026-03-03 00:00", 9000)
    assert summarise([fuller, *hours])[SECOND].values[STEPS].value == pytest.approx(9000)


def test_an_hour_that_one_source_tells_as_a_whole_and_in_minutes_counts_once() -> None:
    minutes = [_steps(f"2026-03-02 10:{m:02}", f"2026-03-02 10:{m + 1:02}", 90) for m in range(10, 30)]
    whole = _steps("2026-03-02 10:00", "2026-03-02 11:00", 1800)
    assert summarise([whole, *minutes])[SECOND].values[STEPS].value == 1800
    assert summarise([*minutes, whole, whole])[SECOND].values[STEPS].value == 1800


def test_a_day_that_was_read_again_in_another_zone_counts_once() -> None:
    at_home = [made(STEPS, f"2026-03-0{d} 00:00", f"2026-03-0{d + 1} 00:00", 8000, "g/", 60) for d in (1, 2, 3)]
    away = [made(STEPS, f"2026-03-0{d} 00:00", f"2026-03-0{d + 1} 00:00", 8000, "g/", -480) for d in (2, 3)]
    days = summarise([*at_home, *away])
    assert [days[date(2026, 3, d)].values[STEPS].value for d in (1, 2, 3)] == pytest.approx([8000] * 3)
