"""Oura's account export, as JSON and as tables: the contract, and the pitfalls of its format by name."""

from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest

from bridge.wearables.contract import SourceContract
from bridge.wearables.exporting import encoded, of, read, zipped
from rhythm.bridge.wearables.days import summarise
from rhythm.bridge.wearables.exports import reading
from rhythm.bridge.wearables.oura import Oura
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.sources import WearableSource

SECOND = date(2026, 3, 2)


def session(kind: str = "long_sleep", start: str = "2026-03-01T23:10:00", end: str = "2026-03-02T06:50:00",
            **more: object) -> dict[str, object]:  # fmt: skip
    """A document of a sleep as Oura writes it; ``more`` replaces or adds fields."""
    return {
        "id": f"{kind}-{start}", "type": kind, "day": "2026-03-02", "bedtime_start": f"{start}+01:00",
        "bedtime_end": f"{end}+01:00", "average_hrv": 61, "lowest_heart_rate": 48, "average_breath": 14.25,
        "total_sleep_duration": 25_800, "deep_sleep_duration": 5_100, "rem_sleep_duration": 5_700,
        "awake_time": 1_800, "sleep_phase_5_min": None,
        "heart_rate": {"interval": 300, "items": [None, 52, None, 48], "timestamp": f"{start}+01:00"},
    } | more  # fmt: skip


PHASES = "2" * 40 + "1" * 20 + "4" * 2 + "3" * 30
EXPORT: dict[str, object] = {
    "sleep": [session(), None, session("long_sleep", "2026-03-02T23:00:00", "2026-03-03T06:40:00",
                                       sleep_phase_5_min=PHASES)],
    "daily_activity": [
        {"day": "2026-03-02", "steps": 8400, "active_calories": 410, "timestamp": "2026-03-02T04:00:00+01:00",
         "equivalent_walking_distance": 7000}
    ],
    "heartrate": [{"bpm": 52, "source": "sleep", "timestamp": "2026-03-02T02:00:00+00:00"}],
    "daily_spo2": [{"day": "2026-03-02", "spo2_percentage": {"average": 96.5}}],
    "daily_readiness": [{"day": "2026-03-02", "score": 80, "temperature_deviation": -0.1}],
    "session": [
        {"id": "m", "type": "meditation", "start_datetime": "2026-03-02T08:00:00+01:00",
         "end_datetime": "2026-03-02T08:12:00+01:00"},
        {"id": "n", "type": "nap", "start_datetime": "2026-03-02T13:00:00+01:00",
         "end_datetime": "2026-03-02T13:12:00+01:00"},
    ],
    "workout": [
        {"id": "w", "activity": "running", "start_datetime": "2026-03-02T17:00:00+01:00",
         "end_datetime": "2026-03-02T17:40:00+01:00", "distance": 7_100.0, "calories": 500}
    ],
}  # fmt: skip


