"""The connection to the database: where it lies, how it waits, how it writes durably.

SQLite runs in write-ahead mode with ``synchronous=FULL``: a commit has reached the disk
before it returns, so an acknowledged tap survives a killed process and a power cut.
Writers take the write lock when they begin (``BEGIN IMMEDIATE``), so a transaction that
has read never fails half-way because another process wrote in between.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError, NoSuchModuleError

from rhythm.store.errors import (
    RefusedRowError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreUnreachableError,
)
from rhythm.vocab.errors import InvalidValueError, RhythmError

BUSY_WAIT_S = 20.0
"""How long a writer waits for another before `StoreBusyError`."""


def locate(where: str | Path) -> sa.URL:
    """The database URL of a path, ``sqlite:///PATH`` or ``postgresql://...``.

    Raises:
        InvalidValueError: another kind of database, or SQLite without a file.
    """
    if isinstance(where, Path) or "://" not in where:
        return sa.URL.create("sqlite", database=str(Path(where).expanduser().absolute()))
    try:
        url = sa.make_url(where)
    except sa.exc.ArgumentError:
        raise InvalidValueError("the database URL cannot be read; give a path or postgresql://HOST/NAME") from None
    backend = url.get_backend_name()
    if backend == "sqlite":
        if not url.database or url.database == ":memory:" or url.database.startswith("file:"):
            raise InvalidValueError("a store on SQLite needs a file; give its path")
        return sa.URL.create("sqlite", database=str(Path(url.database).expanduser().absolute()))
    if backend in {"postgresql", "postgres"}:
        return url.set(drivername="postgresql+psycopg")
    raise InvalidValueError(f"database {backend!r} is not supported; use a file path or postgresql://HOST/NAME")


class Database:
    """One database, with a connection to read and one to write.

    Attributes:
        path: the SQLite file; None on a server.
        clock: what says now.
    """

    def __init__(self, where: str | Path, clock: Callable[[], datetime] | None = None) -> None:
        url = locate(where)
        self.clock = clock or _now_at
        self.path = Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None
        self.engine = _sqlite_engine(self.path) if self.path else _server_engine(url)
        self._writing = self.engine.execution_options(rhythm_write=True)
        self._reading = self.engine
        if not self.is_sqlite:
            self._reading = self.engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file."""
        return self.path is not None

    def insert(self, table: sa.Table) -> Any:
        """The database's own insert statement, which can say what to do where a row's key is taken."""
        if self.is_sqlite:
            return sqlite.insert(table)
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - loading it takes a tenth of a second

        return postgresql.insert(table)

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A transaction that only reads; it sees one moment.

        Raises:
            StoreError: the database fails; the subclass says how.
        """
        with _translated(), self._reading.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction that writes; all of it is on disk when it ends, or none.

        Raises:
            StoreError: the database fails; the subclass says how.
        """
        with _translated(), self._writing.begin() as connection:
            yield connection

    @contextmanager
    def schema_change(self) -> Iterator[sa.Connection]:
        """A transaction that changes tables: rebuilding one must not cascade to what refers to it.

        Raises:
            StoreError: the database fails, or a reference would be left without its target.
        """
        with _translated(), self._writing.connect() as connection:
            if self.is_sqlite:
                connection.connection.execute("PRAGMA foreign_keys=OFF")
            try:
                with connection.begin():
                    yield connection
                    if self.is_sqlite and connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
                        raise StoreError("the upgrade would leave rows that refer to nothing; it was not made")
            finally:
                if self.is_sqlite:
                    connection.connection.execute("PRAGMA foreign_keys=ON")

    @contextmanager
    def bare(self) -> Iterator[sa.Connection]:
        """A connection outside any transaction, for commands that refuse one (VACUUM, PRAGMA).

        Raises:
            StoreError: the database fails; the subclass says how.
        """
        level = "AUTOCOMMIT"
        with _translated(), self.engine.connect().execution_options(isolation_level=level) as connection:
            yield connection

    def check(self) -> None:
        """Looks at every page of the file; a server sees to its own.

        Raises:
            StoreDamagedError: one of them is damaged.
        """
        if self.is_sqlite:
            with self.bare() as connection:
                if connection.exec_driver_sql("PRAGMA quick_check(1)").scalar() != "ok":
                    raise StoreDamagedError(_DAMAGED[1])

    def close(self) -> None:
        """Gives back every connection."""
        self.engine.dispose()


