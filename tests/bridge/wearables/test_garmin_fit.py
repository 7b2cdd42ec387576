"""Garmin's FIT files: the contract, and the pitfalls of the format by name."""

import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bridge.wearables import fit_writing as fw
from bridge.wearables.contract import SourceContract
from bridge.wearables.exporting import of, read, zipped
from rhythm.bridge.wearables.days import summarise
from rhythm.bridge.wearables.exports import reading
from rhythm.bridge.wearables.garmin_fit import GarminFit
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.sources import WearableSource

SECOND = date(2026, 3, 2)
BERLIN = ZoneInfo("Europe/Berlin")


def at(clock: str, day: int = 2) -> datetime:
    """The instant of a local time in March 2026, UTC+1."""
    return datetime.fromisoformat(f"2026-03-{day:02d} {clock}").replace(tzinfo=UTC) - timedelta(hours=1)


WELLNESS = [
    fw.file_id(), fw.info(at("00:00"), 60), fw.steps(at("00:01"), 0), fw.heart_rate(at("02:00"), 52),
    fw.heart_rate(at("02:01"), 51, short=True), fw.stress(at("02:00"), 14), fw.stress(at("02:03"), -1),
    fw.stress(at("02:06"), -2), fw.breathing(at("02:00"), 14.25), fw.oxygen(at("02:00"), 96),
    fw.resting(at("07:00"), 49), fw.steps(at("10:00"), 1000), fw.steps(at("11:00"), 4000),
    fw.steps(at("11:30"), 500, fw.RUNNING),
]  # fmt: skip
SLEEP = [
    fw.file_id(49), fw.level(at("23:10", 1), "light"), fw.level(at("01:10"), "deep"), fw.level(at("02:40"), "rem"),
    fw.level(at("04:00"), "light"), fw.level(at("06:40"), "awake"), fw.stop(at("06:50")),
]  # fmt: skip
HRV = [fw.file_id(68), fw.hrv_value(at("02:00"), 60), fw.hrv_value(at("02:05"), 64), fw.hrv_night(at("07:00"), 99)]
RUN = [fw.file_id(4), *fw.activity(at("17:00"), 60, 2500, 2400, 8200)]
DAY = {
    "1_SLEEP_DATA.fit": fw.fit(*SLEEP), "2_HRV_STATUS.fit": fw.fit(*HRV), "3_WELLNESS.fit": fw.fit(*WELLNESS),
    "4_ACTIVITY.fit": fw.fit(*RUN),
}  # fmt: skip


