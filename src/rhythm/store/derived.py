"""What is worked out from readings and calendars: day summaries, meters by slot, what slots were spent on.

All of it can be worked out again. Meters and done slots are evidence to learn from: a
value that changes gets a new number, and what was learned from the old one is dropped.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

import msgspec
import sqlalchemy as sa

from rhythm.store.reading_records import DayValue, MeterValue
from rhythm.store.scope import PersonScope, fields_of, values_of
from rhythm.store.tables import day_values, done_slots, meter_values
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.history import Done, Reading
from rhythm.vocab.meters import METERS, Meter


class DayValues:
    """A person's day summaries."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope
        self._all = fields_of(DayValue, day_values).where(scope.mine(day_values))

    def put(self, values: Iterable[DayValue]) -> None:
        """Stores summaries; one of the same day and name replaces what was there."""
        with self._scope.write() as connection:
            self._scope.upsert(connection, day_values, [values_of(value) for value in values])

    def replace(self, first: date, last: date, values: Iterable[DayValue]) -> None:
        """Makes these the only summaries of the days ``first`` to ``last``, both included.

        Raises:
            InvalidValueError: one of another day.
        """
        new = [values_of(value) for value in values]
        if any(not first <= value["day"] <= last for value in new):
            raise InvalidValueError("a day value lies outside the days that are replaced")
        here = sa.and_(self._scope.mine(day_values), day_values.c.day.between(first, last))
        with self._scope.write() as connection:
            connection.execute(sa.delete(day_values).where(here))
            self._scope.upsert(connection, day_values, new)

    def window(self, first: date, last: date, names: Iterable[str] | None = None) -> tuple[DayValue, ...]:
        """The summaries of the days ``first`` to ``last``, both included, by day and name."""
        query = self._all.where(day_values.c.day.between(first, last)).order_by(day_values.c.day, day_values.c.name)
        if names is not None:
            query = query.where(day_values.c.name.in_(tuple(names)))
        with self._scope.read() as connection:
            return self._scope.rows(connection, query, DayValue)


class MeterLevels:
    """A person's meters by slot."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope
        self._all = fields_of(MeterValue, meter_values).where(scope.mine(meter_values))

    def replace(self, first: int, last: int, values: Iterable[MeterValue]) -> int:
        """Makes these the only meters of the slots ``first`` to ``last``, both included.

        A value that did not change keeps its number.

        Returns:
            How many changed, came or went.

        Raises:
            InvalidValueError: one of another slot, or a level that is none.
        """
        new = {(value.slot, value.meter): value for value in values}
        for value in new.values():
            Reading(value.slot, value.meter, value.value, value.sd)  # refuses what is no level
            if not first <= value.slot <= last:
                raise InvalidValueError("a meter value lies outside the slots that are replaced")
        with self._scope.write() as connection:
            query = self._all.where(meter_values.c.slot.between(first, last))
            old = {(v.slot, v.meter): v for v in self._scope.rows(connection, query, MeterValue)}
            gone = [v for key, v in old.items() if key not in new]
            changed = [v for key, v in new.items() if key not in old or not _same(v, old[key])]
            stale = [v.number for v in gone] + [
                old[v.slot, v.meter].number for v in changed if (v.slot, v.meter) in old
            ]
            if stale:
                self._scope.retract(connection, min(stale))
            for v in gone:
                here = sa.and_(meter_values.c.slot == v.slot, meter_values.c.meter == v.meter)
                connection.execute(sa.delete(meter_values).where(self._scope.mine(meter_values), here))
            if changed:
                number = self._scope.next_number(connection, len(changed))
                rows = [{**values_of(v), "number": number + i} for i, v in enumerate(changed)]
                self._scope.upsert(connection, meter_values, rows)
        return len(gone) + len(changed)

    def window(self, first: int, last: int) -> tuple[MeterValue, ...]:
        """The meters of the slots ``first`` to ``last``, both included, by slot and meter."""
        query = self._all.where(meter_values.c.slot.between(first, last))
        with self._scope.read() as connection:
            return self._scope.rows(connection, query.order_by(meter_values.c.slot, meter_values.c.meter), MeterValue)

    def latest(self, slot: int) -> dict[Meter, MeterValue]:
        """The newest value of each meter at that slot or before; a meter that never had one is left out."""
        found: dict[Meter, MeterValue] = {}
        with self._scope.read() as connection:
            for meter in METERS:
                query = self._all.where(meter_values.c.meter == meter, meter_values.c.slot <= slot)
                query = query.order_by(meter_values.c.slot.desc()).limit(1)
                for value in self._scope.rows(connection, query, MeterValue):
                    found[meter] = value
        return found


class DoneSlots:
    """What a person's slots were spent on, as the calendar or they say."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope

    def replace(self, first: int, last: int, done: Iterable[Done]) -> int:
        """Makes these the only ones of the slots ``first`` to ``last``, both included; one a slot.

        Returns:
            How many changed, came or went.

        Raises:
            InvalidValueError: one of another slot.
        """
        new = {one.slot: one for one in done}
        if any(not first <= slot <= last for slot in new):
            raise InvalidValueError("a done slot lies outside the slots that are replaced")
        with self._scope.write() as connection:
            old = {row.slot: row for row in self._numbered(connection, first, last)}
            gone = [row for slot, row in old.items() if slot not in new]
            changed = [one for slot, one in new.items() if slot not in old or one != old[slot].done]
            stale = [row.number for row in gone] + [old[one.slot].number for one in changed if one.slot in old]
            if stale:
                self._scope.retract(connection, min(stale))
            for row in gone:
                here = sa.and_(self._scope.mine(done_slots), done_slots.c.slot == row.slot)
                connection.execute(sa.delete(done_slots).where(here))
            if changed:
                number = self._scope.next_number(connection, len(changed))
                rows = [{**values_of(one), "number": number + i} for i, one in enumerate(changed)]
                self._scope.upsert(connection, done_slots, rows)
        return len(gone) + len(changed)

    def window(self, first: int, last: int) -> tuple[Done, ...]:
        """Those of the slots ``first`` to ``last``, both included, by slot."""
        with self._scope.read() as connection:
            return tuple(row.done for row in self._numbered(connection, first, last))

    def _numbered(self, connection: sa.Connection, first: int, last: int) -> "tuple[_DoneRow, ...]":
        query = fields_of(_DoneRow, done_slots).where(
            self._scope.mine(done_slots), done_slots.c.slot.between(first, last)
        )
        return self._scope.rows(connection, query.order_by(done_slots.c.slot), _DoneRow)


class _DoneRow(msgspec.Struct, frozen=True):
    slot: int
    action: Any
    source: str
    number: int

    @property
    def done(self) -> Done:
        return Done(self.slot, self.action, self.source)


def _same(a: MeterValue, b: MeterValue) -> bool:
    return (a.value, a.sd, a.source, _plain(a.detail)) == (b.value, b.sd, b.source, _plain(b.detail))


def _plain(detail: Mapping[str, Any]) -> Any:
    """The detail as it comes back from the database."""
    return msgspec.json.decode(msgspec.json.encode(detail))
