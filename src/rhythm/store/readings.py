"""Health readings: many, kept once each, found by kind and time.

A reading is known by its stream (kind, source, unit), its start and end and the source's
own id: offered again, it is counted as known and changes nothing.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

import sqlalchemy as sa

from rhythm.store.columns import clean_words, from_micros, to_micros
from rhythm.store.reading_records import Added, HealthReading, ReadingLike, ReadingStream
from rhythm.store.scope import PersonScope, fields_of
from rhythm.store.tables import reading_streams, readings
from rhythm.vocab.errors import InvalidValueError

T = TypeVar("T")

BATCH_ROWS = 20_000
"""Readings written in one transaction by `Readings.add`."""

_StreamKey = tuple[str, str, str]
_Row = tuple[int, int, str, float, int | None]
_COLUMNS = ("start_at", "end_at", "external_id", "value", "offset_min", "person_id", "stream", "run")


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
        batch = _Batch()
        for reading in offered:
            batch.take(reading)
        numbers = self._stream_numbers(connection, batch.streams)
        added = sum(self._insert_stream(connection, numbers[key], rows, run) for key, rows in batch.streams.items())
        count = sum(len(rows) for rows in batch.streams.values())
        return Added(
            added,
            count - added,
            dict(batch.refused),
            None if batch.from_us is None else from_micros(batch.from_us),
            None if batch.until_us is None else from_micros(batch.until_us),
        )

    def window(self, kinds: Iterable[str], from_at: datetime, until_at: datetime) -> tuple[HealthReading, ...]:
        """The readings of those kinds that start in [from_at, until_at), by start."""
        query = (
            self._joined()
            .where(
                reading_streams.c.kind.in_(tuple(kinds)),
                readings.c.start_at >= from_at,
                readings.c.start_at < until_at,
            )
            .order_by(readings.c.start_at, readings.c.end_at, readings.c.external_id, readings.c.stream)
        )
        with self._scope.read() as connection:
            return self._scope.rows(connection, query, HealthReading)

    def latest(self) -> dict[str, HealthReading]:
        """The reading of each kind that starts last."""
        query = (
            self._joined()
            .where(readings.c.start_at == reading_streams.c.last_at)
            .order_by(readings.c.start_at, readings.c.end_at, readings.c.external_id, readings.c.stream)
        )
        with self._scope.read() as connection:
            return {reading.kind: reading for reading in self._scope.rows(connection, query, HealthReading)}

    def streams(self) -> tuple[ReadingStream, ...]:
        """What there is, by kind and source: how many, from when until when."""
        query = (
            fields_of(ReadingStream, reading_streams)
            .where(self._scope.mine(reading_streams))
            .order_by(reading_streams.c.kind, reading_streams.c.source, reading_streams.c.unit)
        )
        with self._scope.read() as connection:
            return self._scope.rows(connection, query, ReadingStream)

    def remove_run(self, connection: sa.Connection, run: int) -> int:
        """Takes out what an import run added, within a transaction of the caller's; how many."""
        of_run = sa.and_(self._scope.mine(readings), readings.c.run == run)
        touched = connection.execute(sa.select(readings.c.stream).where(of_run).distinct()).scalars().all()
        gone = connection.execute(sa.delete(readings).where(of_run)).rowcount
        for stream in touched:
            self._recount(connection, stream)
        return gone

    def _joined(self) -> sa.Select[Any]:
        together = sa.and_(
            readings.c.person_id == reading_streams.c.person_id, readings.c.stream == reading_streams.c.number
        )
        # The person is named for both tables, so that each is searched by its own key.
        return (
            fields_of(HealthReading, readings, reading_streams)
            .select_from(reading_streams.join(readings, together))
            .where(self._scope.mine(reading_streams), self._scope.mine(readings))
        )

    def _stream_numbers(self, connection: sa.Connection, wanted: Iterable[_StreamKey]) -> dict[_StreamKey, int]:
        c = reading_streams.c
        query = sa.select(c.kind, c.source, c.unit, c.number).where(self._scope.mine(reading_streams))
        numbers: dict[_StreamKey, int] = {
            (kind, source, unit): n for kind, source, unit, n in connection.execute(query)
        }
        missing = [key for key in wanted if key not in numbers]
        if missing:
            first = self._scope.next_number(connection, len(missing))
            for number, (kind, source, unit) in enumerate(missing, first):
                numbers[kind, source, unit] = number
                stream = ReadingStream(number, kind, source, unit, 0, None, None)
                self._scope.insert(connection, reading_streams, stream)
        return numbers

    def _insert_stream(self, connection: sa.Connection, stream: int, rows: list[_Row], run: int | None) -> int:
        tail = (self._scope.person_id, stream, run)
        mark = "?" if self._scope.database.is_sqlite else "%s"
        marks = ", ".join([mark] * len(_COLUMNS))
        done = connection.exec_driver_sql(
            f"INSERT INTO readings ({', '.join(_COLUMNS)}) VALUES ({marks}) ON CONFLICT DO NOTHING",  # noqa: S608 our own names
            [row + tail for row in rows],
        )
        added = max(done.rowcount, 0)
        if added:
            self._widen(connection, stream, added, from_micros(min(rows)[0]), from_micros(max(rows)[0]))
        return added

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


@dataclass
class _Batch:
    """Readings sorted into their streams; those that are not fit are counted."""

    streams: dict[_StreamKey, list[_Row]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    from_us: int | None = None
    until_us: int | None = None

    def take(self, reading: ReadingLike) -> None:
        value = reading.value
        if not math.isfinite(value):
            self.refused["not_finite"] += 1
            return
        try:
            start_us, end_us = to_micros(reading.start_at), to_micros(reading.end_at)
        except InvalidValueError:
            self.refused["no_zone"] += 1
            return
        if end_us < start_us:
            self.refused["ends_before_start"] += 1
            return
        key = (str(reading.kind), clean_words(reading.source), reading.unit)
        row = (start_us, end_us, clean_words(reading.external_id or ""), float(value), reading.offset_min)
        rows = self.streams.get(key)
        if rows is None:
            self.streams[key] = [row]
        else:
            rows.append(row)
        if self.from_us is None or start_us < self.from_us:
            self.from_us = start_us
        if self.until_us is None or end_us > self.until_us:
            self.until_us = end_us


def total_of(a: Added, b: Added) -> Added:
    """Two counts of what became of readings, as one."""
    starts = [at for at in (a.from_at, b.from_at) if at is not None]
    ends = [at for at in (a.until_at, b.until_at) if at is not None]
    return Added(
        a.added + b.added,
        a.known + b.known,
        dict(Counter(a.refused) + Counter(b.refused)),
        min(starts, default=None),
        max(ends, default=None),
    )


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch
