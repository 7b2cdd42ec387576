"""The face of the store: open it, find a person, work with what is theirs."""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Self

import sqlalchemy as sa

from rhythm.store.answers import Answers
from rhythm.store.calendars import CalendarSources, Occurrences
from rhythm.store.derived import DayValues, DoneSlots, MeterLevels
from rhythm.store.engine import Database
from rhythm.store.errors import PersonExistsError, UnknownPersonError
from rhythm.store.evidence import EvidenceReader
from rhythm.store.imports import Imports
from rhythm.store.jobs import Jobs
from rhythm.store.learning import Adapters, Corrections, Posteriors
from rhythm.store.migrate import bring_up_to_date
from rhythm.store.notices import Notices
from rhythm.store.readings import Readings
from rhythm.store.reports import SelfReports
from rhythm.store.scope import PersonScope, check_person_id, fields_of
from rhythm.store.secrets import Secrets, keep_secrets
from rhythm.store.settings import Person, PersonSettings
from rhythm.store.suggestions import Suggestions
from rhythm.store.tables import jobs, people


class PersonStore:
    """Everything of one person; nothing of another can be reached through it.

    Attributes:
        person_id: whose.
        calendars, occurrences: what their calendars hold.
        readings, imports: what their devices gave.
        days, meters, done: what is worked out from both.
        suggestions, answers, reports: what was suggested and what they said.
        evidence: all of it to learn from, in order.
        posteriors, corrections, adapters: what was learned.
        jobs, notices, secrets: work on a schedule, what was sent out, encrypted credentials.
    """

    def __init__(self, database: Database, person_id: str) -> None:
        self.person_id = person_id
        self.scope = scope = PersonScope(database, person_id)
        self.calendars = CalendarSources(scope)
        self.occurrences = Occurrences(scope)
        self.readings = Readings(scope)
        self.imports = Imports(scope, self.readings)
        self.days = DayValues(scope)
        self.meters = MeterLevels(scope)
        self.done = DoneSlots(scope)
        self.suggestions = Suggestions(scope)
        self.answers = Answers(scope)
        self.reports = SelfReports(scope)
        self.evidence = EvidenceReader(scope)
        self.posteriors = Posteriors(scope)
        self.corrections = Corrections(scope)
        self.adapters = Adapters(scope)
        self.jobs = Jobs(scope)
        self.notices = Notices(scope)
        self.secrets = Secrets(scope)

    def about(self) -> Person:
        """The person with their settings.

        Raises:
            UnknownPersonError: they were erased.
        """
        with self.scope.read() as connection:
            found = self.scope.rows(connection, fields_of(Person, people).where(self.scope.mine(people)), Person)
        if not found:
            raise UnknownPersonError(f"there is no person {self.person_id!r} in this store")
        return found[0]

    def save_settings(self, settings: PersonSettings) -> None:
        """Replaces the settings.

        Raises:
            UnknownPersonError: they were erased.
        """
        with self.scope.write() as connection:
            connection.execute(sa.update(people).where(self.scope.mine(people)).values(settings=settings))


class Store:
    """One database of any number of people. Use it as a context manager, or close it."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @classmethod
    def open(cls, where: str | Path, *, clock: Callable[[], datetime] | None = None) -> "Store":
        """Opens a database, makes it where it is missing, and brings it up to date.

        Args:
            where: path of the file, ``sqlite:///PATH`` or ``postgresql://HOST/NAME``.
            clock: what says now; the system's where it is not given.

        Raises:
            InvalidValueError: another kind of database.
            StoreTooNewError: written by a newer release; nothing was touched.
            NotAStoreError: it holds something else; nothing was touched.
            StoreError: it cannot be reached or is damaged; the subclass says which.
        """
        database = Database(where, clock)
        try:
            bring_up_to_date(database)
        except BaseException:
            database.close()
            raise
        return cls(database)

    def close(self) -> None:
        """Gives back every connection."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def create_person(
        self, person_id: str, settings: PersonSettings | None = None, secrets: Mapping[str, bytes] | None = None
    ) -> PersonStore:
        """Adds a person, with secrets of theirs or without, all or nothing.

        Raises:
            InvalidValueError: the id may not be one.
            PersonExistsError: there is one of that id.
        """
        check_person_id(person_id)
        row = {
            "id": person_id,
            "created_at": self.database.clock(),
            "settings": settings or PersonSettings(),
            "last_number": 0,
            "last_retraction": 0,
        }
        with self.database.write() as connection:
            new = self.database.insert(people).on_conflict_do_nothing().returning(people.c.id)
            made = connection.execute(new, row)
            if made.first() is None:
                raise PersonExistsError(f"there is a person {person_id!r} already; choose another id")
            keep_secrets(connection, PersonScope(self.database, person_id), secrets or {})
        return PersonStore(self.database, person_id)

    def person(self, person_id: str) -> PersonStore:
        """The handle of one person.

        Raises:
            UnknownPersonError: there is none of that id.
        """
        handle = PersonStore(self.database, person_id)
        handle.about()
        return handle

    def people(self) -> tuple[Person, ...]:
        """Everyone, in the order they came."""
        query = fields_of(Person, people).order_by(people.c.created_at, people.c.id)
        with self.database.read() as connection:
            return tuple(Person(*row) for row in connection.execute(query))

    def due_jobs(self) -> tuple[tuple[str, str], ...]:
        """Whose job of which name is due and free now, longest due first: what a scheduler asks."""
        now_at = self.database.clock()
        free = sa.or_(jobs.c.leased_until.is_(None), jobs.c.leased_until <= now_at)
        query = sa.select(jobs.c.person_id, jobs.c.name).where(jobs.c.due_at <= now_at, free).order_by(jobs.c.due_at)
        with self.database.read() as connection:
            return tuple((person_id, name) for person_id, name in connection.execute(query))
