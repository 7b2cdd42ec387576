"""Zip archives of calendars, as Google's and Outlook's exports give them.

Members are read as streams straight from the archive, under the same bounds as a file: how
much one unpacks to does not matter, since no more than the limit is ever read of it.
"""

import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, BinaryIO, cast

from rhythm.bridge.calendar.events import CalendarContents, NotACalendarError, Problem, ProblemKind
from rhythm.bridge.calendar.merge import merge_events

MAX_MEMBERS = 64
MAX_ARCHIVE_BYTES = 16 * 1024 * 1024
"""A larger one could hold so many names that its list alone would fill memory."""
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError)
"""What reading a damaged, encrypted or exotically packed member raises."""


def is_zip(path: Path) -> bool:
    """Whether a file begins like a zip archive.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def read_members(path: Path, read: Callable[[BinaryIO], CalendarContents]) -> CalendarContents:
    """The contents of all calendars in an archive, together.

    Args:
        path: the archive.
        read: what reads one calendar from a stream.

    Raises:
        NotACalendarError: it holds no calendar that can be read.
    """
    found: list[CalendarContents] = []
    troubles: list[Problem] = []
    try:
        if path.stat().st_size > MAX_ARCHIVE_BYTES:
            raise NotACalendarError(
                f"{path.name} is larger than {MAX_ARCHIVE_BYTES} bytes; unpack it and choose a file"
            )
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.casefold().endswith((".ics", ".ical", ".icalendar"))]
            if len(names) > MAX_MEMBERS:
                troubles.append(Problem(ProblemKind.TOO_LARGE, f"archive member {MAX_MEMBERS + 1}"))
            for number, name in enumerate(names[:MAX_MEMBERS], 1):
                contents = _read_member(archive, name, read)
                if contents is None:
                    troubles.append(Problem(ProblemKind.UNFINISHED, f"archive member {number}"))
                else:
                    found.append(contents)
    except _DAMAGE:
        raise NotACalendarError(f"{path.name} is a damaged archive; download it again") from None
    if not found:
        raise NotACalendarError(f"{path.name} holds no .ics file that can be read; choose your calendar's export")
    return _together(found, troubles)


class _Member:
    """A member's stream that ends, instead of raising, where the archive is damaged."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readline(self, limit: int = -1) -> bytes:
        """The next line; empty at the end and at damage: the calendar then lacks its END, which is told."""
        try:
            return self._stream.readline(limit)
        except _DAMAGE:
            return b""


def _read_member(
    archive: zipfile.ZipFile, name: str, read: Callable[[BinaryIO], CalendarContents]
) -> CalendarContents | None:
    """A member's contents, or None where it cannot be opened or is no calendar."""
    try:
        with archive.open(name) as stream:
            return read(cast("BinaryIO", _Member(stream)))
    except (*_DAMAGE, KeyError, NotACalendarError):
        return None


def _together(found: list[CalendarContents], troubles: list[Problem]) -> CalendarContents:
    counts: dict[ProblemKind, Problem] = {}
    for problem in (*(p for contents in found for p in contents.problems), *troubles):
        known = counts.get(problem.kind)
        counts[problem.kind] = (
            problem if known is None else Problem(problem.kind, known.where, known.count + problem.count)
        )
    return CalendarContents(
        merge_events(contents.events for contents in found),
        tuple(counts.values()),
        sum(contents.read for contents in found),
        found[0].name,
    )
