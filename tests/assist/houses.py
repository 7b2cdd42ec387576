"""People for the tests of the assistant: a store in a folder, a clock that stands, files that the life model wrote."""

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from rhythm.assist import Assistant
from rhythm.rehearse.files import live, write_calendar, write_health
from rhythm.store import PersonSettings, Store

ZONE = "Europe/Berlin"
MORNING_AT = datetime(2026, 3, 12, 8, 40, tzinfo=UTC)
"""A Thursday, 09:40 in Berlin."""


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self, at: datetime = MORNING_AT) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def move(self, **span: float) -> None:
        self.at += timedelta(**span)


@contextmanager
def house(folder: Path, clock: Clock, settings: PersonSettings | None = None) -> Iterator[Assistant]:
    """An assistant with an empty store."""
    with Store.open(folder / "rhythm.db", clock=clock) as store:
        person = store.create_person("me", settings or PersonSettings(zone=ZONE, name="Kim"))
        yield Assistant(store, person, clock)


@contextmanager
def lived_house(folder: Path, clock: Clock) -> Iterator[Assistant]:
    """An assistant that has read the files of the introvert; the reading itself is done once for all tests."""
    shutil.copy(_read_once() / "rhythm.db", folder / "rhythm.db")
    with Store.open(folder / "rhythm.db", clock=clock) as store:
        yield Assistant(store, store.person("me"), clock)


@cache
def _read_once() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="rhythm-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with house(folder, Clock()) as assistant:
        for file in introvert_files():
            assistant.import_file(file)
        assistant.you()
    return folder


@cache
def introvert_files() -> tuple[Path, Path]:
    """The calendar and the health export of the introvert."""
    folder = Path(tempfile.mkdtemp(prefix="rhythm-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return invented_files(folder)


def invented_files(folder: Path, archetype: str = "introvert_morning", seed: int = 20) -> tuple[Path, Path]:
    """A calendar and a health export of weeks that an invented person lived."""
    lived = live(MORNING_AT.date(), archetype=archetype, seed=seed)
    calendar, health = folder / f"{archetype}.ics", folder / f"{archetype}.zip"
    write_calendar(calendar, lived.done, ZoneInfo(ZONE), seed)
    write_health(health, lived.mornings, ZoneInfo(ZONE), seed)
    return calendar, health
