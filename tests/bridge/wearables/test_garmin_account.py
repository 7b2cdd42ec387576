"""Garmin's account export: the contract, and the pitfalls of its format by name."""

from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bridge.wearables.contract import SourceContract
from bridge.wearables.exporting import Content, encoded, of, read, zipped
from rhythm.bridge.wearables.days import summarise
from rhythm.bridge.wearables.exports import reading
from rhythm.bridge.wearables.exports.collecting import Collector
from rhythm.bridge.wearables.garmin_account import GarminAccount, read_night
from rhythm.bridge.wearables.problems import ProblemKind, ProblemTally
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.sources import WearableSource

SECOND = date(2026, 3, 2)
BERLIN = ZoneInfo("Europe/Berlin")
ROOT = "f3d1/DI_CONNECT"
SLEEP_FILE = f"{ROOT}/DI-Connect-Wellness/2026-01-01_2026-04-11_1_sleepData.json"
DAY_FILE = f"{ROOT}/DI-Connect-Aggregator/UDSFile_2026-01-01_2026-04-11.json"
HEALTH_FILE = f"{ROOT}/DI-Connect-Wellness/2026-01-01_2026-04-11_1_healthStatusData.json"
ACTIVITY_FILE = f"{ROOT}/DI-Connect-Fitness/person_0_summarizedActivities.json"


def sleep(**more: object) -> dict[str, object]:
    """A night as Garmin writes it; ``more`` replaces or adds fields."""
    return {
        "sleepStartTimestampGMT": "2026-03-01T22:10:00.0", "sleepEndTimestampGMT": "2026-03-02T05:50:00.0",
        "calendarDate": "2026-03-02", "sleepWindowConfirmationType": "ENHANCED_CONFIRMED_FINAL",
        "deepSleepSeconds": 5100, "lightSleepSeconds": 15_000, "remSleepSeconds": 5700, "awakeSleepSeconds": 1800,
        "unmeasurableSeconds": 0, "averageRespiration": 14.0, "spo2SleepSummary": {"averageSPO2": 95.0},
    } | more  # fmt: skip


def day(**more: object) -> dict[str, object]:
    """A day as Garmin writes it; ``more`` replaces or adds fields."""
    return {
        "calendarDate": "2026-03-02", "wellnessStartTimeGmt": "2026-03-01T23:00:00.0",
        "wellnessStartTimeLocal": "2026-03-02T00:00:00.0", "totalSteps": 8400, "activeKilocalories": 410.0,
        "moderateIntensityMinutes": 20, "vigorousIntensityMinutes": 12, "restingHeartRate": 50,
        "currentDayRestingHeartRate": 49,
        "allDayStress": {"aggregatorList": [{"type": "TOTAL", "averageStressLevel": 27},
                                            {"type": "AWAKE", "averageStressLevel": 34}]},
    } | more  # fmt: skip


def run(**more: object) -> dict[str, object]:
    """An activity as Garmin writes it; ``more`` replaces or adds fields."""
    return {
        "activityId": 77, "activityType": "trail_running", "beginTimestamp": 1_772_467_200_000,
        "startTimeGmt": 1_772_467_200_000.0, "startTimeLocal": 1_772_470_800_000.0, "duration": 2_400_000.0,
        "elapsedDuration": 2_500_000.0, "distance": 820_000.0,
    } | more  # fmt: skip


HEALTH = [{"calendarDate": "2026-03-02", "metrics": [{"type": "HRV", "value": 61.0}, {"type": "HR", "value": 48.0}]}]
WHOLE: dict[str, Content] = {
    SLEEP_FILE: [sleep()],
    DAY_FILE: [day()],
    HEALTH_FILE: list(HEALTH),
    ACTIVITY_FILE: [{"summarizedActivitiesExport": [run()]}],
    f"{ROOT}/DI-Connect-User/user_profile.json": {"userName": "nobody"},
}


