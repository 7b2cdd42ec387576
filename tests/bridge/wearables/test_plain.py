"""The plain format: the contract, the worked example of its document, and what each column does."""

import re
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bridge.wearables.contract import SourceContract
from bridge.wearables.exporting import encoded, of, read
from rhythm.bridge.wearables.days import summarise
from rhythm.bridge.wearables.exports import reading
from rhythm.bridge.wearables.plain import SCHEMA, Plain
from rhythm.bridge.wearables.problems import ProblemKind
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import SIGNALS, Signal
from rhythm.bridge.wearables.sources import WearableSource

BERLIN = ZoneInfo("Europe/Berlin")
SECOND, THIRD = date(2026, 3, 2), date(2026, 3, 3)
DOCUMENT = (Path(__file__).parents[3] / "docs" / "plain-format.md").read_text(encoding="utf-8")
LONG, WIDE, JSON = re.findall(r"```(?:csv|json)\n(.*?)```", DOCUMENT, re.DOTALL)


def _every_signal() -> str:
    lines = ["start,end,signal,value,device"]
    for signal in Signal:
        value = (SIGNALS[signal].low + SIGNALS[signal].high) / 2
        lines.append(f"2026-03-02 02:00,2026-03-02 02:30,{signal.value},{value},Ring")
    return "\n".join(lines) + "\n"


class TestPlain(SourceContract):
    """The contract."""

    @pytest.fixture
    def source(self) -> WearableSource:
        return Plain()

    @pytest.fixture
    def example(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(reading, "BATCH_RECORDS", 5)
        path = tmp_path / "readings.csv"
        path.write_text(_every_signal(), encoding="utf-8")
        return path


def _read(folder: Path, text: str | bytes, name: str = "readings.csv") -> tuple[list[Record], dict[ProblemKind, int]]:
    path = folder / name
    path.write_bytes(encoded(text))
    return read(path, BERLIN)


def test_the_documents_rows_are_read_as_it_says(tmp_path: Path) -> None:
    records, problems = _read(tmp_path, LONG)
    day = summarise(records)[SECOND]
    assert day.night is not None
    assert (day.night.asleep_min, day.night.deep_min) == (460, 100)
    assert day.values[Signal.HRV_RMSSD_MS].value == 61
    assert day.values[Signal.RESTING_HR_BPM].value == 52
    assert day.values[Signal.STEPS_COUNT].value == pytest.approx(8400)
    assert of(records, Signal.WORKOUT_DISTANCE_KM)[0].value == pytest.approx(7.08, abs=0.01)
    assert {r.source for r in records} == {"plain/My ring"}
    assert not problems


def test_the_documents_days_are_read_as_it_says(tmp_path: Path) -> None:
    records, problems = _read(tmp_path, WIDE)
    days = summarise(records)
    assert list(days) == [SECOND, THIRD]
    assert days[THIRD].values[Signal.STEPS_COUNT].value == pytest.approx(6100)
    assert Signal.RESTING_HR_BPM not in days[THIRD].values
    assert days[SECOND].values[Signal.OXYGEN_FRACTION].value == 0.96
    assert not problems


def test_the_documents_json_is_read_as_it_says(tmp_path: Path) -> None:
    records, problems = _read(tmp_path, JSON, "readings.json")
    (record,) = records
    assert (record.signal, record.value, record.start_at) == (
        Signal.HRV_RMSSD_MS, 61, datetime(2026, 3, 2, 2, tzinfo=UTC),
    )  # fmt: skip
    assert not problems


def test_the_document_names_every_column_that_is_read_and_the_schema() -> None:
    for name in ("start", "end", "signal", "value", "unit", "device", "id", "detail"):
        assert f"| `{name}` |" in DOCUMENT
    assert SCHEMA in DOCUMENT


def test_a_sleep_without_an_end_lasts_its_value(tmp_path: Path) -> None:
    records, _ = _read(tmp_path, "start,signal,value\n2026-03-01 23:00,sleep_asleep_min,420\n")
    assert [(r.value, r.end_at) for r in records] == [(420, datetime(2026, 3, 2, 5, tzinfo=UTC))]


def test_semicolons_and_byte_order_marks_of_spreadsheets_are_no_obstacle(tmp_path: Path) -> None:
    records, problems = _read(tmp_path, "\ufeffStart;Signal;Value\r\n2026-03-02 03:00;hrv_rmssd_ms;61\r\n")
    assert [r.value for r in records] == [61]
    assert not problems


def test_bad_rows_are_counted_by_what_is_wrong(tmp_path: Path) -> None:
    lines = (
        "start,end,signal,value,unit",
        "2026-03-02 03:00,,hrv_rmssd_ms,61,ms",
        ",,hrv_rmssd_ms,61,ms",
        "2026-02-30,,hrv_rmssd_ms,61,ms",
        "2026-03-02,,aura,61,ms",
        "2026-03-02,,hrv_rmssd_ms,many,ms",
        "2026-03-02,,hrv_rmssd_ms,61,furlong",
        "2026-03-02,,hrv_rmssd_ms,6100,ms",
        "2026-03-02 03:00,2026-03-02 02:00,sleep_deep_min,,",
        "2026-03-02 03:00,2026-03-04 02:00,sleep_deep_min,,",
        "1970-03-02 03:00,,hrv_rmssd_ms,61,ms",
    )
    records, problems = _read(tmp_path, "\n".join(lines))
    assert [r.value for r in records] == [61]
    assert problems == {
        ProblemKind.MISSING_FIELD: 1, ProblemKind.BAD_DATE: 1, ProblemKind.BAD_VALUE: 2, ProblemKind.UNKNOWN_UNIT: 1,
        ProblemKind.IMPLAUSIBLE: 2, ProblemKind.REVERSED: 1, ProblemKind.OUT_OF_ERA: 1,
    }  # fmt: skip
