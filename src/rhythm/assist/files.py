"""Files that a person hands in: what each is, and into the store with it. Read again, nothing is added twice."""

import gc
import hashlib
import os
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO

import msgspec

from rhythm.assist.calendar_facts import to_occurrences
from rhythm.assist.classifying import classifier_for
from rhythm.assist.context import Context
from rhythm.assist.day_facts import refresh_days
from rhythm.assist.feeds import day_window
from rhythm.assist.keeper import Keeper
from rhythm.assist.keeping_up import keep_up
from rhythm.assist.own_addresses import marked
from rhythm.bridge.calendar.events import CalendarContents
from rhythm.bridge.calendar.sources import FileSource
from rhythm.bridge.wearables.problems import ProblemKind, WearableFileError
from rhythm.bridge.wearables.sources import Checkpoint, check_regular, fingerprint, source_of
from rhythm.store import CalendarSource, ImportRun, PersonStore
from rhythm.vocab.errors import RhythmError

OnProgress = Callable[[int, int], None]
"""Called with bytes read so far and bytes in all (0 where not known)."""

READING, SUMMING_UP = "reading_and_storing", "summing_up"
PART_SUFFIX = ".part"
"""Ends the name of a file that is still being handed in."""
_HEAD_BYTES = 4096
_CALENDAR_MARK = b"BEGIN:VCALENDAR"


class UnknownFileError(RhythmError, ValueError):
    """A file of no kind that Rhythm reads; nothing was changed."""


class Imported(msgspec.Struct, frozen=True):
    """What became of a file.

    Attributes:
        file: its name.
        kind: ``calendar`` or the wearable source's name.
        added: readings, or occurrences in the window, that it brought.
        known: readings that were there already.
        problems: how many of each problem.
        took_s: processor seconds by step: `READING`, until everything is on disk, and `SUMMING_UP`.
    """

    file: str
    kind: str
    added: int
    known: int
    problems: dict[str, int]
    took_s: dict[str, float] = {}


def import_file(
    person: PersonStore,
    path: Path,
    now_at: datetime,
    *,
    name: str = "",
    progress: OnProgress | None = None,
    keeper: Keeper | None = None,
) -> Imported:
    """Reads a file into the store and works out again what depends on it.

    Args:
        person: whose.
        path: the file.
        now_at: the moment, aware.
        name: what the person calls it; the file's own name where it is not given.
        progress: told how far it is.
        keeper: of the language model's key, where one is switched on.

    Raises:
        UnknownFileError: it is neither a calendar nor a health export that is known.
        WearableFileError, CalendarError: it is one, but cannot be read at all.
    """
    check_regular(path)
    name = name or path.name
    begun = time.process_time()
    if is_calendar(path):
        imported = _calendar(person, path, name, now_at, keeper or Keeper(person, ""))
        stored = time.process_time()
    else:
        with _collecting_rarely():
            run, touched = _store_readings(person, path, name, progress)
            stored = time.process_time()
            imported = _summed_up(person, run, touched, now_at)
    keep_up(Context(person, now_at), force=True)
    took_s = {READING: stored - begun, SUMMING_UP: time.process_time() - stored}
    return msgspec.structs.replace(imported, took_s=took_s)


