"""Short ways to write an export and read it back."""

import io
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, tzinfo
from pathlib import Path

import msgspec

from rhythm.bridge.wearables.problems import Problem, ProblemKind
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.sources import WearableSource, source_of

Content = str | bytes | list[object] | dict[str, object]
"""A file's text or bytes; a list or dict is written as JSON."""


def encoded(content: Content) -> bytes:
    """The bytes of a file's content."""
    if isinstance(content, bytes):
        return content
    return content.encode() if isinstance(content, str) else msgspec.json.encode(content)


def zipped(path: Path, files: Mapping[str, Content]) -> Path:
    """A zip of files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, encoded(content))
    return path


def zip_bytes(files: Mapping[str, Content]) -> bytes:
    """The bytes of a zip of files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, encoded(content))
    return buffer.getvalue()


def read(
    path: Path, zone: tzinfo = UTC, source: WearableSource | None = None
) -> tuple[list[Record], dict[ProblemKind, int]]:
    """Every record of a file by the source that knows it, and how many problems of each kind."""
    records: list[Record] = []
    problems: list[Problem] = []
    for batch in (source or source_of(path)).read(path, zone=zone):
        records += batch.records
        problems += batch.problems
    return records, counted(problems)


def counted(problems: Iterable[Problem]) -> dict[ProblemKind, int]:
    """How many problems of each kind."""
    counts: Counter[ProblemKind] = Counter()
    for problem in problems:
        counts[problem.kind] += problem.count
    return dict(counts)


def of(records: list[Record], signal: Signal) -> list[Record]:
    """The records of one signal."""
    return [r for r in records if r.signal is signal]
