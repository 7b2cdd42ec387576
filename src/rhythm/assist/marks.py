"""Which data folder a person of a shared database belongs to: a word in the folder, and the same with the person.

Two folders can share a database. Without the word, whoever has a folder of some name would have the person of that
name, whosever they are.
"""

from pathlib import Path
from secrets import token_hex
from typing import Final

from rhythm.assist.tokens import HomeError, TokenFile
from rhythm.store import PersonStore

FOLDER: Final = "folder"
"""Name under which the word is kept with the person and one of their own, among secrets, which no export holds."""
_NAME: Final = ".folder"


def mark_of(people_folder: Path) -> bytes:
    """The folder's word.

    Raises:
        HomeError: it has none, or a damaged one.
    """
    word = TokenFile(people_folder, _NAME).found()
    if word is None:
        raise HomeError(f"the file {_NAME} is missing in the folder of people; bring it back from a copy of the folder")
    return word.encode()


def new_mark(people_folder: Path) -> bytes:
    """What is kept with a new person: the folder's word, made where there is none yet, and one of their own."""
    return f"{TokenFile(people_folder, _NAME).token()} {token_hex(16)}".encode()


def is_of(person: PersonStore, people_folder: Path) -> bool:
    """Whether a person is of this folder."""
    kept = person.secrets.get(FOLDER)
    return kept is not None and _is_from(kept, people_folder)


def check_mark(person: PersonStore, people_folder: Path) -> None:
    """That a person is of this folder; from then on nothing is written through their store once they are gone.

    Raises:
        HomeError: they are of another.
    """
    kept = person.secrets.get(FOLDER)
    if kept is None or not _is_from(kept, people_folder):
        raise HomeError(f"the database has a {person.person_id!r} of another data folder; choose another id")
    person.scope.pin = FOLDER, kept


def _is_from(kept: bytes, people_folder: Path) -> bool:
    return kept.split(b" ")[0] == mark_of(people_folder)
