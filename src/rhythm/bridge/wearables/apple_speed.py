"""How fast an Apple Health export is imported, beside a bare parser loop over the same bytes, and in what memory.

Run it as ``python -m rhythm.bridge.wearables.apple_speed [FILE]``; without a file it writes a
life-like one of 1 GB first.
"""

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.parsers import expat

import msgspec

from rhythm.bridge.wearables.apple import AppleHealth
from rhythm.bridge.wearables.apple_stream import CHUNK_BYTES, open_export, read_to_root

_GIGABYTE = 1_000_000_000
_DEVICE = (
    "&lt;&lt;HKDevice: 0x{:x}&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, "
    "hardware:Watch6,1, software:10.1&gt;"
)
_MIX: tuple[tuple[str, str, int, float, float], ...] = (
    ("HeartRate", "count/min", 34, 48, 150),
    ("ActiveEnergyBurned", "kcal", 22, 0.05, 12),
    ("BasalEnergyBurned", "kcal", 20, 1, 20),
    ("DistanceWalkingRunning", "km", 9, 0.01, 0.4),
    ("StepCount", "count", 8, 1, 400),
    ("PhysicalEffort", "kcal/hr·kg", 6, 1, 8),
    ("OxygenSaturation", "%", 1, 0.93, 1),
)
"""Types in a large export, with unit, share in a hundred, and range. About a third is not wanted, as in life."""


_BYTES_A_DAY = 1_150_000
"""About so many a day are written."""


class ImportSpeed(msgspec.Struct, frozen=True):
    """What a measurement found.

    Attributes:
        megabytes: size of the unzipped export, 10^6 bytes.
        records: records that were read.
        problems: records and places that were not.
        bare_mb_per_s: megabytes a second of processor time of a parser whose handler does nothing.
        import_mb_per_s: the same of the import.
        bare_wall_s: seconds on the clock of the bare loop.
        import_wall_s: seconds on the clock of the import.
        peak_mb: largest memory that the process has held so far, 10^6 bytes.
    """

    megabytes: float
    records: int
    problems: int
    bare_mb_per_s: float
    import_mb_per_s: float
    bare_wall_s: float
    import_wall_s: float
    peak_mb: float

    @property
    def share(self) -> float:
        """Speed of the import as a share of the bare loop's, by processor time, which other work disturbs less."""
        return self.import_mb_per_s / self.bare_mb_per_s


def measure_import(path: Path, rounds: int = 1) -> ImportSpeed:
    """Read an export in this process, bare and as an import in turn; zipped or not.

    Args:
        path: the export.
        rounds: how often each is done. The quickest of each counts: other work on the machine only ever
            adds time. A file of many megabytes needs one, a small one several.

    Raises:
        WearableFileError: not an Apple Health export.
    """
    bare, imported = [], []
    for _ in range(rounds):
        wall, busy = time.perf_counter(), time.process_time()
        size = bare_loop(path)
        bare.append((time.process_time() - busy, time.perf_counter() - wall))
        wall, busy = time.perf_counter(), time.process_time()
        records = problems = 0
        for batch in AppleHealth().read(path):
            records += len(batch.records)
            problems += sum(p.count for p in batch.problems)
        imported.append((time.process_time() - busy, time.perf_counter() - wall))
    (bare_s, bare_wall_s), (import_s, import_wall_s) = min(bare), min(imported)
    mb = size / 1e6
    return ImportSpeed(
        mb, records, problems, mb / bare_s, mb / import_s, bare_wall_s, import_wall_s, peak_bytes() / 1e6
    )


