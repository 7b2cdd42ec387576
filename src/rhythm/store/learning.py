"""What was learned of a person: posteriors, their corrections of it, their personal adapters."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from rhythm.store.errors import UnknownEntryError, UnknownPersonError
from rhythm.store.learning_records import Adapter, AdapterState, Correction, Posterior
from rhythm.store.scope import PersonScope, fields_of
from rhythm.store.tables import adapters, corrections, people, posteriors
from rhythm.vocab.errors import InvalidValueError

Retraction = tuple[datetime, int]
"""When the person came (again, where they were erased), and the number at which evidence was last taken back, 0 for
never: what is learned is kept only where neither has changed meanwhile."""


class Posteriors:
    """Snapshots of what is believed.

    One that has learned from something which was taken back (an undone answer, a changed
    meter) is dropped by the store, or refused where it was still being made, as is one of a
    person who was erased meanwhile; the latest that is left is fit to be carried on from.
    """

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope
        self._all = fields_of(Posterior, posteriors).where(scope.mine(posteriors))
        self._retraction = sa.select(people.c.created_at, people.c.last_retraction).where(scope.mine(people))

    def retraction(self) -> Retraction | None:
        """Where taking back stands: read it before all else that is learned from; None where nobody is there."""
        with self._scope.read() as connection:
            found = connection.execute(self._retraction).first()
        return None if found is None else (found[0], found[1])

    def save(
        self,
        kind: str,
        payload: bytes,
        *,
        schema: str,
        version: str,
        last_number: int,
        retraction: Retraction | None,
        keep: int = 20,
    ) -> Posterior | None:
        """Keeps a snapshot, and of its kind the newest ``keep``.

        Args:
            kind: which belief.
            payload: opaque.
            schema: form of the payload.
            version: of what made it.
            last_number: where the evidence stood that it has learned from.
            retraction: what `retraction` was before the snapshot it goes on from, or the first evidence, was read.
            keep: how many of the kind are kept.

        Returns:
            The snapshot; None where evidence was taken back or the person erased since that was read,
            so that it must be read again.
        """
        with self._scope.write() as connection:
            if tuple(connection.execute(self._retraction).one()) != retraction:
                return None
            made = Posterior(
                number=self._scope.next_number(connection),
                kind=kind,
                schema=schema,
                version=version,
                last_number=last_number,
                payload=payload,
                created_at=self._scope.now(),
            )
            self._scope.insert(connection, posteriors, made)
            c = posteriors.c
            mine = sa.and_(self._scope.mine(posteriors), c.kind == kind)
            newest = sa.select(c.number).where(mine).order_by(c.number.desc()).limit(keep)
            kept = connection.execute(newest).scalars().all()
            connection.execute(sa.delete(posteriors).where(mine, c.number.not_in(kept)))
        return made

    def latest(self, kind: str, *, schema: str | None = None, version: str | None = None) -> Posterior | None:
        """The snapshot of that kind (and form and version) that has learned from most; None where there is none."""
        c = posteriors.c
        query = self._all.where(c.kind == kind).order_by(c.last_number.desc(), c.number.desc()).limit(1)
        if schema is not None:
            query = query.where(c.schema == schema)
        if version is not None:
            query = query.where(c.version == version)
        with self._scope.read() as connection:
            found = self._scope.rows(connection, query, Posterior)
        return found[0] if found else None

    def clear(self, kind: str | None = None) -> int:
        """Drops the snapshots of one kind, or all; how many."""
        with self._scope.write() as connection:
            query = sa.delete(posteriors).where(self._scope.mine(posteriors))
            if kind is not None:
                query = query.where(posteriors.c.kind == kind)
            return connection.execute(query).rowcount


class Corrections:
    """What the person says of what is believed; one taken back is kept and marked."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope
        self._all = fields_of(Correction, corrections).where(scope.mine(corrections))

    def add(
        self,
        subject: str,
        kind: str,
        value: float | None = None,
        *,
        note: str = "",
        at: datetime | None = None,
        forgets: bool = False,
    ) -> Correction:
        """Records a correction; the newest that holds for a subject is the one that counts.

        Args:
            subject: what it is of.
            kind: what it says of that.
            value: the value that it gives, where it gives one.
            note: the person's own words.
            at: when; now where it is not given.
            forgets: all evidence up to it no longer counts. In the same step every posterior is
                dropped, and one that is still being made is not kept; every adapter that is or was
                in use is rejected.
        """
        with self._scope.write() as connection:
            made = Correction(
                number=self._scope.next_number(connection),
                subject=subject,
                kind=kind,
                value=value,
                note=note,
                at=at or self._scope.now(),
                withdrawn_at=None,
            )
            self._scope.insert(connection, corrections, made)
            if forgets:
                self._scope.retract(connection, 0)
                used = adapters.c.state.in_([AdapterState.DEPLOYED, AdapterState.RETIRED])
                rejected = sa.update(adapters).where(self._scope.mine(adapters), used)
                connection.execute(rejected.values(state=AdapterState.REJECTED, decided_at=self._scope.now()))
        return made

    def withdraw(self, number: int, *, at: datetime | None = None, forgot: bool = False) -> None:
        """Takes a correction back.

        Args:
            number: of the correction.
            at: when; now where it is not given.
            forgot: it was one that forgets, so the evidence up to it counts again; posteriors as in `add`.

        Raises:
            UnknownEntryError: this person has none of that number that holds.
        """
        here = sa.and_(
            self._scope.mine(corrections), corrections.c.number == number, corrections.c.withdrawn_at.is_(None)
        )
        with self._scope.write() as connection:
            done = connection.execute(sa.update(corrections).where(here).values(withdrawn_at=at or self._scope.now()))
            if done.rowcount == 0:
                raise UnknownEntryError("correction", number)
            if forgot:
                self._scope.retract(connection, 0)

    def holding(self) -> dict[str, Correction]:
        """The correction that counts, by subject."""
        query = self._all.where(corrections.c.withdrawn_at.is_(None)).order_by(corrections.c.number)
        with self._scope.read() as connection:
            return {one.subject: one for one in self._scope.rows(connection, query, Correction)}

    def all(self) -> tuple[Correction, ...]:
        """Every one, those taken back too, in order."""
        with self._scope.read() as connection:
            return self._scope.rows(connection, self._all.order_by(corrections.c.number), Correction)


