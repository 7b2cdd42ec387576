"""Self-reports: how a person says a meter stands."""

import math
from datetime import datetime

import sqlalchemy as sa

from rhythm.store.answer_records import ReportedMeter
from rhythm.store.errors import KeyReusedError, UnknownEntryError
from rhythm.store.scope import PersonScope, fields_of
from rhythm.store.tables import self_reports
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.meters import Meter


class SelfReports:
    """A person's self-reports."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope
        self._all = fields_of(ReportedMeter, self_reports).where(scope.mine(self_reports))

    def add(
        self, slot: int, meter: Meter, value: float, *, at: datetime | None = None, key: str | None = None
    ) -> ReportedMeter:
        """Records a self-report; the same key again gives what was recorded the first time.

        Raises:
            InvalidValueError: the value is not in [0, 1].
            KeyReusedError: the key was used for another report.
        """
        if not (math.isfinite(value) and 0.0 <= value <= 1.0):
            raise InvalidValueError(f"self-report of {meter.label} is not a number in [0, 1]")
        with self._scope.write() as connection:
            if key is not None:
                known = self._scope.rows(connection, self._all.where(self_reports.c.key == key), ReportedMeter)
                if known:
                    if (known[0].slot, known[0].meter, known[0].value) != (slot, meter, value):
                        raise KeyReusedError("the tap's key was used for another report; give each its own")
                    return known[0]
            number = self._scope.next_number(connection)
            report = ReportedMeter(number, slot, meter, value, at or self._scope.now(), key)
            self._scope.insert(connection, self_reports, report)
        return report

    def in_slots(self, first: int, last: int) -> tuple[ReportedMeter, ...]:
        """Those for the slots ``first`` to ``last``, both included, in the order they came."""
        query = self._all.where(self_reports.c.slot.between(first, last)).order_by(self_reports.c.number)
        with self._scope.read() as connection:
            return self._scope.rows(connection, query, ReportedMeter)

    def delete(self, number: int) -> None:
        """Takes a report out; what was learned from it is dropped.

        Raises:
            UnknownEntryError: this person has none of that number.
        """
        with self._scope.write() as connection:
            gone = connection.execute(
                sa.delete(self_reports).where(self._scope.mine(self_reports), self_reports.c.number == number)
            )
            if gone.rowcount == 0:
                raise UnknownEntryError("self-report", number)
            self._scope.retract(connection, number)
