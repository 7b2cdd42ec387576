"""Brings a database up to date: makes it, upgrades it after a copy was taken, or refuses it.

Only an upgrade loads Alembic; a database that is up to date opens without it.
"""

import glob
import os
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from rhythm.store.engine import BUSY_WAIT_S, Database
from rhythm.store.errors import NotAStoreError, StoreBusyError, StoreTooNewError

REVISIONS = ("v0001", "v0002")
"""Every form that the tables have had, oldest first; the last is the one this release works on."""

BACKUPS_KEPT = 3

_SERVER_LOCK = 0x52687974
"""Key of the advisory lock under which a PostgreSQL database is upgraded."""


def bring_up_to_date(database: Database) -> None:
    """Makes or upgrades the tables where that is needed; a SQLite file is copied to ``backups/`` first.

    Processes that open the same database at once wait for each other.

    Raises:
        StoreTooNewError: a newer release wrote it.
        NotAStoreError: it holds something else.
        StoreError: it cannot be reached.
    """
    if database.is_sqlite:
        _use_write_ahead(database)
    with database.read() as connection:
        revision = revision_of(connection)
    if revision == REVISIONS[-1]:
        return
    if revision is not None and database.path is not None:
        back_up(database.path, f"before-upgrade-from-{revision}")
    upgrade(database)


def revision_of(connection: sa.Connection) -> str | None:
    """The form that the tables have; None for an empty database.

    Raises:
        StoreTooNewError: a newer release wrote it.
        NotAStoreError: it holds something else.
    """
    names = set(sa.inspect(connection).get_table_names())
    if not names:
        return None
    if "alembic_version" not in names:
        raise NotAStoreError("the database holds tables of something else; give Rhythm a file or database of its own")
    revision = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    if revision is None:
        return None
    if revision not in REVISIONS:
        raise StoreTooNewError(
            f"the database has form {revision!r}, this release works on {REVISIONS[-1]!r}; install the newer release"
        )
    return str(revision)


def upgrade(database: Database, to: str = REVISIONS[-1]) -> None:
    """Runs the migrations up to a revision, in one transaction."""
    from alembic import command  # noqa: PLC0415 slow to load, seldom needed
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", "rhythm.store:migrations")
    config.set_main_option("path_separator", "os")
    with database.schema_change() as connection:
        if not database.is_sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SERVER_LOCK)))
        revision = revision_of(connection)  # another process may have been here while we waited
        if revision is not None and REVISIONS.index(revision) >= REVISIONS.index(to):
            return
        config.attributes["connection"] = connection
        command.upgrade(config, to)


def back_up(path: Path, why: str) -> Path:
    """Copies a SQLite file, as it is at one moment, into ``backups/`` beside it; the newest few are kept.

    Returns:
        Where the copy lies.
    """
    folder = backups_folder(path)
    folder.mkdir(mode=0o700, exist_ok=True)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    copy = folder / f"{path.stem}.{stamp}.{os.getpid()}.{why}.db"
    os.close(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
        target.execute("PRAGMA journal_mode=DELETE")
    for old in backups_of(path)[:-BACKUPS_KEPT]:
        old.unlink(missing_ok=True)
    return copy


def backups_folder(path: Path) -> Path:
    """Where the copies of a database file lie."""
    return path.parent / "backups"


def backups_of(path: Path) -> list[Path]:
    """The copies that were made of a database file, oldest first."""
    return sorted(backups_folder(path).glob(f"{glob.escape(path.stem)}.*.db"))


def drop_backups(path: Path) -> int:
    """Removes every copy that was made of a database file, unfinished ones too; how many."""
    gone = list(backups_folder(path).glob(f"{glob.escape(path.stem)}.*.db*"))
    for copy in gone:
        copy.unlink(missing_ok=True)
    return len(gone)


def _use_write_ahead(database: Database) -> None:
    """Sets the journal mode, which the file remembers. SQLite does not wait for others here, so we do."""
    deadline = time.monotonic() + BUSY_WAIT_S
    while True:
        try:
            with database.bare() as connection:
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        except StoreBusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