class TestOura(SourceContract):
    """The contract."""

    @pytest.fixture
    def source(self) -> WearableSource:
        return Oura()

    @pytest.fixture(params=["json", "zip of json", "zip of tables"])
    def example(self, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(reading, "BATCH_RECORDS", 3)
        if request.param == "json":
            path = tmp_path / "oura.json"
            path.write_bytes(encoded(EXPORT))
            return path
        path = tmp_path / "data.zip"
        if request.param == "zip of json":
            return zipped(path, {f"App Data/{name}.json": {"data": found} for name, found in EXPORT.items()})
        tables = {"sleep": "sleepmodel", "daily_activity": "dailyactivity", "daily_spo2": "dailyspo2"}
        return zipped(path, {f"App Data/{tables.get(n, n)}.csv": table(found) for n, found in EXPORT.items()})


def table(documents: object) -> str:
    """Documents as a table of the account export: semicolons, and JSON in a cell."""
    assert isinstance(documents, list)
    rows = [d for d in documents if d is not None]
    names = list(rows[0])
    lines = [";".join(names)]
    for row in rows:
        cells = []
        for name in names:
            value = row.get(name)
            inside = msgspec.json.encode(value).decode() if isinstance(value, dict | list) else value
            text = "" if inside is None else str(inside)
            cells.append('"' + text.replace('"', '""') + '"' if '"' in text or ";" in text else text)
        lines.append(";".join(cells))
    return "\n".join(lines) + "\n"


def _read(folder: Path, **lists: object) -> tuple[list[Record], dict[ProblemKind, int]]:
    path = folder / "oura.json"
    path.write_bytes(encoded(dict(lists)))
    return read(path, ZoneInfo("Europe/Berlin"))


def test_tables_and_json_say_the_same(tmp_path: Path) -> None:
    as_json, _ = read(zipped(tmp_path / "a.zip", {f"{n}.json": {"data": f} for n, f in EXPORT.items()}))
    as_table, problems = read(zipped(tmp_path / "b.zip", {f"{n}.csv": table(f) for n, f in EXPORT.items()}))
    assert {(r.key, r.value) for r in as_json} == {(r.key, r.value) for r in as_table}
    assert not problems


def test_the_hrv_is_rmssd_never_stored_as_sdnn(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, sleep=[session()])
    assert [r.value for r in of(records, Signal.HRV_RMSSD_MS)] == [61]
    assert not of(records, Signal.HRV_SDNN_MS)


def test_the_first_session_is_a_nap_and_gives_no_resting_heart_rate_of_92(tmp_path: Path) -> None:
    nap = session("late_nap", "2026-03-02T00:10:00", "2026-03-02T00:50:00", lowest_heart_rate=92,
                  total_sleep_duration=2_000)  # fmt: skip
    records, _ = _read(tmp_path, sleep=[nap, session(start="2026-03-02T01:10:00")])
    assert [r.value for r in of(records, Signal.RESTING_HR_BPM)] == [48]
    assert summarise(records)[SECOND].values[Signal.RESTING_HR_BPM].value == 48


def test_a_nap_is_not_taken_for_the_night_nor_the_night_for_a_nap(tmp_path: Path) -> None:
    nap = session("late_nap", "2026-03-02T14:00:00", "2026-03-02T14:40:00", total_sleep_duration=2_100)
    records, _ = _read(tmp_path, sleep=[nap, session()])
    day = summarise(records)[SECOND]
    assert day.night is not None
    assert day.night.asleep_min == 430
    assert [n.asleep_min for n in day.naps] == [35]


@pytest.mark.parametrize("kind", ["rest", "deleted"])
def test_rejected_and_deleted_sessions_are_not_sleep(tmp_path: Path, kind: str) -> None:
    records, problems = _read(tmp_path, sleep=[session(kind)])
    assert not records
    assert not problems


def test_day_is_the_wake_day(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, sleep=[session()])
    assert list(summarise(records)) == [SECOND]


def test_null_items_and_null_fields_are_nothing(tmp_path: Path) -> None:
    empty = session(average_hrv=None, lowest_heart_rate=None, average_breath=None, heart_rate=None)
    records, problems = _read(tmp_path, sleep=[None, empty, None])
    assert {r.signal for r in records} == {
        Signal.NIGHT_ASLEEP_MIN, Signal.NIGHT_DEEP_MIN, Signal.NIGHT_REM_MIN, Signal.NIGHT_AWAKE_MIN,
    }  # fmt: skip
    assert not problems


def test_five_minute_phases_become_spans_and_totals_are_not_added_to_them(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, sleep=[session(sleep_phase_5_min=PHASES)])
    assert not any(r.signal.startswith("night_") for r in records)
    night = summarise(records)[SECOND].night
    assert night is not None
    assert (night.asleep_min, night.deep_min, night.rem_min, night.awake_min) == (450, 100, 150, 10)


def test_phases_beyond_the_end_of_the_session_are_cut(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, sleep=[session(sleep_phase_5_min="2" * 500)])
    assert max(r.end_at for r in records) == datetime(2026, 3, 2, 5, 50, tzinfo=UTC)


def test_a_day_that_the_ring_begins_at_four_is_the_calendar_day(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, daily_activity=EXPORT["daily_activity"])
    days = summarise(records)
    assert list(days) == [SECOND]
    assert days[SECOND].values[Signal.STEPS_COUNT].value == pytest.approx(8400)


def test_bedtimes_keep_the_offset_of_a_journey(tmp_path: Path) -> None:
    away = session(bedtime_start="2026-03-01T23:10:00-08:00", bedtime_end="2026-03-02T06:50:00-08:00")
    records, _ = _read(tmp_path, sleep=[away])
    assert {r.offset_min for r in records} == {-480}
    assert list(summarise(records)) == [SECOND]


def test_an_oxygen_of_zero_is_not_measured(tmp_path: Path) -> None:
    records, problems = _read(tmp_path, daily_spo2=[{"day": "2026-03-02", "spo2_percentage": {"average": 0}},
                                                    {"day": "2026-03-02", "spo2_percentage": None}])  # fmt: skip
    assert not records
    assert not problems


def test_one_page_of_the_interface_saved_to_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "page.json"
    path.write_bytes(encoded({"data": [session()], "next_token": None}))
    records, _ = read(path)
    assert of(records, Signal.HRV_RMSSD_MS)
