"""What runs in a process that is killed: it writes, and says what it was told is on disk."""

import os
import struct
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from rhythm.store import HealthReading, PersonStore, Store
from rhythm.vocab import Outcome, Response
from store.samples import NOON_AT, SLOT, proposal

FILE_ROWS = 6_000
STEP_ROWS = 100

TAP, UNDO, STEP, READY = b"T", b"U", b"S", b"R"


def acknowledge(pipe: int, kind: bytes, number: int) -> None:
    """One short write, which a pipe takes whole or not at all."""
    os.write(pipe, kind + struct.pack("<q", number))


def acknowledged(data: bytes) -> Iterator[tuple[bytes, int]]:
    """What a killed process had said."""
    yield from struct.iter_unpack("<cq", data[: len(data) - len(data) % 9])


def file_rows(first: int) -> list[HealthReading]:
    """The rows of one step of an invented file, of which every fifth comes twice."""
    at = [NOON_AT + timedelta(seconds=i - i % 5 // 4) for i in range(first, first + STEP_ROWS)]
    return [HealthReading("heart_rate", 60.0, "bpm", t, t, "Watch") for t in at]


def write_until_killed(path: Path, pipe: int) -> None:
    """Taps, undoes and imports by turns, without end; says each number once it is on disk."""
    with Store.open(path) as store:
        ada = store.person("ada")
        acknowledge(pipe, READY, 0)
        while True:
            (made,) = ada.suggestions.add(proposal(SLOT))
            answer = ada.answers.give(made.number, Response(Outcome.ACCEPTED), key=f"tap-{made.number}")
            acknowledge(pipe, TAP, answer.number)
            if made.number % 3 == 0:
                acknowledge(pipe, UNDO, ada.answers.undo(made.number).number)
            _import_one_step(ada, pipe)


def _import_one_step(ada: PersonStore, pipe: int) -> None:
    run = ada.imports.begin("invented", "export.zip", "the-file", FILE_ROWS)
    first = int(run.checkpoint or b"0")
    if first < FILE_ROWS:
        after = first + STEP_ROWS
        ada.imports.advance(run.number, file_rows(first), checkpoint=str(after).encode())
        acknowledge(pipe, STEP, after)
    else:
        ada.imports.finish(run.number)
        time.sleep(0)


def write_taps(path: str, person_id: str, count: int) -> list[int]:
    """Suggests and answers a number of times; the numbers of the answers."""
    with Store.open(path) as store:
        person = store.person(person_id)
        numbers = []
        for _ in range(count):
            (made,) = person.suggestions.add(proposal(SLOT))
            numbers.append(person.answers.give(made.number, Response(Outcome.ACCEPTED)).number)
        return numbers


def try_to_answer(path: str, suggestion: int) -> str:
    """Answers one suggestion that others answer too; what came of it."""
    with Store.open(path) as store:
        try:
            store.person("ada").answers.give(suggestion, Response(Outcome.ACCEPTED))
        except ValueError as error:
            return type(error).__name__
        return "answered"


def suggest_beside_others(path: str, newest: int) -> int:
    """Suggests three things where no others came since the newest; how many were recorded."""
    with Store.open(path) as store:
        return len(store.person("ada").suggestions.add(*(proposal(SLOT + i) for i in range(3)), newest=newest))


def open_and_close(path: str) -> int:
    """Opens a database that others open for the first time too; how many people there are."""
    with Store.open(path) as store:
        return len(store.people())


def claim_job(path: str) -> bool:
    """Tries to take a job that others try to take too."""
    with Store.open(path) as store:
        return store.person("ada").jobs.claim("weekly", str(os.getpid()), timedelta(hours=1)) is not None


def import_file(path: str, kind: str) -> int:
    """Imports the whole invented file beside others; how many rows were new."""
    with Store.open(path) as store:
        ada = store.person("ada")
        run = ada.imports.begin(kind, "export.zip", kind, FILE_ROWS)
        added = sum(ada.imports.advance(run.number, file_rows(first)).added for first in range(0, FILE_ROWS, STEP_ROWS))
        ada.imports.finish(run.number)
        return added
