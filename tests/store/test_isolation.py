"""Nothing of one person can be reached by another's handle."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from rhythm.store import PersonStore, Store
from rhythm.store.errors import StoreError, UnknownEntryError, UnknownPersonError
from rhythm.store.tables import OWNED, metadata, people
from rhythm.vocab import Outcome, Response
from store.samples import NOON_AT, SLOT, fill, occurrence

FAR = timedelta(days=4000)


def everything_of(person: PersonStore) -> str:
    """What each reading function gives, as text."""
    window = (NOON_AT - FAR, NOON_AT + FAR)
    numbers = range(1, 200)
    found = [
        person.about(),
        person.calendars.all(),
        person.occurrences.window(*window),
        person.occurrences.window(*window, as_read=True),
        person.occurrences.overrides(),
        person.readings.streams(),
        person.readings.latest(),
        person.readings.window(["heart_rate", "steps"], *window),
        person.imports.latest(),
        [person.imports.of_content(f"hash-{mark}") for mark in ("adas", "bens")],
        person.days.window(window[0].date(), window[1].date()),
        person.meters.window(0, SLOT * 2),
        person.meters.latest(SLOT * 2),
        person.done.window(0, SLOT * 2),
        person.suggestions.in_slots(0, SLOT * 2),
        person.suggestions.made_between(*window),
        person.suggestions.latest(100),
        person.suggestions.count(),
        person.answers.holding(numbers),
        person.answers.exchanges(0, SLOT * 2),
        person.answers.events(),
        person.reports.in_slots(0, SLOT * 2),
        person.evidence.after(),
        person.posteriors.latest("person"),
        person.corrections.holding(),
        person.corrections.all(),
        person.adapters.all(),
        person.adapters.deployed("a/1"),
        person.jobs.all(),
        person.jobs.get("weekly"),
        person.notices.since(NOON_AT - FAR),
        person.secrets.all(),
        [person.secrets.get(f"feed{mark}") for mark in ("adas", "bens")],
    ]
    return repr(found)


def test_every_row_is_keyed_by_its_person() -> None:
    for table in metadata.sorted_tables:
        if table is not people:
            assert next(iter(table.primary_key)).name == "person_id", table.name
            for key in table.foreign_key_constraints:
                assert key.column_keys[0] == "person_id", f"{table.name} could refer to another person's row"


def test_a_full_person_has_rows_in_every_table(store: Store, ada: PersonStore) -> None:
    fill(ada, "adas")
    with store.database.read() as connection:
        for table in OWNED:
            assert connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one() > 0, table.name


def test_reading_shows_nothing_of_another(ada: PersonStore, ben: PersonStore) -> None:
    empty = everything_of(ben)
    fill(ada, "adas")
    assert everything_of(ben) == empty
    fill(ben, "bens")
    assert "adas" in everything_of(ada)
    assert "bens" not in everything_of(ada)
    assert "bens" in everything_of(ben)
    assert "adas" not in everything_of(ben)


def test_writing_changes_nothing_of_another(ada: PersonStore, ben: PersonStore) -> None:
    fill(ada, "adas")
    before = everything_of(ada)
    (suggestion, *_) = ada.suggestions.latest(1)
    source = ada.calendars.all()[0]
    report = ada.reports.in_slots(SLOT, SLOT)[0]
    correction = ada.corrections.holding()["morning"]
    adapter = ada.adapters.all()[0]
    run = ada.imports.latest()[0]
    override = ada.occurrences.overrides()[0]
    tries: list[Callable[[], object]] = [
        lambda: ben.answers.give(suggestion.number, Response(Outcome.IGNORED)),
        lambda: ben.answers.undo(suggestion.number),
        lambda: ben.suggestions.get(suggestion.number),
        lambda: ben.calendars.update(source),
        lambda: ben.calendars.delete(source.number),
        lambda: ben.occurrences.replace(source.number, NOON_AT, NOON_AT + FAR, [occurrence()]),
        lambda: ben.occurrences.uncorrect(override.scope, override.key),
        lambda: ben.reports.delete(report.number),
        lambda: ben.corrections.withdraw(correction.number),
        lambda: ben.adapters.decide(adapter.number, adapter.state),
        lambda: ben.imports.undo(run.number),
        lambda: ben.imports.advance(run.number),
    ]
    for attempt in tries:
        with pytest.raises(UnknownEntryError):
            attempt()
    assert ben.jobs.claim("weekly", "x", timedelta(minutes=1), early=True) is None
    ben.posteriors.clear()
    ben.jobs.delete("weekly")
    assert not ben.secrets.delete("feedadas")
    ben.meters.replace(0, SLOT * 2, [])
    ben.done.replace(0, SLOT * 2, [])
    ben.days.replace(NOON_AT.date() - FAR, NOON_AT.date() + FAR, [])
    assert everything_of(ada) == before


def test_the_same_keys_and_files_are_each_persons_own(ada: PersonStore, ben: PersonStore) -> None:
    fill(ada)
    fill(ben)
    assert [e.number for e in ada.answers.events()] == [e.number for e in ben.answers.events()]
    assert ada.readings.latest() == ben.readings.latest()
    assert [r.number for r in ada.imports.latest()] == [r.number for r in ben.imports.latest()]


def test_a_handle_of_nobody_reads_nothing_and_writes_nothing(store: Store) -> None:
    ghost = PersonStore(store.database, "ghost")
    assert ghost.suggestions.latest(5) == ()
    assert ghost.evidence.after().entries == ()
    with pytest.raises(UnknownPersonError):
        fill(ghost)


def test_the_database_itself_refuses_rows_of_nobody(store: Store) -> None:
    for table in OWNED:
        values = {c.name: _some(c) for c in table.columns if not c.nullable or c.name == "outcome"}
        with pytest.raises(StoreError, match=r"FOREIGNKEY|23503"), store.database.write() as connection:
            connection.execute(sa.insert(table), {**values, "person_id": "ghost"})


def _some(column: "sa.Column[Any]") -> object:
    kind = column.type.python_type if not isinstance(column.type, sa.TypeDecorator) else None
    known = {bool: False, int: 1, float: 0.5, str: "x", bytes: b"x"}
    if kind in known:
        return known[kind]
    return _SOME_OF_OURS[type(column.type).__name__](column)


_SOME_OF_OURS: dict[str, Callable[[Any], object]] = {
    "Instant": lambda _: NOON_AT,
    "Day": lambda _: NOON_AT.date(),
    "Words": lambda _: "x",
    "Member": lambda column: next(iter(column.type.members)),
    "NumberedMember": lambda column: next(iter(column.type.members)),
    "Json": lambda _: {},
}
