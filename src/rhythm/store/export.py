"""Export: everything of a person as open files, in a folder or a zip.

One read transaction, so the files fit together however busy the store is. Rows are
streamed: memory stays small whatever the size.
"""

import csv
import hashlib
import io
import os
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol

import msgspec
import sqlalchemy as sa

from rhythm.store.errors import ExportError, UnknownPersonError
from rhythm.store.migrate import REVISIONS
from rhythm.store.open_files import (
    EXPORT_SCHEMA,
    PERSON_FILE,
    READINGS_FIELDS,
    READINGS_FILE,
    TABLE_FILES,
    exported,
    readme,
    to_open,
)
from rhythm.store.scope import PersonScope
from rhythm.store.store import Store
from rhythm.store.tables import people, reading_streams, readings

ROWS_AT_ONCE = 2_000


class ExportedFile(msgspec.Struct, frozen=True):
    """One file of an export: its name, rows and SHA-256."""

    name: str
    rows: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """What an export holds.

    Attributes:
        schema: form of the export.
        tables: form of the tables it was made from.
        person_id: whose.
        made_at: when.
        files: every file but the README and this one.
    """

    schema: str
    tables: str
    person_id: str
    made_at: datetime
    files: tuple[ExportedFile, ...]


def export_person(store: Store, person_id: str, target: Path) -> Manifest:
    """Writes everything of a person, secrets aside, as open files.

    Args:
        store: where they are.
        person_id: whose.
        target: a folder that is not there yet, or a file that ends in ``.zip``.

    Raises:
        UnknownPersonError: there is no such person.
        ExportError: the target is there already or cannot be written; nothing is left behind.
    """
    if target.exists():
        raise ExportError(f"{target} is there already; choose another name")
    scope = PersonScope(store.database, person_id)
    made_at = store.database.clock()
    part = target.with_name(f"{target.name}.part-{os.getpid()}")
    try:
        with _open_target(part, zipped=target.suffix.lower() == ".zip") as out, scope.read() as connection:
            files = tuple(_write_files(connection, scope, out))
            manifest = Manifest(EXPORT_SCHEMA, REVISIONS[-1], person_id, made_at, files)
            with out.open("README.md") as file:
                file.write(readme(person_id, made_at.isoformat(), REVISIONS[-1]).encode())
            with out.open("manifest.json") as file:
                file.write(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
        part.rename(target)
    except OSError as error:
        raise ExportError(f"the export cannot be written to {target}: {error.strerror}") from None
    finally:
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)
    return manifest


class _Target(Protocol):
    """Where the files of an export go."""

    def open(self, name: str) -> Any:
        """A binary file to write, as a context manager."""


class _Folder:
    def __init__(self, path: Path) -> None:
        self._path = path

    def open(self, name: str) -> IO[bytes]:
        return os.fdopen(os.open(self._path / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


class _Zip:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def open(self, name: str) -> IO[bytes]:
        return self._archive.open(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), "w", force_zip64=True)


@contextmanager
def _open_target(path: Path, *, zipped: bool) -> Iterator[_Target]:
    if not zipped:
        path.mkdir(mode=0o700)
        yield _Folder(path)
        return
    with (
        os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        yield _Zip(archive)


class _Hashed(io.RawIOBase):
    """Passes bytes on and hashes them."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.sha256 = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.sha256.update(data)
        self._file.write(data)
        return len(data)


def _write_files(connection: sa.Connection, scope: PersonScope, out: _Target) -> Iterator[ExportedFile]:
    person = connection.execute(sa.select(*exported(people)).where(scope.mine(people))).first()
    if person is None:
        raise UnknownPersonError(f"there is no person {scope.person_id!r} in this store")
    yield _write(out, PERSON_FILE, lambda file: _write_lines([person], file))
    for name, table in TABLE_FILES.items():
        query = sa.select(*exported(table)).where(scope.mine(table)).order_by(*table.primary_key)
        yield _write(out, name, partial(_write_query, connection, query))
    yield _write(out, READINGS_FILE, partial(_write_readings, connection, scope))


def _write(out: _Target, name: str, fill: Callable[[IO[bytes]], int]) -> ExportedFile:
    with out.open(name) as file:
        hashed = _Hashed(file)
        buffered = io.BufferedWriter(hashed, 1 << 16)
        rows = fill(buffered)
        buffered.flush()
        buffered.detach()
    return ExportedFile(name, rows, hashed.sha256.hexdigest())


def _rows(connection: sa.Connection, query: sa.Select[Any]) -> Iterator[sa.Row[Any]]:
    return iter(connection.execution_options(yield_per=ROWS_AT_ONCE).execute(query))


def _write_query(connection: sa.Connection, query: sa.Select[Any], file: IO[bytes]) -> int:
    return _write_lines(_rows(connection, query), file)


def _write_lines(rows: Iterable[sa.Row[Any]], file: IO[bytes]) -> int:
    count = 0
    for row in rows:
        line = {name: to_open(value) for name, value in row._mapping.items()}  # noqa: SLF001 its public name
        file.write(msgspec.json.encode(line) + b"\n")
        count += 1
    return count


def _write_readings(connection: sa.Connection, scope: PersonScope, file: IO[bytes]) -> int:
    together = sa.and_(
        readings.c.person_id == reading_streams.c.person_id, readings.c.stream == reading_streams.c.number
    )
    columns = [readings.c[name] if name in readings.c else reading_streams.c[name] for name in READINGS_FIELDS]
    query = (
        sa.select(*columns)
        .select_from(readings.join(reading_streams, together))
        .where(scope.mine(readings), scope.mine(reading_streams))
        .order_by(*readings.primary_key)
    )
    text = io.TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(text)
    writer.writerow(READINGS_FIELDS)
    count = 0
    start, end = READINGS_FIELDS.index("start_at"), READINGS_FIELDS.index("end_at")
    for row in _rows(connection, query):
        cells = list(row)
        cells[start], cells[end] = cells[start].isoformat(), cells[end].isoformat()
        writer.writerow(cells)
        count += 1
    text.flush()
    text.detach()
    return count
