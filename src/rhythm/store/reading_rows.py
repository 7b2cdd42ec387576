"""Many readings at once: sorted into their streams, as columns, and the statements that write them.

An import waits for this more than for anything else but the parser. So nothing here is done for
each reading that can be done for a column of them, and a statement writes many rows: calling
SQLite once a row took a third of the time of writing.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from operator import ge
from typing import Any

import sqlalchemy as sa

from rhythm.store.columns import clean_words, from_micros, many_micros
from rhythm.store.reading_records import ReadingLike
from rhythm.vocab.errors import InvalidValueError

StreamKey = tuple[str, str, str]
"""Kind, source and unit."""

Whose = tuple[str, int]
"""Id of a person and number of one of their streams."""

GROWING_UNITS = frozenset({"count", "kcal", "min", "km"})
"""Units of what adds up while its time runs."""

_ROWS_AT_ONCE = 50
_COLUMNS = "person_id, stream, run, start_at, end_at, external_id, value, offset_min, detail"
_ROW = "(?1, ?2, ?3, ?, ?, ?, ?, ?, ?)"
_INTO_FILE = {
    count: f"INSERT INTO readings ({_COLUMNS}) VALUES {', '.join([_ROW] * count)} ON CONFLICT DO NOTHING"  # noqa: S608 our own names
    for count in (1, _ROWS_AT_ONCE)
}
"""By how many rows it writes: it takes whose they are once, and then the columns of each."""
_INTO_SERVER = f"""
    INSERT INTO readings ({_COLUMNS})
    SELECT %s::text, %s::bigint, %s::bigint, *
    FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::float8[], %s::int[], %s::text[])
    ON CONFLICT DO NOTHING
"""  # noqa: S608 our own names
"""One statement for all rows of a stream: a round trip for each would take most of the time."""
_OF_FILE = """
    UPDATE readings SET value = ?6, offset_min = ?7, detail = ?8
    WHERE person_id = ?1 AND stream = ?2 AND start_at = ?3 AND end_at = ?4 AND external_id = ?5 AND value %s ?6
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


@dataclass
class StreamRows:
    """The rows of one stream, as columns of one length.

    Attributes:
        starts, ends: microseconds since 1970.
        ids: the source's own; empty where it has none.
        values: in the stream's unit.
        offsets: local time minus UTC, minutes.
        details: the vendor's word; None for none.
    """

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    offsets: list[int | None] = field(default_factory=list)
    details: list[str | None] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def columns(self) -> tuple[list[Any], ...]:
        """Them all, in the statements' order."""
        return self.starts, self.ends, self.ids, self.values, self.offsets, self.details

    @property
    def flat(self) -> list[Any]:
        """The rows one after the other."""
        return list(chain.from_iterable(zip(*self.columns, strict=True)))

    def join(self, others: "StreamRows") -> None:
        """Adds the rows of the same stream."""
        for own, more in zip(self.columns, others.columns, strict=True):
            own.extend(more)

    def take(self, readings: Sequence[ReadingLike]) -> None:
        """Adds readings of this stream.

        Raises:
            InvalidValueError: one of them is not fit; then none is added.
        """
        values = [reading.value for reading in readings]
        if not all(map(math.isfinite, values)):
            raise InvalidValueError("a reading is not a finite number")
        starts_at = [reading.start_at for reading in readings]
        ends_at = [reading.end_at for reading in readings]
        starts = many_micros(starts_at)
        ends = starts if ends_at == starts_at else many_micros(ends_at)
        if not all(map(ge, ends, starts)):
            raise InvalidValueError("a reading ends before it starts")
        self.values += values
        self.starts += starts
        self.ends += ends
        self.offsets += [reading.offset_min for reading in readings]
        self.ids += [clean_words(one) if one else "" for one in [reading.external_id for reading in readings]]
        self.details += [clean_words(one) if one else None for one in [reading.detail for reading in readings]]


