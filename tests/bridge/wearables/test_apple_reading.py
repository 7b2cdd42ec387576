"""What an Apple Health export says is what is read: kinds, units, times, sources, nesting."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.wearables.reading import heart_rate, read_all, read_text, sleep
from bridge.wearables.record_strategies import EXPORTS
from rhythm.bridge.wearables.apple_types import KILOJOULE_UNITS, METRIC_UNITS, US_UNITS
from rhythm.bridge.wearables.apple_writer import write_export
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import SIGNALS, Signal

EXPORTED_AT = datetime(2026, 11, 1, 9, tzinfo=UTC)
QUANTITY = "HKQuantityTypeIdentifier"


@given(made=EXPORTS, zipped=st.booleans(), zone=st.sampled_from([None, "Europe/Berlin", "Asia/Kolkata", "UTC"]))
@settings(max_examples=60, deadline=None)
def test_any_export_reads_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, made: list[Record], zipped: bool, zone: str | None
) -> None:
    path = tmp_path_factory.mktemp("export") / ("export.zip" if zipped else "export.xml")
    home = ZoneInfo(zone) if zone else None
    assert write_export(path, made, exported_at=EXPORTED_AT, home=home) == len(made)
    read, problems = read_all(path)
    assert not problems
    assert sorted(read, key=repr) == sorted(made, key=repr)


@given(made=EXPORTS, units=st.sampled_from([METRIC_UNITS, US_UNITS, KILOJOULE_UNITS]))
@settings(max_examples=40, deadline=None)
def test_units_of_any_region_give_the_same_values(
    tmp_path_factory: pytest.TempPathFactory, made: list[Record], units: dict[Signal, str]
) -> None:
    inner = [r for r in made if SIGNALS[r.signal].low < r.value < SIGNALS[r.signal].high]
    inner = [r for r in inner if not r.signal.startswith("workout")]
    path = tmp_path_factory.mktemp("export") / "export.xml"
    write_export(path, inner, exported_at=EXPORTED_AT, units=units)
    read, _ = read_all(path)
    values = {r.key: r.value for r in read}
    for record in inner:
        if record.key in values and sum(r.key == record.key for r in inner) == 1:
            assert values[record.key] == pytest.approx(record.value, rel=1e-9, abs=1e-9)


def test_reading_twice_gives_the_same_keys(tmp_path: Path) -> None:
    body = "".join(heart_rate(60 + i, f"2026-03-01 08:{i:02d}:00 +0100") for i in range(50))
    first, _ = read_text(tmp_path, body)
    second, _ = read_text(tmp_path, body)
    keys = {r.key for r in first}
    assert len(keys) == 50
    assert {r.key for r in second} == keys


@pytest.mark.parametrize(
    ("kind", "unit", "value", "signal", "expected"),
    [
        ("HeartRateVariabilitySDNN", "ms", "41.5", Signal.HRV_SDNN_MS, 41.5),
        ("HeartRateVariabilityRMSSD", "ms", "38", Signal.HRV_RMSSD_MS, 38),
        ("RestingHeartRate", "count/min", "57", Signal.RESTING_HR_BPM, 57),
        ("RestingHeartRate", "count/s", "0.95", Signal.RESTING_HR_BPM, 57),
        ("RespiratoryRate", "count/min", "14.5", Signal.RESPIRATORY_RATE_PER_MIN, 14.5),
        ("OxygenSaturation", "%", "0.97", Signal.OXYGEN_FRACTION, 0.97),
        ("OxygenSaturation", "%", "97", Signal.OXYGEN_FRACTION, 0.97),
        ("ActiveEnergyBurned", "Cal", "10", Signal.ACTIVE_ENERGY_KCAL, 10),
        ("ActiveEnergyBurned", "kJ", "41.84", Signal.ACTIVE_ENERGY_KCAL, 10),
        ("AppleSleepingWristTemperature", "degF", "95", Signal.WRIST_TEMPERATURE_C, 35),
        ("AppleSleepingWristTemperature", "degC", "35", Signal.WRIST_TEMPERATURE_C, 35),
        ("BodyMass", "lb", "150", Signal.BODY_MASS_KG, 68.0388555),
        ("AppleExerciseTime", "min", "1", Signal.EXERCISE_MIN, 1),
        ("StepCount", "count", "312", Signal.STEPS_COUNT, 312),
    ],
)
def test_each_kind_and_unit(tmp_path: Path, kind: str, unit: str, value: str, signal: Signal, expected: float) -> None:
    (record,), problems = read_text(tmp_path, heart_rate(value, type=QUANTITY + kind, unit=unit))
    assert not problems
    assert record.signal is signal
    assert record.value == pytest.approx(expected)


def test_rmssd_of_ios_27_is_another_signal_than_sdnn(tmp_path: Path) -> None:
    body = heart_rate(40, type=f"{QUANTITY}HeartRateVariabilitySDNN", unit="ms") + heart_rate(
        40, type=f"{QUANTITY}HeartRateVariabilityRMSSD", unit="ms"
    )
    read, _ = read_text(tmp_path, body)
    assert {r.signal for r in read} == {Signal.HRV_SDNN_MS, Signal.HRV_RMSSD_MS}
    assert len({r.key for r in read}) == 2


def test_in_bed_is_not_asleep_and_old_asleep_is_unspecified(tmp_path: Path) -> None:
    stages = ["InBed", "Asleep", "AsleepUnspecified", "AsleepCore", "AsleepDeep", "AsleepREM", "Awake"]
    body = "".join(sleep(s, "2026-03-01 23:30:00 +0100", "2026-03-02 00:30:00 +0100") for s in stages)
    read, problems = read_text(tmp_path, body)
    assert not problems
    assert [r.signal for r in read] == [
        Signal.SLEEP_IN_BED_MIN,
        Signal.SLEEP_ASLEEP_MIN,
        Signal.SLEEP_ASLEEP_MIN,
        Signal.SLEEP_CORE_MIN,
        Signal.SLEEP_DEEP_MIN,
        Signal.SLEEP_REM_MIN,
        Signal.SLEEP_AWAKE_MIN,
    ]
    assert {r.value for r in read} == {60.0}


def test_a_sleep_stage_that_is_not_known_is_a_problem(tmp_path: Path) -> None:
    read, problems = read_text(tmp_path, sleep("Hovering", "2026-03-01 23:30:00 +0100", "2026-03-02 00:30:00 +0100"))
    assert not read
    assert problems[ProblemKind.BAD_VALUE].signal is Signal.SLEEP_ASLEEP_MIN


def test_a_travelling_night_has_the_offset_of_its_own_zone(tmp_path: Path) -> None:
    zone = '  <MetadataEntry key="HKTimeZone" value="America/New_York"/>\n'
    body = sleep("AsleepCore", "2026-01-10 05:00:00 +0100", "2026-01-10 12:00:00 +0100", zone) + heart_rate(
        55, "2026-01-10 06:00:00 +0100"
    ).replace("/>", '>\n  <MetadataEntry key="HKTimeZone" value="GMT+0530"/>\n </Record>')
    (night, beat), _ = read_text(tmp_path, body)
    assert night.offset_min == -300
    assert night.local_start == datetime(2026, 1, 9, 23)  # noqa: DTZ001
    assert night.start_at == datetime(2026, 1, 10, 4, tzinfo=UTC)
    assert beat.offset_min == 330


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../../etc/passwd", "", "posix", "GMT+9999", "Europe"])
def test_a_zone_that_is_not_known_leaves_the_written_offset(tmp_path: Path, zone: str) -> None:
    inside = f'  <MetadataEntry key="HKTimeZone" value="{zone}"/>\n'
    (night,), _ = read_text(tmp_path, sleep("Asleep", "2026-01-10 01:00:00 +0100", "2026-01-10 05:00:00 +0100", inside))
    assert night.offset_min == 60


def test_devices_that_overlap_are_kept_apart_by_name(tmp_path: Path) -> None:
    body = heart_rate(60, sourceName="Watch") + heart_rate(61, sourceName="Strap &amp; Co")
    read, _ = read_text(tmp_path, body)
    assert {r.source for r in read} == {"apple_health/Watch", "apple_health/Strap & Co"}
    assert len({r.key for r in read}) == 2


def test_workouts_with_duration_unit_distance_and_statistics(tmp_path: Path) -> None:
    dates = 'sourceName="Watch" startDate="2026-03-01 08:00:00 +0100" endDate="2026-03-01 09:00:00 +0100"'
    body = (
        f' <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="45" durationUnit="min" {dates}>\n'
        f'  <WorkoutStatistics type="{QUANTITY}ActiveEnergyBurned" sum="400" unit="kcal"/>\n'
        f'  <WorkoutStatistics type="{QUANTITY}DistanceWalkingRunning" sum="5" unit="mi"/>\n'
        "  <WorkoutRoute>\n   <FileReference path='/r.gpx'/>\n  </WorkoutRoute>\n </Workout>\n"
        f' <Workout workoutActivityType="HKWorkoutActivityTypeYoga" {dates}/>\n'
    )
    read, problems = read_text(tmp_path, body)
    assert not problems
    assert [(r.signal, r.detail) for r in read] == [
        (Signal.WORKOUT_MIN, "running"),
        (Signal.WORKOUT_DISTANCE_KM, "running"),
        (Signal.WORKOUT_MIN, "yoga"),
    ]
    assert [r.value for r in read] == [45.0, pytest.approx(8.04672), 60.0]


def test_mindful_sessions_are_their_length(tmp_path: Path) -> None:
    body = (
        ' <Record type="HKCategoryTypeIdentifierMindfulSession" sourceName="App" '
        'startDate="2026-03-01 08:00:00 +0100" endDate="2026-03-01 08:12:30 +0100"/>\n'
    )
    (record,), _ = read_text(tmp_path, body)
    assert (record.signal, record.value) == (Signal.MINDFUL_MIN, 12.5)


def test_records_inside_a_correlation_are_taken_from_the_top_level_only(tmp_path: Path) -> None:
    body = f' <Correlation type="X">\n{heart_rate(60)}</Correlation>\n' + heart_rate(60)
    read, problems = read_text(tmp_path, body)
    assert not problems
    assert len(read) == 1


def test_start_and_end_count_and_creation_does_not(tmp_path: Path) -> None:
    (record,), _ = read_text(tmp_path, heart_rate(60, creationDate="2026-05-05 00:00:00 +0100"))
    assert record.start_at == datetime(2026, 3, 1, 7, tzinfo=UTC)


def test_the_order_of_attributes_does_not_matter(tmp_path: Path) -> None:
    line = heart_rate(60)
    pairs = line.removeprefix(" <Record ").removesuffix("/>\n").split('" ')
    turned = " <Record " + " ".join(p.rstrip('"') + '"' for p in reversed(pairs)) + "/>\n"
    straight, _ = read_text(tmp_path, line)
    assert read_text(tmp_path, turned)[0] == straight
