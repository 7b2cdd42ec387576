"""Readings: kept once each, counted honestly, found by kind and time."""

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rhythm.store.readings
from rhythm.store import HealthReading, PersonStore, Store
from store.samples import NOON_AT, reading


def test_a_reading_comes_back_whole(ada: PersonStore) -> None:
    start_at = datetime(2026, 3, 3, 1, 2, 3, 456789, tzinfo=timezone(timedelta(hours=2)))
    one = HealthReading(
        "sleep_deep", 31.25, "min", start_at, start_at + timedelta(minutes=31), "Ring", 120, "x-1", "core"
    )
    ada.readings.add([one])
    assert ada.readings.window(["sleep_deep"], start_at, start_at + timedelta(hours=1)) == (one,)


def test_the_same_readings_again_add_nothing(ada: PersonStore) -> None:
    rows = [reading(minute) for minute in range(50)]
    first, again = ada.readings.add(rows), ada.readings.add(reversed(rows))
    assert (first.added, first.known) == (50, 0)
    assert (again.added, again.known) == (0, 50)
    assert (first.from_at, first.until_at) == (rows[0].start_at, rows[-1].end_at)
    assert ada.readings.streams()[0].reading_count == 50


def test_one_value_from_two_sources_is_two_readings(ada: PersonStore) -> None:
    assert ada.readings.add([reading(source="Watch"), reading(source="Phone")]).added == 2
    assert [stream.source for stream in ada.readings.streams()] == ["Phone", "Watch"]


def test_more_readings_at_once_than_a_statement_takes_values(ada: PersonStore) -> None:
    assert ada.readings.add(reading(minute) for minute in range(34_000)).added == 34_000


def test_more_streams_than_a_statement_names_are_read_in_order(
    ada: PersonStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [reading(minute, source=f"Watch {minute % 7}") for minute in range(21)]
    ada.readings.add(rows)
    monkeypatch.setattr(rhythm.store.readings, "STREAMS_AT_ONCE", 3)
    assert ada.readings.window(["heart_rate"], NOON_AT, NOON_AT + timedelta(hours=1)) == tuple(rows)
    assert ada.readings.touching(["heart_rate"], [(NOON_AT, NOON_AT + timedelta(hours=1))]) == tuple(rows)


def test_a_window_holds_what_starts_in_it(ada: PersonStore) -> None:
    ada.readings.add([*(reading(minute) for minute in range(10)), reading(3, kind="steps")])
    found = ada.readings.window(["heart_rate"], NOON_AT + timedelta(minutes=2), NOON_AT + timedelta(minutes=5))
    assert found == tuple(reading(minute) for minute in (2, 3, 4))


def test_the_latest_of_each_kind(ada: PersonStore) -> None:
    ada.readings.add([reading(5), reading(9), reading(7), reading(2, kind="steps"), reading(8, source="Phone")])
    assert ada.readings.latest() == {"heart_rate": reading(9), "steps": reading(2, kind="steps")}


def test_unfit_readings_are_counted_and_left_out(ada: PersonStore) -> None:
    naive_at = datetime(2026, 3, 3)  # noqa: DTZ001 what is refused
    unfit = [
        reading(value=math.nan),
        reading(value=-math.inf),
        HealthReading("x", 1.0, "", naive_at, naive_at, "s"),
        HealthReading("x", 1.0, "", NOON_AT, NOON_AT - timedelta(seconds=1), "s"),
    ]
    result = ada.readings.add([*unfit, reading()])
    assert (result.added, result.refused) == (1, {"not_finite": 2, "no_zone": 1, "ends_before_start": 1})


def test_what_databases_refuse_in_text_is_cleaned(ada: PersonStore) -> None:
    odd = HealthReading("x", 1.0, "", NOON_AT, NOON_AT, "A\x00B\ud800 \U0001f642", None, "i\x00d")
    assert ada.readings.add([odd]).added == 1
    assert ada.readings.add([odd]).known == 1
    assert ada.readings.latest()["x"].source == "A\ufffdB\ufffd \U0001f642"


def test_the_ends_of_time_can_be_stored(ada: PersonStore) -> None:
    first_at, last_at = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
    one = HealthReading("x", 1.0, "", first_at, last_at, "s")
    ada.readings.add([one])
    assert ada.readings.latest()["x"] == one


READINGS = st.lists(
    st.builds(
        HealthReading,
        kind=st.sampled_from(["a", "b"]),
        value=st.floats(allow_nan=False, allow_infinity=False),
        unit=st.just("u"),
        start_at=st.datetimes(datetime(2026, 1, 1), datetime(2026, 1, 2), timezones=st.just(UTC)),  # noqa: DTZ001 bounds
        end_at=st.datetimes(datetime(2026, 1, 2), datetime(2026, 1, 3), timezones=st.just(UTC)),  # noqa: DTZ001 bounds
        source=st.text(max_size=5),
        offset_min=st.one_of(st.none(), st.integers(-720, 840)),
        external_id=st.text(max_size=3),
        detail=st.text(max_size=3),
    ),
    max_size=20,
)


@settings(max_examples=40, deadline=None)
@given(rows=READINGS, again=st.lists(st.integers(0, 19), max_size=5))
def test_any_readings_in_any_order_are_there_once(
    sqlite_store: Store, rows: list[HealthReading], again: list[int]
) -> None:
    person = sqlite_store.create_person(f"r{len(sqlite_store.people())}")
    offered = rows + [rows[i] for i in again if i < len(rows)]
    person.readings.add(offered)
    stored = person.readings.window(["a", "b"], datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 4, tzinfo=UTC))
    keys = [(r.kind, r.source, r.start_at, r.end_at, r.external_id) for r in stored]
    assert len(set(keys)) == len(keys)
    cleaned = {(r.kind, _seen(r.source), r.start_at, r.end_at, _seen(r.external_id)) for r in rows}
    assert set(keys) == cleaned
    assert sum(stream.reading_count for stream in person.readings.streams()) == len(keys)


def _seen(text: str) -> str:
    return "".join("\ufffd" if c == "\x00" or "\ud800" <= c <= "\udfff" else c for c in text)


def test_a_naive_window_is_refused(ada: PersonStore) -> None:
    naive_at = datetime(2026, 3, 3)  # noqa: DTZ001 what is refused
    with pytest.raises(Exception, match="time zone"):
        ada.readings.window(["x"], naive_at, NOON_AT)
