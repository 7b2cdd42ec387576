"""Restore: a person comes back from an export, whole or not at all."""

import csv
import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import msgspec
import sqlalchemy as sa

from rhythm.store.errors import ExportError, PersonExistsError, RefusedRowError, StoreError
from rhythm.store.export import ExportedFile, Manifest
from rhythm.store.migrate import REVISIONS
from rhythm.store.open_files import (
    EXPORT_SCHEMA,
    PERSON_FILE,
    READINGS_FIELDS,
    READINGS_FILE,
    READINGS_SINCE_V0002,
    TABLE_FILES,
    row_from_open,
)
from rhythm.store.scope import PersonScope, check_person_id
from rhythm.store.secrets import keep_secrets
from rhythm.store.settings import PersonSettings
from rhythm.store.store import PersonStore, Store
from rhythm.store.tables import people, readings

LINE_BYTES_MAX = 64 << 20
MANIFEST_BYTES_MAX = 1 << 20
EXPANSION_MAX = 300
"""How many times its size in the zip a file may have; an export of repeated readings has some fifty."""
ROWS_AT_ONCE = 2_000

_UNREADABLE = (
    OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeError, ValueError,
    LookupError, RecursionError, OverflowError, csv.Error,
)  # fmt: skip
"""What a damaged export can raise while it is read (msgspec's errors are value errors)."""


def restore_person(
    store: Store, source: Path, person_id: str | None = None, *,
    fit: Callable[[PersonSettings], PersonSettings] = lambda settings: settings,
    secrets: Mapping[str, bytes] | None = None, instead: bool = False,
) -> PersonStore:  # fmt: skip
    """Brings a person back from an export, under their id or another.

    Every file is checked against the manifest before the first row is written, and all
    rows are written in one transaction.

    Args:
        store: where to.
        source: the folder or zip.
        person_id: under which id; the export's own where it is not given.
        fit: makes settings of those in the export that hold where they come to.
        secrets: kept with them.
        instead: in place of whoever has that id, who is deleted in the same transaction.

    Raises:
        ExportError: it is no export, of another version, damaged or incomplete; nothing was written.
        PersonExistsError: there is a person of that id.
        InvalidValueError: the id may not be one.
    """
    if person_id is not None:
        check_person_id(person_id)
    try:
        with _open_source(source) as files:
            manifest = _manifest(files)
            owner = person_id or check_person_id(manifest.person_id)
            for entry in manifest.files:
                _check_hash(files, entry)
            with store.database.write() as connection:
                there = sa.select(people.c.id).where(people.c.id == owner).with_for_update()
                if connection.execute(there).first() is not None:
                    if not instead:
                        raise PersonExistsError(f"there is a person {owner!r} already; restore under another id")
                    connection.execute(sa.delete(people).where(people.c.id == owner))
                for entry in manifest.files:
                    _insert_file(connection, files, entry, owner)
                _settle(connection, PersonScope(store.database, owner), fit, secrets or {})
    except RefusedRowError:
        raise ExportError(f"the rows of {source.name} do not fit together; the export is damaged") from None
    except StoreError:
        raise
    except _UNREADABLE as error:
        raise ExportError(f"{source.name} cannot be read as an export ({type(error).__name__})") from None
    return store.person(owner)


def _settle(
    connection: sa.Connection, scope: PersonScope, fit: Callable[[PersonSettings], PersonSettings],
    secrets: Mapping[str, bytes],
) -> None:  # fmt: skip
    mine = scope.mine(people)
    settings = connection.execute(sa.select(people.c.settings).where(mine)).scalar_one()
    connection.execute(sa.update(people).where(mine).values(settings=fit(settings)))
    keep_secrets(connection, scope, secrets)


class _Source:
    """The files of a folder or a zip."""

    def __init__(self, folder: Path | None, archive: zipfile.ZipFile | None) -> None:
        self._folder, self._archive = folder, archive

    def open(self, name: str) -> IO[bytes]:
        if self._archive is not None:
            info = self._archive.getinfo(name)
            if info.file_size > (1 << 20) + EXPANSION_MAX * info.compress_size:
                raise ExportError(f"{name} would grow beyond all measure; this is no export of Rhythm's")
            return self._archive.open(info)
        if self._folder is None or Path(name).name != name:
            raise ExportError("the manifest names a file outside the export")
        return (self._folder / name).open("rb")


