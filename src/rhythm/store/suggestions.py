"""The record of what was suggested: written when it is made, never changed."""

from datetime import datetime

import sqlalchemy as sa

from rhythm.store.answer_records import Proposal, Suggestion
from rhythm.store.errors import UnknownEntryError
from rhythm.store.scope import PersonScope, fields_of, values_of
from rhythm.store.tables import suggestions


class Suggestions:
    """A person's suggestions."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope
        self._all = fields_of(Suggestion, suggestions).where(scope.mine(suggestions))

    def newest(self) -> int:
        """Number of the newest; 0 where there is none."""
        with self._scope.read() as connection:
            return self._newest(connection)

    def add(
        self, *proposals: Proposal, at: datetime | None = None, newest: int | None = None
    ) -> tuple[Suggestion, ...]:
        """Records suggestions that are made together, in their order.

        Args:
            proposals: what is suggested.
            at: when; now where it is not given.
            newest: what `newest` was before all that these were made from was read; where others
                have come since, nothing is recorded. None to record them beside whatever there is.

        Returns:
            What was recorded.
        """
        created_at = at or self._scope.now()
        with self._scope.write() as connection:
            if newest is not None and self._newest(connection) != newest:
                return ()
            first = self._scope.next_number(connection, len(proposals))
            made = tuple(
                Suggestion(number=first + i, created_at=created_at, **values_of(proposal))
                for i, proposal in enumerate(proposals)
            )
            for suggestion in made:
                self._scope.insert(connection, suggestions, suggestion)
        return made

    def get(self, number: int) -> Suggestion:
        """The suggestion of that number.

        Raises:
            UnknownEntryError: this person has none of it.
        """
        with self._scope.read() as connection:
            found = self._scope.rows(connection, self._all.where(suggestions.c.number == number), Suggestion)
        if not found:
            raise UnknownEntryError("suggestion", number)
        return found[0]

    def in_slots(self, first: int, last: int) -> tuple[Suggestion, ...]:
        """Those for the slots ``first`` to ``last``, both included, in the order they were made."""
        query = self._all.where(suggestions.c.slot.between(first, last)).order_by(suggestions.c.number)
        with self._scope.read() as connection:
            return self._scope.rows(connection, query, Suggestion)

    def made_between(self, from_at: datetime, until_at: datetime) -> tuple[Suggestion, ...]:
        """Those made in [from_at, until_at), in the order they were made."""
        made = suggestions.c.created_at
        query = self._all.where(made >= from_at, made < until_at).order_by(suggestions.c.number)
        with self._scope.read() as connection:
            return self._scope.rows(connection, query, Suggestion)

    def latest(self, count: int) -> tuple[Suggestion, ...]:
        """The newest ``count``, newest first."""
        query = self._all.order_by(suggestions.c.number.desc()).limit(count)
        with self._scope.read() as connection:
            return self._scope.rows(connection, query, Suggestion)

    def count(self) -> int:
        """How many there are."""
        with self._scope.read() as connection:
            query = sa.select(sa.func.count()).select_from(suggestions).where(self._scope.mine(suggestions))
            return int(connection.execute(query).scalar_one())

    def _newest(self, connection: sa.Connection) -> int:
        query = sa.select(sa.func.max(suggestions.c.number)).where(self._scope.mine(suggestions))
        return int(connection.execute(query).scalar_one() or 0)