def peak_bytes() -> int:
    """The largest memory that this program has held so far.

    Linux hands the peak that ``getrusage`` gives down from the process that started this one;
    the kernel's own mark for this program is not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def bare_loop(path: Path) -> int:
    """Expat over the same bytes with a handler that does nothing; the number of bytes."""
    parser = expat.ParserCreate("UTF-8")
    parser.StartElementHandler = lambda _name, _attributes: None
    stream = open_export(path)
    try:
        at_byte, chunk = read_to_root(stream)
        while chunk:
            parser.Parse(chunk, False)
            at_byte += len(chunk)
            chunk = stream.read(CHUNK_BYTES)
    finally:
        stream.close()
    return at_byte


def write_lifelike(path: Path, size_bytes: int, seed: int = 0, *, until_at: datetime | None = None) -> None:
    """Write an export of about that size in the proportions of a real one, types that Rhythm skips included.

    Args:
        path: where.
        size_bytes: how large.
        seed: of what is drawn.
        until_at: when it ends, at the latest; it begins in 2018 where it is not given.
    """
    draw = random.Random(seed)
    kinds = [kind for kind in _MIX for _ in range(kind[2])]
    begins_at = datetime(2018, 1, 1, tzinfo=UTC)
    at = begins_at if until_at is None else until_at - size_bytes / _BYTES_A_DAY * timedelta(days=1)
    night_at = at.replace(hour=5, minute=40)
    with path.open("w", encoding="utf-8", newline="\n") as text:
        text.write('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE HealthData [\n<!ELEMENT HealthData (\n]>\n')
        text.write('<HealthData locale="en_US">\n <ExportDate value="2026-11-01 10:00:00 +0100"/>\n')
        while text.tell() < size_bytes and (until_at is None or at < until_at):
            rows = []
            for _ in range(2_000):
                at += timedelta(seconds=draw.randrange(1, 60))
                if at > night_at:
                    rows += _night(draw, night_at)
                    night_at += timedelta(days=1)
                rows.append(_lifelike_record(draw, kinds, at))
            text.writelines(rows)
        text.write("</HealthData>\n")


def _night(draw: random.Random, woke_at: datetime) -> list[str]:
    """What a watch writes of a night: its stages, variability and the resting heart rate."""
    at = woke_at - timedelta(minutes=draw.randrange(380, 500))
    rows = []
    while at < woke_at:
        end_at = min(at + timedelta(minutes=draw.randrange(20, 100)), woke_at)
        stage = draw.choice(("AsleepCore", "AsleepDeep", "AsleepREM", "Awake"))
        rows.append(_row("HKCategoryTypeIdentifierSleepAnalysis", at, end_at, f"HKCategoryValueSleepAnalysis{stage}"))
        middle_at = at + (end_at - at) / 2
        name = "HKQuantityTypeIdentifierHeartRateVariabilitySDNN"
        rows.append(_row(name, middle_at, middle_at, f"{draw.gauss(50, 8):.4g}", "ms"))
        at = end_at
    name = "HKQuantityTypeIdentifierRestingHeartRate"
    return [*rows, _row(name, woke_at, woke_at, f"{draw.gauss(58, 3):.3g}", "count/min")]


def _row(kind: str, start_at: datetime, end_at: datetime, value: str, unit: str = "") -> str:
    start_text, end_text = (f"{t:%Y-%m-%d %H:%M:%S} +0100" for t in (start_at, end_at))
    said = f'unit="{unit}" ' if unit else ""
    return (
        f' <Record type="{kind}" sourceName="Watch" sourceVersion="10.1" {said}'
        f'creationDate="{end_text}" startDate="{start_text}" endDate="{end_text}" value="{value}"/>\n'
    )


def _lifelike_record(draw: random.Random, kinds: list[tuple[str, str, int, float, float]], at: datetime) -> str:
    name, unit, _, low, high = draw.choice(kinds)
    end = at if name in {"HeartRate", "OxygenSaturation"} else at + timedelta(seconds=draw.randrange(5, 600))
    start_text, end_text = (f"{t:%Y-%m-%d %H:%M:%S} +0100" for t in (at, end))
    row = (
        f' <Record type="HKQuantityTypeIdentifier{name}" sourceName="Watch" sourceVersion="10.1" '
        f'device="{_DEVICE.format(draw.getrandbits(34))}" unit="{unit}" creationDate="{end_text}" '
        f'startDate="{start_text}" endDate="{end_text}" value="{draw.uniform(low, high):.5g}"'
    )
    if name != "HeartRate":
        return row + "/>\n"
    return row + '>\n  <MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="0"/>\n </Record>\n'


def main() -> None:
    """Print a measurement as JSON."""
    asked = argparse.ArgumentParser(description="speed and memory of an Apple Health import")
    asked.add_argument("file", nargs="?", type=Path, help="an export; without one, a life-like file is written first")
    asked.add_argument("--bytes", type=int, default=_GIGABYTE, help="size of the file that is written")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.file
        if path is None:
            path = Path(folder) / "export.xml"
            write_lifelike(path, given.bytes)
        found = measure_import(path)
    sys.stdout.write(json.dumps({**msgspec.to_builtins(found), "share": found.share}, indent=2) + "\n")


if __name__ == "__main__":
    main()
