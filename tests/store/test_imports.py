"""Runs of import: steps kept as a whole, resumed where they stopped, taken back as a whole."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from rhythm.store import HealthReading, ImportState, PersonStore
from rhythm.store.errors import UnknownEntryError
from rhythm.vocab import InvalidValueError
from store.samples import NOON_AT, reading

DAY = timedelta(days=1)


def test_a_run_keeps_counts_problems_and_checkpoint(ada: PersonStore) -> None:
    run = ada.imports.begin("apple_health", "export.zip", "abc", 5000)
    ada.imports.advance(run.number, [reading(1), reading(2)], checkpoint=b"2", problems={"bad_unit": 1})
    ada.imports.advance(run.number, [reading(2), reading(3)], checkpoint=b"4", counts={"workouts": 7})
    done = ada.imports.finish(run.number)
    assert done.counts == {"added": 3, "known": 1, "workouts": 7}
    assert (done.problems, done.checkpoint, done.state) == ({"bad_unit": 1}, b"4", ImportState.DONE)
    assert done.finished_at is not None
    assert ada.imports.get(run.number) == done


def test_an_unfinished_run_of_the_same_content_goes_on(ada: PersonStore) -> None:
    run = ada.imports.begin("apple_health", "export.zip", "abc", 5000)
    ada.imports.advance(run.number, [reading(1)], checkpoint=b"1")
    again = ada.imports.begin("apple_health", "export (1).zip", "abc", 5000)
    assert (again.number, again.checkpoint) == (run.number, b"1")
    ada.imports.finish(run.number)
    assert ada.imports.begin("apple_health", "export.zip", "abc", 5000).number != run.number
    assert ada.imports.begin("whoop", "export.zip", "abc", 5000).checkpoint is None
    assert [r.state for r in ada.imports.of_content("abc")] == ["done", "running", "running"]


def test_earlier_runs_are_found_by_what_they_added(ada: PersonStore, ben: PersonStore) -> None:
    runs = []
    for i, rows in enumerate((3, 0, 1, 2, 4, 1)):
        for person in (ada, ben):
            run = person.imports.begin("whoop", "WHOOP account", f"day {i}", 0)
            person.imports.advance(run.number, [reading(10 * i + n) for n in range(rows)])
            person.imports.finish(run.number)
        runs.append(ada.imports.latest(1)[0])
    unfinished = ada.imports.begin("whoop", "WHOOP account", "day 9", 0)
    ada.imports.advance(unfinished.number, [reading(90)])
    undone = ada.imports.undo(runs[3].number)
    assert ada.imports.count(ImportState.UNDONE) == 1
    assert undone not in ada.imports.that_added_most(unfinished.number, 9)
    assert ada.imports.that_added_most(runs[4].number, 1) == (runs[0],)
    assert ada.imports.that_added_most(runs[4].number, 9) == (runs[2], runs[0])
    latest = ada.imports.that_added_most(unfinished.number + 1, 9)
    assert [run.number for run in latest] == [unfinished.number, *(runs[i].number for i in (5, 4, 2, 0))]


def test_a_step_that_breaks_leaves_nothing(ada: PersonStore) -> None:
    run = ada.imports.begin("apple_health", "export.zip", "abc", 5000)

    def breaking() -> Iterator[HealthReading]:
        yield reading(1)
        raise OSError("the file is gone")

    with pytest.raises(OSError, match="gone"):
        ada.imports.advance(run.number, breaking(), checkpoint=b"1")
    assert ada.imports.get(run.number) == run
    assert ada.readings.streams() == ()


@pytest.mark.parametrize("end", ["undo", "fail"])
def test_taking_a_run_back_leaves_what_others_brought(ada: PersonStore, end: str) -> None:
    first = ada.imports.begin("apple_health", "a.zip", "a", 1)
    ada.imports.advance(first.number, [reading(m) for m in range(5)])
    ada.imports.finish(first.number)
    second = ada.imports.begin("apple_health", "b.zip", "b", 1)
    ada.imports.advance(second.number, [*(reading(m) for m in range(3, 9)), reading(0, kind="steps")])
    taken = getattr(ada.imports, end)(second.number)
    assert taken.counts == {"added": 5, "known": 2, "removed": 5}
    assert taken.state is (ImportState.UNDONE if end == "undo" else ImportState.FAILED)
    kept = ada.readings.window(["heart_rate", "steps"], NOON_AT, NOON_AT + DAY)
    assert kept == tuple(reading(m) for m in range(5))
    (stream,) = ada.readings.streams()
    assert (stream.reading_count, stream.last_at) == (5, reading(4).start_at)


def test_a_file_can_be_imported_again_after_an_undo(ada: PersonStore) -> None:
    run = ada.imports.begin("apple_health", "a.zip", "a", 1)
    ada.imports.advance(run.number, [reading(1)], checkpoint=b"end")
    ada.imports.finish(run.number)
    ada.imports.undo(run.number)
    again = ada.imports.begin("apple_health", "a.zip", "a", 1)
    assert again.checkpoint is None
    assert ada.imports.advance(again.number, [reading(1)]).added == 1


def test_unfit_readings_count_among_the_problems(ada: PersonStore) -> None:
    run = ada.imports.begin("apple_health", "a.zip", "a", 1)
    ada.imports.advance(run.number, [reading(value=float("nan"))], problems={"not_finite": 1})
    assert ada.imports.get(run.number).problems == {"not_finite": 2}


def test_a_run_that_ended_takes_no_more(ada: PersonStore) -> None:
    run = ada.imports.begin("apple_health", "a.zip", "a", 1)
    ada.imports.finish(run.number)
    with pytest.raises(InvalidValueError, match="done"):
        ada.imports.advance(run.number, [reading()])
    with pytest.raises(UnknownEntryError):
        ada.imports.advance(999)
    assert [r.number for r in ada.imports.latest()] == [run.number]
