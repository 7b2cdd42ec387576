"""Weekly adapters of many people: by processes of this machine and by a cluster's workers, each fitted once."""

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapt.test_job import fill
from rhythm.adapt.job import plan_adapters
from rhythm.assist.context import Context
from rhythm.assist.household import Household
from rhythm.assist.weekly import NoDatabaseError, due_for_fitting, fit_due_adapter
from rhythm.cli.due import Count, fitting_round
from rhythm.store import PersonSettings, Store
from rhythm.store.errors import StoreUnreachableError
from spread.conftest import cluster_of_two
from store.conftest import Server, server

__all__ = ["server"]

NAMES = ("kim", "lee", "sam", "ada")


def fill_household(household: Household, store: Store) -> None:
    """Four people of five weeks each, whose adapters are due; and one of another folder."""
    for name in NAMES:
        person = household.add(store, name, PersonSettings(zone="Europe/Berlin")).person(store)
        now_at = datetime.now(UTC)
        fill(person, Context(person, now_at).slot)
        plan_adapters(person, now_at)
    plan_adapters(store.create_person("elsewhere"), datetime.now(UTC))


@pytest.fixture
def household(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Household:
    for name in ("RHYTHM_PERSON", "RHYTHM_DATABASE", "RHYTHM_CLUSTER"):
        monkeypatch.delenv(name, raising=False)
    return Household(tmp_path / "data")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_processes_fit_everyone_once_however_many_ask_at_the_same_time(household: Household) -> None:
    with household.open_store() as store:
        fill_household(household, store)
        done: list[Count] = []
        asking = [
            threading.Thread(target=lambda: done.append(fitting_round(household, store, 1, ""))) for _ in range(2)
        ]
        for one in asking:
            one.start()
        for one in asking:
            one.join()
        assert sum(one["pieces"] for one in done) == len(NAMES)
        assert sum(one["failed"] for one in done) == 0
        for name in NAMES:
            assert len(store.person(name).adapters.all()) == 1
            job = store.person(name).jobs.get("adapter")
            assert job is not None
            assert job.last_error is None
        assert due_for_fitting(store) == ("elsewhere",)
        assert fitting_round(household, store, 2, "") == {"people": 0, "pieces": 0, "failed": 0}


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(600)
def test_workers_of_a_cluster_fit_everyone_from_the_database_that_they_know(
    household: Household, server: Server, tmp_path: Path
) -> None:
    """They are told ids alone; one that knows no database says so, and everything stays due."""
    with server.database() as url:
        where = url.render_as_string(hide_password=False)
        household.database = where
        with household.open_store() as store:
            fill_household(household, store)
            with pytest.raises(NoDatabaseError, match="RHYTHM_DATABASE"):
                fit_due_adapter("kim")
            assert set(due_for_fitting(store)) == {*NAMES, "elsewhere"}
            with cluster_of_two(tmp_path, RHYTHM_DATABASE=where) as address:
                assert fitting_round(household, store, None, address) == {"people": 4, "pieces": 4, "failed": 0}
            for name in NAMES:
                assert len(store.person(name).adapters.all()) == 1
            assert due_for_fitting(store) == ("elsewhere",)


def test_who_was_removed_meanwhile_is_passed_by_and_a_failure_is_no_end(
    household: Household, monkeypatch: pytest.MonkeyPatch
) -> None:
    with household.open_store() as store:
        household.add(store, "kim")
    assert fit_due_adapter("kim", household.database) is False, "nobody asked for one"
    assert fit_due_adapter("gone", household.database) is False

    def fails(*_: object) -> None:
        raise StoreUnreachableError("a value that must not be told")

    monkeypatch.setattr("rhythm.assist.weekly.fit_adapters", fails)
    assert fit_due_adapter("kim", household.database) is None
