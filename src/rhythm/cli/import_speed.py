"""How fast ``rhythm import`` reads a life-like health export, beside a bare parser loop, and in what memory.

The import runs as a process of its own, from its start to its end, with all that a person waits
for: reading, storing, summing up days, learning. The bare loop is the same parser over the same
bytes with an empty handler. Processor time is compared, since other work on the machine hardly
counts into it; the clock stands beside it.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
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


class ImportFailedError(RhythmError):
    """The import that was measured ended with an error."""


class Pass(msgspec.Struct, frozen=True):
    """One run over the file: seconds of processor time and on the clock, peak memory, readings added."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    added: int


def measure(size_mb: int) -> list[dict[str, object]]:
    """Writes an export of that size, reads it bare and twice as a person does; rows of name and value.

    Raises:
        ImportFailedError: the import ended with an error.
    """
    from rhythm.bridge.wearables.apple_speed import bare_loop, write_lifelike  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="rhythm-speed-") as folder:
        path = Path(folder) / "export.xml"
        write_lifelike(path, size_mb * 1_000_000)
        wall, busy = time.perf_counter(), time.process_time()
        mb = bare_loop(path) / 1e6
        bare_s, bare_wall_s = time.process_time() - busy, time.perf_counter() - wall
        first, again = (_imported(path, Path(folder) / "home") for _ in range(2))
    values = {
        "size_mb": mb,
        "bare_mb_per_s": mb / bare_s,
        "import_mb_per_s": mb / first.cpu_s,
        "ratio": bare_s / first.cpu_s,
        "bare_wall_s": bare_wall_s,
        "import_wall_s": first.wall_s,
        "import_peak_mb": max(first.peak_mb, again.peak_mb),
        "readings_added": first.added,
        "added_again": again.added,
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
    added = json.loads(said)["rows"][0]["value"]
    return Pass(used.ru_utime + used.ru_stime, time.perf_counter() - begun, peak_mb, added)
