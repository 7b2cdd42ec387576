"""Several processes at once, on either database."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from rhythm.store import Store
from rhythm.vocab import Outcome, Response
from store.conftest import START_AT
from store.crash_writers import (
    FILE_ROWS,
    STEP_ROWS,
    claim_job,
    file_rows,
    import_file,
    open_and_close,
    suggest_beside_others,
    try_to_answer,
    write_taps,
)
from store.samples import SLOT, proposal

PROCESSES = 4


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["rhythm.store"])
    with ProcessPoolExecutor(PROCESSES, mp_context=context) as executor:
        yield executor


def test_a_new_database_can_be_opened_by_many_at_once(nowhere: str, pool: ProcessPoolExecutor) -> None:
    assert list(pool.map(open_and_close, [nowhere] * 2 * PROCESSES)) == [0] * 2 * PROCESSES


def test_taps_of_many_processes_are_all_there_each_with_its_number(where: str, pool: ProcessPoolExecutor) -> None:
    with Store.open(where) as store:
        ada = store.create_person("ada")
        store.create_person("ben")
        jobs = [pool.submit(write_taps, where, who, 15) for who in ("ada", "ada", "ada", "ben")]
        numbers = [job.result() for job in jobs]
        mine = [number for some in numbers[:3] for number in some]
        assert len(set(mine)) == 45
        assert {event.number for event in ada.answers.events()} == set(mine)
        assert len(store.person("ben").answers.events()) == 15


def test_one_of_many_answers_to_a_suggestion_holds(where: str, pool: ProcessPoolExecutor) -> None:
    with Store.open(where) as store:
        ada = store.create_person("ada")
        for _ in range(5):
            (made,) = ada.suggestions.add(proposal())
            results = list(pool.map(try_to_answer, [where] * PROCESSES, [made.number] * PROCESSES))
            assert sorted(results) == ["AlreadyAnsweredError"] * (PROCESSES - 1) + ["answered"]
            assert len(ada.answers.events(made.number)) == 1


def test_one_of_many_makes_the_days_suggestions(where: str, pool: ProcessPoolExecutor) -> None:
    with Store.open(where) as store:
        ada = store.create_person("ada")
        for day in range(3):
            newest = ada.suggestions.newest()
            added = list(pool.map(suggest_beside_others, [where] * PROCESSES, [newest] * PROCESSES))
            assert sorted(added) == [0] * (PROCESSES - 1) + [3]
            assert ada.suggestions.count() == 3 * (day + 1)


def test_one_of_many_gets_the_lease(where: str, pool: ProcessPoolExecutor) -> None:
    with Store.open(where) as store:
        store.create_person("ada").jobs.plan("weekly", START_AT.replace(year=2020))
    assert sum(pool.map(claim_job, [where] * PROCESSES)) == 1


def test_the_same_rows_from_many_processes_are_there_once(where: str, pool: ProcessPoolExecutor) -> None:
    with Store.open(where) as store:
        ada = store.create_person("ada")
        added = list(pool.map(import_file, [where] * 3, ["a", "b", "c"]))
        expected = {row.start_at for first in range(0, FILE_ROWS, STEP_ROWS) for row in file_rows(first)}
        assert sum(added) == len(expected)
        assert ada.readings.streams()[0].reading_count == len(expected)


def test_threads_of_one_process_share_a_store(where: str) -> None:
    with Store.open(where) as store, ThreadPoolExecutor(8) as threads:
        ada = store.create_person("ada")
        made = list(threads.map(lambda i: ada.suggestions.add(proposal(SLOT + i))[0], range(40)))
        given = list(threads.map(lambda one: ada.answers.give(one.number, Response(Outcome.ACCEPTED)), made))
        assert len({answer.number for answer in given} | {one.number for one in made}) == 80
        assert len(ada.answers.holding(one.number for one in made)) == 40