@dataclass
class SortedReadings:
    """Readings sorted into their streams; those that are not fit are counted by what is wrong with them."""

    streams: dict[StreamKey, StreamRows] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)

    @property
    def from_at(self) -> datetime | None:
        """The earliest start; None where no reading is fit."""
        return None if not self.streams else from_micros(min(min(rows.starts) for rows in self.streams.values()))

    @property
    def until_at(self) -> datetime | None:
        """The latest end; None where no reading is fit."""
        return None if not self.streams else from_micros(max(max(rows.ends) for rows in self.streams.values()))


def sorted_into_streams(offered: Iterable[ReadingLike]) -> SortedReadings:
    """The rows of the readings by stream."""
    found = SortedReadings()
    together: dict[tuple[str, str, str], list[ReadingLike]] = {}
    for reading in offered:
        words = (reading.kind, reading.source, reading.unit)
        own = together.get(words)
        if own is None:
            own = together[words] = []
        own.append(reading)
    for (kind, source, unit), own in together.items():
        rows = StreamRows()
        try:
            rows.take(own)
        except InvalidValueError:
            rows.take(_fit(own, found.refused))
        if rows:
            found.streams.setdefault((str(kind), clean_words(source), str(unit)), StreamRows()).join(rows)
    return found


def _fit(readings: Iterable[ReadingLike], refused: Counter[str]) -> list[ReadingLike]:
    """Those that can be stored; the others are counted."""
    fit = []
    for reading in readings:
        problem = _problem_of(reading)
        if problem is None:
            fit.append(reading)
        else:
            refused[problem] += 1
    return fit


def _problem_of(reading: ReadingLike) -> str | None:
    if not math.isfinite(reading.value):
        return "not_finite"
    try:
        start_us, end_us = many_micros([reading.start_at, reading.end_at])
    except InvalidValueError:
        return "no_zone"
    return "ends_before_start" if end_us < start_us else None


def insert_rows(connection: sa.Connection, whose: Whose, run: int | None, rows: StreamRows, *, is_file: bool) -> int:
    """Writes the rows of a stream that are not there yet; how many these are.

    Args:
        connection: in a transaction.
        whose: person and number of the stream.
        run: number of the import run that brings them.
        rows: at least one.
        is_file: the database is SQLite.
    """
    if not is_file:
        return _changed(connection.exec_driver_sql(_INTO_SERVER, (*whose, run, *rows.columns)))
    flat = rows.flat
    width = len(rows.columns)
    size, end = width * _ROWS_AT_ONCE, len(flat)
    whole = end - end % size
    new = 0
    if whole:
        many = [(*whose, run, *flat[at : at + size]) for at in range(0, whole, size)]
        new += _changed(connection.exec_driver_sql(_INTO_FILE[_ROWS_AT_ONCE], many))
    if whole < end:
        rest = [(*whose, run, *flat[at : at + width]) for at in range(whole, end, width)]
        new += _changed(connection.exec_driver_sql(_INTO_FILE[1], rest))
    return new


def correct_rows(connection: sa.Connection, whose: Whose, rows: StreamRows, *, growing: bool, is_file: bool) -> int:
    """Takes another value of what is known, where it counts for more; how many were changed.

    Args:
        connection: in a transaction.
        whose: person and number of the stream.
        rows: at least one.
        growing: the larger value counts; else the last.
        is_file: the database is SQLite.
    """
    if is_file:
        each = [(*whose, *row) for row in zip(*rows.columns, strict=True)]
        return _changed(connection.exec_driver_sql(_OF_FILE % ("<" if growing else "<>"), each))
    order, sign = ("value DESC", "<") if growing else ("place DESC", "<>")
    return _changed(connection.exec_driver_sql(_OF_SERVER % (order, sign), (*rows.columns, *whose)))


def _changed(done: sa.CursorResult[Any]) -> int:
    return max(int(done.rowcount), 0)
