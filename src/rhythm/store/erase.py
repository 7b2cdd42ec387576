"""Erase: rows gone, their bytes gone from the file, and the copies that were made of it.

Deleting a row leaves its bytes in the file until they are written over. So the rows are
deleted with ``secure_delete``, the file is written anew without its free pages (VACUUM),
the write-ahead log is folded in and cut to nothing, and the copies in ``backups/`` are
removed: they hold the person too. On PostgreSQL the tables are written anew (VACUUM FULL) where
nobody else is in them; others would wait meanwhile, so with them the space is given free (VACUUM)
and written over as it is used again. The server's own log and its administrator's backups are
theirs to clear.
"""

import time
from collections.abc import Collection

import msgspec
import sqlalchemy as sa

from rhythm.store.engine import BUSY_WAIT_S
from rhythm.store.errors import EraseIncompleteError, UnknownPersonError
from rhythm.store.migrate import drop_backups
from rhythm.store.scope import PersonScope
from rhythm.store.settings import PersonSettings
from rhythm.store.store import Store
from rhythm.store.tables import OWNED, jobs, metadata, people, secrets


class Erased(msgspec.Struct, frozen=True):
    """What was erased.

    Attributes:
        rows: rows deleted.
        backups: copies of the file removed.
    """

    rows: int
    backups: int


def erase_person(
    store: Store, person_id: str, *, anew: PersonSettings | None = None, keep_secrets: Collection[str] = ()
) -> Erased:
    """Erases a person for good. The copies of the file go too: they hold everyone.

    Args:
        store: where they are.
        person_id: who.
        anew: leaves an empty record with these settings, so that they are never gone; None for no record.
        keep_secrets: names of secrets that stay with it.

    Raises:
        UnknownPersonError: there is no such person.
        EraseIncompleteError: the rows are gone, but another process holds old pages; `scrub`
            again when it is closed.
    """
    return _erase(store, person_id, anew, keep_secrets)


def is_empty(store: Store, person_id: str) -> bool:
    """Whether nothing of a person is there but settings, secrets and work on a schedule."""
    kept = [table for table in OWNED if table not in (secrets, jobs)]
    scope = PersonScope(store.database, person_id)
    with scope.read() as connection:
        return not any(
            connection.execute(sa.select(sa.literal(1)).select_from(table).where(scope.mine(table)).limit(1)).first()
            for table in kept
        )


def erase_everything(store: Store) -> Erased:
    """Erases everyone for good; the database stays, empty.

    Raises:
        EraseIncompleteError: the rows are gone, but another process holds old pages; `scrub`
            again when it is closed.
    """
    return _erase(store, None)


def scrub(store: Store) -> int:
    """Clears the bytes of deleted rows from the file, its log and its copies; how many copies went.

    Raises:
        EraseIncompleteError: another process holds old pages.
    """
    database = store.database
    if database.path is None:
        how = "VACUUM" if store.people() else "VACUUM FULL"
        with database.bare() as connection:
            for table in metadata.sorted_tables:
                connection.execute(sa.text(f"{how} {table.name}"))
        return 0
    removed = drop_backups(database.path)
    with database.bare() as connection:
        connection.exec_driver_sql("VACUUM")
        if not _fold_log(connection):
            raise EraseIncompleteError(
                "the rows are gone, but another process still reads the old file; close it and erase again"
            )
    return removed


def _fold_log(connection: sa.Connection) -> bool:
    """Writes the log into the file and cuts it to nothing; False where a reader prevents it for too long."""
    deadline = time.monotonic() + BUSY_WAIT_S
    while True:
        busy, _, _ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
        if not busy:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.1)


def _erase(
    store: Store, person_id: str | None, anew: PersonSettings | None = None, keep_secrets: Collection[str] = ()
) -> Erased:
    rows = 0
    with store.database.write() as connection:
        if store.database.is_sqlite:
            connection.exec_driver_sql("PRAGMA secure_delete=ON")
        scope = None if person_id is None else PersonScope(store.database, person_id)
        whose = sa.select(people.c.id) if scope is None else sa.select(people.c.id).where(scope.mine(people))
        found = connection.execute(whose.order_by(people.c.id).with_for_update()).all()  # as whoever writes begins, too
        if scope is not None and not found:
            raise UnknownPersonError(f"there is no person {person_id!r} in this store")
        for table in (*reversed(OWNED), *(() if anew else (people,))):
            query = sa.delete(table) if scope is None else sa.delete(table).where(scope.mine(table))
            if table is secrets:
                query = query.where(secrets.c.name.not_in(keep_secrets))
            rows += connection.execute(query).rowcount
        if anew is not None and scope is not None:
            # Numbers go on: what was begun before with one of the old ones meets nothing of the new.
            begin = scope.next_number(connection)
            empty = {"settings": anew, "created_at": scope.now(), "last_retraction": begin}
            connection.execute(sa.update(people).where(scope.mine(people)).values(**empty))
    return Erased(rows, scrub(store))
