"""Fitbit's account archive: the contract, and the pitfalls of its format by name."""

from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bridge.wearables.contract import SourceContract
from bridge.wearables.exporting import Content, encoded, of, read, zipped
from rhythm.bridge.wearables.days import summarise
from rhythm.bridge.wearables.exports import reading
from rhythm.bridge.wearables.fitbit import Fitbit
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.sources import WearableSource

SECOND = date(2026, 3, 2)
BERLIN = ZoneInfo("Europe/Berlin")
FOLDER = "Takeout/Fitbit/Global Export Data"
NEWER = "Takeout/Fitbit/Physical Activity_GoogleData"


def level(clock: str, name: str, seconds: int, day: int = 2) -> dict[str, object]:
    """A level of a sleep log."""
    return {"dateTime": f"2026-03-{day:02d}T{clock}.000", "level": name, "seconds": seconds}


LEVELS = [
    level("23:10:30", "wake", 600, 1), level("23:20:30", "light", 3600, 1), level("00:20:30", "deep", 7200),
    level("02:20:30", "rem", 5400), level("03:50:30", "light", 9000),
]  # fmt: skip
SUMMARY = {name: {"count": 3, "minutes": 999} for name in ("deep", "light", "rem", "wake")}


def log(kind: str = "stages", levels: object = LEVELS, short: object = None, **more: object) -> dict[str, object]:
    """A sleep log as Fitbit writes it; ``more`` replaces or adds fields."""
    inside: dict[str, object] = {"summary": SUMMARY, "data": levels}
    if short is not None:
        inside["shortData"] = short
    return {
        "logId": 40001, "dateOfSleep": "2026-03-02", "startTime": "2026-03-01T23:10:30.000",
        "endTime": "2026-03-02T06:20:30.000", "duration": 25_800_000, "minutesAsleep": 420, "minutesAwake": 10,
        "type": kind, "mainSleep": True, "levels": inside,
    } | more  # fmt: skip


OLDER: dict[str, Content] = {
    f"{FOLDER}/sleep-2026-03-01.json": [
        log(),
        log("classic", [level("14:00:00", "asleep", 1800), level("14:30:00", "restless", 300)], logId=40002,
            startTime="2026-03-02T14:00:00.000", duration=2_100_000, mainSleep=False),
        log(levels=[], logId=40003, startTime="2026-03-02T23:00:00.000"),
    ],
    f"{FOLDER}/heart_rate-2026-03-02.json": [
        {"dateTime": f"03/02/26 02:00:{10 * i:02d}", "value": {"bpm": 50 + i, "confidence": 2}} for i in range(6)
    ],
    f"{FOLDER}/steps-2026-03-01.json": [
        {"dateTime": "03/02/26 10:00:00", "value": "90"}, {"dateTime": "03/02/26 10:01:00", "value": "0"},
        {"dateTime": "03/02/26 23:30:00", "value": "10"},
    ],
    f"{FOLDER}/resting_heart_rate-2026-01-01.json": [
        {"dateTime": "03/02/26 00:00:00", "value": {"date": "03/02/26", "value": 58.2, "error": 6.7}},
        {"dateTime": "03/03/26 00:00:00", "value": {"date": None, "value": 0.0, "error": 0.0}},
    ],
    f"{FOLDER}/weight-2026-03-01.json": [{"logId": 9, "weight": 160.0, "date": "03/02/26", "time": "07:00:00"}],
    f"{FOLDER}/exercise-0.json": [
        {"logId": 8, "activityName": "Run", "startTime": "03/02/26 16:00:00", "duration": 2_400_000, "distance": 4.4,
         "distanceUnit": "Mile"}
    ],
    "Takeout/Fitbit/Heart Rate Variability/Daily Heart Rate Variability Summary - 2026-03-02.csv":
        "timestamp,rmssd,nremhr,entropy\n2026-03-02T00:00:00,41.5,52.1,2.9\n",
    "Takeout/Fitbit/Heart Rate Variability/Daily Respiratory Rate Summary - 2026-03-02.csv":
        "timestamp,daily_respiratory_rate\n2026-03-02T00:00:00,15.2\n",
    "Takeout/Fitbit/Oxygen Saturation (SpO2)/Daily SpO2 - 2026-03-02.csv":
        "timestamp,average_value,lower_bound,upper_bound\n2026-03-02T05:00:00Z,96.1,93,99\n",
    "Takeout/Fitbit/Stress Score/Stress Score.csv":
        "DATE,UPDATED_AT,STRESS_SCORE,STATUS\n2026-03-02T00:00:00,2026-03-02T09:00:00,78,READY\n"
        "2026-03-03T00:00:00,2026-03-03T09:00:00,0,NO_DATA\n",
    "Takeout/Fitbit/Temperature/Computed Temperature - 2026-03-01.csv":
        "type,sleep_start,sleep_end,temperature_samples,nightly_temperature\n"
        "SKIN,2026-03-01T23:10:30,2026-03-02T06:20:30,430,34.1\n",
}  # fmt: skip


