"""Opening: made where it is missing, upgraded after a copy, refused where it is not ours; kept private."""

import sqlite3
import stat
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from rhythm.store import HealthReading, PersonSettings, Store
from rhythm.store.columns import EPOCH_AT
from rhythm.store.engine import Database, locate
from rhythm.store.errors import (
    NotAStoreError,
    StoreDamagedError,
    StoreError,
    StoreTooNewError,
    StoreUnreachableError,
)
from rhythm.store.migrate import BACKUPS_KEPT, REVISIONS, back_up, backups_of, bring_up_to_date, upgrade
from rhythm.store.tables import metadata
from rhythm.vocab import InvalidValueError
from store.samples import fill, proposal


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_migrations_make_the_tables_that_the_code_works_on(nowhere: str) -> None:
    with Store.open(nowhere) as store, store.database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_the_revisions_are_those_of_the_migrations() -> None:
    scripts = ScriptDirectory(str(Path(__import__("rhythm.store.migrations").store.migrations.__file__).parent))
    assert [s.revision for s in reversed(list(scripts.walk_revisions()))] == list(REVISIONS)


def test_opening_twice_changes_nothing(nowhere: str) -> None:
    with Store.open(nowhere) as store:
        fill(store.create_person("ada"))
    with Store.open(nowhere) as store:
        assert [person.id for person in store.people()] == ["ada"]
        assert store.person("ada").suggestions.count() == 2


def test_the_folder_and_the_file_are_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "data" / "rhythm.db"
    with Store.open(path) as store:
        store.create_person("ada")
        assert mode_of(path.parent) == 0o700
        made = sorted(path.parent.iterdir())
        assert [p.name for p in made] == ["rhythm.db", "rhythm.db-shm", "rhythm.db-wal"]
        assert {mode_of(p) for p in made} == {0o600}


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "rhythm.db"
    Store.open(path).close()
    path.chmod(0o644)
    Store.open(path).close()
    assert mode_of(path) == 0o600


def test_sqlite_writes_ahead_and_to_the_disk(tmp_path: Path) -> None:
    with Store.open(tmp_path / "rhythm.db") as store, store.database.read() as connection:
        asked = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")
        }
    assert asked == {"journal_mode": "wal", "synchronous": 2}


def old_database(path: Path) -> None:
    """A database as the first release made it, with a person and a suggestion in it."""
    database = Database(path)
    upgrade(database, REVISIONS[0])
    with database.write() as connection:
        connection.exec_driver_sql("INSERT INTO people VALUES ('ada', 1, '{\"zone\": \"Europe/Berlin\"}', 4, 0)")
        connection.exec_driver_sql(
            "INSERT INTO calendar_sources VALUES ('ada', 1, 'file', 'Home', 'home.ics', 1, NULL, NULL, 1, NULL, NULL,"
            " NULL, NULL, '{}')"
        )
        connection.exec_driver_sql(
            "INSERT INTO occurrences VALUES ('ada', 1, 'e1', '', 0, 1, 'Lunch', 0, 1, 0, 0, NULL, NULL, NULL, NULL, '')"
        )
        connection.exec_driver_sql("INSERT INTO reading_streams VALUES ('ada', 3, 'steps', 'Phone', 'count', 1, 0, 0)")
        connection.exec_driver_sql("INSERT INTO readings VALUES ('ada', 3, 0, 0, '', 7.0, NULL, NULL)")
        connection.exec_driver_sql(
            "INSERT INTO suggestions VALUES ('ada', 2, 1, 5, 3, 'why', 0.5, 'planner', '1', '[]', NULL, NULL)"
        )
    database.close()


