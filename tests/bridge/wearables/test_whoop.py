"""WHOOP's CSV zip: the contract, and the pitfalls of its format by name."""

from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bridge.wearables.contract import SourceContract
from bridge.wearables.exporting import of, read, zipped
from rhythm.bridge.wearables.days import summarise
from rhythm.bridge.wearables.exports import reading
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.sources import WearableSource
from rhythm.bridge.wearables.whoop import Whoop

CYCLES = (
    "Cycle start time,Cycle end time,Cycle timezone,Recovery score %,Resting heart rate (bpm),"
    "Heart rate variability (ms),Skin temp (celsius),Blood oxygen %,Day Strain,Energy burned (cal),"
    "Sleep onset,Wake onset,Respiratory rate (rpm),Asleep duration (min),Deep (SWS) duration (min),"
    "REM duration (min),Awake duration (min)\n"
)
SLEEPS = (
    "Cycle start time,Cycle end time,Cycle timezone,Sleep onset,Wake onset,Respiratory rate (rpm),"
    "Asleep duration (min),Deep (SWS) duration (min),REM duration (min),Awake duration (min),Nap\n"
)
WORKOUTS = (
    "Cycle start time,Cycle end time,Cycle timezone,Workout start time,Workout end time,Duration (min),"
    "Activity name,Distance (meters)\n"
)
NIGHT = "2026-03-01 23:10:00,2026-03-02 06:50:00"
CYCLE = f"2026-03-01 23:10:00,2026-03-02 22:50:00,UTC+01:00,66,52,61.5,33.4,96.2,12.1,2210,{NIGHT},14.9,430,85,95,30\n"
SLEEP = f"2026-03-01 23:10:00,2026-03-02 22:50:00,UTC+01:00,{NIGHT},14.9,430,85,95,30,false\n"
NAP = "2026-03-01 23:10:00,2026-03-02 22:50:00,UTC+01:00,2026-03-02 14:00:00,2026-03-02 14:40:00,14.2,35,5,0,5,true\n"
WORKOUT = "2026-03-01 23:10:00,2026-03-02 22:50:00,UTC+01:00,2026-03-02 17:00:00,2026-03-02 17:45:00,45,Running,8200\n"
JOURNAL = (
    "Cycle start time,Cycle end time,Cycle timezone,Question text,Answered yes,Notes\n"
    '2026-03-01 23:10:00,2026-03-02 22:50:00,UTC+01:00,Any "late" meal?,true,"two\nlines, quoted"\n'
)
ALL = {
    "physiological_cycles.csv": CYCLES + CYCLE,
    "sleeps.csv": SLEEPS + NAP + SLEEP,
    "workouts.csv": WORKOUTS + WORKOUT,
    "journal_entries.csv": JOURNAL,
}


