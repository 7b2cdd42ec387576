"""Work on a schedule: what is due, and who is at it.

A process that takes a job holds its lease for a time; one that dies leaves a lease that
ends by itself, and the next process goes on.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from rhythm.store.errors import UnknownEntryError
from rhythm.store.learning_records import Job
from rhythm.store.scope import PersonScope, fields_of
from rhythm.store.tables import jobs


class Jobs:
    """A person's jobs."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope
        self._all = fields_of(Job, jobs).where(scope.mine(jobs))

    def plan(self, name: str, due_at: datetime | None, payload: Mapping[str, Any] | None = None) -> Job:
        """Sets when a job is next due, and what it needs; a lease that is held stays."""
        with self._scope.write() as connection:
            old = self._get(connection, name)
            if old is None:
                job = Job(name=name, due_at=due_at, payload=payload or {})
                self._scope.insert(connection, jobs, job)
                return job
            new = {"due_at": due_at, "payload": old.payload if payload is None else payload}
            self._update(connection, name, new)
            return self._known(connection, name)

    def claim(self, name: str, owner: str, lease: timedelta, *, early: bool = False) -> Job | None:
        """Takes the lease of a job that is due and free; None where it is not, or is not there any more.

        Args:
            name: the job.
            owner: who takes it.
            lease: for how long.
            early: take it though it is not due.
        """
        with self._scope.write() as connection:
            job = self._get(connection, name)
            if job is None:  # another process may have taken it out since it was listed
                return None
            now_at = self._scope.now()
            if not early and (job.due_at is None or job.due_at > now_at):
                return None
            if job.owner is not None and job.leased_until is not None and job.leased_until > now_at:
                return None
            self._update(connection, name, {"owner": owner, "leased_until": now_at + lease, "started_at": now_at})
            return self._known(connection, name)

    def renew(self, name: str, owner: str, lease: timedelta) -> bool:
        """Makes a held lease longer; False where it is not held (any more)."""
        with self._scope.write() as connection:
            if not self._holds(connection, name, owner):
                return False
            self._update(connection, name, {"leased_until": self._scope.now() + lease})
            return True

    def finish(self, name: str, owner: str, next_due_at: datetime | None, error: str | None = None) -> bool:
        """Gives the lease back and says when the job is next due; False where the lease or the job is gone.

        Args:
            name: the job.
            owner: who held the lease.
            next_due_at: when it is next due; None for never again.
            error: kind of the failure; None for a success.
        """
        with self._scope.write() as connection:
            if not self._holds(connection, name, owner):
                return False
            failures = 0 if error is None else self._known(connection, name).failures + 1
            new = {
                "owner": None,
                "leased_until": None,
                "finished_at": self._scope.now(),
                "due_at": next_due_at,
                "failures": failures,
                "last_error": error,
            }
            self._update(connection, name, new)
            return True

    def get(self, name: str) -> Job | None:
        """The job of that name; None where there is none."""
        with self._scope.read() as connection:
            return self._get(connection, name)

    def all(self) -> tuple[Job, ...]:
        """Every one, by name."""
        with self._scope.read() as connection:
            return self._scope.rows(connection, self._all.order_by(jobs.c.name), Job)

    def delete(self, name: str) -> None:
        """Takes a job out; nothing happens where there is none."""
        with self._scope.write() as connection:
            connection.execute(sa.delete(jobs).where(self._scope.mine(jobs), jobs.c.name == name))

    def _holds(self, connection: sa.Connection, name: str, owner: str) -> bool:
        job = self._get(connection, name)
        return job is not None and job.owner == owner

    def _known(self, connection: sa.Connection, name: str) -> Job:
        job = self._get(connection, name)
        if job is None:
            raise UnknownEntryError("job", name)
        return job

    def _get(self, connection: sa.Connection, name: str) -> Job | None:
        found = self._scope.rows(connection, self._all.where(jobs.c.name == name), Job)
        return found[0] if found else None

    def _update(self, connection: sa.Connection, name: str, new: Mapping[str, Any]) -> None:
        connection.execute(sa.update(jobs).where(self._scope.mine(jobs), jobs.c.name == name).values(**new))
