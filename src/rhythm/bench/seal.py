"""The seal of a results folder: a secret number under which people are drawn whom no table can hold.

Whose week an open seed is, anybody who has this code can work out beforehand: a policy may
carry a table of the benchmark's people and recognise them by the numbers that it is given for
its own draws, or by the events of their first days. Sealed conditions draw people, events and
those numbers under a seal that is made when a folder's first sealed week is played, so there
is nothing to recognise. The seal is written into the folder, so that the same weeks can be played again.

A seal keeps honest what a policy makes of what it is handed. It does not stop code that reads the
folder, walks the interpreter's frames, or kept notes when the same sealed weeks were played
before: give a policy that somebody else wrote a fresh folder. The three archetypes are published
people; sealing them hides only which of them stands where.
"""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from rhythm.bench.results import make_folder
from rhythm.vocab import InvalidValueError, SchemaError

SEAL_SCHEMA: Final = "rhythm.bench-seal/1"
SEAL_LIMIT: Final = 2**64
FILE_NAME: Final = "seal.json"


class _Seal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema: str
    number: int


def check_seal(number: int) -> int:
    """A number that can seal: whole, from 1 to 2**64 - 1.

    Raises:
        InvalidValueError: it cannot.
    """
    if not 0 < number < SEAL_LIMIT:
        raise InvalidValueError("a seal is a whole number from 1 to 2**64 - 1; 0 would open the seeds")
    return number


def seal_of(folder: Path, wanted: int | None = None) -> int:
    """The seal of a results folder; made, and written into it, where it has none.

    Args:
        folder: results folder; made if it is missing.
        wanted: the seal to be used, to play somebody's sealed weeks again; any fresh one
            without it.

    Raises:
        InvalidValueError: the folder is sealed with another number than the wanted one.
        SchemaError: the file in the folder is damaged or of another schema version.
    """
    path = folder / FILE_NAME
    if not path.exists():
        number = check_seal(wanted) if wanted is not None else secrets.randbelow(SEAL_LIMIT - 1) + 1
        _write_first(path, msgspec.json.encode(_Seal(SEAL_SCHEMA, number)))
    held = _read(path)
    if wanted is not None and wanted != held:
        raise InvalidValueError(
            f"{folder} is sealed with another number than the one given, and results under two seals "
            "are not about the same people; name another results folder"
        )
    return held


def _write_first(path: Path, content: bytes) -> None:
    """Write a file whole, unless somebody else was first: two runs that begin at once share one seal."""
    make_folder(path.parent)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".writing-") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(file.name)


def _read(path: Path) -> int:
    try:
        seal = msgspec.json.decode(path.read_bytes(), type=_Seal)
        if seal.schema == SEAL_SCHEMA:
            return check_seal(seal.number)
    except (msgspec.DecodeError, UnicodeError, InvalidValueError):
        pass
    raise SchemaError(
        f"{path.name} in {path.parent} is damaged or not of schema {SEAL_SCHEMA!r}; "
        "its sealed results cannot go on; name another results folder"
    )
