"""Records, gates, units and the list of sources."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.wearables.record_strategies import records
from rhythm.bridge.wearables.problems import NotThisFormatError, ProblemKind, ProblemTally, WearableFileError
from rhythm.bridge.wearables.records import Record, all_plausible, gate
from rhythm.bridge.wearables.signals import SIGNALS, Signal
from rhythm.bridge.wearables.sources import all_sources, source_named, source_of
from rhythm.bridge.wearables.units import FACTORS, convert
from rhythm.vocab.errors import UnknownNameError

AT = datetime(2026, 3, 28, 23, 30, tzinfo=UTC)
NOT_FINITE = [float("nan"), float("inf"), float("-inf")]


def test_every_signal_has_a_unit_with_factors_and_a_range() -> None:
    assert set(SIGNALS) == set(Signal)
    for spec in SIGNALS.values():
        assert spec.unit in FACTORS
        assert spec.low < spec.high


@given(record=records(), other=records())
def test_keys_are_equal_exactly_for_the_same_sample(record: Record, other: Record) -> None:
    marks = [(r.source, r.signal, r.start_at, r.end_at, r.external_id) for r in (record, other)]
    assert (record.key == other.key) == (marks[0] == marks[1])
    assert len(record.key) == 32


def test_a_corrected_value_is_the_same_sample() -> None:
    first = Record(Signal.STEPS_COUNT, 100, AT, AT, 60, "apple_health/Watch")
    assert first.key == Record(Signal.STEPS_COUNT, 120, AT, AT, 120, "apple_health/Watch").key
    assert first.key != Record(Signal.STEPS_COUNT, 100, AT, AT, 60, "apple_health/Phone").key


def test_the_local_day_is_of_the_start_by_its_own_offset() -> None:
    assert Record(Signal.STEPS_COUNT, 1, AT, AT, 60, "s").local_day == date(2026, 3, 29)
    assert Record(Signal.STEPS_COUNT, 1, AT, AT, 0, "s").local_day == date(2026, 3, 28)
    assert Record(Signal.STEPS_COUNT, 1, AT, AT + timedelta(hours=1), 0, "s").local_end.hour == 0


@pytest.mark.parametrize(
    ("signal", "value", "minutes", "problem"),
    [
        (Signal.RESTING_HR_BPM, 24.9, 0, ProblemKind.IMPLAUSIBLE),
        (Signal.RESTING_HR_BPM, 25, 0, None),
        (Signal.RESTING_HR_BPM, 121, 0, ProblemKind.IMPLAUSIBLE),
        (Signal.HRV_RMSSD_MS, 0.5, 0, ProblemKind.IMPLAUSIBLE),
        (Signal.HRV_RMSSD_MS, 301, 0, ProblemKind.IMPLAUSIBLE),
        (Signal.STEPS_COUNT, 100_001, 60, ProblemKind.IMPLAUSIBLE),
        (Signal.OXYGEN_FRACTION, 1.01, 0, ProblemKind.IMPLAUSIBLE),
        (Signal.SLEEP_ASLEEP_MIN, 1440, 1440, None),
        (Signal.SLEEP_ASLEEP_MIN, 1441, 1441, ProblemKind.IMPLAUSIBLE),
        (Signal.NIGHT_ASLEEP_MIN, 400, 1441, ProblemKind.TOO_LONG),
        (Signal.HEART_RATE_BPM, 60, -1, ProblemKind.REVERSED),
    ],
)
def test_the_gates(signal: Signal, value: float, minutes: float, problem: ProblemKind | None) -> None:
    assert gate(signal, value, AT, AT + timedelta(minutes=minutes)) is problem


@given(
    signal=st.sampled_from(list(Signal)),
    rows=st.lists(
        st.tuples(
            st.one_of(st.floats(-10, 500), st.sampled_from(NOT_FINITE)),
            st.datetimes(datetime(1989, 12, 30), datetime(2100, 1, 2), timezones=st.just(UTC)),  # noqa: DTZ001
            st.integers(-5, 3000),
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_many_pass_exactly_when_each_does(signal: Signal, rows: list[tuple[float, datetime, int]]) -> None:
    values, starts = [v for v, _, _ in rows], [at for _, at, _ in rows]
    ends = [at + timedelta(minutes=m) for _, at, m in rows]
    each = all(gate(signal, v, s, e) is None for v, s, e in zip(values, starts, ends, strict=True))
    assert all_plausible(signal, values, starts, ends) == each


@pytest.mark.parametrize(
    ("value", "unit", "signal", "expected"),
    [
        (3.1, "mi", Signal.WORKOUT_DISTANCE_KM, 4.9889664),
        (11, "st", Signal.BODY_MASS_KG, 69.85322498),
        (310.15, "K", Signal.WRIST_TEMPERATURE_C, 37.0),
        (0.99, "%", Signal.OXYGEN_FRACTION, 0.99),
        (1.0, "%", Signal.OXYGEN_FRACTION, 1.0),
        (1.5, "hr", Signal.WORKOUT_MIN, 90.0),
        (10.0, "mmol/L", Signal.RESTING_HR_BPM, None),
        (10.0, "%", Signal.RESTING_HR_BPM, None),
        (10.0, "degF", Signal.BODY_MASS_KG, None),
    ],
)
def test_units(value: float, unit: str, signal: Signal, expected: float | None) -> None:
    got = convert(value, unit, signal)
    assert got == (None if expected is None else pytest.approx(expected))


def test_a_tally_counts_and_empties() -> None:
    tally = ProblemTally()
    for at_byte in (7, 9):
        tally.add(ProblemKind.BAD_DATE, Signal.STEPS_COUNT, at_byte)
    (problem,) = tally.take()
    assert (problem.count, problem.first_byte) == (2, 7)
    assert "2 x steps_count" in problem.message
    assert not tally.take()


def test_sources_have_names_of_their_own(tmp_path: Path) -> None:
    names = [s.name for s in all_sources()]
    assert len(set(names)) == len(names)
    with pytest.raises(UnknownNameError, match="apple_health"):
        source_named("abacus")
    path = tmp_path / "shopping.txt"
    path.write_text("milk")
    with pytest.raises(NotThisFormatError, match="Apple Health"):
        source_of(path)
    with pytest.raises(WearableFileError, match="regular file"):
        source_of(tmp_path)
