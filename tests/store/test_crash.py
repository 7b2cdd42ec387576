"""A writer is killed at random instants: what it was told is on disk is there, and the import goes on."""

import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from rhythm.store import ImportState, PersonStore, Store
from rhythm.store.tables import answers
from store.crash_writers import (
    FILE_ROWS,
    READY,
    STEP,
    STEP_ROWS,
    TAP,
    UNDO,
    acknowledged,
    file_rows,
    write_until_killed,
)
from store.samples import NOON_AT

pytestmark = pytest.mark.timeout(600)
KILLS = int(os.environ.get("RHYTHM_KILLS", "60"))
"""How often the writer is killed; 200 were once, and can be again."""


def killed_after(path: Path, writes: int, seconds: float) -> list[tuple[bytes, int]]:
    """Runs the writer, kills it (SIGKILL) that long after so many writes, and gives what it had acknowledged."""
    read_end, write_end = os.pipe()
    process = multiprocessing.get_context("fork").Process(target=write_until_killed, args=(path, write_end))
    process.start()
    os.close(write_end)
    data = os.read(read_end, 9)
    assert data[:1] == READY, "the writer could not open the database that was left behind"
    while len(data) < 9 * (1 + writes):
        data += os.read(read_end, 9)
    time.sleep(seconds)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    while block := os.read(read_end, 1 << 16):
        data += block
    os.close(read_end)
    assert process.exitcode == -signal.SIGKILL, "the writer ended by itself"
    return list(acknowledged(data))


def check(path: Path, said: list[tuple[bytes, int]]) -> None:
    """Every acknowledged tap and step is there, and the database is sound."""
    with Store.open(path) as store:
        ada = store.person("ada")
        with store.database.read() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").first() is None
            there = set(connection.execute(sa.select(answers.c.number)).scalars())
        lost = {number for kind, number in said if kind in {TAP, UNDO}} - there
        assert lost == set(), "acknowledged taps were lost"
        check_import(ada, [number for kind, number in said if kind == STEP])


def check_import(ada: PersonStore, steps: list[int]) -> None:
    """The rows are those of exactly the steps that the checkpoint names."""
    runs = ada.imports.of_content("the-file")
    reached = int(runs[0].checkpoint or b"0") if runs else 0
    assert reached >= max(steps, default=0), "an acknowledged step was lost"
    stored = ada.readings.window(["heart_rate"], NOON_AT, NOON_AT.replace(year=2027))
    expected = {row.start_at for first in range(0, reached, STEP_ROWS) for row in file_rows(first)}
    assert [row.start_at for row in stored] == sorted(expected)


def kill_many_times(path: Path, times: int, seed: int) -> None:
    chance = random.Random(seed)
    with Store.open(path) as store:
        store.create_person("ada")
    said: list[tuple[bytes, int]] = []
    for _ in range(times):
        said += killed_after(path, chance.randrange(8), chance.uniform(0.0, 0.03))
        check(path, said)
    assert sum(kind == TAP for kind, _ in said) >= times, "too little was written for the test to mean anything"
    _finish_import(path)


def _finish_import(path: Path) -> None:
    """An import that was interrupted all along ends with the rows of one that never was."""
    with Store.open(path) as store:
        ada = store.person("ada")
        run = ada.imports.begin("invented", "export.zip", "the-file", FILE_ROWS)
        first_run = ada.imports.of_content("the-file")[0]
        for first in range(int(run.checkpoint or b"0"), FILE_ROWS, STEP_ROWS):
            ada.imports.advance(run.number, file_rows(first), checkpoint=str(first + STEP_ROWS).encode())
        ada.imports.finish(run.number)
        expected = {row.start_at for first in range(0, FILE_ROWS, STEP_ROWS) for row in file_rows(first)}
        stored = ada.readings.window(["heart_rate"], NOON_AT, NOON_AT.replace(year=2027))
        assert [row.start_at for row in stored] == sorted(expected)
        counts = ada.imports.get(first_run.number).counts
        assert counts == {"added": len(expected), "known": FILE_ROWS - len(expected)}
        assert ada.imports.get(run.number).state is ImportState.DONE


def test_killed_many_times_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    kill_many_times(tmp_path / "rhythm.db", KILLS, seed=2)