@contextmanager
def _collecting_rarely() -> Iterator[None]:
    """Millions of small objects come and go, and none of them in cycles: looking for these took a tenth of the time."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def is_calendar(path: Path) -> bool:
    """Whether a file is to be read as a calendar."""
    try:
        with path.open("rb") as file:
            if _CALENDAR_MARK in file.read(_HEAD_BYTES).upper():
                return True
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                named = any(member.filename.lower().endswith(".ics") for member in archive.infolist())
            return named and not _is_health(path)
    except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError):
        return False
    return path.suffix.lower() in {".ics", ".ical", ".ifb"}


def _is_health(path: Path) -> bool:
    """Whether a wearable source knows it: the archive of a whole account holds calendars beside health data."""
    try:
        source_of(path)
    except WearableFileError:
        return False
    return True


def _calendar(person: PersonStore, path: Path, name: str, now_at: datetime, keeper: Keeper) -> Imported:
    settings = person.about().settings
    window = day_window(now_at)
    own = frozenset(settings.own_addresses)
    contents: CalendarContents = FileSource(path, settings.zone_info, name, own_addresses=own).read(window)
    found = to_occurrences(contents.events, classifier_for(settings, keeper), settings.zone_info, settings.slot_times)
    problems = {problem.kind.value: problem.count for problem in contents.problems}
    mark = marked(_hash(path), settings)
    known = _source_of(person, name, now_at)
    source = msgspec.structs.replace(known, content_hash=mark, fetched_at=now_at, problems=problems)
    person.calendars.update(source)
    added = person.occurrences.replace(source.number, window.start_at, window.end_at, found)
    return Imported(name, "calendar", added, 0, problems)


def _source_of(person: PersonStore, name: str, now_at: datetime) -> CalendarSource:
    """The calendar of that file name: handed in again, it replaces what it was."""
    for source in person.calendars.all():
        if source.kind == "file" and source.origin == name:
            return source
    return person.calendars.add(CalendarSource("file", Path(name).stem, name, now_at))


def _store_readings(
    person: PersonStore, path: Path, name: str, progress: OnProgress | None
) -> tuple[ImportRun, list[datetime]]:
    """Reads a health export to its end; the run, which goes on, and instants between which it touched the record."""
    try:
        source = source_of(path)
    except WearableFileError as error:
        raise UnknownFileError(
            f"this is no file that Rhythm can read ({error}); give an .ics calendar or a health export"
        ) from None
    run = person.imports.begin(source.name, name, fingerprint(path), path.stat().st_size)
    resume = None if run.checkpoint is None else msgspec.json.decode(run.checkpoint, type=Checkpoint)
    touched: list[datetime] = []
    try:
        zone = person.about().settings.zone_info
        for batch in source.read(path, progress=progress, resume_from=resume, zone=zone):
            problems: dict[str, int] = {}
            for problem in batch.problems:
                problems[problem.kind.value] = problems.get(problem.kind.value, 0) + problem.count
            added = person.imports.advance(
                run.number, batch.records, checkpoint=msgspec.json.encode(batch.checkpoint), problems=problems
            )
            touched += [at for at in (added.from_at, added.until_at) if at is not None]
    except WearableFileError:
        person.imports.fail(run.number)
        raise
    if resume is not None:  # what an earlier process read before it ended was not summarised
        touched += [at for stream in person.readings.streams() for at in (stream.first_at, stream.last_at) if at]
    return run, touched


def _summed_up(person: PersonStore, run: ImportRun, touched: list[datetime], now_at: datetime) -> Imported:
    """Works out the days that a run has touched, and ends it."""
    if touched:
        one = timedelta(days=1)
        refresh_days(person, min(touched).date() - one, min(max(touched), now_at).date() + one)
    done = person.imports.finish(run.number)
    return Imported(run.file_name, run.kind, done.counts.get("added", 0), done.counts.get("known", 0), done.problems)


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def problem_words(kind: str) -> str:
    """What a counted problem means, for a person to read."""
    from rhythm.bridge.calendar.events import ADVICE  # noqa: PLC0415
    from rhythm.bridge.calendar.events import ProblemKind as CalendarProblem  # noqa: PLC0415
    from rhythm.bridge.wearables.problems import SENTENCES  # noqa: PLC0415

    if kind in CalendarProblem.__members__.values():
        return ADVICE[CalendarProblem(kind)]
    if kind in ProblemKind.__members__.values():
        return f"a record {SENTENCES[ProblemKind(kind)]}"
    return kind.replace("_", " ")


def keep_copy(stream_from: BinaryIO, target: Path, most_bytes: int) -> None:
    """Writes what is handed in to a file of the owner's, which has its name only once it is whole and on disk.

    Raises:
        UnknownFileError: it is larger than allowed; nothing is left behind.
    """
    written = 0
    part = target.with_name(target.name + PART_SUFFIX)
    try:
        with part.open("xb") as file:
            while chunk := stream_from.read(1 << 20):
                written += len(chunk)
                _check_size(written, most_bytes)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _check_size(written: int, most_bytes: int) -> None:
    if written > most_bytes:
        raise UnknownFileError(f"the file is larger than {most_bytes // 10**9} GB; use `rhythm import`")
