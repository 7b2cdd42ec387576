"""Health Auto Export's JSON, as a file and as a request: the contract, and the pitfalls of its format by name."""

from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bridge.wearables.contract import SourceContract
from bridge.wearables.exporting import counted, encoded, of, read
from rhythm.bridge.wearables import auto_export
from rhythm.bridge.wearables.auto_export import AutoExport, posted
from rhythm.bridge.wearables.days import summarise
from rhythm.bridge.wearables.exports import reading
from rhythm.bridge.wearables.problems import NotThisFormatError, ProblemKind
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.sources import WearableSource

SECOND = date(2026, 3, 2)
BERLIN = ZoneInfo("Europe/Berlin")


def at(clock: str, day: int = 2) -> str:
    """A time as the app writes it."""
    return f"2026-03-{day:02d} {clock} +0100"


def metric(name: str, units: str, *data: dict[str, object]) -> dict[str, object]:
    """A metric as the app writes it."""
    return {"name": name, "units": units, "data": list(data)}


def body(*metrics: dict[str, object], workouts: list[object] | None = None) -> bytes:
    """An export of metrics."""
    return encoded({"data": {"metrics": list(metrics), "workouts": workouts or []}})


NIGHT: dict[str, object] = {
    "date": at("00:00:00"), "source": "Watch", "totalSleep": 7.2, "asleep": 0, "core": 4.2, "deep": 1.4, "rem": 1.6,
    "awake": 0.4, "sleepStart": at("23:10:00", 1), "sleepEnd": at("06:46:00"), "inBed": 7.9,
    "inBedStart": at("22:50:00", 1), "inBedEnd": at("06:50:00"),
}  # fmt: skip
RAW = [
    {"startDate": at(start), "endDate": at(end), "value": value, "qty": 1, "source": "Watch"}
    for start, end, value in [
        ("00:00:00", "01:00:00", "In Bed"), ("01:00:00", "02:00:00", "Asleep"), ("02:00:00", "03:00:00", "Core"),
        ("03:00:00", "04:00:00", "Asleep Deep"), ("04:00:00", "05:00:00", "REM"), ("05:00:00", "05:10:00", "Awake"),
    ]
]  # fmt: skip
WHOLE = body(
    metric("heart_rate", "count/min", {"date": at("02:00:00"), "Min": 48, "Avg": 52, "Max": 60, "source": "Watch"}),
    metric("resting_heart_rate", "bpm", {"date": at("00:00:00"), "qty": 51, "source": "Watch"}),
    metric("heart_rate_variability", "ms", {"date": at("03:00:00"), "qty": 70, "source": "Watch"}),
    metric("heart_rate_variability_rmssd", "ms", {"date": at("03:00:00"), "qty": 50, "source": "Watch"}),
    metric("respiratory_rate", "count/min", {"date": at("03:00:00"), "qty": 14, "source": "Watch"}),
    metric("blood_oxygen_saturation", "%", {"date": at("03:00:00"), "qty": 97, "source": "Watch"}),
    metric("apple_sleeping_wrist_temperature", "degC", {"date": at("03:00:00"), "qty": 35.1, "source": "Watch"}),
    metric("step_count", "count", {"date": at("00:00:00"), "qty": 8400.5, "source": "Watch|Phone"}),
    metric("apple_exercise_time", "min", {"date": at("17:00:00"), "qty": 30, "source": "Watch"}),
    metric("active_energy", "kJ", {"date": at("17:00:00"), "qty": 1000, "source": "Watch"}),
    metric("weight_body_mass", "lb", {"date": at("07:00:00"), "qty": 160, "source": "Scale"}),
    metric("mindful_minutes", "min", {"date": at("08:00:00"), "qty": 12, "source": "Watch"}),
    metric("sleep_analysis", "hr", NIGHT, *RAW),
    workouts=[
        {"id": "w", "name": "Outdoor Run", "start": at("17:00:00"), "end": at("17:40:00"), "duration": 2400,
         "distance": {"qty": 4.4, "units": "mi"}}
    ],
)  # fmt: skip


