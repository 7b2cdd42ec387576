"""Runs of import: begun once per file, resumed where they stopped, taken back as a whole.

A step of a run writes its readings, its counts and its checkpoint in one transaction: a
process that is killed leaves either all of a step or nothing of it, and the next one goes
on from there to the same rows.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from heapq import nlargest

import sqlalchemy as sa

from rhythm.store.errors import UnknownEntryError
from rhythm.store.reading_records import Added, ImportRun, ImportState, ReadingLike
from rhythm.store.readings import Readings
from rhythm.store.scope import PersonScope, fields_of
from rhythm.store.tables import import_runs
from rhythm.vocab.errors import InvalidValueError


class Imports:
    """A person's runs of import."""

    def __init__(self, scope: PersonScope, readings: Readings) -> None:
        self._scope = scope
        self._readings = readings
        self._all = fields_of(ImportRun, import_runs).where(scope.mine(import_runs))

    def begin(self, kind: str, file_name: str, file_hash: str, byte_count: int) -> ImportRun:
        """The run that reads this content: an unfinished one goes on, else a new one begins."""
        c = import_runs.c
        unfinished = self._all.where(c.file_hash == file_hash, c.kind == kind, c.state == ImportState.RUNNING).order_by(
            c.number
        )
        with self._scope.write() as connection:
            found = self._scope.rows(connection, unfinished, ImportRun)
            if found:
                return found[0]
            now_at = self._scope.now()
            run = ImportRun(
                number=self._scope.next_number(connection),
                kind=kind,
                file_name=file_name,
                file_hash=file_hash,
                byte_count=byte_count,
                state=ImportState.RUNNING,
                checkpoint=None,
                counts={},
                problems={},
                started_at=now_at,
                updated_at=now_at,
                finished_at=None,
            )
            self._scope.insert(connection, import_runs, run)
        return run

    def advance(
        self,
        number: int,
        readings: Iterable[ReadingLike] = (),
        *,
        checkpoint: bytes | None = None,
        counts: Mapping[str, int] | None = None,
        problems: Mapping[str, int] | None = None,
    ) -> Added:
        """One step of a run, kept as a whole.

        Args:
            number: the run.
            readings: what the step read; what is unfit is counted among the problems.
            checkpoint: where to go on after this step.
            counts: to be added to the run's.
            problems: to be added to the run's.

        Raises:
            UnknownEntryError: this person has no such run.
            InvalidValueError: the run has ended.
        """
        with self._scope.write() as connection:
            run = self._get(connection, number)
            if run.state is not ImportState.RUNNING:
                raise InvalidValueError(f"import run {number} is {run.state}; begin a new one")
            added = self._readings.insert(connection, readings, number)
            here = Counter({"added": added.added, "known": added.known, "corrected": added.corrected})
            new = {
                "checkpoint": checkpoint if checkpoint is not None else run.checkpoint,
                "counts": dict(Counter(run.counts) + here + Counter(counts or {})),
                "problems": dict(Counter(run.problems) + Counter(added.refused) + Counter(problems or {})),
                "updated_at": self._scope.now(),
            }
            self._update(connection, number, new)
        return added

    def finish(self, number: int) -> ImportRun:
        """Ends a run that has read everything.

        Raises:
            UnknownEntryError: this person has no such run.
        """
        return self._end(number, ImportState.DONE, remove=False)

    def fail(self, number: int) -> ImportRun:
        """Gives a run up and takes out what it had added: a bad file changes nothing.

        Raises:
            UnknownEntryError: this person has no such run.
        """
        return self._end(number, ImportState.FAILED, remove=True)

    def undo(self, number: int) -> ImportRun:
        """Takes out what a run added. Readings that an earlier run had brought stay, corrected as they are.

        Raises:
            UnknownEntryError: this person has no such run.
        """
        return self._end(number, ImportState.UNDONE, remove=True)

    def get(self, number: int) -> ImportRun:
        """The run of that number.

        Raises:
            UnknownEntryError: this person has none of it.
        """
        with self._scope.read() as connection:
            return self._get(connection, number)

    def of_content(self, file_hash: str) -> tuple[ImportRun, ...]:
        """The runs that read this content, oldest first."""
        query = self._all.where(import_runs.c.file_hash == file_hash).order_by(import_runs.c.number)
        with self._scope.read() as connection:
            return self._scope.rows(connection, query, ImportRun)

    def latest(self, count: int = 50) -> tuple[ImportRun, ...]:
        """The newest ``count``, newest first."""
        query = self._all.order_by(import_runs.c.number.desc()).limit(count)
        with self._scope.read() as connection:
            return self._scope.rows(connection, query, ImportRun)

    def that_added_most(self, before: int, count: int) -> tuple[ImportRun, ...]:
        """Of the runs numbered below ``before``, those ``count`` whose readings are there and most; newest first."""
        c = import_runs.c
        there = sa.select(c.number, c.counts).where(
            self._scope.mine(import_runs), c.number < before, c.state.in_([ImportState.DONE, ImportState.RUNNING])
        )
        with self._scope.read() as connection:
            added: dict[int, int] = {number: counts.get("added", 0) for number, counts in connection.execute(there)}
            most = nlargest(count, [number for number in added if added[number]], key=added.__getitem__)
            query = self._all.where(c.number.in_(most)).order_by(c.number.desc())
            return self._scope.rows(connection, query, ImportRun)

    def count(self, state: ImportState) -> int:
        """How many runs are in a state."""
        here = sa.and_(self._scope.mine(import_runs), import_runs.c.state == state)
        with self._scope.read() as connection:
            return int(connection.execute(sa.select(sa.func.count()).select_from(import_runs).where(here)).scalar_one())

    def _end(self, number: int, state: ImportState, *, remove: bool) -> ImportRun:
        with self._scope.write() as connection:
            run = self._get(connection, number)
            counts = run.counts
            if remove:
                removed = self._readings.remove_run(connection, number)
                counts = {**counts, "removed": counts.get("removed", 0) + removed}
            now_at = self._scope.now()
            new = {"state": state, "counts": counts, "updated_at": now_at, "finished_at": now_at}
            self._update(connection, number, new)
            return self._get(connection, number)

    def _get(self, connection: sa.Connection, number: int) -> ImportRun:
        found = self._scope.rows(connection, self._all.where(import_runs.c.number == number), ImportRun)
        if not found:
            raise UnknownEntryError("import run", number)
        return found[0]

    def _update(self, connection: sa.Connection, number: int, new: Mapping[str, object]) -> None:
        here = sa.and_(self._scope.mine(import_runs), import_runs.c.number == number)
        connection.execute(sa.update(import_runs).where(here).values(**new))
