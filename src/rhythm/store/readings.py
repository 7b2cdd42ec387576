"""Health readings: many, kept once each, found by kind and time.

A reading is known by its stream (kind, source, unit), its start and end and the source's own id.
Offered again it is counted as known. With another value it corrects what is kept: a sum that still
grew when it was read first (steps of an hour that was not over) takes the larger value, so that an
older file takes nothing back; anything else takes the value that was offered last.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TypeVar

import sqlalchemy as sa

from rhythm.store.columns import EPOCH_AT, from_micros
from rhythm.store.reading_records import Added, HealthReading, ReadingLike, ReadingStream
from rhythm.store.reading_rows import GROWING_UNITS, StreamKey, correct_rows, insert_rows, sorted_into_streams
from rhythm.store.scope import PersonScope, fields_of
from rhythm.store.tables import reading_streams, readings

T = TypeVar("T")

BATCH_ROWS = 20_000
STREAMS_AT_ONCE = 10_000
"""Streams that one query names; databases take some 32,000 values a statement."""
"""Readings written in one transaction by `Readings.add`."""

LONGEST_TOUCHING = timedelta(days=2)
"""How long before a span `Readings.touching` looks for readings that last into it."""

_BEGINNING_AT = datetime.min.replace(tzinfo=UTC)


class Readings:
    """A person's health readings."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope

    def add(self, offered: Iterable[ReadingLike], run: int | None = None) -> Added:
        """Stores what is new among the readings, in batches that are each kept or not at all.

        Args:
            offered: readings, in any order; read as a stream.
            run: number of the import run that brings them.
        """
        total = Added()
        for batch in _batches(offered, BATCH_ROWS):
            with self._scope.write() as connection:
                total = total_of(total, self.insert(connection, batch, run))
        return total

    def insert(self, connection: sa.Connection, offered: Iterable[ReadingLike], run: int | None) -> Added:
        """Stores what is new among the readings, within a transaction of the caller's."""
        batch = sorted_into_streams(offered)
        numbers = self._stream_numbers(connection, batch.streams)
        is_file = self._scope.database.is_sqlite
        added = corrected = count = 0
        for key, rows in batch.streams.items():
            whose = (self._scope.person_id, numbers[key])
            new = insert_rows(connection, whose, run, rows, is_file=is_file)
            if new:
                first_at, last_at = from_micros(min(rows.starts)), from_micros(max(rows.starts))
                self._widen(connection, numbers[key], new, first_at, last_at)
            if new < len(rows):
                growing = key[2] in GROWING_UNITS
                corrected += correct_rows(connection, whose, rows, growing=growing, is_file=is_file)
            added, count = added + new, count + len(rows)
        return Added(added, count - added, corrected, dict(batch.refused), batch.from_at, batch.until_at)

    def window(self, kinds: Iterable[str], from_at: datetime, until_at: datetime) -> tuple[HealthReading, ...]:
        """The readings of those kinds that start in [from_at, until_at), by start."""
        wanted = set(kinds)
        within = sa.and_(readings.c.start_at >= from_at, readings.c.start_at < until_at)
        with self._scope.read() as connection:
            streams = [stream for stream in self._streams(connection) if stream.kind in wanted]
            return self._of_streams(connection, streams, within)

    def touching(self, kinds: Iterable[str], spans: Sequence[tuple[datetime, datetime]]) -> tuple[HealthReading, ...]:
        """The readings of those kinds that share an instant with one of the spans, once each, by start.

        Args:
            kinds: which; of readings longer than `LONGEST_TOUCHING` some may be left out.
            spans: start and end, in order and apart from one another.
        """
        wanted = set(kinds)
        c = readings.c
        found: list[HealthReading] = []
        with self._scope.read() as connection:
            streams = [stream for stream in self._streams(connection) if stream.kind in wanted]
            after_at = _BEGINNING_AT
            for from_at, until_at in spans if streams else ():
                first_at = max(after_at, from_at - LONGEST_TOUCHING)
                within = sa.and_(c.start_at > first_at, c.start_at <= until_at, c.end_at >= from_at)
                found += self._of_streams(connection, streams, within)
                after_at = until_at
        return tuple(found)

    def latest(self) -> dict[str, HealthReading]:
        """The reading of each kind that starts last."""
        with self._scope.read() as connection:
            streams = self._streams(connection)
            newest_at: dict[str, datetime] = {}
            for stream in streams:
                newest_at[stream.kind] = max(newest_at.get(stream.kind, _BEGINNING_AT), stream.last_at or _BEGINNING_AT)
            found: dict[str, HealthReading] = {}
            for stream in streams:  # one search by key each; SQLite would plan all in one as a walk through everything
                if stream.last_at != newest_at[stream.kind]:
                    continue
                here = sa.and_(readings.c.stream == stream.number, readings.c.start_at == stream.last_at)
                for reading in self._read(connection, [stream], here):
                    rival = found.get(reading.kind, reading)
                    found[reading.kind] = max(rival, reading, key=lambda one: (one.start_at, one.end_at))
            return found

    def streams(self) -> tuple[ReadingStream, ...]:
        """What there is, by kind and source: how many, from when until when."""
        with self._scope.read() as connection:
            return self._streams(connection)

    def remove_run(self, connection: sa.Connection, run: int) -> int:
        """Takes out what an import run added, within a transaction of the caller's; how many."""
        of_run = sa.and_(self._scope.mine(readings), readings.c.run == run)
        touched = connection.execute(sa.select(readings.c.stream).where(of_run).distinct()).scalars().all()
        gone = connection.execute(sa.delete(readings).where(of_run)).rowcount
        for stream in touched:
            self._recount(connection, stream)
        return gone

    def _streams(self, connection: sa.Connection) -> tuple[ReadingStream, ...]:
        c = reading_streams.c
        query = fields_of(ReadingStream, reading_streams).where(self._scope.mine(reading_streams))
        return self._scope.rows(connection, query.order_by(c.kind, c.source, c.unit), ReadingStream)

    def _of_streams(
        self, connection: sa.Connection, streams: Sequence[ReadingStream], within: sa.ColumnElement[bool]
    ) -> tuple[HealthReading, ...]:
        """The readings of those streams, by start."""
        c = readings.c
        found: list[HealthReading] = []
        for some in list(_batches(streams, STREAMS_AT_ONCE)) or [[]]:
            named = c.stream.in_([stream.number for stream in some])
            found += self._read(connection, some, sa.and_(named, within))
        if len(streams) > STREAMS_AT_ONCE:
            found.sort(key=lambda one: (one.start_at, one.end_at, one.external_id))
        return tuple(found)

    def _read(
        self, connection: sa.Connection, streams: Iterable[ReadingStream], which: sa.ColumnElement[bool]
    ) -> tuple[HealthReading, ...]:
        """The readings of known streams, by start. A join could be planned as a walk through all of the person's."""
        of = {stream.number: stream for stream in streams}
        c = readings.c
        start_us, end_us = sa.type_coerce(c.start_at, sa.BigInteger), sa.type_coerce(c.end_at, sa.BigInteger)
        query = (
            sa.select(c.stream, c.value, start_us, end_us, c.offset_min, c.external_id, c.detail)
            .where(self._scope.mine(readings), which)
            .order_by(c.start_at, c.end_at, c.external_id, c.stream)
        )
        # A health import reads all of a person's days back: instants are made here, without a call of our own each.
        epoch_at, span = EPOCH_AT, timedelta
        found = connection.execute(query).cursor.fetchall()
        words = {n: (stream.kind, stream.unit, stream.source) for n, stream in of.items()}
        return tuple(
            HealthReading(
                words[n][0],
                value,
                words[n][1],
                (start_at := epoch_at + span(0, 0, start)),
                start_at if end == start else epoch_at + span(0, 0, end),
                words[n][2],
                offset_min,
                external_id,
                detail or "",
            )
            for n, value, start, end, offset_min, external_id, detail in found
        )

    def _stream_numbers(self, connection: sa.Connection, wanted: Iterable[StreamKey]) -> dict[StreamKey, int]:
        c = reading_streams.c
        query = sa.select(c.kind, c.source, c.unit, c.number).where(self._scope.mine(reading_streams))
        numbers: dict[StreamKey, int] = {(kind, source, unit): n for kind, source, unit, n in connection.execute(query)}
        missing = [key for key in wanted if key not in numbers]
        if missing:
            first = self._scope.next_number(connection, len(missing))
            for number, (kind, source, unit) in enumerate(missing, first):
                numbers[kind, source, unit] = number
                stream = ReadingStream(number, kind, source, unit, 0, None, None)
                self._scope.insert(connection, reading_streams, stream)
        return numbers

    def _widen(self, connection: sa.Connection, stream: int, added: int, first_at: datetime, last_at: datetime) -> None:
        c = reading_streams.c
        first, last = sa.literal(first_at, c.first_at.type), sa.literal(last_at, c.last_at.type)
        connection.execute(
            sa.update(reading_streams)
            .where(self._scope.mine(reading_streams), c.number == stream)
            .values(
                reading_count=c.reading_count + added,
                first_at=sa.case((sa.or_(c.first_at.is_(None), c.first_at > first), first), else_=c.first_at),
                last_at=sa.case((sa.or_(c.last_at.is_(None), c.last_at < last), last), else_=c.last_at),
            )
        )

    def _recount(self, connection: sa.Connection, stream: int) -> None:
        c = readings.c
        count, first_at, last_at = connection.execute(
            sa.select(sa.func.count(), sa.func.min(c.start_at), sa.func.max(c.start_at)).where(
                self._scope.mine(readings), c.stream == stream
            )
        ).one()
        here = sa.and_(self._scope.mine(reading_streams), reading_streams.c.number == stream)
        if count == 0:
            connection.execute(sa.delete(reading_streams).where(here))
        else:
            new = {"reading_count": count, "first_at": first_at, "last_at": last_at}
            connection.execute(sa.update(reading_streams).where(here).values(**new))


def total_of(a: Added, b: Added) -> Added:
    """Two counts of what became of readings, as one."""
    starts = [at for at in (a.from_at, b.from_at) if at is not None]
    ends = [at for at in (a.until_at, b.until_at) if at is not None]
    return Added(
        a.added + b.added,
        a.known + b.known,
        a.corrected + b.corrected,
        dict(Counter(a.refused) + Counter(b.refused)),
        min(starts, default=None),
        max(ends, default=None),
    )


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch
