"""Calendars: the sources, their events at their times, and what the person corrected."""

from collections.abc import Iterable
from datetime import datetime

import msgspec
import sqlalchemy as sa

from rhythm.store.calendar_records import (
    CalendarSource,
    EventOverride,
    Occurrence,
    OverrideScope,
    occurrence_key,
    title_key,
)
from rhythm.store.errors import UnknownEntryError
from rhythm.store.scope import PersonScope, fields_of, values_of
from rhythm.store.tables import calendar_sources, event_overrides, occurrences
from rhythm.vocab.errors import InvalidValueError


class CalendarSources:
    """A person's calendars."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope
        self._all = fields_of(CalendarSource, calendar_sources).where(scope.mine(calendar_sources))

    def add(self, source: CalendarSource) -> CalendarSource:
        """Adds a calendar and gives it its number."""
        with self._scope.write() as connection:
            made = msgspec.structs.replace(source, number=self._scope.next_number(connection))
            self._scope.insert(connection, calendar_sources, made)
        return made

    def update(self, source: CalendarSource) -> None:
        """Replaces what is kept of the calendar of that number.

        Raises:
            UnknownEntryError: this person has none of it.
        """
        here = sa.and_(self._scope.mine(calendar_sources), calendar_sources.c.number == source.number)
        with self._scope.write() as connection:
            done = connection.execute(sa.update(calendar_sources).where(here).values(**values_of(source)))
            if done.rowcount == 0:
                raise UnknownEntryError("calendar", source.number)

    def all(self) -> tuple[CalendarSource, ...]:
        """Every one, in the order they were added."""
        with self._scope.read() as connection:
            return self._scope.rows(connection, self._all.order_by(calendar_sources.c.number), CalendarSource)

    def delete(self, number: int) -> None:
        """Takes a calendar out, with everything that it held.

        Raises:
            UnknownEntryError: this person has none of that number.
        """
        here = sa.and_(self._scope.mine(calendar_sources), calendar_sources.c.number == number)
        with self._scope.write() as connection:
            if connection.execute(sa.delete(calendar_sources).where(here)).rowcount == 0:
                raise UnknownEntryError("calendar", number)


class Occurrences:
    """What a person's calendars hold, with recurrence worked out and their corrections applied."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope

    def replace(self, source: int, from_at: datetime, until_at: datetime, found: Iterable[Occurrence]) -> int:
        """Makes these the only occurrences of one calendar that touch [from_at, until_at).

        What lies before or after the stretch stays as it was, unless it is among ``found``.

        Returns:
            How many the calendar now has there.

        Raises:
            UnknownEntryError: this person has no such calendar.
            InvalidValueError: one that does not touch the stretch.
        """
        rows = {}
        for one in found:
            if not (one.start_at < until_at and (one.end_at > from_at or one.start_at >= from_at)):
                raise InvalidValueError("an occurrence lies outside the stretch that is replaced")
            rows[one.uid, one.recurrence] = {**values_of(one), "source": source}
        known = sa.select(calendar_sources.c.number).where(
            self._scope.mine(calendar_sources), calendar_sources.c.number == source
        )
        with self._scope.write() as connection:
            if connection.execute(known).first() is None:
                raise UnknownEntryError("calendar", source)
            there = sa.and_(self._scope.mine(occurrences), occurrences.c.source == source)
            connection.execute(sa.delete(occurrences).where(there, _touches(from_at, until_at)))
            self._scope.upsert(connection, occurrences, list(rows.values()))
        return len(rows)

    def window(self, from_at: datetime, until_at: datetime, *, as_read: bool = False) -> tuple[Occurrence, ...]:
        """The occurrences of enabled calendars that touch [from_at, until_at), by start.

        Args:
            from_at: start of the stretch.
            until_at: its end, not included.
            as_read: leave the person's corrections aside.
        """
        together = sa.and_(
            calendar_sources.c.person_id == occurrences.c.person_id,
            calendar_sources.c.number == occurrences.c.source,
        )
        query = (
            fields_of(Occurrence, occurrences)
            .select_from(occurrences.join(calendar_sources, together))
            .where(self._scope.mine(occurrences), calendar_sources.c.enabled, _touches(from_at, until_at))
            .order_by(occurrences.c.start_at, occurrences.c.end_at, occurrences.c.source, occurrences.c.uid)
        )
        with self._scope.read() as connection:
            found = self._scope.rows(connection, query, Occurrence)
            if as_read:
                return found
            said = {(one.scope, one.key): one for one in self._overrides(connection)}
        corrected = (_corrected(one, said) for one in found)
        return tuple(one for one in corrected if one is not None)

    def correct(self, override: EventOverride) -> EventOverride:
        """Keeps what the person says of an event; it replaces what they said of the same before."""
        with self._scope.write() as connection:
            made = msgspec.structs.replace(override, number=self._scope.next_number(connection))
            self._scope.upsert(connection, event_overrides, [values_of(made)])
        return made

    def uncorrect(self, scope: OverrideScope, key: str) -> None:
        """Takes a correction back.

        Raises:
            UnknownEntryError: this person has made none for that.
        """
        here = sa.and_(
            self._scope.mine(event_overrides), event_overrides.c.scope == scope, event_overrides.c.key == key
        )
        with self._scope.write() as connection:
            if connection.execute(sa.delete(event_overrides).where(here)).rowcount == 0:
                raise UnknownEntryError("correction of an event", scope.value)

    def overrides(self) -> tuple[EventOverride, ...]:
        """Every correction, in the order in which they were made."""
        with self._scope.read() as connection:
            return self._overrides(connection)

    def _overrides(self, connection: sa.Connection) -> tuple[EventOverride, ...]:
        query = fields_of(EventOverride, event_overrides).where(self._scope.mine(event_overrides))
        return self._scope.rows(connection, query.order_by(event_overrides.c.number), EventOverride)


def _touches(from_at: datetime, until_at: datetime) -> sa.ColumnElement[bool]:
    """That an occurrence overlaps the stretch, or is a moment within it."""
    c = occurrences.c
    # The first condition follows from the others; it is what the index is searched by.
    return sa.and_(c.end_at >= from_at, c.start_at < until_at, sa.or_(c.end_at > from_at, c.start_at >= from_at))


def _corrected(one: Occurrence, said: dict[tuple[OverrideScope, str], EventOverride]) -> Occurrence | None:
    """The occurrence as the person says it is; None where they hid it. The narrower word wins, point by point."""
    if not said:
        return one
    keys = (
        (OverrideScope.TITLE, title_key(one.title)),
        (OverrideScope.SERIES, one.uid),
        (OverrideScope.OCCURRENCE, occurrence_key(one.uid, one.recurrence)),
    )
    hidden = False
    for key in keys:
        override = said.get(key)
        if override is None:
            continue
        hidden = override.hidden
        if override.is_activity is not None:
            one = msgspec.structs.replace(
                one,
                is_activity=override.is_activity,
                action=override.action,
                confidence=1.0,
                classifier="person",
            )
        if override.busy is not None:
            one = msgspec.structs.replace(one, busy=override.busy)
    return None if hidden else one