class TestGarminFit(SourceContract):
    """The contract."""

    @pytest.fixture
    def source(self) -> WearableSource:
        return GarminFit()

    @pytest.fixture
    def example(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(reading, "BATCH_RECORDS", 3)
        return zipped(tmp_path / "2026-03-02.zip", DAY)


def _read(folder: Path, *messages: fw.Message) -> tuple[list[Record], dict[ProblemKind, int]]:
    path = folder / "file.fit"
    path.write_bytes(fw.fit(*messages))
    return read(path, BERLIN)


def test_a_day_of_files_gives_the_day(tmp_path: Path) -> None:
    records, problems = read(zipped(tmp_path / "day.zip", DAY), ZoneInfo("Asia/Tokyo"))
    day = summarise(records)[SECOND]
    assert day.night is not None
    assert (day.night.asleep_min, day.night.deep_min, day.night.rem_min) == (450, 90, 80)
    assert day.values[Signal.STEPS_COUNT].value == pytest.approx(4000)
    assert day.values[Signal.HRV_RMSSD_MS].value == 62
    assert day.values[Signal.RESTING_HR_BPM].value == 49
    assert day.values[Signal.WORKOUT_MIN].value == pytest.approx(2500 / 60)
    assert {r.offset_min for r in records} == {60}
    assert not problems


def test_the_short_timestamp_rolls_over(tmp_path: Path) -> None:
    start = at("02:00")
    far = [start + timedelta(hours=h) for h in (5, 13, 20)]
    records, _ = _read(tmp_path, fw.heart_rate(start, 50), *(fw.heart_rate(t, 60, short=True) for t in far))
    assert [r.start_at for r in records] == [start, *far]


def test_checksum_errors_cost_nothing_that_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "file.fit"
    path.write_bytes(fw.fit(*WELLNESS)[:-2] + b"\0\0")
    records, _ = read(path, BERLIN)
    assert len(of(records, Signal.HEART_RATE_BPM)) == 2


def test_duplicate_rows_and_duplicate_files_count_once(tmp_path: Path) -> None:
    twice, _ = read(zipped(tmp_path / "a.zip", DAY | {f"again_{n}": f for n, f in DAY.items()}), BERLIN)
    once, _ = read(zipped(tmp_path / "b.zip", DAY), BERLIN)
    assert {r.key for r in twice} == {r.key for r in once}
    assert summarise(twice) == summarise(once)
    doubled, _ = _read(tmp_path, *[m for m in WELLNESS for _ in range(2)])
    assert len({r.key for r in doubled}) == len(doubled)


def test_the_sentinels_255_and_65535_are_not_values(tmp_path: Path) -> None:
    night = (370, [(253, fw.UINT32, fw.seconds(at("07:00"))), (1, fw.UINT16, 65535)])
    value = (371, [(253, fw.UINT32, fw.seconds(at("02:00"))), (0, fw.UINT16, 65535)])
    records, problems = _read(tmp_path, fw.heart_rate(at("02:00"), 255), fw.oxygen(at("02:00"), 255), night, value)
    assert (records, problems) == ([], {})


def test_a_stress_of_minus_one_or_minus_two_is_no_stress(tmp_path: Path) -> None:
    records, problems = _read(tmp_path, *WELLNESS)
    assert [r.value for r in of(records, Signal.STRESS_FRACTION)] == [0.14]
    assert not problems


def test_an_unknown_message_such_as_nap_event_is_ignored_not_fatal(tmp_path: Path) -> None:
    records, problems = _read(tmp_path, fw.nap_event(at("14:00")), fw.heart_rate(at("14:00"), 60))
    assert [r.value for r in records] == [60]
    assert not problems


def test_the_last_time_awake_belongs_to_the_night_and_is_not_sleep(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, *SLEEP)
    assert max(r.end_at for r in records) == at("06:50")
    assert sum(r.value for r in records if r.signal is not Signal.SLEEP_AWAKE_MIN) == 450
    assert [r.value for r in of(records, Signal.SLEEP_AWAKE_MIN)] == [10]


def test_a_sleep_without_a_stop_ends_with_its_last_known_stage(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, *SLEEP[:-1])
    assert max(r.end_at for r in records) == at("06:40")


def test_two_nights_are_not_joined_by_the_day_between(tmp_path: Path) -> None:
    second = [fw.level(at("23:00"), "deep"), fw.level(at("01:00", 3), "light"), fw.stop(at("07:00", 3))]
    records, _ = _read(tmp_path, *SLEEP, *second[:2], fw.level(at("04:00", 3), "rem"), second[2])
    assert sorted(summarise(records)) == [SECOND, date(2026, 3, 3)]


def test_sleep_by_the_minute_becomes_spans(tmp_path: Path) -> None:
    minutes = [fw.level(at("23:00", 1) + timedelta(minutes=i), "deep" if i < 60 else "rem") for i in range(121)]
    records, _ = _read(tmp_path, *minutes)
    assert [(r.signal, r.value) for r in records] == [(Signal.SLEEP_DEEP_MIN, 60), (Signal.SLEEP_REM_MIN, 60)]


def test_steps_are_counts_since_midnight_not_sums(tmp_path: Path) -> None:
    counts = [("00:01", 2, 0), ("12:00", 2, 3000), ("23:00", 2, 9000), ("08:00", 3, 700), ("20:00", 3, 5000)]
    days = [fw.info(at("00:00"), 60), *(fw.steps(at(clock, day), count) for clock, day, count in counts)]
    records, _ = _read(tmp_path, *days)
    found = summarise(records)
    assert found[SECOND].values[Signal.STEPS_COUNT].value == pytest.approx(9000)
    assert found[date(2026, 3, 3)].values[Signal.STEPS_COUNT].value == pytest.approx(5000)


def test_a_file_of_the_evening_alone_does_not_tell_the_morning_again(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, fw.info(at("18:00"), 60), fw.steps(at("18:00"), 8000), fw.steps(at("19:00"), 8500))
    assert sum(r.value for r in records) == 500


def test_the_variability_of_a_night_is_its_five_minute_values_or_else_its_summary(tmp_path: Path) -> None:
    both, _ = _read(tmp_path, *HRV)
    assert [r.value for r in both] == [60, 64]
    summary, _ = _read(tmp_path, fw.hrv_night(at("07:00"), 61))
    assert [r.value for r in summary] == [61]
    assert {r.signal for r in both + summary} == {Signal.HRV_RMSSD_MS}


def test_an_activity_gives_its_active_minutes_and_kilometres(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, *RUN)
    assert [(r.signal, r.value, r.detail) for r in records] == [
        (Signal.WORKOUT_MIN, 40, "running"), (Signal.WORKOUT_DISTANCE_KM, pytest.approx(8.2), "running"),
    ]  # fmt: skip


@pytest.mark.parametrize("left", [0.2, 0.5, 0.9])
def test_a_truncated_file_keeps_what_came_before(tmp_path: Path, left: float) -> None:
    whole = fw.fit(*(fw.heart_rate(at("02:00") + timedelta(minutes=i), 50) for i in range(100)))
    path = tmp_path / "file.fit"
    path.write_bytes(whole[: int(len(whole) * left)])
    records, problems = read(path, BERLIN)
    assert 100 * left * 0.7 < len(records) < 100
    assert problems == {ProblemKind.DAMAGED: 1}


def test_two_watches_in_one_export_count_steps_apart_and_are_not_summed(tmp_path: Path) -> None:
    clocks = [f"{hour:02d}:{minute:02d}" for hour in (10, 11) for minute in (0, 10, 20, 30, 40, 50)] + ["12:00"]
    own = {
        1001: [fw.steps(at(clock), 5000 + 100 * i) for i, clock in enumerate(clocks)],
        1002: [fw.steps(at(clock) + timedelta(minutes=5), 300 + 100 * i) for i, clock in enumerate(clocks)],
    }
    files = {
        f"{i:02d}_{product}.fit": fw.fit(fw.file_id(product=product), fw.info(at("09:00"), 60), counts[i])
        for product, counts in own.items()
        for i in range(len(clocks))
    }
    records, _ = read(zipped(tmp_path / "both.zip", files), BERLIN)
    sums = {f"garmin_fit/product {p}": sum(r.value for r in records if r.source.endswith(str(p))) for p in own}
    assert sums == {"garmin_fit/product 1001": 1200, "garmin_fit/product 1002": 1200}
    assert summarise(records)[SECOND].values[Signal.STEPS_COUNT].value == pytest.approx(1200, abs=100)


def _half_days(*watches: tuple[int, int, int]) -> dict[str, bytes]:
    """Six files of each watch, one every half hour: hundred steps more in each, and a pulse.

    Args:
        watches: serial number, hour of the first file, and steps in it.
    """
    return {
        f"{hour:02d}_{i}_{serial}.fit": fw.fit(
            fw.file_id(product=1001, serial=serial, at=made_at), fw.info(at("00:00"), 60),
            fw.steps(made_at, steps + 100 * i), fw.heart_rate(made_at, 60),
        )
        for serial, hour, steps in watches
        for i in range(6)
        for made_at in [at(f"{hour:02d}:00") + timedelta(minutes=30 * i, seconds=serial % 60)]
    }  # fmt: skip


def _sources(files: dict[str, bytes], folder: Path) -> tuple[dict[str, float], list[Record]]:
    """How many steps each source tells, and all records."""
    records, problems = read(zipped(folder / "files.zip", files), BERLIN)
    assert not problems
    steps = {r.source: 0.0 for r in records}
    for r in of(records, Signal.STEPS_COUNT):
        steps[r.source] += r.value
    return steps, records


def test_two_watches_of_one_model_worn_at_once_are_told_apart_and_no_serial_number_is_kept(tmp_path: Path) -> None:
    files = _half_days((3_111_222_001, 10, 5000), (3_111_222_002, 10, 300))
    steps, records = _sources(files, tmp_path)
    plain, apart = sorted(steps)
    assert plain == "garmin_fit/product 1001"
    assert re.fullmatch(r"garmin_fit/product 1001 #[0-9a-f]{4}", apart)
    assert steps == {plain: 500, apart: 500}
    assert len(of(records, Signal.HEART_RATE_BPM)) == 12
    assert "3111222" not in repr(records)
    again, _ = _sources(dict(reversed(files.items())), tmp_path)
    assert again == steps


def test_one_watch_and_its_successor_of_the_same_model_have_the_models_name(tmp_path: Path) -> None:
    """So what is stored of somebody with one watch keeps its source, and a new one of the model needs no new usual."""
    for watches in ([(3_111_222_001, 10, 5000)], [(3_111_222_001, 8, 5000), (3_111_222_002, 12, 0)]):
        steps, _ = _sources(_half_days(*watches), tmp_path)
        assert steps == {"garmin_fit/product 1001": 500 * len(watches)}


def test_after_a_change_of_watch_the_old_ones_nights_keep_its_name(tmp_path: Path) -> None:
    third = [
        fw.level(at("23:00"), "deep"), fw.level(at("02:00", 3), "light"), fw.level(at("05:00", 3), "rem"),
        fw.stop(at("07:00", 3)), fw.hrv_night(at("07:00", 3), 44),
    ]  # fmt: skip
    files = {
        "1.fit": fw.fit(fw.file_id(49, product=1001), *SLEEP[1:], *HRV[1:]),
        "2.fit": fw.fit(fw.file_id(49, product=1002), *third),
    }
    days = summarise(read(zipped(tmp_path / "changed.zip", files), BERLIN)[0])
    told = [(days[day].night, days[day].values[Signal.HRV_RMSSD_MS].source) for day in (SECOND, date(2026, 3, 3))]
    assert [(night.source, source) for night, source in told if night] == [
        ("garmin_fit/product 1001",) * 2, ("garmin_fit/product 1002",) * 2,
    ]  # fmt: skip


def test_two_watches_of_one_night_do_not_mix_its_stages(tmp_path: Path) -> None:
    other = [
        fw.level(at("23:20", 1), "light"), fw.level(at("02:20"), "awake"), fw.level(at("02:50"), "light"),
        fw.stop(at("06:20")),
    ]  # fmt: skip
    files = {
        "1.fit": fw.fit(fw.file_id(49, product=1001), *SLEEP[1:]),
        "2.fit": fw.fit(fw.file_id(49, product=1002), *other),
    }
    night = summarise(read(zipped(tmp_path / "both.zip", files), BERLIN)[0])[SECOND].night
    assert night is not None
    assert (night.source, night.asleep_min, night.deep_min, night.rem_min) == ("garmin_fit/product 1001", 450, 90, 80)


def test_a_file_that_names_no_device_is_not_the_device_of_the_file_before(tmp_path: Path) -> None:
    files = {"1.fit": fw.fit(*RUN), "2.fit": fw.fit(fw.heart_rate(at("02:00"), 52))}
    records, _ = read(zipped(tmp_path / "day.zip", files), BERLIN)
    assert {r.source for r in of(records, Signal.HEART_RATE_BPM)} == {"garmin_fit/"}
