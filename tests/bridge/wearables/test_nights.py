"""Sleep: one source a night, unions, the day of waking, naps, stages, journeys, changes of the clocks."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.wearables.making import made
from rhythm.bridge.wearables.nights import ASLEEP_SPANS, sleep_by_day
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.spans import overlap_min, total_min, union

CORE, DEEP, REM, ASLEEP = (
    Signal.SLEEP_CORE_MIN,
    Signal.SLEEP_DEEP_MIN,
    Signal.SLEEP_REM_MIN,
    Signal.SLEEP_ASLEEP_MIN,
)
SECOND = date(2026, 3, 2)


def test_sleep_across_midnight_is_filed_under_the_day_of_waking() -> None:
    days = sleep_by_day([made(ASLEEP, "2026-03-01 23:00", "2026-03-02 07:00")])
    assert list(days) == [SECOND]
    night = days[SECOND].night
    assert night is not None
    assert night.asleep_min == 480


def test_in_bed_is_not_asleep() -> None:
    assert sleep_by_day([made(Signal.SLEEP_IN_BED_MIN, "2026-03-01 22:00", "2026-03-02 08:00")]) == {}
    days = sleep_by_day(
        [
            made(Signal.SLEEP_IN_BED_MIN, "2026-03-01 22:00", "2026-03-02 08:00", source="apple_health/Phone"),
            made(ASLEEP, "2026-03-01 23:00", "2026-03-02 07:00"),
        ]
    )
    night = days[SECOND].night
    assert night is not None
    assert (night.asleep_min, night.in_bed_min) == (480, 600)


def test_growing_partial_sessions_of_one_source_are_united() -> None:
    days = sleep_by_day([made(ASLEEP, "2026-03-01 23:00", f"2026-03-02 0{hour}:00") for hour in (2, 4, 7)])
    night = days[SECOND].night
    assert night is not None
    assert night.asleep_min == 480


def test_sources_are_chosen_from_never_summed() -> None:
    days = sleep_by_day(
        [
            made(ASLEEP, "2026-03-01 22:30", "2026-03-02 07:00", source="a/Phone"),
            made(CORE, "2026-03-01 23:00", "2026-03-02 05:00", source="a/Ring"),
            made(DEEP, "2026-03-02 05:00", "2026-03-02 07:00", source="a/Ring"),
        ]
    )
    night = days[SECOND].night
    assert night is not None
    assert (night.source, night.asleep_min, night.deep_min) == ("a/Ring", 480, 120)


def test_a_short_tracked_night_with_stages_loses_to_a_whole_one_without() -> None:
    days = sleep_by_day(
        [
            made(ASLEEP, "2026-03-01 22:30", "2026-03-02 07:00", source="a/Phone"),
            made(DEEP, "2026-03-01 23:00", "2026-03-02 01:30", source="a/Ring"),
        ]
    )
    night = days[SECOND].night
    assert night is not None
    assert night.source == "a/Phone"


def test_the_persons_order_comes_first() -> None:
    records = [
        made(ASLEEP, "2026-03-01 22:30", "2026-03-02 07:00", source="a/Phone"),
        made(ASLEEP, "2026-03-01 23:30", "2026-03-02 05:00", source="a/Ring"),
    ]
    chosen = [sleep_by_day(records, order)[SECOND].night for order in ((), ("a/Ring",))]
    assert [n.source for n in chosen if n] == ["a/Phone", "a/Ring"]


def test_a_nap_of_the_first_device_does_not_make_the_day_nightless() -> None:
    records = [
        made(ASLEEP, "2026-03-01 23:00", "2026-03-02 07:00", source="a/Watch"),
        made(DEEP, "2026-03-02 14:00", "2026-03-02 14:40", source="a/Ring"),
    ]
    for order in ((), ("a/Ring",), ("a/Ring", "a/Watch")):
        night = sleep_by_day(records, order)[SECOND].night
        assert night is not None
        assert (night.source, night.asleep_min) == ("a/Watch", 480)


def test_a_sleep_too_short_for_a_night_does_not_hide_another_devices_night() -> None:
    records = [
        made(ASLEEP, "2026-03-02 00:00", "2026-03-02 02:30", source="a/Phone"),
        made(DEEP, "2026-03-02 00:00", "2026-03-02 01:50", source="a/Ring"),
    ]
    night = sleep_by_day(records)[SECOND].night
    assert night is not None
    assert night.source == "a/Phone"


def test_of_naps_alone_the_persons_order_still_chooses() -> None:
    records = [
        made(ASLEEP, "2026-03-02 14:00", "2026-03-02 15:00", source="a/Watch"),
        made(ASLEEP, "2026-03-02 14:10", "2026-03-02 14:50", source="a/Ring"),
    ]
    day = sleep_by_day(records, ("a/Ring",))[SECOND]
    assert day.night is None
    assert [nap.source for nap in day.naps] == ["a/Ring"]


def test_core_that_holds_deep_and_rem_does_not_inflate_the_night() -> None:
    days = sleep_by_day(
        [
            made(CORE, "2026-03-01 23:00", "2026-03-02 07:00"),
            made(DEEP, "2026-03-02 00:00", "2026-03-02 01:00"),
            made(REM, "2026-03-02 00:30", "2026-03-02 02:00"),
        ]
    )
    night = days[SECOND].night
    assert night is not None
    assert (night.asleep_min, night.deep_min, night.rem_min) == (480, 60, 60)


def test_awake_in_between_is_counted_and_not_slept() -> None:
    days = sleep_by_day(
        [
            made(CORE, "2026-03-01 23:00", "2026-03-02 03:00"),
            made(Signal.SLEEP_AWAKE_MIN, "2026-03-02 03:00", "2026-03-02 03:30"),
            made(DEEP, "2026-03-02 03:30", "2026-03-02 07:00"),
        ]
    )
    night = days[SECOND].night
    assert night is not None
    assert (night.asleep_min, night.awake_min, night.interruptions) == (450, 30, 1)


def test_the_longest_sleep_is_the_night_and_others_are_naps() -> None:
    days = sleep_by_day(
        [
            made(ASLEEP, "2026-03-01 23:00", "2026-03-02 06:00"),
            made(ASLEEP, "2026-03-02 14:00", "2026-03-02 14:40"),
        ]
    )
    night = days[SECOND].night
    assert night is not None
    assert night.asleep_min == 420
    assert [n.asleep_min for n in days[SECOND].naps] == [40]


def test_a_nap_alone_is_no_night() -> None:
    days = sleep_by_day([made(ASLEEP, "2026-03-02 14:00", "2026-03-02 14:40")])
    assert days[SECOND].night is None
    assert len(days[SECOND].naps) == 1


def test_a_shift_workers_day_sleep_is_their_night() -> None:
    days = sleep_by_day([made(ASLEEP, "2026-03-02 09:00", "2026-03-02 15:00")])
    assert days[SECOND].night is not None


def test_a_source_with_totals_only() -> None:
    span = ("2026-03-01 23:00", "2026-03-02 07:00")
    days = sleep_by_day(
        [
            made(Signal.NIGHT_ASLEEP_MIN, *span, value=430),
            made(Signal.NIGHT_DEEP_MIN, *span, value=70),
            made(Signal.NIGHT_AWAKE_MIN, *span, value=50),
        ]
    )
    night = days[SECOND].night
    assert night is not None
    assert (night.asleep_min, night.deep_min, night.rem_min, night.awake_min) == (430, 70, None, 50)


def test_totals_of_a_night_that_was_told_as_it_grew_or_was_corrected_count_once() -> None:
    told = [("2026-03-01 23:00", "2026-03-02 03:00", 220), ("2026-03-01 23:00", "2026-03-02 07:00", 430),
            ("2026-03-01 23:10", "2026-03-02 07:05", 425), ("2026-03-02 14:00", "2026-03-02 14:40", 35)]  # fmt: skip
    days = sleep_by_day([made(Signal.NIGHT_ASLEEP_MIN, start, end, value=value) for start, end, value in told])
    night = days[SECOND].night
    assert night is not None
    assert night.asleep_min == 430
    assert [nap.asleep_min for nap in days[SECOND].naps] == [35]


def test_a_journey_files_the_night_by_the_offset_of_the_night() -> None:
    days = sleep_by_day([made(ASLEEP, "2026-03-01 23:30", "2026-03-02 06:00", offset_min=-480)])
    assert list(days) == [SECOND]


@pytest.mark.parametrize(("before", "after", "asleep_min"), [(60, 120, 420), (120, 60, 540)], ids=["spring", "autumn"])
def test_nights_of_a_change_of_the_clocks_have_their_true_length(before: int, after: int, asleep_min: float) -> None:
    start_at = datetime(2026, 3, 28, 23, tzinfo=UTC) - timedelta(minutes=before)
    middle_at = start_at + timedelta(hours=3)
    end_at = datetime(2026, 3, 29, 7, tzinfo=UTC) - timedelta(minutes=after)
    parts = [(start_at, middle_at, before), (middle_at, end_at, after)]
    days = sleep_by_day(
        [Record(ASLEEP, (b - a) / timedelta(minutes=1), a, b, offset, "a/Watch") for a, b, offset in parts]
    )
    night = days[date(2026, 3, 29)].night
    assert night is not None
    assert night.asleep_min == asleep_min


SPANS = st.lists(
    st.tuples(st.integers(0, 4000), st.integers(0, 700)).map(
        lambda p: (
            datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=p[0]),
            datetime(2026, 3, 1, tzinfo=UTC) + timedelta(minutes=p[0] + p[1]),
        )
    ),
    max_size=12,
)


@given(spans=SPANS, others=SPANS)
def test_unions_are_disjoint_and_keep_every_minute(
    spans: list[tuple[datetime, datetime]], others: list[tuple[datetime, datetime]]
) -> None:
    start = datetime(2026, 3, 1, tzinfo=UTC)

    def minutes(some: list[tuple[datetime, datetime]]) -> set[int]:
        step = timedelta(minutes=1)
        return {m for a, b in some for m in range((a - start) // step, (b - start) // step)}

    joined = union(spans)
    assert total_min(joined) == len(minutes(spans))
    assert overlap_min(joined, union(others)) == len(minutes(spans) & minutes(others))


@given(
    rows=st.lists(st.tuples(SPANS, st.sampled_from(ASLEEP_SPANS), st.sampled_from(["a/1", "a/2"])), max_size=5),
    again=st.booleans(),
)
def test_a_nights_minutes_are_those_of_its_source_and_never_more(
    rows: list[tuple[list[tuple[datetime, datetime]], Signal, str]], again: bool
) -> None:
    records = [
        Record(signal, (b - a) / timedelta(minutes=1), a, b, 0, source)
        for spans, signal, source in rows
        for a, b in spans
    ]
    days = sleep_by_day(records * 2 if again else records)
    for day, found in days.items():
        for sleep in (*([found.night] if found.night else []), *found.naps):
            own = union((r.start_at, r.end_at) for r in records if r.source == sleep.source)
            window = [(sleep.asleep_at, sleep.awake_at)]
            assert sleep.asleep_min == pytest.approx(overlap_min(own, window))
            assert sleep.wake_day == day
            if sleep.deep_min is not None and sleep.rem_min is not None:
                assert sleep.deep_min + sleep.rem_min <= sleep.asleep_min + 1e-9