class TestAutoExport(SourceContract):
    """The contract."""

    @pytest.fixture
    def source(self) -> WearableSource:
        return AutoExport()

    @pytest.fixture
    def example(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(reading, "BATCH_RECORDS", 4)
        path = tmp_path / "HealthAutoExport.json"
        path.write_bytes(WHOLE)
        return path


def _posted(*metrics: dict[str, object]) -> tuple[list[Record], dict[ProblemKind, int]]:
    records, problems = posted(body(*metrics), BERLIN)
    return list(records), counted(problems)


def test_a_request_and_a_file_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(WHOLE)
    assert list(posted(WHOLE, BERLIN)[0]) == read(path, BERLIN)[0]


def test_heart_rate_comes_as_min_avg_max() -> None:
    records, _ = _posted(
        metric("heart_rate", "bpm", {"date": at("02:00:00"), "Min": 48, "Avg": 52, "Max": 60}),
        metric("heart_rate", "bpm", {"date": at("02:05:00"), "qty": 53}),
    )
    assert [r.value for r in records] == [52, 53]


def test_the_format_change_at_6_6_2_both_forms_of_sleep_are_read() -> None:
    one_row, _ = _posted(metric("sleep_analysis", "hr", NIGHT))
    stages, _ = _posted(metric("sleep_analysis", "hr", *RAW))
    night, staged = summarise(one_row)[SECOND].night, summarise(stages)[SECOND].night
    assert night is not None
    assert staged is not None
    assert night.asleep_min == pytest.approx(432)
    assert night.deep_min == pytest.approx(84)
    assert (staged.asleep_min, staged.deep_min, staged.rem_min, staged.awake_min) == (240, 60, 60, 0)


@pytest.mark.parametrize("gone", [("inBedStart", "inBedEnd"), ("inBedStart",), ("sleepStart", "sleepEnd")])
def test_times_in_bed_or_asleep_may_be_absent(gone: tuple[str, ...]) -> None:
    records, problems = _posted(metric("sleep_analysis", "hr", {k: v for k, v in NIGHT.items() if k not in gone}))
    assert of(records, Signal.NIGHT_ASLEEP_MIN)[0].value == pytest.approx(432)
    assert not problems


def test_stages_that_are_all_zero_beside_a_total_are_not_told() -> None:
    zeros = {"deep": 0, "rem": 0, "core": 0, "awake": 0}
    records, problems = _posted(metric("sleep_analysis", "hr", NIGHT | zeros))
    night = summarise(records)[SECOND].night
    assert night is not None
    assert night.asleep_min == pytest.approx(432)
    assert (night.deep_min, night.rem_min) == (None, None)
    assert not problems


def test_values_near_1e14_are_set_aside() -> None:
    records, problems = _posted(
        metric("sleep_analysis", "hr", NIGHT | {"totalSleep": 1.2e14}),
        metric("active_energy", "kcal", {"date": at("10:00:00"), "qty": 1e14}),
    )
    assert not of(records, Signal.ACTIVE_ENERGY_KCAL) + of(records, Signal.NIGHT_ASLEEP_MIN)
    assert problems == {ProblemKind.IMPLAUSIBLE: 2}


def test_without_a_source_two_devices_of_the_same_hour_are_not_summed() -> None:
    rows: list[dict[str, object]] = [{"date": at("10:00:00"), "qty": 900}, {"date": at("10:00:00"), "qty": 880}]
    records, _ = _posted(metric("step_count", "count", *rows))
    assert summarise(records)[SECOND].values[Signal.STEPS_COUNT].value in {900, 880}


def test_with_sources_the_hour_takes_one_device() -> None:
    rows: list[dict[str, object]] = [
        {"date": at("10:00:00"), "qty": 900, "source": "Watch"},
        {"date": at("10:00:00"), "qty": 880, "source": "Phone"},
    ]
    records, _ = _posted(metric("step_count", "count", *rows))
    assert summarise(records)[SECOND].values[Signal.STEPS_COUNT].value == 900


def test_units_follow_the_phones_region() -> None:
    records, problems = _posted(
        metric("weight_body_mass", "lb", {"date": at("07:00:00"), "qty": 160}),
        metric("active_energy", "kJ", {"date": at("07:00:00"), "qty": 418.4}),
        metric("blood_oxygen_saturation", "%", {"date": at("07:00:00"), "qty": 0.97}),
        metric("weight_body_mass", "furlong", {"date": at("07:00:00"), "qty": 160}),
    )
    assert [round(r.value, 2) for r in records] == [72.57, 100.0, 0.97]
    assert problems == {ProblemKind.UNKNOWN_UNIT: 1}


def test_a_days_steps_stay_on_their_day_when_the_clocks_change() -> None:
    day = {"date": "2026-03-29 00:00:00 +0100", "qty": 2300}
    records, _ = _posted(metric("step_count", "count", day))
    assert (records[0].end_at - records[0].start_at).total_seconds() == 23 * 3600
    assert list(summarise(records)) == [date(2026, 3, 29)]


def test_unknown_metrics_are_left_alone() -> None:
    records, problems = _posted(metric("moon_phase", "count", {"date": at("07:00:00"), "qty": 1}))
    assert (records, problems) == ([], {})


def test_a_body_that_is_no_export_or_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in (b"", b"[]", b'{"data": 1}', b'{"data": {}}', b"\xff", b"[" * 100_000):
        with pytest.raises(NotThisFormatError):
            posted(wrong, BERLIN)
    monkeypatch.setattr(auto_export, "LARGEST_POST_BYTES", 10)
    with pytest.raises(NotThisFormatError):
        posted(WHOLE, BERLIN)


def test_hours_are_hours_even_the_one_that_begins_at_midnight() -> None:
    rows: list[dict[str, object]] = [{"date": at(f"{hour:02d}:00:00"), "qty": 100} for hour in (0, 1, 9)]
    records, _ = _posted(metric("step_count", "count", *rows))
    assert {(r.end_at - r.start_at).total_seconds() for r in records} == {3600}
    assert summarise(records)[SECOND].values[Signal.STEPS_COUNT].value == 300


def test_a_night_that_is_posted_again_as_it_grows_is_one_night() -> None:
    early = NIGHT | {"sleepEnd": at("03:00:00"), "totalSleep": 3.5, "inBedEnd": at("03:00:00")}
    records = [r for night in (early, NIGHT) for r in _posted(metric("sleep_analysis", "hr", night))[0]]
    day = summarise(records)[SECOND]
    assert day.night is not None
    assert day.asleep_min == pytest.approx(432)


def test_by_the_minute_the_first_minute_of_an_hour_is_a_minute_too() -> None:
    rows: list[dict[str, object]] = [{"date": at(f"10:{minute:02d}:00"), "qty": 10} for minute in range(60)]
    records, _ = _posted(metric("step_count", "count", *rows))
    assert {(r.end_at - r.start_at).total_seconds() for r in records} == {60}
    assert summarise(records)[SECOND].values[Signal.STEPS_COUNT].value == 600


def test_by_the_minute_full_hours_alone_do_not_cover_an_hour() -> None:
    rows: list[dict[str, object]] = [
        {"date": at("10:00:00"), "qty": 20, "source": "Watch"},
        {"date": at("10:30:00"), "qty": 20, "source": "Watch"},
        *({"date": at(f"10:{minute:02d}:00"), "qty": 30, "source": "Phone"} for minute in range(1, 31)),
    ]
    records, _ = _posted(metric("step_count", "count", *rows))
    assert summarise(records)[SECOND].values[Signal.STEPS_COUNT].value == 900


def test_each_metric_has_its_own_grain() -> None:
    records, _ = _posted(
        metric("step_count", "count", {"date": at("10:00:00"), "qty": 10}, {"date": at("10:01:00"), "qty": 10}),
        metric("active_energy", "kcal", {"date": at("10:00:00"), "qty": 50}),
        metric("apple_exercise_time", "min", {"date": at("00:00:00"), "qty": 30}),
    )
    lasts = {r.signal: (r.end_at - r.start_at).total_seconds() for r in records}
    assert lasts == {Signal.STEPS_COUNT: 60, Signal.ACTIVE_ENERGY_KCAL: 3600, Signal.EXERCISE_MIN: 86_400}
