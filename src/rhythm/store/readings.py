"""Health readings: many, kept once each, found by kind and time.

A reading is known by its stream (kind, source, unit), its start and end and the source's own id.
Offered again it is counted as known. With another value it corrects what is kept: a sum that still
grew when it was read first (steps of an hour that was not over) takes the larger value, so that an
older file takes nothing back; anything else takes the value that was offered last.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TypeVar

import sqlalchemy as sa

from rhythm.store.columns import EPOCH_AT, clean_words, from_micros, to_micros
from rhythm.store.reading_records import Added, HealthReading, ReadingLike, ReadingStream
from rhythm.store.scope import PersonScope, fields_of
from rhythm.store.tables import reading_streams, readings
from rhythm.vocab.errors import InvalidValueError

T = TypeVar("T")

BATCH_ROWS = 20_000
"""Readings written in one transaction by `Readings.add`."""

LONGEST_TOUCHING = timedelta(days=2)
"""How long before a span `Readings.touching` looks for readings that last into it."""

_BEGINNING_AT = datetime.min.replace(tzinfo=UTC)

_StreamKey = tuple[str, str, str]
_Row = tuple[int, int, str, float, int | None, str | None]
_COLUMNS = "start_at, end_at, external_id, value, offset_min, detail, person_id, stream, run"
_INTO_FILE = f"INSERT INTO readings ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"  # noqa: S608 our own names
_INTO_SERVER = f"""
    INSERT INTO readings ({_COLUMNS})
    SELECT *, %s::text, %s::bigint, %s::bigint
    FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::float8[], %s::int[], %s::text[])
    ON CONFLICT DO NOTHING
"""  # noqa: S608 our own names
"""One statement for all rows of a stream: a round trip for each would take most of the time."""


GROWING_UNITS = frozenset({"count", "kcal", "min", "km"})
"""Units of what adds up while its time runs."""
_OF_FILE = """
    UPDATE readings SET value = ?4, offset_min = ?5, detail = ?6
    WHERE person_id = ?7 AND stream = ?8 AND start_at = ?1 AND end_at = ?2 AND external_id = ?3 AND value %s ?4
"""
_OF_SERVER = """
    UPDATE readings AS old SET value = new.value, offset_min = new.offset_min, detail = new.detail
    FROM (
        SELECT DISTINCT ON (start_at, end_at, external_id) * FROM unnest(
            %%s::bigint[], %%s::bigint[], %%s::text[], %%s::float8[], %%s::int[], %%s::text[]
        ) WITH ORDINALITY AS offered(start_at, end_at, external_id, value, offset_min, detail, place)
        ORDER BY start_at, end_at, external_id, %s
    ) AS new
    WHERE old.person_id = %%s AND old.stream = %%s AND old.start_at = new.start_at AND old.end_at = new.end_at
        AND old.external_id = new.external_id AND old.value %s new.value
"""
"""The correction of rows that are known, for a sum and for anything else."""


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
        batch = _sorted_into_streams(offered)
        numbers = self._stream_numbers(connection, batch.streams)
        added = corrected = count = 0
        for key, rows in batch.streams.items():
            new = self._insert_stream(connection, numbers[key], rows, run)
            if new < len(rows):
                corrected += self._correct_stream(connection, numbers[key], rows, growing=key[2] in GROWING_UNITS)
            added, count = added + new, count + len(rows)
        return Added(
            added,
            count - added,
            corrected,
            dict(batch.refused),
            None if batch.from_us is None else from_micros(batch.from_us),
            None if batch.until_us is None else from_micros(batch.until_us),
        )

    def window(self, kinds: Iterable[str], from_at: datetime, until_at: datetime) -> tuple[HealthReading, ...]:
        """The readings of those kinds that start in [from_at, until_at), by start."""
        wanted = set(kinds)
        within = sa.and_(readings.c.start_at >= from_at, readings.c.start_at < until_at)
        with self._scope.read() as connection:
            streams = [stream for stream in self._streams(connection) if stream.kind in wanted]
            of_streams = readings.c.stream.in_([stream.number for stream in streams])
            return self._read(connection, streams, sa.and_(of_streams, within))

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
            of_streams = c.stream.in_([stream.number for stream in streams])
            after_at = _BEGINNING_AT
            for from_at, until_at in spans if streams else ():
                first_at = max(after_at, from_at - LONGEST_TOUCHING)
                within = sa.and_(c.start_at > first_at, c.start_at <= until_at, c.end_at >= from_at)
                found += self._read(connection, streams, sa.and_(of_streams, within))
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
        whose = (self._scope.person_id, stream, run)
        if self._scope.database.is_sqlite:
            done = connection.exec_driver_sql(_INTO_FILE, [row + whose for row in rows])
        else:
            starts, ends, ids, values, offsets, details = (list(column) for column in zip(*rows, strict=True))
            columns = (starts, ends, ids, [float(value) for value in values], offsets, details)
            done = connection.exec_driver_sql(_INTO_SERVER, (*whose, *columns))
        added = max(int(done.rowcount), 0)
        if added:
            starts = [row[0] for row in rows]
            self._widen(connection, stream, added, from_micros(min(starts)), from_micros(max(starts)))
        return added

    def _correct_stream(self, connection: sa.Connection, stream: int, rows: list[_Row], *, growing: bool) -> int:
        """Takes another value of what is known, where it counts for more; how many were changed."""
        whose = (self._scope.person_id, stream)
        if self._scope.database.is_sqlite:
            changed = connection.exec_driver_sql(_OF_FILE % ("<" if growing else "<>"), [row + whose for row in rows])
        else:
            columns = [list(column) for column in zip(*rows, strict=True)]
            order, sign = ("value DESC", "<") if growing else ("place DESC", "<>")
            changed = connection.exec_driver_sql(_OF_SERVER % (order, sign), (*columns, *whose))
        return max(int(changed.rowcount), 0)

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


def _sorted_into_streams(offered: Iterable[ReadingLike]) -> _Batch:
    """The rows of the readings by stream. This loop is what an import waits for: it looks each stream up once."""
    batch = _Batch()
    by_words: dict[tuple[str, str, str], list[_Row]] = {}
    isfinite = math.isfinite
    for reading in offered:
        value = reading.value
        if not isfinite(value):
            batch.refused["not_finite"] += 1
            continue
        try:
            start_at, end_at = reading.start_at, reading.end_at
            start_us = to_micros(start_at)
            end_us = start_us if end_at is start_at else to_micros(end_at)
        except InvalidValueError:
            batch.refused["no_zone"] += 1
            continue
        if end_us < start_us:
            batch.refused["ends_before_start"] += 1
            continue
        words = (reading.kind, reading.source, reading.unit)
        rows = by_words.get(words)
        if rows is None:
            kind, source, unit = words
            rows = by_words[words] = batch.streams.setdefault((str(kind), clean_words(source), str(unit)), [])
        external_id, detail = reading.external_id, reading.detail
        external_id = clean_words(external_id) if external_id else ""
        rows.append((start_us, end_us, external_id, value, reading.offset_min, clean_words(detail) if detail else None))
    for rows in batch.streams.values():
        start_us, end_us = min(row[0] for row in rows), max(row[1] for row in rows)
        batch.from_us = start_us if batch.from_us is None else min(batch.from_us, start_us)
        batch.until_us = end_us if batch.until_us is None else max(batch.until_us, end_us)
    return batch


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
