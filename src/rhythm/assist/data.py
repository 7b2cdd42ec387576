"""The Data page: what was read from which source, what was wrong with it, and taking it out again."""

from datetime import datetime, timedelta
from heapq import nlargest
from zoneinfo import ZoneInfo

import msgspec

from rhythm.assist.accounts import AccountLine, lines_of
from rhythm.assist.context import Context
from rhythm.assist.corrections import EventWord, UnknownTitle, unknown_titles, words_on_titles
from rhythm.assist.coverage import CoveredWeek, coverage_of
from rhythm.assist.day_facts import refresh_days
from rhythm.assist.feeds import FETCHED, failure_words
from rhythm.assist.files import problem_words
from rhythm.assist.keeping_up import keep_up
from rhythm.assist.own_addresses import must_be_given_again
from rhythm.assist.schedule import drop_feed
from rhythm.store import ImportRun

MOST_STREAMS = 200
"""Devices and kinds that are listed, those with the most readings; a file can name thousands."""
LATEST_IMPORTS = 20
"""Imports that are listed whatever they brought."""
MOST_OLDER_IMPORTS = 200
"""Earlier ones that are listed, so that they can be taken out: those that brought most; accounts are read daily."""


class ProblemLine(msgspec.Struct, frozen=True):
    """A problem, how often it was met and what it means."""

    kind: str
    count: int
    words: str


class CalendarLine(msgspec.Struct, frozen=True):
    """A calendar.

    Attributes:
        number, name: which.
        origin: file name or host.
        is_feed: it is fetched by its address, by itself.
        read_at: when it was last read with success.
        failure: why it could not be read the last time, in words; empty where it could.
        problems: what was wrong in it.
        give_again: it is a file that was read by other e-mail addresses than the person has now.
    """

    number: int
    name: str
    origin: str
    is_feed: bool
    read_at: datetime | None
    failure: str
    problems: tuple[ProblemLine, ...]
    give_again: bool = False


class ImportLine(msgspec.Struct, frozen=True):
    """One reading of a health export and what became of it."""

    number: int
    kind: str
    file: str
    state: str
    started_at: datetime
    added: int
    known: int
    problems: tuple[ProblemLine, ...]


class StreamLine(msgspec.Struct, frozen=True):
    """What one device has measured: how many readings, from when until when."""

    kind: str
    source: str
    count: int
    first_at: datetime | None
    last_at: datetime | None


class Data(msgspec.Struct, frozen=True):
    """Everything of the Data page.

    Attributes:
        calendars, imports, streams: what was read.
        streams_left_out: how many more there are than `MOST_STREAMS`.
        older_imports: imports before the latest whose readings are there.
        running: an import is going on.
        suggestions, readings: how many are on record.
        events_said: what the person said of events, by title.
        unknown_titles: titles to ask the person about.
        accounts: vendors' accounts that Rhythm is let into.
        coverage: which days have what, newest week first.
    """

    calendars: tuple[CalendarLine, ...]
    imports: tuple[ImportLine, ...]
    streams: tuple[StreamLine, ...]
    running: bool
    suggestions: int
    readings: int
    events_said: tuple[EventWord, ...]
    unknown_titles: tuple[UnknownTitle, ...]
    accounts: tuple[AccountLine, ...]
    coverage: tuple[CoveredWeek, ...]
    streams_left_out: int = 0
    older_imports: tuple[ImportLine, ...] = ()


def data_of(context: Context) -> Data:
    """What the store holds."""
    person = context.person
    zone = context.settings.zone_info
    streams = [s for s in person.readings.streams() if s.reading_count]
    largest = {s.number for s in nlargest(MOST_STREAMS, streams, key=lambda s: s.reading_count)}
    latest = person.imports.latest(LATEST_IMPORTS)
    older = person.imports.that_added_most(latest[-1].number, MOST_OLDER_IMPORTS) if latest else ()
    imports = tuple(_import_line(run, zone) for run in latest)
    calendars = tuple(
        CalendarLine(
            source.number,
            source.name,
            source.origin,
            source.kind in FETCHED,
            None if source.fetched_at is None else source.fetched_at.astimezone(zone),
            "" if source.failure is None else failure_words(source.failure),
            _problems(source.problems),
            must_be_given_again(source, context.settings),
        )
        for source in person.calendars.all()
    )
    return Data(
        calendars,
        imports,
        tuple(
            StreamLine(s.kind, s.source, s.reading_count, s.first_at, s.last_at) for s in streams if s.number in largest
        ),
        any(line.state == "running" for line in imports),
        person.suggestions.count(),
        sum(s.reading_count for s in streams),
        words_on_titles(person),
        unknown_titles(context),
        lines_of(person),
        coverage_of(context),
        len(streams) - len(largest),
        tuple(_import_line(run, zone) for run in older),
    )


def undo_import(context: Context, number: int) -> None:
    """Takes out what a health import added, and what was derived from it."""
    person = context.person
    streams = [s for s in person.readings.streams() if s.first_at is not None and s.last_at is not None]
    person.imports.undo(number)
    if streams:
        one = timedelta(days=1)
        first = min(s.first_at for s in streams if s.first_at is not None).date() - one
        last = max(s.last_at for s in streams if s.last_at is not None).date() + one
        refresh_days(person, first, min(last, context.day + one))
    keep_up(Context(person, context.now_at), force=True)


def remove_calendar(context: Context, number: int) -> None:
    """Takes a calendar out, and what was derived from it."""
    context.person.calendars.delete(number)
    context.person.secrets.delete(f"feed-{number}")
    drop_feed(context.person, number)
    keep_up(Context(context.person, context.now_at), force=True)


def _import_line(run: ImportRun, zone: ZoneInfo) -> ImportLine:
    return ImportLine(
        run.number,
        run.kind,
        run.file_name,
        run.state.value,
        run.started_at.astimezone(zone),
        run.counts.get("added", 0),
        run.counts.get("known", 0),
        _problems(run.problems),
    )


def _problems(counts: dict[str, int]) -> tuple[ProblemLine, ...]:
    return tuple(ProblemLine(kind, count, problem_words(kind)) for kind, count in sorted(counts.items()))
