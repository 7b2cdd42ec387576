"""Which data folder a person of a shared database belongs to: a word in the folder, and the same with the person.

Two folders can share a database. Without the word, whoever has a folder of some name would have the person of that
name, whosever they are.
"""

from pathlib import Path
from typing import Final

from rhythm.assist.tokens import HomeError, TokenFile
from rhythm.store import PersonStore

FOLDER: Final = "folder"
"""Name under which the word is kept with the person, among their secrets, which no export holds."""
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


def made_mark(people_folder: Path) -> bytes:
    """The same, made where there is none yet."""
    return TokenFile(people_folder, _NAME).token().encode()


def check_mark(person: PersonStore, people_folder: Path) -> None:
    """That a person is of this folder.

    Raises:
        HomeError: they are of another.
    """
    if person.secrets.get(FOLDER) != mark_of(people_folder):
        raise HomeError(f"the database has a {person.person_id!r} of another data folder; choose another id")
