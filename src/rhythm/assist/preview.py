"""Looking into a file before it is kept: what it is, what it holds, from when until when; nothing is stored."""

from collections.abc import Iterable
from datetime import date, datetime
from pathlib import Path

import msgspec

from rhythm.assist.feeds import day_window
from rhythm.assist.files import UnknownFileError, is_calendar
from rhythm.bridge.calendar.sources import FileSource
from rhythm.bridge.wearables.problems import WearableFileError
from rhythm.bridge.wearables.sources import check_regular, source_of
from rhythm.store import PersonStore


class PreviewLine(msgspec.Struct, frozen=True):
    """A kind of thing in the file, how many of it."""

    words: str
    count: int


class Preview(msgspec.Struct, frozen=True):
    """What a file holds.

    Attributes:
        name: of the file.
        kind: what it is, in words.
        lines: what it holds, most first.
        first_day, last_day: local days it reaches from and to; None where it holds nothing.
        new_days: how many of its days nothing of that kind is known of yet.
        problems: how many records could not be used.
    """

    name: str
    kind: str
    lines: tuple[PreviewLine, ...]
    first_day: date | None
    last_day: date | None
    new_days: int
    problems: int


def preview_file(person: PersonStore, path: Path, now_at: datetime, name: str = "") -> Preview:
    """Reads a file as an import would, and stores nothing.

    Args:
        person: whose zone and days.
        path: the file.
        now_at: the moment, aware.
        name: what the person calls it.

    Raises:
        UnknownFileError: it is neither a calendar nor a health export that is known.
        WearableFileError, CalendarError: it is one, but cannot be read at all.
    """
    check_regular(path)
    name = name or path.name
    return _calendar(person, path, now_at, name) if is_calendar(path) else _health(person, path, name)


def _calendar(person: PersonStore, path: Path, now_at: datetime, name: str) -> Preview:
    zone = person.about().settings.zone_info
    window = day_window(now_at)
    contents = FileSource(path, zone, name).read(window)

    def days_of(starts: Iterable[datetime]) -> set[date]:
        return {max(start_at, window.start_at).astimezone(zone).date() for start_at in starts}

    days = days_of(event.start_at for event in contents.events)
    known = days_of(one.start_at for one in person.occurrences.window(window.start_at, window.end_at, as_read=True))
    lines = (PreviewLine("events in the weeks that are kept", len(contents.events)),)
    problems = sum(problem.count for problem in contents.problems)
    first, last = _ends(sorted(days))
    return Preview(name, "a calendar", lines, first, last, len(days - known), problems)


def _health(person: PersonStore, path: Path, name: str) -> Preview:
    try:
        source = source_of(path)
    except WearableFileError as error:
        raise UnknownFileError(
            f"this is no file that Rhythm can read ({error}); give an .ics calendar or a health export"
        ) from None
    counts: dict[str, int] = {}
    days: set[date] = set()
    problems = 0
    for batch in source.read(path, zone=person.about().settings.zone_info):
        problems += sum(problem.count for problem in batch.problems)
        for record in batch.records:
            counts[record.signal] = counts.get(record.signal, 0) + 1
            days.add((record.local_start + (record.end_at - record.start_at) / 2).date())  # a night's wake day
    first, last = _ends(sorted(days))
    known = {value.day for value in person.days.window(first, last)} if first and last else set()
    most_first = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    lines = tuple(PreviewLine(signal.replace("_", " "), count) for signal, count in most_first)
    return Preview(name, source.title, lines, first, last, len(days - known), problems)


def _ends(days: list[date]) -> tuple[date | None, date | None]:
    return (days[0], days[-1]) if days else (None, None)