class TestWhoop(SourceContract):
    """The contract."""

    @pytest.fixture
    def source(self) -> WearableSource:
        return Whoop()

    @pytest.fixture
    def example(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(reading, "BATCH_RECORDS", 3)
        return zipped(tmp_path / "my_whoop_data.zip", ALL)


def _read(folder: Path, files: dict[str, str]) -> tuple[list[Record], dict[ProblemKind, int]]:
    return read(zipped(folder / "whoop.zip", files), ZoneInfo("Asia/Tokyo"))


def test_times_are_naive_local_with_the_offset_in_a_column_of_its_own(tmp_path: Path) -> None:
    records, problems = _read(tmp_path, ALL)
    night = of(records, Signal.NIGHT_ASLEEP_MIN)[-1]
    assert (night.start_at, night.offset_min) == (datetime(2026, 3, 1, 22, 10, tzinfo=UTC), 60)
    assert not problems


@pytest.mark.parametrize(("words", "minutes"), [("UTC-05:00", -300), ("UTC+0530", 330), ("UTCZ", 0), ("", 540)])
def test_cycle_timezones_are_read_however_they_are_written(tmp_path: Path, words: str, minutes: int) -> None:
    records, _ = _read(tmp_path, {"sleeps.csv": SLEEPS + SLEEP.replace("UTC+01:00", words)})
    assert {r.offset_min for r in records} == {minutes}


def test_the_newest_cycle_has_no_end_and_costs_nothing(tmp_path: Path) -> None:
    open_cycle = CYCLE.replace("2026-03-02 22:50:00", "")
    records, problems = _read(tmp_path, {"physiological_cycles.csv": CYCLES + open_cycle})
    assert of(records, Signal.HRV_RMSSD_MS)[0].value == 61.5
    assert not problems


def test_a_cycle_without_recovery_or_sleep_is_missing_not_zero(tmp_path: Path) -> None:
    bare = "2026-03-02 22:50:00,,UTC+01:00,,,,,,3.2,500,,,,,,,\n"
    unscored = f"2026-03-02 22:50:00,,UTC+01:00,,,,,,3.2,500,{NIGHT},14.9,430,85,95,30\n"
    records, problems = _read(tmp_path, {"physiological_cycles.csv": CYCLES + bare + unscored})
    assert not of(records, Signal.HRV_RMSSD_MS)
    assert [r.value for r in of(records, Signal.NIGHT_ASLEEP_MIN)] == [430]
    assert not problems


def test_headers_drift_in_order_case_and_marks(tmp_path: Path) -> None:
    drifted = "\ufeffWAKE ONSET,Sleep-onset,heart rate variability (MS),New thing,cycle timezone,Cycle start time\n"
    row = "2026-03-02 06:50:00,2026-03-01 23:10:00,61.5,x,UTC+01:00,2026-03-01 23:10:00\n"
    records, _ = _read(tmp_path, {"physiological_cycles.csv": drifted + row})
    assert [(r.signal, r.value) for r in records] == [(Signal.HRV_RMSSD_MS, 61.5)]


def test_the_journal_is_keyed_by_the_evening_so_nothing_is_filed_by_it(tmp_path: Path) -> None:
    with_journal, problems = _read(tmp_path, ALL)
    without, _ = _read(tmp_path, {name: text for name, text in ALL.items() if "journal" not in name})
    assert with_journal == without
    assert not problems


def test_a_night_in_both_tables_is_told_once_and_lies_on_its_wake_day(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, ALL)
    assert len({r.key for r in records}) == len(records)
    day = summarise(records)[date(2026, 3, 2)]
    assert day.night is not None
    assert (day.night.asleep_min, day.night.deep_min, day.night.rem_min) == (430, 85, 95)
    assert day.values[Signal.HRV_RMSSD_MS].value == 61.5
    assert day.values[Signal.RESTING_HR_BPM].value == 52


def test_a_nap_is_a_nap_and_gives_no_recovery(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, ALL)
    day = summarise(records)[date(2026, 3, 2)]
    assert [nap.asleep_min for nap in day.naps] == [35]
    assert len(of(records, Signal.RESPIRATORY_RATE_PER_MIN)) == 1


def test_there_are_no_stage_times_so_stages_are_totals(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, ALL)
    assert not any(r.signal.startswith("sleep_") for r in records)


def test_rmssd_is_in_milliseconds_and_of_its_own_kind(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, ALL)
    assert [r.value for r in of(records, Signal.HRV_RMSSD_MS)] == [61.5]
    assert not of(records, Signal.HRV_SDNN_MS)


def test_metres_become_kilometres_and_per_cent_a_fraction(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, ALL)
    assert of(records, Signal.WORKOUT_DISTANCE_KM)[0].value == pytest.approx(8.2)
    assert of(records, Signal.OXYGEN_FRACTION)[0].value == pytest.approx(0.962)
    assert of(records, Signal.WORKOUT_MIN)[0].detail == "running"


def test_bad_rows_are_counted_and_their_neighbours_kept(tmp_path: Path) -> None:
    bad = SLEEP.replace("06:50:00", "26:50:00") + SLEEP.replace("430", "many") + SLEEP.replace("430", "4300")
    records, problems = _read(tmp_path, {"sleeps.csv": SLEEPS + bad + NAP})
    assert problems[ProblemKind.BAD_DATE] == 1
    assert problems[ProblemKind.BAD_VALUE] == 1
    assert [r.value for r in of(records, Signal.NIGHT_ASLEEP_MIN)] == [35]


def test_a_single_table_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "sleeps.csv"
    path.write_text(SLEEPS + SLEEP, encoding="utf-8")
    records, _ = read(path)
    assert len(of(records, Signal.NIGHT_ASLEEP_MIN)) == 1
