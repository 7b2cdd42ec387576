"""How fast ``rhythm import`` reads a life-like health export, beside a bare parser loop, and in what memory.

The import runs as a process of its own, from its start to its end, with all that a person waits
for: starting, reading and storing, summing up days, learning. The bare loop is the same parser
over the same bytes with an empty handler. Processor time is compared, since other work on the
machine hardly counts into it; the clock stands beside it.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from rhythm.vocab.errors import RhythmError

_IMPORT: Final = """
import sys
from pathlib import Path
from rhythm.bridge.wearables.apple_speed import peak_bytes
from rhythm.cli.main import main
peak = Path(sys.argv.pop(1))
try:
    main()
finally:
    peak.write_text(str(peak_bytes()), encoding="ascii")
"""
"""The command, in a process that notes its own peak: what the system tells of a child holds its parent's too."""
_WARM_UP_BYTES: Final = 30_000_000
"""An export of some weeks: all that is compiled once for an installation is compiled when it has been read."""


class ImportFailedError(RhythmError):
    """The import that was measured ended with an error."""


class Pass(msgspec.Struct, frozen=True):
    """One run over the file.

    Attributes:
        cpu_s: processor seconds of the process.
        wall_s: seconds on the clock.
        peak_mb: largest memory, 10^6 bytes.
        added: readings added.
        took_s: processor seconds of the steps that the command tells of.
    """

    cpu_s: float
    wall_s: float
    peak_mb: float
    added: int
    took_s: dict[str, float]


def measure(size_mb: int) -> list[dict[str, object]]:
    """Writes an export of that size, reads it bare and twice as a person does; rows of name and value.

    Raises:
        ImportFailedError: the import ended with an error.
    """
    from rhythm.bridge.wearables.apple_speed import bare_loop, write_lifelike  # noqa: PLC0415

    now_at = datetime.now(UTC)
    with tempfile.TemporaryDirectory(prefix="rhythm-speed-") as folder:
        path = Path(folder) / "export.xml"
        write_lifelike(path, min(size_mb * 1_000_000, _WARM_UP_BYTES), until_at=now_at)
        compiling = _imported(path, Path(folder) / "first").took_s
        write_lifelike(path, size_mb * 1_000_000, until_at=now_at)
        wall, busy = time.perf_counter(), time.process_time()
        mb = bare_loop(path) / 1e6
        bare_s, bare_wall_s = time.process_time() - busy, time.perf_counter() - wall
        first, again = (_imported(path, Path(folder) / "home") for _ in range(2))
    steps = {f"{step}_s": seconds for step, seconds in first.took_s.items()}
    values = {
        "size_mb": mb,
        "bare_s": bare_s,
        "import_s": first.cpu_s,
        "ratio": bare_s / first.cpu_s,
        "reading_and_storing_ratio": bare_s / first.took_s["reading_and_storing"],
        "starting_s": first.cpu_s - sum(first.took_s.values()),
        **steps,
        "first_ever_learning_s": compiling["learning"],
        "bare_wall_s": bare_wall_s,
        "import_wall_s": first.wall_s,
        "import_peak_mb": max(first.peak_mb, again.peak_mb),
        "readings_added": first.added,
        "added_again": again.added,
        "load": os.getloadavg()[0],
    }
    return [{"name": name, "value": round(value, 3)} for name, value in values.items()]


def _imported(path: Path, home: Path) -> Pass:
    peak = home.with_suffix(".peak")
    command = [sys.executable, "-c", _IMPORT, str(peak), "import", str(path), "--folder", str(home), "--json"]
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:  # noqa: S603 our own command
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise ImportFailedError(f"the import ended with status {process.returncode}; see what it printed above")
    peak_mb = int(peak.read_text(encoding="ascii")) / 1e6
    row = json.loads(said)["rows"][0]
    cpu_s, wall_s = used.ru_utime + used.ru_stime, time.perf_counter() - begun
    return Pass(cpu_s, wall_s, peak_mb, row["value"], row["took_s"])