@contextmanager
def _open_source(path: Path) -> Iterator[_Source]:
    with ExitStack() as stack:
        if path.is_dir():
            yield _Source(path, None)
        else:
            yield _Source(None, stack.enter_context(zipfile.ZipFile(path)))


def _manifest(files: _Source) -> Manifest:
    with files.open("manifest.json") as file:
        text = file.read(MANIFEST_BYTES_MAX + 1)
    if len(text) > MANIFEST_BYTES_MAX:
        raise ExportError("the manifest is too long to be one")
    manifest = msgspec.json.decode(text, type=Manifest)
    if manifest.schema != EXPORT_SCHEMA:
        raise ExportError(f"the export is of form {manifest.schema[:60]!r}; this release reads {EXPORT_SCHEMA!r}")
    if manifest.tables not in REVISIONS:
        raise ExportError(f"the export was made by a newer release (tables {manifest.tables[:20]!r}); install that one")
    wanted = [PERSON_FILE, *TABLE_FILES, READINGS_FILE]
    order = {name: i for i, name in enumerate(wanted)}
    names = [entry.name for entry in manifest.files]
    if len(set(names)) != len(names) or not {PERSON_FILE, READINGS_FILE} <= set(names) or not set(names) <= set(wanted):
        raise ExportError("the manifest does not name the files of an export, each once")
    return msgspec.structs.replace(manifest, files=tuple(sorted(manifest.files, key=lambda entry: order[entry.name])))


def _check_hash(files: _Source, entry: ExportedFile) -> None:
    digest = hashlib.sha256()
    with files.open(entry.name) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != entry.sha256:
        raise ExportError(f"{entry.name} is damaged or was changed: it does not match the manifest")


def _insert_file(connection: sa.Connection, files: _Source, entry: ExportedFile, owner: str) -> None:
    table = {PERSON_FILE: people, READINGS_FILE: readings}.get(entry.name)
    if table is None:
        table = TABLE_FILES[entry.name]
    key = "id" if table is people else "person_id"
    count = 0
    with files.open(entry.name) as file:
        rows = _readings(file) if table is readings else _lines(file, table, entry.name)
        batch: list[dict[str, Any]] = []
        for row in rows:
            batch.append({key: owner, **row})
            if len(batch) == ROWS_AT_ONCE:
                connection.execute(sa.insert(table), batch)
                count += len(batch)
                batch = []
        if batch:
            connection.execute(sa.insert(table), batch)
            count += len(batch)
    if count != entry.rows or (table is people and count != 1):
        raise ExportError(f"{entry.name} has {count} rows where the manifest says {entry.rows}")


def _lines(file: IO[bytes], table: sa.Table, name: str) -> Iterator[dict[str, Any]]:
    number = 0
    while line := file.readline(LINE_BYTES_MAX + 1):
        number += 1
        if len(line) > LINE_BYTES_MAX:
            raise ExportError(f"{name} line {number} is too long")
        try:
            yield row_from_open(table, msgspec.json.decode(line, type=dict[str, Any]))
        except (ValueError, LookupError, OverflowError):
            raise ExportError(f"{name} line {number} does not fit; the export is damaged") from None


def _readings(file: IO[bytes]) -> Iterator[dict[str, Any]]:
    reader = csv.reader(io.TextIOWrapper(file, "utf-8", newline=""))
    header = tuple(next(reader, ()))
    if header not in {READINGS_FIELDS, tuple(name for name in READINGS_FIELDS if name != READINGS_SINCE_V0002)}:
        raise ExportError(f"{READINGS_FILE} does not begin with its column names")
    for cells in reader:
        try:
            fields = dict(zip(header, cells, strict=True))
            yield {
                "stream": int(fields["stream"]),
                "start_at": datetime.fromisoformat(fields["start_at"]),
                "end_at": datetime.fromisoformat(fields["end_at"]),
                "external_id": fields["external_id"],
                "value": float(fields["value"]),
                "offset_min": int(fields["offset_min"]) if fields["offset_min"] else None,
                "run": int(fields["run"]) if fields["run"] else None,
                "detail": fields.get(READINGS_SINCE_V0002) or None,
            }
        except ValueError:
            raise ExportError(f"{READINGS_FILE} line {reader.line_num} does not fit; the export is damaged") from None
