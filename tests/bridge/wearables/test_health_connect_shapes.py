"""What exporters of Android's Health Connect are known to get wrong, handed in as the plain format."""

from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

from bridge.wearables.exporting import encoded, read
from rhythm.bridge.wearables.days import summarise
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal

SECOND = date(2026, 3, 2)


def _read(folder: Path, *rows: dict[str, object]) -> tuple[list[Record], dict[ProblemKind, int]]:
    path = folder / "health-connect.json"
    path.write_bytes(encoded({"schema": "rhythm.readings/1", "data": list(rows)}))
    return read(path, ZoneInfo("Europe/Berlin"))


def _sleep(start: str, end: str) -> dict[str, object]:
    return {"start": f"2026-03-{start}+01:00", "end": f"2026-03-{end}+01:00", "signal": "sleep_asleep_min"}


def test_each_record_keeps_its_own_zone_offset(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"start": f"2026-03-02T03:00{offset}", "signal": "hrv_rmssd_ms", "value": 50} for offset in ("-08:00", "+09:00")
    ]
    records, _ = _read(tmp_path, *rows)
    assert [r.offset_min for r in records] == [-480, 540]


def test_a_night_that_arrives_as_growing_overlapping_partial_sessions_is_one_night(tmp_path: Path) -> None:
    records, _ = _read(
        tmp_path, *(_sleep("01T23:00", f"02T0{hour}:00") for hour in (1, 3, 7)), _sleep("02T04:00", "02T06:30")
    )
    day = summarise(records)[SECOND]
    assert day.night is not None
    assert day.night.asleep_min == 480
    assert not day.naps


def test_two_sessions_of_the_same_start_day_do_not_overwrite_each_other(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, _sleep("02T00:30", "02T07:00"), _sleep("02T14:00", "02T14:45"))
    day = summarise(records)[SECOND]
    assert day.night is not None
    assert (day.night.asleep_min, [nap.asleep_min for nap in day.naps]) == (390, [45])


def test_a_percentage_of_the_wrong_scale_is_set_aside(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"start": "2026-03-02T03:00", "signal": "oxygen_fraction", "value": value, "unit": "%"}
        for value in (97, 0.97, 3040)
    ]
    records, problems = _read(tmp_path, *rows)
    assert [(r.signal, r.value) for r in records] == [(Signal.OXYGEN_FRACTION, 0.97)] * 2
    assert problems == {ProblemKind.IMPLAUSIBLE: 1}