class TestFitbit(SourceContract):
    """The contract."""

    @pytest.fixture
    def source(self) -> WearableSource:
        return Fitbit()

    @pytest.fixture
    def example(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(reading, "BATCH_RECORDS", 3)
        return zipped(tmp_path / "takeout-20260401.zip", OLDER)


def _read(folder: Path, files: dict[str, Content]) -> tuple[list[Record], dict[ProblemKind, int]]:
    return read(zipped(folder / "takeout.zip", files), BERLIN)


def _sleep(folder: Path, *logs: dict[str, object]) -> list[Record]:
    records, problems = _read(folder, {f"{FOLDER}/sleep-2026-03-01.json": list(logs)})
    assert not problems
    return records


def test_sleep_is_local_without_an_offset_while_heart_rate_is_utc(tmp_path: Path) -> None:
    records, problems = _read(tmp_path, OLDER)
    assert min(r.start_at for r in of(records, Signal.SLEEP_CORE_MIN)) == datetime(2026, 3, 1, 22, 20, 30, tzinfo=UTC)
    (beats,) = of(records, Signal.HEART_RATE_BPM)
    assert (beats.start_at, beats.offset_min) == (datetime(2026, 3, 2, 2, 0, tzinfo=UTC), 60)
    assert beats.value == pytest.approx(52.5)
    assert not problems


def test_dates_are_american(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, OLDER)
    assert {r.local_day for r in of(records, Signal.RESTING_HR_BPM)} == {SECOND}


def test_weights_are_in_pounds(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, OLDER)
    assert of(records, Signal.BODY_MASS_KG)[0].value == pytest.approx(72.57, abs=0.01)


def test_classic_and_stages_levels_are_both_read(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, OLDER)
    day = summarise(records)[SECOND]
    assert day.night is not None
    assert (day.night.asleep_min, day.night.deep_min, day.night.rem_min) == (420, 120, 90)
    assert [nap.asleep_min for nap in day.naps] == [30]


def test_short_data_may_be_absent_and_cuts_wakes_where_it_is_there(tmp_path: Path) -> None:
    short = [level("01:00:00", "wake", 120), level("02:19:30", "wake", 120)]
    without = summarise(_sleep(tmp_path, log()))[SECOND].night
    with_it = summarise(_sleep(tmp_path, log(short=short)))[SECOND].night
    assert without is not None
    assert with_it is not None
    assert (without.asleep_min, with_it.asleep_min) == (420, 416)
    assert with_it.deep_min == 117
    assert with_it.awake_min == 4


def test_the_summary_beside_the_levels_is_never_added(tmp_path: Path) -> None:
    records = _sleep(tmp_path, log())
    assert sum(r.value for r in records) == 430
    assert not any(r.signal.startswith("night_") for r in records)


def test_a_log_that_stands_in_two_files_counts_once(tmp_path: Path) -> None:
    assert _sleep(tmp_path, log(), log()) == _sleep(tmp_path, log())


def test_a_log_without_levels_gives_its_totals(tmp_path: Path) -> None:
    night = summarise(_sleep(tmp_path, log(levels=[])))[SECOND].night
    assert night is not None
    assert (night.asleep_min, night.awake_min, night.deep_min) == (420, 10, None)


@pytest.mark.parametrize(("unit", "km"), [("Kilometer", 4.4), ("Mile", 7.08), ("Meter", 0.0044)])
def test_kilometres_are_not_metres(tmp_path: Path, unit: str, km: float) -> None:
    run = {"logId": 8, "activityName": "Run", "startTime": "03/02/26 16:00:00", "duration": 2_400_000, "distance": 4.4,
           "distanceUnit": unit}  # fmt: skip
    records, _ = _read(tmp_path, {f"{FOLDER}/exercise-0.json": [run]})
    assert of(records, Signal.WORKOUT_DISTANCE_KM)[0].value == pytest.approx(km, abs=0.01)


def test_a_distance_without_a_known_unit_is_not_guessed(tmp_path: Path) -> None:
    run = {"logId": 8, "startTime": "03/02/26 16:00:00", "duration": 2_400_000, "distance": 4400}
    records, problems = _read(tmp_path, {f"{FOLDER}/exercise-0.json": [run]})
    assert not of(records, Signal.WORKOUT_DISTANCE_KM)
    assert problems == {ProblemKind.UNKNOWN_UNIT: 1}


def test_a_resting_heart_rate_of_zero_is_a_day_without_one(tmp_path: Path) -> None:
    records, problems = _read(tmp_path, OLDER)
    assert [r.value for r in of(records, Signal.RESTING_HR_BPM)] == [58.2]
    assert not problems


def test_seventy_beats_without_confidence_are_a_placeholder(tmp_path: Path) -> None:
    rows: Content = [{"dateTime": "03/02/26 02:00:00", "value": {"bpm": 70, "confidence": 0}}]
    records, _ = _read(tmp_path, {f"{FOLDER}/heart_rate-2026-03-02.json": rows})
    assert not records


def test_the_stress_score_is_high_when_calm(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, OLDER)
    assert [r.value for r in of(records, Signal.STRESS_FRACTION)] == [pytest.approx(0.22)]


def test_steps_in_utc_fall_on_the_local_day(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, OLDER)
    days = summarise(records)
    assert days[SECOND].values[Signal.STEPS_COUNT].value == 90
    assert days[date(2026, 3, 3)].values[Signal.STEPS_COUNT].value == 10


def test_the_same_steps_in_the_older_and_the_newer_form_are_not_doubled(tmp_path: Path) -> None:
    newer: dict[str, Content] = {
        f"{NEWER}/steps_2026-03-01.csv": "timestamp,steps,data source\n2026-03-02T10:00:00Z,90,Charge\n"
    }
    both, _ = _read(tmp_path, OLDER | newer)
    assert sum(r.value for r in of(both, Signal.STEPS_COUNT)) == 100
    alone, _ = _read(tmp_path, newer)
    assert [(r.value, r.source) for r in alone] == [(90, "fitbit/Charge")]


def test_the_newer_files_say_z_and_are_read(tmp_path: Path) -> None:
    files: dict[str, Content] = {
        f"{NEWER}/heart_rate_2026-03-02.csv": "timestamp,beats per minute,data source\n2026-03-02T02:00:05Z,51,Pixel\n",
        f"{NEWER}/daily_resting_heart_rate.csv": (
            "timestamp,beats per minute,data source\n2026-03-02T00:00:00Z,57,Pixel\n"
        ),
        f"{NEWER}/daily_heart_rate_variability.csv": (
            "timestamp,average heart rate variability milliseconds,data source\n2026-03-02T00:00:00Z,44,Pixel\n"
        ),
        f"{NEWER}/weight.csv": "timestamp,weight grams,data source\n2026-03-02T06:00:00Z,72000,Scale\n",
    }
    records, problems = _read(tmp_path, files)
    assert {(r.signal, r.value) for r in records} == {
        (Signal.HEART_RATE_BPM, 51), (Signal.RESTING_HR_BPM, 57), (Signal.HRV_RMSSD_MS, 44), (Signal.BODY_MASS_KG, 72),
    }  # fmt: skip
    assert not problems


def test_a_night_in_which_the_clocks_change_has_its_true_length(tmp_path: Path) -> None:
    spring = log(startTime="2026-03-28T23:00:00.000", levels=[level("23:00:00", "light", 25_200, 28)])
    night = summarise(_sleep(tmp_path, spring))[date(2026, 3, 29)].night
    assert night is not None
    assert night.asleep_min == 420


def test_a_single_file_of_the_archive_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "sleep-2026-03-01.json"
    path.write_bytes(encoded([log()]))
    records, _ = read(path, BERLIN)
    assert len(records) == len(LEVELS)
