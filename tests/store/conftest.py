"""One store per test, on SQLite and on PostgreSQL: the same suite runs on both."""

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from rhythm.store import PersonStore, Store
from rhythm.store.engine import locate

START_AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Clock:
    """A clock that moves by one second each time it is read, and by hand."""

    def __init__(self) -> None:
        self.at = START_AT

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


def do_not_wait_for_the_disk(store: Store) -> None:
    """Makes tests that ask nothing of a power cut quick; what does, opens its own store."""
    if store.database.is_sqlite:
        sa.event.listen(store.database.engine, "connect", lambda c, _: c.execute("PRAGMA synchronous=OFF"))
        store.database.close()


BOTH = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


class Server:
    """A PostgreSQL server on which each test gets a database of its own."""

    def __init__(self, url: str) -> None:
        self.url = locate(url)
        self.engine = sa.create_engine(self.url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)

    @contextmanager
    def database(self) -> Iterator[sa.URL]:
        name = f"rhythm_{uuid.uuid4().hex}"
        with self.engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        try:
            yield self.url.set(database=name)
        finally:
            with self.engine.connect() as connection:
                connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def server() -> Server:
    url = os.environ.get("RHYTHM_TEST_POSTGRES")
    if not url:
        pytest.skip("RHYTHM_TEST_POSTGRES names no server; .ci/postgres starts one")
    return Server(url)


@pytest.fixture(scope="session")
def server_tables(server: Server) -> Iterator[str]:
    """A database with tables, to be emptied for each test."""
    with server.database() as url:
        address = url.render_as_string(hide_password=False)
        Store.open(address).close()
        yield address


@pytest.fixture(scope="session")
def file_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with empty tables, to be copied."""
    path = tmp_path_factory.mktemp("template") / "rhythm.db"
    Store.open(path).close()
    return path


@pytest.fixture(params=BOTH)
def nowhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database that was never opened."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'data' / 'rhythm.db'}"
        return
    with request.getfixturevalue("server").database() as url:
        yield url.render_as_string(hide_password=False)


@pytest.fixture(params=BOTH)
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database with empty tables."""
    if request.param == "sqlite":
        folder = tmp_path / "data"
        folder.mkdir(mode=0o700)
        shutil.copy(request.getfixturevalue("file_template"), folder / "rhythm.db")
        yield f"sqlite:///{folder / 'rhythm.db'}"
        return
    address: str = request.getfixturevalue("server_tables")
    engine = sa.create_engine(locate(address), poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("TRUNCATE people CASCADE")
    yield address


@pytest.fixture
def store(where: str, clock: Clock) -> Iterator[Store]:
    with Store.open(where, clock=clock) as opened:
        do_not_wait_for_the_disk(opened)
        yield opened


@pytest.fixture
def ada(store: Store) -> PersonStore:
    return store.create_person("ada")


@pytest.fixture
def ben(store: Store) -> PersonStore:
    return store.create_person("ben")


@pytest.fixture(scope="module")
def sqlite_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store on SQLite for a whole file, for tests that put many people in."""
    with Store.open(tmp_path_factory.mktemp("shared") / "rhythm.db") as opened:
        do_not_wait_for_the_disk(opened)
        yield opened