class TestGarminAccount(SourceContract):
    """The contract."""

    @pytest.fixture
    def source(self) -> WearableSource:
        return GarminAccount()

    @pytest.fixture
    def example(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(reading, "BATCH_RECORDS", 3)
        return zipped(tmp_path / "garmin.zip", WHOLE)


def _read(folder: Path, files: dict[str, Content]) -> tuple[list[Record], dict[ProblemKind, int]]:
    return read(zipped(folder / "garmin.zip", files), BERLIN)


def test_sleep_times_are_utc_and_the_night_is_of_its_wake_day(tmp_path: Path) -> None:
    records, problems = _read(tmp_path, WHOLE)
    found = summarise(records)[SECOND]
    assert found.night is not None
    assert found.night.asleep_at == datetime(2026, 3, 1, 22, 10, tzinfo=UTC)
    assert found.night.offset_min == 60
    assert found.values[Signal.HRV_RMSSD_MS].value == 61
    assert found.values[Signal.RESTING_HR_BPM].value == 49
    assert found.values[Signal.STRESS_FRACTION].value == 0.27
    assert found.values[Signal.STEPS_COUNT].value == pytest.approx(8400)
    assert not problems


def test_the_night_runs_to_the_last_waking_and_its_sleep_leaves_awake_out(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, {SLEEP_FILE: [sleep()]})
    night = summarise(records)[SECOND].night
    assert night is not None
    assert (night.asleep_min, night.awake_min) == (430, 30)
    assert (night.awake_at - night.asleep_at).total_seconds() == 460 * 60


@pytest.mark.parametrize("level", [-1, -2, None])
def test_a_stress_of_minus_one_or_minus_two_is_no_stress(tmp_path: Path, level: object) -> None:
    calm = day(allDayStress={"aggregatorList": [{"type": "TOTAL", "averageStressLevel": level}]})
    records, problems = _read(tmp_path, {DAY_FILE: [calm]})
    assert not of(records, Signal.STRESS_FRACTION)
    assert not problems


def test_fields_that_are_null_although_documented_otherwise_are_nothing(tmp_path: Path) -> None:
    empty_day = {name: None if name != "calendarDate" else value for name, value in day().items()}
    empty_night = dict.fromkeys(sleep())
    records, problems = _read(tmp_path, {SLEEP_FILE: [empty_night, None], DAY_FILE: [empty_day]})
    assert (records, problems) == ([], {})


def test_times_that_are_milliseconds_instead_of_text_are_read(tmp_path: Path) -> None:
    millis = sleep(sleepStartTimestampGMT=1_772_403_000_000, sleepEndTimestampGMT=1_772_430_600_000)
    as_millis, _ = _read(tmp_path, {SLEEP_FILE: [millis]})
    as_text, _ = _read(tmp_path, {SLEEP_FILE: [sleep()]})
    assert as_millis == as_text


def test_distances_are_centimetres_and_durations_milliseconds(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, {ACTIVITY_FILE: [{"summarizedActivitiesExport": [run()]}]})
    assert [(r.signal, r.value, r.detail, r.offset_min) for r in records] == [
        (Signal.WORKOUT_MIN, 40, "trail running", 60), (Signal.WORKOUT_DISTANCE_KM, 8.2, "trail running", 60),
    ]  # fmt: skip


def test_files_that_overlap_at_their_seams_count_once(tmp_path: Path) -> None:
    later = {name.replace("2026-01-01_2026-04-11", "2026-04-11_2026-07-20"): found for name, found in WHOLE.items()}
    once, _ = _read(tmp_path, WHOLE)
    twice, _ = _read(tmp_path, {**WHOLE, **later})
    assert twice == once


def test_naps_are_naps(tmp_path: Path) -> None:
    nap = {"napStartTimestampGMT": "2026-03-02T13:00:00.0", "napEndTimestampGMT": "2026-03-02T13:40:00.0",
           "napTimeSec": 2100}  # fmt: skip
    records, _ = _read(tmp_path, {SLEEP_FILE: [sleep(napList=[nap, None])]})
    found = summarise(records)[SECOND]
    assert found.night is not None
    assert found.night.asleep_min == 430
    assert [n.asleep_min for n in found.naps] == [35]


def test_a_watch_that_was_not_worn_slept_nothing(tmp_path: Path) -> None:
    records, problems = _read(tmp_path, {SLEEP_FILE: [sleep(sleepWindowConfirmationType="OFF_WRIST")]})
    assert (records, problems) == ([], {})


TOKYO = {
    "sleepStartTimestampGMT": "2026-03-01T14:30:00.0", "sleepEndTimestampGMT": "2026-03-01T21:30:00.0",
    "sleepStartTimestampLocal": "2026-03-01T23:30:00.0", "sleepEndTimestampLocal": "2026-03-02T06:30:00.0",
}  # fmt: skip
"""A night in Tokyo, whose waking is still the first of March in Berlin."""


@pytest.mark.parametrize("gone", [(), ("sleepStartTimestampLocal",), ("sleepEndTimestampLocal",)], ids=str)
def test_a_night_abroad_is_of_the_day_and_the_clock_there(tmp_path: Path, gone: tuple[str, ...]) -> None:
    records, problems = _read(tmp_path, {SLEEP_FILE: [sleep(**TOKYO | dict.fromkeys(gone))]})
    days = summarise(records)
    assert list(days) == [SECOND]
    night = days[SECOND].night
    assert night is not None
    assert (night.offset_min, night.local_middle_h) == (540, 3.0)
    assert not problems


def test_a_night_that_the_account_gives_is_where_it_was_slept_too() -> None:
    out = Collector("garmin_account", ProblemTally())
    night = read_night(sleep(**TOKYO), out, BERLIN)
    assert night == (datetime(2026, 3, 1, 14, 30, tzinfo=UTC), datetime(2026, 3, 1, 21, 30, tzinfo=UTC), 540)
    assert {r.offset_min for r in out.records} == {540}


def test_a_night_abroad_in_milliseconds_says_the_same(tmp_path: Path) -> None:
    def millis(text: str) -> float:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000

    as_text, _ = _read(tmp_path, {SLEEP_FILE: [sleep(**TOKYO)]})
    as_millis, _ = _read(tmp_path, {SLEEP_FILE: [sleep(**{name: millis(text) for name, text in TOKYO.items()})]})
    assert as_millis == as_text


@pytest.mark.parametrize("local", ["2026-03-05T06:30:00.0", "2026-03-01T23:17:00.0", "soon", 1, True], ids=str)
def test_a_local_time_that_no_clock_shows_then_leaves_the_persons_own_zone(tmp_path: Path, local: object) -> None:
    odd = {"sleepStartTimestampLocal": local, "sleepEndTimestampLocal": local}
    records, problems = _read(tmp_path, {SLEEP_FILE: [sleep(**odd)]})
    assert records == _read(tmp_path, {SLEEP_FILE: [sleep()]})[0]
    assert not problems


@pytest.mark.parametrize("own", [True, False], ids=["its own clock", "the night's"])
def test_a_nap_abroad_is_of_the_day_there(tmp_path: Path, own: bool) -> None:
    nap = {"napStartTimestampGMT": "2026-03-01T15:10:00.0", "napEndTimestampGMT": "2026-03-01T15:50:00.0",
           "napTimeSec": 2100}  # fmt: skip
    told = sleep(**TOKYO) if not own else sleep(sleepStartTimestampGMT=None)
    told["napList"] = [nap | ({"napStartTimestampLocal": "2026-03-02T00:10:00.0"} if own else {})]
    records, _ = _read(tmp_path, {SLEEP_FILE: [told]})
    (found,) = (r for r in records if r.value == 35)
    assert (found.offset_min, found.local_day) == (540, SECOND)


def test_a_night_without_local_times_is_where_its_day_was_lived(tmp_path: Path) -> None:
    night = sleep(**TOKYO | dict.fromkeys(("sleepStartTimestampLocal", "sleepEndTimestampLocal")))
    there = day(wellnessStartTimeGmt="2026-03-01T15:00:00.0", wellnessStartTimeLocal="2026-03-02T00:00:00.0")
    records, problems = _read(tmp_path, {SLEEP_FILE: [night], DAY_FILE: [there], HEALTH_FILE: list(HEALTH)})
    days = summarise(records)
    assert list(days) == [SECOND]
    found = days[SECOND].night
    assert found is not None
    assert (found.offset_min, found.local_middle_h) == (540, 3.0)
    assert days[SECOND].values[Signal.HRV_RMSSD_MS].value == 61
    assert not problems


def test_a_day_that_began_elsewhere_than_its_night_ended_leaves_the_persons_own_zone(tmp_path: Path) -> None:
    away = day(wellnessStartTimeGmt="2026-03-02T10:00:00.0", wellnessStartTimeLocal="2026-03-02T00:00:00.0")
    records, _ = _read(tmp_path, {SLEEP_FILE: [sleep()], DAY_FILE: [away]})
    (night,) = of(records, Signal.NIGHT_ASLEEP_MIN)
    assert night.offset_min == 60


def test_a_home_night_keeps_its_zone_with_local_times_or_without(tmp_path: Path) -> None:
    local = {"sleepStartTimestampLocal": "2026-03-01T23:10:00.0", "sleepEndTimestampLocal": "2026-03-02T06:50:00.0"}
    told, _ = _read(tmp_path, {SLEEP_FILE: [sleep(**local)]})
    assert told == _read(tmp_path, {SLEEP_FILE: [sleep()]})[0]


@pytest.mark.parametrize("text", ["2026-03-29", "2026-10-25", "2026-03-30"])
def test_a_day_of_23_or_25_hours_keeps_its_steps_to_itself(tmp_path: Path, text: str) -> None:
    start = datetime.fromisoformat(text).replace(tzinfo=BERLIN)
    gmt = start.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.0")
    one = day(calendarDate=text, wellnessStartTimeGmt=gmt, wellnessStartTimeLocal=f"{text}T00:00:00.0")
    records, _ = _read(tmp_path, {DAY_FILE: [one]})
    found = summarise(records)
    assert list(found) == [date.fromisoformat(text)]
    assert found[date.fromisoformat(text)].values[Signal.STEPS_COUNT].value == pytest.approx(8400)


def test_a_day_abroad_is_the_day_there(tmp_path: Path) -> None:
    away = day(wellnessStartTimeGmt="2026-03-02T08:00:00.0", wellnessStartTimeLocal="2026-03-02T00:00:00.0")
    records, _ = _read(tmp_path, {DAY_FILE: [away]})
    assert {r.offset_min for r in records} == {-480}
    assert list(summarise(records)) == [SECOND]


def test_a_single_file_of_the_export_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "2026_sleepData.json"
    path.write_bytes(encoded([sleep()]))
    records, _ = read(path, BERLIN)
    assert of(records, Signal.NIGHT_ASLEEP_MIN)
