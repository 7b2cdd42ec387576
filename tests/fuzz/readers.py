"""What is fuzzed: every reader of a file from outside, with the errors that it may raise and what it must hold to."""

import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from bridge.calendar.ics_texts import calendar
from bridge.wearables.exporting import zip_bytes
from bridge.wearables.vendor_examples import BARE, EXAMPLES
from rhythm.bridge.calendar.events import CalendarError
from rhythm.bridge.calendar.ics import window_around
from rhythm.bridge.calendar.sources import FileSource
from rhythm.bridge.wearables.problems import WearableFileError
from rhythm.bridge.wearables.records import gate
from rhythm.bridge.wearables.sources import source_named

NOW_AT = datetime(2026, 3, 12, 9, tzinfo=UTC)
CORPUS = Path(__file__).parent / "corpus"
_EVENTS = calendar(
    "UID:a\nDTSTART;TZID=Europe/Berlin:20260310T180000\nDTEND;TZID=Europe/Berlin:20260310T190000\nSUMMARY:Gym\nRRULE:FREQ=WEEKLY;COUNT=5",
    "UID:b\nDTSTART;VALUE=DATE:20260311\nSUMMARY:Urlaub\nATTENDEE:mailto:a@b.example",
    "UID:a\nRECURRENCE-ID;TZID=Europe/Berlin:20260317T180000\nDTSTART:20260317T190000Z\nDURATION:PT1H\nSUMMARY:Later",
)

SEEDS: dict[str, tuple[str, bytes]] = {
    **BARE,
    "apple_health": ("export.xml", (Path(__file__).parent / "export.xml").read_bytes()),
    "calendar": ("mine.ics", _EVENTS),
}
"""A small file of each kind: its name and bytes."""


def read_damaged(kind: str, data: bytes, folder: Path, *, as_zip: bool = False) -> bool:
    """Reads a file of that kind; whether it was read, and not refused.

    Raises:
        Exception: whatever a reader must not raise, and AssertionError for what it must not give.
    """
    name = SEEDS[kind][0]
    path = folder / ("x.zip" if as_zip else name)
    path.write_bytes(zip_bytes({name: data}) if as_zip else data)
    return _READERS[kind](path) if kind in _READERS else _health(kind, path)


def read_broken_zip(kind: str, data: bytes, folder: Path) -> bool:
    """Reads a zip whose own bytes are damaged."""
    path = folder / "x.zip"
    path.write_bytes(data)
    return _health(kind, path)


def whole_zip(kind: str) -> bytes:
    """An export of that kind as a zip."""
    whole = EXAMPLES.get(kind, SEEDS[kind][1])
    return whole if whole[:2] == b"PK" else zip_bytes({SEEDS[kind][0]: SEEDS[kind][1]})


def corpus() -> dict[str, list[bytes]]:
    """The files that were kept, by kind: each reached something that no other did."""
    found: dict[str, list[bytes]] = {kind: [seed] for kind, (_, seed) in SEEDS.items()}
    for path in sorted(CORPUS.glob("*-*")):
        found[path.name.partition("-")[0]].append(path.read_bytes())
    return found


def scratch() -> "tempfile.TemporaryDirectory[str]":
    """A folder for the files of one run."""
    return tempfile.TemporaryDirectory(prefix="rhythm-fuzz-")


def _health(kind: str, path: Path) -> bool:
    try:
        for batch in source_named(kind).read(path):
            for record in batch.records:
                assert gate(record.signal, record.value, record.start_at, record.end_at) is None
    except WearableFileError:
        return False
    return True


def _calendar(path: Path) -> bool:
    try:
        contents = FileSource(path, ZoneInfo("Europe/Berlin")).read(window_around(NOW_AT))
    except CalendarError:
        return False
    assert all(event.end_at >= event.start_at for event in contents.events)
    return True


_READERS: dict[str, Callable[[Path], bool]] = {"calendar": _calendar}
