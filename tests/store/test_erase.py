"""Erase: the rows are gone, and so are their bytes, from the file, its log and its copies."""

import stat
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from rhythm.store import PersonStore, Store
from rhythm.store.erase import erase_everything, erase_person, scrub
from rhythm.store.errors import EraseIncompleteError, StoreError, UnknownPersonError
from rhythm.store.jobs import Jobs
from rhythm.store.migrate import back_up, backups_folder
from rhythm.store.tables import OWNED, people
from store.conftest import START_AT, Server
from store.samples import fill, reading

MARK = "zebrafinch"


def files_with(folder: Path, mark: str) -> list[str]:
    """Names of the files under a folder whose bytes hold the mark."""
    return sorted(p.name for p in folder.rglob("*") if p.is_file() and mark.encode() in p.read_bytes())


def rows_left(store: Store, person_id: str) -> int:
    with store.database.read() as connection:
        counts = [sa.select(sa.func.count()).select_from(t).where(t.c.person_id == person_id) for t in OWNED]
        counts.append(sa.select(sa.func.count()).where(people.c.id == person_id))
        return sum(connection.execute(query).scalar_one() for query in counts)


def test_the_rows_of_one_are_gone_and_the_others_are_whole(store: Store, ada: PersonStore, ben: PersonStore) -> None:
    fill(ada, MARK)
    fill(ben, "bens")
    before = (rows_left(store, "ben"), ben.evidence.after())
    erased = erase_person(store, "ada")
    assert erased.rows > 40
    assert rows_left(store, "ada") == 0
    assert (rows_left(store, "ben"), ben.evidence.after()) == before
    with pytest.raises(UnknownPersonError):
        erase_person(store, "ada")


@pytest.mark.postgres
def test_on_a_server_one_who_is_erased_keeps_nobody_waiting(server: Server) -> None:
    """Writing the tables anew would wait for whoever reads, and all others for it; the space is given free instead."""
    with server.database() as url, Store.open(url.render_as_string(hide_password=False)) as store:
        sa.event.listen(store.database.engine, "connect", lambda c, _: c.execute("SET lock_timeout = '2s'"))
        store.database.close()  # what is opened from here on waits no longer than that for a table
        fill(store.create_person("ada"), MARK)
        fill(store.create_person("ben"), "bens")
        with store.database.read() as reading_all_along:
            for table in (people, *OWNED):
                reading_all_along.execute(sa.select(sa.func.count()).select_from(table))
            assert erase_person(store, "ada").rows > 40
            assert rows_left(store, "ada") == 0
            assert rows_left(store, "ben") > 40


def test_erasing_and_writing_wait_for_each_other_and_neither_is_refused(store: Store, where: str) -> None:
    """Both begin with the person's own row; in another order a server would end one of them."""
    failed: list[str] = []
    with Store.open(where) as beside:
        for _ in range(4):
            person = store.create_person("ada")
            fill(person, MARK)
            ended, jobs = threading.Event(), beside.person("ada").jobs

            def write(jobs: Jobs = jobs, ended: threading.Event = ended) -> None:
                while not ended.wait(0.001):
                    try:
                        jobs.plan("sync", START_AT)
                    except UnknownPersonError:
                        return
                    except StoreError as error:
                        failed.append(str(error))

            writing = [threading.Thread(target=write) for _ in range(3)]
            for one in writing:
                one.start()
            try:
                erase_person(store, "ada")
            finally:
                ended.set()
                for one in writing:
                    one.join()
    assert failed == []


def test_everyone_can_be_erased_and_the_store_still_works(store: Store, ada: PersonStore, ben: PersonStore) -> None:
    fill(ada, MARK)
    fill(ben, MARK)
    erase_everything(store)
    assert store.people() == ()
    assert rows_left(store, "ada") == rows_left(store, "ben") == 0
    fill(store.create_person("ada"), "again")


def test_a_handle_of_an_erased_person_writes_nothing(store: Store, ada: PersonStore) -> None:
    erase_person(store, "ada")
    with pytest.raises(UnknownPersonError):
        fill(ada)
    assert rows_left(store, "ada") == 0


@pytest.mark.parametrize("everyone", [False, True])
def test_no_byte_is_left_in_the_file_its_log_or_its_copies(tmp_path: Path, everyone: bool) -> None:
    path = tmp_path / "data" / "rhythm.db"
    with Store.open(path) as store:
        with store.database.bare() as connection:
            connection.exec_driver_sql("PRAGMA secure_delete=OFF")  # some builds of SQLite have it on
        ada, ben = store.create_person("ada"), store.create_person("ben")
        fill(ada, MARK)
        fill(ben, "bens")
        ada.readings.add(reading(m, source=f"{MARK} {m % 7}", kind=f"k{m % 5}") for m in range(3000))
        back_up(path, "by-hand")
        ada.occurrences.replace(ada.calendars.all()[0].number, ada.about().created_at, ada.about().created_at, [])
        assert files_with(path.parent, MARK), "the test would prove nothing"
        erased = erase_everything(store) if everyone else erase_person(store, "ada")
        assert erased.backups == 1
        assert files_with(path.parent, MARK) == [], "while the store is open"
        assert (path.parent / "rhythm.db-wal").stat().st_size == 0
        assert list(backups_folder(path).iterdir()) == []
        with store.database.read() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        if not everyone:
            assert files_with(path.parent, "bens") == ["rhythm.db"]
            assert ben.suggestions.count() == 2
    assert files_with(path.parent, MARK) == [], "after it was closed"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_deleting_alone_would_leave_bytes(tmp_path: Path) -> None:
    """Why the file is written anew: this is what is left without it."""
    path = tmp_path / "rhythm.db"
    with Store.open(path) as store:
        fill(store.create_person("ada"), MARK)
        with store.database.write() as connection:
            connection.exec_driver_sql("PRAGMA secure_delete=OFF")  # some builds of SQLite have it on
            connection.execute(sa.delete(people))
    assert files_with(tmp_path, MARK) == ["rhythm.db"]


def test_a_reader_that_holds_old_pages_is_named_and_scrubbing_again_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rhythm.store.erase.BUSY_WAIT_S", 0.2)
    monkeypatch.setattr("rhythm.store.engine.BUSY_WAIT_S", 0.2)
    path = tmp_path / "rhythm.db"
    with Store.open(path) as store, Store.open(path) as other:
        fill(store.create_person("ada"), MARK)
        with other.database.read() as connection:
            connection.execute(sa.select(people)).all()
            with pytest.raises(EraseIncompleteError, match="another process"):
                erase_person(store, "ada")
        scrub(store)
        assert files_with(tmp_path, MARK) == []


def test_copies_of_other_databases_stay(tmp_path: Path) -> None:
    mine, other = tmp_path / "rhythm.db", tmp_path / "rhythm[1].db"
    for path in (mine, other):
        with Store.open(path) as store:
            fill(store.create_person("ada"))
        back_up(path, "by-hand")
    with Store.open(other) as store:
        assert erase_person(store, "ada").backups == 1
    assert [p.name.split(".")[0] for p in backups_folder(mine).iterdir()] == ["rhythm"]
