"""Apple Health against the contract of every source, and its speed and memory."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from bridge.wearables.contract import SourceContract
from rhythm.bridge.wearables import apple
from rhythm.bridge.wearables.apple import AppleHealth
from rhythm.bridge.wearables.apple_speed import measure_import, write_lifelike
from rhythm.bridge.wearables.apple_types import DELIVERS
from rhythm.bridge.wearables.apple_writer import write_export
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import SIGNALS, Signal
from rhythm.bridge.wearables.sources import WearableSource

MEGABYTES = int(os.environ.get("RHYTHM_EXPORT_MB", "80"))
"""Size of the large export; a whole gigabyte takes minutes."""
START_AT = datetime(2026, 3, 1, 20, tzinfo=UTC)


def _records() -> list[Record]:
    """Every signal that Apple delivers, over enough hours for several chunks."""
    made = []
    for hour in range(40):
        for signal in (s for s in Signal if s in DELIVERS):
            spec = SIGNALS[signal]
            start_at = START_AT + timedelta(hours=hour)
            end_at = start_at + timedelta(minutes=30)
            value = 30.0 if spec.is_interval_length else (spec.low + spec.high) / 2
            detail = "running" if signal.startswith("workout") else ""
            made.append(Record(signal, value, start_at, end_at, 60, "apple_health/Watch", "", detail))
    return made


class TestAppleHealth(SourceContract):
    """The contract."""

    @pytest.fixture
    def source(self) -> WearableSource:
        return AppleHealth()

    @pytest.fixture(params=["export.xml", "export.zip"])
    def example(self, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(apple, "BATCH_RECORDS", 150)
        path = tmp_path / str(request.param)
        write_export(path, _records(), exported_at=START_AT)
        return path


def test_a_file_that_grew_is_read_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "export.xml"
    write_export(path, _records()[:50], exported_at=START_AT)
    *_, last = AppleHealth().read(path)
    write_export(path, _records()[:80], exported_at=START_AT)
    batches = list(AppleHealth().read(path, resume_from=last.checkpoint))
    assert sum(len(b.records) for b in batches) == 80


def test_a_finished_file_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "export.xml"
    write_export(path, _records()[:50], exported_at=START_AT)
    *_, last = AppleHealth().read(path)
    assert last.checkpoint.done
    (only,) = AppleHealth().read(path, resume_from=last.checkpoint)
    assert not only.records
    assert only.checkpoint.done


def test_speed_and_memory_are_measured_over_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "export.xml"
    write_lifelike(path, 3_000_000)
    found = measure_import(path, rounds=5)
    assert found.megabytes == pytest.approx(path.stat().st_size / 1e6)
    assert found.records > 2_000
    assert found.problems == 0
    assert 0.2 < found.share < 2.0  # a sound measurement; the demand itself is the slow test's


@pytest.mark.slow
def test_a_large_export_is_read_at_six_tenths_of_a_bare_parser_in_300_mb() -> None:
    """In a process of its own, so that the memory is the import's alone."""
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "rhythm.bridge.wearables.apple_speed", "--bytes", str(MEGABYTES * 1_000_000)],
        check=True, capture_output=True, text=True, timeout=1200,
    )  # fmt: skip
    found = msgspec.json.decode(done.stdout, type=dict[str, float])
    assert found["megabytes"] >= MEGABYTES
    assert found["share"] >= 0.6
    assert found["peak_mb"] < 300