def _now_at() -> datetime:
    return datetime.now(UTC)


def _sqlite_engine(path: Path) -> sa.Engine:
    try:
        _make_private(path)
    except OSError as error:
        raise StoreUnreachableError(f"the database file {path} cannot be opened: {error.strerror}") from None
    url = sa.URL.create("sqlite", database=str(path))
    engine = sa.create_engine(url, hide_parameters=True, connect_args={"timeout": BUSY_WAIT_S}, pool_size=8)
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _server_engine(url: sa.URL) -> sa.Engine:
    try:
        return sa.create_engine(url, hide_parameters=True, pool_pre_ping=True, pool_size=8)
    except (ImportError, NoSuchModuleError):
        raise StoreUnreachableError(
            "PostgreSQL needs the psycopg package; install it with: pip install 'rhythm[postgres]'"
        ) from None


def _make_private(path: Path) -> None:
    """Makes the folder (0700) where it is missing, and the file (0600); SQLite gives its side files the same mode."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.fchmod(handle, 0o600)
    finally:
        os.close(handle)


def _set_up(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say, not where the driver guesses
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute("PRAGMA cache_size=-16000")
    cursor.close()


def _begin(connection: sa.Connection) -> None:
    options = connection.get_execution_options()
    if options.get("isolation_level") == "AUTOCOMMIT":
        return
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("rhythm_write") else "BEGIN")


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise _typed(error) from None
    except sa.exc.StatementError as error:
        if isinstance(error.orig, RhythmError):  # a column's own refusal of a value
            raise error.orig from None
        raise
    except OverflowError:
        raise RefusedRowError("a number is too large for the database") from None


_REFUSED = RefusedRowError, "the database refused a row"
_BUSY = StoreBusyError, f"another process held the database for over {BUSY_WAIT_S:.0f} s; try again"
_COLLIDED = StoreBusyError, "another process wrote at the same moment; try again"
_FULL = StoreFullError, "the disk is full; free some space and try again, nothing was written"
_DAMAGED = StoreDamagedError, "the database file is damaged; restore a copy from backups/ or an export"
_UNREACHABLE = StoreUnreachableError, "the database cannot be opened or written; check that it is there and may be"

_BY_CODE: dict[str, tuple[type[StoreError], str]] = {
    **dict.fromkeys(("SQLITE_BUSY", "SQLITE_LOCKED", "55P03"), _BUSY),
    **dict.fromkeys(("40001", "40P01"), _COLLIDED),
    **dict.fromkeys(("SQLITE_FULL", "53100"), _FULL),
    **dict.fromkeys(("SQLITE_CORRUPT", "SQLITE_NOTADB", "XX001", "XX002"), _DAMAGED),
    **dict.fromkeys(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_PERM"), _UNREACHABLE),
    **dict.fromkeys(("08", "28", "3D", "57P"), _UNREACHABLE),
    **dict.fromkeys(("SQLITE_CONSTRAINT", "SQLITE_MISMATCH", "22", "23"), _REFUSED),
}
"""Beginnings of SQLite's error names and PostgreSQL's error codes, and our error for each."""


def _typed(error: DBAPIError) -> StoreError:
    """Our error for the driver's; the driver's text is left out, for it can quote what was stored."""
    name = str(getattr(error.orig, "sqlite_errorname", None) or getattr(error.orig, "sqlstate", None) or "")
    for beginning, (kind, sentence) in _BY_CODE.items():
        if name.startswith(beginning):
            return kind(f"{sentence} ({name})")
    if not name and isinstance(error, sa.exc.OperationalError):
        return StoreUnreachableError("the database server does not answer; check the URL and that it runs")
    return StoreError(f"the database refused a statement ({name or type(error).__name__})")