def test_an_older_database_is_upgraded_after_a_copy_was_taken(tmp_path: Path) -> None:
    path = tmp_path / "rhythm.db"
    old_database(path)
    with Store.open(path) as store:
        ada = store.person("ada")
        assert ada.about().settings == PersonSettings(zone="Europe/Berlin")
        assert ada.calendars.all()[0].failure is None
        assert ada.suggestions.get(2).reason == "why"
        assert ada.occurrences.window(EPOCH_AT, EPOCH_AT + timedelta(days=1))[0].detail == {}
        assert ada.readings.latest() == {"steps": HealthReading("steps", 7.0, "count", EPOCH_AT, EPOCH_AT, "Phone")}
        assert ada.suggestions.add(proposal())[0].number == 5
        with store.database.read() as connection:
            assert compare_metadata(MigrationContext.configure(connection), metadata) == []
            assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    (copy,) = backups_of(path)
    assert (mode_of(copy.parent), mode_of(copy)) == (0o700, 0o600)
    with closing(sqlite3.connect(copy)) as old:
        assert old.execute("SELECT version_num FROM alembic_version").fetchone() == (REVISIONS[0],)
        assert old.execute("SELECT reason FROM suggestions").fetchone() == ("why",)


def test_the_record_is_still_only_added_to_after_an_upgrade(tmp_path: Path) -> None:
    old_database(tmp_path / "rhythm.db")
    store = Store.open(tmp_path / "rhythm.db")
    with store, pytest.raises(StoreError), store.database.write() as connection:
        connection.exec_driver_sql("UPDATE suggestions SET reason = 'other'")


def test_an_upgrade_that_fails_leaves_the_database_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rhythm.db"
    old_database(path)
    monkeypatch.setattr("alembic.op.create_index", _break)
    with pytest.raises(ZeroDivisionError):
        Store.open(path)
    with closing(sqlite3.connect(path)) as old:
        assert old.execute("SELECT version_num FROM alembic_version").fetchone() == (REVISIONS[0],)
        assert old.execute("SELECT count(*) FROM sqlite_master WHERE name = 'notices'").fetchone() == (0,)
    monkeypatch.undo()
    Store.open(path).close()


def _break(*_: object) -> None:
    raise ZeroDivisionError


def test_only_the_newest_copies_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "rhythm.db"
    Store.open(path).close()
    made = [back_up(path, f"n{i}") for i in range(BACKUPS_KEPT + 2)]
    assert backups_of(path) == made[2:]


def test_a_newer_database_is_refused_and_left_alone(nowhere: str) -> None:
    with Store.open(nowhere) as store, store.database.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'v9999'")
    with pytest.raises(StoreTooNewError, match="newer release"):
        Store.open(nowhere)
    database = Database(nowhere)
    with database.read() as connection:
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == "v9999"
    database.close()


def test_a_database_of_something_else_is_refused_and_left_alone(nowhere: str) -> None:
    database = Database(nowhere)
    with database.write() as connection:
        connection.exec_driver_sql("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(NotAStoreError):
        bring_up_to_date(database)
    with database.read() as connection:
        assert sa.inspect(connection).get_table_names() == ["recipes"]
    database.close()


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "rhythm.db"
    path.write_bytes(b"BEGIN:VCALENDAR\r\n" * 500)
    with pytest.raises(StoreDamagedError):
        Store.open(path)
    assert path.read_bytes() == b"BEGIN:VCALENDAR\r\n" * 500


def test_a_place_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("x")
    with pytest.raises(StoreUnreachableError, match="cannot be opened"):
        Store.open(tmp_path / "a file" / "rhythm.db")
    with pytest.raises(StoreUnreachableError):
        Store.open("postgresql://nobody@127.0.0.1:1/none?connect_timeout=2")


@pytest.mark.parametrize(
    "wrong", ["mysql://x/y", "sqlite://", "sqlite:///:memory:", "sqlite:///file:x?mode=memory", "://"]
)
def test_other_databases_are_refused(wrong: str) -> None:
    with pytest.raises(InvalidValueError):
        locate(wrong)


def test_an_error_never_quotes_what_was_stored(store: Store) -> None:
    title = "Dinner with nobody"
    with pytest.raises(StoreError) as caught, store.database.write() as connection:
        connection.execute(sa.text("INSERT INTO done_slots VALUES (:a, 1, 1, :b, 1)"), {"a": "ghost", "b": title})
    shown = [str(caught.value), repr(caught.value), str(caught.value.__cause__)]
    assert not any(title in text or "ghost" in text for text in shown)
    assert caught.value.__suppress_context__
