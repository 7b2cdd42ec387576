"""A person's history as the vocabulary has it: everything to learn from, in the order in which it came."""

from typing import Any

import msgspec
import sqlalchemy as sa

from rhythm.store.answer_records import ReportedMeter
from rhythm.store.answers import holds
from rhythm.store.reading_records import MeterValue
from rhythm.store.scope import PersonScope, fields_of
from rhythm.store.tables import answers, done_slots, meter_values, people, self_reports, suggestions
from rhythm.vocab.history import Answered, Done, Evidence, History, Reading, SelfReport
from rhythm.vocab.responses import Response


class Numbered(msgspec.Struct, frozen=True):
    """One piece of evidence with its number."""

    number: int
    evidence: Evidence


class EvidenceSlice(msgspec.Struct, frozen=True):
    """Evidence read at one moment.

    Attributes:
        entries: in the order in which it came.
        last_number: where the person's entries stood at that moment: read on from here,
            and give it to a posterior that has learned from all of it.
    """

    entries: tuple[Numbered, ...]
    last_number: int

    @property
    def history(self) -> History:
        """The evidence as the vocabulary has it."""
        return History(tuple(one.evidence for one in self.entries))


class EvidenceReader:
    """Reads a person's evidence; answers that were undone are not among it."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope

    def after(self, number: int = 0, *, first_slot: int | None = None) -> EvidenceSlice:
        """The evidence numbered beyond ``number``, in order.

        Args:
            number: of the newest entry that is known already; 0 for all.
            first_slot: leave out what belongs to earlier slots.
        """
        standing = sa.select(people.c.last_number).where(self._scope.mine(people))
        with self._scope.read() as connection:
            last_number = connection.execute(standing).scalar() or 0
            found = [
                *self._levels(connection, number, first_slot),
                *self._done(connection, number, first_slot),
                *self._answered(connection, number, first_slot),
                *self._reported(connection, number, first_slot),
            ]
        entries = tuple(sorted((one for one in found if one.number <= last_number), key=lambda one: one.number))
        return EvidenceSlice(entries, last_number)

    def _select(self, query: sa.Select[Any], table: sa.Table, number: int, slot: int | None) -> sa.Select[Any]:
        """Narrows a query to this person, past a number, and from a slot on where the table has slots."""
        query = query.where(self._scope.mine(table), table.c.number > number)
        return query if slot is None else query.where(table.c.slot >= slot)

    def _levels(self, connection: sa.Connection, number: int, slot: int | None) -> list[Numbered]:
        query = self._select(fields_of(MeterValue, meter_values), meter_values, number, slot)
        return [
            Numbered(v.number, Reading(v.slot, v.meter, v.value, v.sd, v.source))
            for v in self._scope.rows(connection, query, MeterValue)
        ]

    def _done(self, connection: sa.Connection, number: int, slot: int | None) -> list[Numbered]:
        c = done_slots.c
        query = self._select(sa.select(c.number, c.slot, c.action, c.source), done_slots, number, slot)
        return [Numbered(n, Done(at, action, source)) for n, at, action, source in connection.execute(query)]

    def _reported(self, connection: sa.Connection, number: int, slot: int | None) -> list[Numbered]:
        query = self._select(fields_of(ReportedMeter, self_reports), self_reports, number, slot)
        return [
            Numbered(r.number, SelfReport(r.slot, r.meter, r.value))
            for r in self._scope.rows(connection, query, ReportedMeter)
        ]

    def _answered(self, connection: sa.Connection, number: int, slot: int | None) -> list[Numbered]:
        a, s = answers.c, suggestions.c
        together = sa.and_(s.person_id == a.person_id, s.number == a.suggestion)
        query = (
            sa.select(a.number, a.outcome, a.moved_to, s.slot, s.action, s.propensity, s.meters, s.usual)
            .select_from(answers.join(suggestions, together))
            .where(self._scope.mine(answers), a.number > number, holds())
        )
        if slot is not None:
            query = query.where(s.slot >= slot)
        return [
            Numbered(n, Answered(at, action, Response(outcome, moved_to), propensity, meters, usual))
            for n, outcome, moved_to, at, action, propensity, meters, usual in connection.execute(query)
        ]
