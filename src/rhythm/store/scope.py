"""One person's view of the database: every statement goes through it and names the person.

A person's entries are numbered by one counter of theirs: the number says in which order
things came, and never comes again. Their writers wait for each other, so what is checked
in a write still holds when it is written.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa

from rhythm.store.engine import Database
from rhythm.store.errors import UnknownPersonError
from rhythm.store.tables import people, posteriors, secrets
from rhythm.vocab.errors import InvalidValueError

R = TypeVar("R", bound=msgspec.Struct)

_PERSON_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.ASCII)


def check_person_id(person_id: str) -> str:
    """The id, if it may be one: 1 to 64 of a-z, 0-9, ``_`` and ``-``, not led by a sign.

    Raises:
        InvalidValueError: it may not.
    """
    if not _PERSON_ID.fullmatch(person_id):
        raise InvalidValueError(
            f"person id {person_id[:70]!r}: use 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit"
        )
    return person_id


class PersonScope:
    """Transactions of one person.

    Attributes:
        person_id: whose.
    """

    def __init__(self, database: Database, person_id: str) -> None:
        self.database = database
        self.person_id = person_id
        self.pin: tuple[str, bytes] | None = None
        """A secret by its name and what it must be for anything to be written: a namesake has another."""

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A transaction that only reads."""
        with self.database.read() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction that writes; this person's other writers wait for its end.

        Raises:
            UnknownPersonError: the person is not there (any more).
        """
        with self.database.write() as connection:
            found = connection.execute(sa.select(people.c.id).where(people.c.id == self.person_id).with_for_update())
            if found.first() is None:
                raise UnknownPersonError(f"there is no person {self.person_id!r} in this store")
            self._check_pin(connection)
            yield connection

    def _check_pin(self, connection: sa.Connection) -> None:
        if self.pin is None:
            return
        name, payload = self.pin
        here = sa.and_(self.mine(secrets), secrets.c.name == name)
        if connection.execute(sa.select(secrets.c.payload).where(here)).scalar() != payload:
            raise UnknownPersonError(f"this {self.person_id!r} was erased; whoever has the name now is somebody else")

    def mine(self, table: sa.Table) -> sa.ColumnElement[bool]:
        """The condition that a row of the table is this person's."""
        column = table.c["id"] if table is people else table.c["person_id"]
        return column == self.person_id

    def next_number(self, connection: sa.Connection, count: int = 1) -> int:
        """The first of ``count`` fresh numbers."""
        fresh = (
            sa.update(people)
            .where(people.c.id == self.person_id)
            .values(last_number=people.c.last_number + count)
            .returning(people.c.last_number)
        )
        return int(connection.execute(fresh).scalar_one()) - count + 1

    def retract(self, connection: sa.Connection, number: int) -> None:
        """Notes that the entry of that number no longer counts, and drops every posterior that has learned from it.

        Of number 0, that other evidence counts than did, and drops them all.
        """
        now = self.next_number(connection)
        connection.execute(sa.update(people).where(self.mine(people)).values(last_retraction=now))
        connection.execute(sa.delete(posteriors).where(self.mine(posteriors), posteriors.c.last_number >= number))

    def now(self) -> datetime:
        """The store's clock."""
        return self.database.clock()

    def insert(self, connection: sa.Connection, table: sa.Table, record: msgspec.Struct) -> None:
        """Inserts a record whose fields are the table's columns."""
        connection.execute(sa.insert(table), {"person_id": self.person_id, **values_of(record)})

    def rows(self, connection: sa.Connection, query: sa.Select[Any], kind: type[R]) -> tuple[R, ...]:
        """The records that a query of `fields_of` that kind gives."""
        names = kind.__struct_fields__
        return tuple(kind(**dict(zip(names, row, strict=True))) for row in connection.execute(query))

    def upsert(self, connection: sa.Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> None:
        """Inserts rows of this person; one whose key is taken replaces what was there."""
        if not rows:
            return
        statement = self.database.insert(table)
        key = [column.name for column in table.primary_key]
        new = {name: statement.excluded[name] for name in rows[0] if name not in key}
        statement = statement.on_conflict_do_update(index_elements=key, set_=new)
        connection.execute(statement, [{"person_id": self.person_id, **row} for row in rows])


def values_of(record: msgspec.Struct) -> dict[str, Any]:
    """The record's fields by name, as they are."""
    return {name: getattr(record, name) for name in record.__struct_fields__}


def fields_of(kind: type[msgspec.Struct], *tables: sa.FromClause) -> sa.Select[Any]:
    """A select of the columns that a record's fields name, in their order."""
    return sa.select(*(next(t.c[name] for t in tables if name in t.c) for name in kind.__struct_fields__))