class Adapters:
    """Personal adapters: versions, of which at most one of each schema, that is of each engine, is deployed."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope
        self._all = fields_of(Adapter, adapters).where(scope.mine(adapters))

    def add(
        self, payload: bytes, *, base: str, schema: str, version: str, metrics: Mapping[str, Any], sentence: str = "",
        came_at: datetime | None = None,
    ) -> Adapter:  # fmt: skip
        """Keeps a candidate.

        Args:
            payload: opaque.
            base: what it belongs to.
            schema: form of the payload.
            version: of that form.
            metrics: what its gate measured.
            sentence: what came of it, for the person.
            came_at: when the person came, read before what it was fitted to; None where that is known not to change.

        Raises:
            UnknownPersonError: they were erased since, and nothing is kept of them in their new record.
        """
        with self._scope.write() as connection:
            here = connection.execute(sa.select(people.c.created_at).where(self._scope.mine(people))).scalar_one()
            if came_at is not None and here != came_at:
                raise UnknownPersonError("this person was erased while an adapter was fitted to them; it was not kept")
            now_at = self._scope.now()
            made = Adapter(
                number=self._scope.next_number(connection),
                base=base,
                schema=schema,
                version=version,
                payload=payload,
                metrics=metrics,
                state=AdapterState.CANDIDATE,
                sentence=sentence,
                created_at=now_at,
                decided_at=now_at,
            )
            self._scope.insert(connection, adapters, made)
        return made

    def decide(self, number: int, state: AdapterState) -> None:
        """Moves an adapter to a state; deploying one retires the one of its schema that was deployed.

        Raises:
            UnknownEntryError: this person has none of that number.
            InvalidValueError: nothing goes back to being a candidate.
        """
        if state is AdapterState.CANDIDATE:
            raise InvalidValueError("an adapter is deployed, rejected or retired; it does not become a candidate again")
        c, mine = adapters.c, self._scope.mine(adapters)
        with self._scope.write() as connection:
            now_at = self._scope.now()
            if state is AdapterState.DEPLOYED:
                schema = sa.select(c.schema).where(mine, c.number == number).scalar_subquery()
                connection.execute(
                    sa.update(adapters)
                    .where(mine, c.state == AdapterState.DEPLOYED, c.number != number, c.schema == schema)
                    .values(state=AdapterState.RETIRED, decided_at=now_at)
                )
            done = connection.execute(
                sa.update(adapters).where(mine, c.number == number).values(state=state, decided_at=now_at)
            )
            if done.rowcount == 0:
                raise UnknownEntryError("adapter", number)

    def deployed(self, schema: str) -> Adapter | None:
        """The one of a schema that is deployed; None where none is."""
        with self._scope.read() as connection:
            query = self._all.where(adapters.c.state == AdapterState.DEPLOYED, adapters.c.schema == schema)
            found = self._scope.rows(connection, query, Adapter)
        return found[0] if found else None

    def all(self) -> tuple[Adapter, ...]:
        """Every one, oldest first."""
        with self._scope.read() as connection:
            return self._scope.rows(connection, self._all.order_by(adapters.c.number), Adapter)
