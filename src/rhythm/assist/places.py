"""Where Rhythm keeps things on this machine: one folder with the database, the token and files to be read."""

import os
from pathlib import Path

import msgspec
import platformdirs

from rhythm.assist.marks import FOLDER, check_mark, new_mark
from rhythm.assist.tokens import HomeError, TokenFile
from rhythm.store import PersonSettings, PersonStore, Store
from rhythm.store.erase import is_empty
from rhythm.store.errors import UnknownPersonError
from rhythm.store.restore import restore_person
from rhythm.store.scope import check_person_id

FOLDER_VARIABLE = "RHYTHM_HOME"
PERSON_VARIABLE = "RHYTHM_PERSON"
DATABASE_VARIABLE = "RHYTHM_DATABASE"
PERSON_ID = "me"
"""The one person of a store on somebody's own machine."""
PEOPLE_FOLDER = "people"
"""Holds the folder of each person of a household."""


def data_folder(folder: Path | None = None) -> Path:
    """A folder that was named; `FOLDER_VARIABLE` or the system's place for such data where none was."""
    return folder or Path(os.environ.get(FOLDER_VARIABLE) or platformdirs.user_data_path("rhythm"))


class Home:
    """A data folder; private to its owner.

    Attributes:
        folder: the folder itself.
        person_id: whose, as the database has it.
        demonstration: whether they are invented.
        is_of_household: whether it is one of many people's.
    """

    def __init__(self, folder: Path | None = None, *, demonstration: bool = False, person_id: str = "") -> None:
        """Take a folder, and make it where it is missing.

        Args:
            folder: where; see `data_folder`.
            demonstration: the invented person's, which is never the real one's.
            person_id: somebody of the household in that folder (see `rhythm.assist.household`), who has a folder of
                their own in it; `PERSON_VARIABLE` where it is not given. Without both, the one person of this machine.

        Raises:
            HomeError: it cannot be made, nobody of that id is in the household, or nobody is named where many are.
            InvalidValueError: no id.
        """
        self._base = data_folder(folder)
        self.demonstration = demonstration
        own = "" if demonstration else person_id or os.environ.get(PERSON_VARIABLE, "")
        self.person_id = own or PERSON_ID
        self.is_of_household = bool(own)
        self.folder = self._base / "demo" if demonstration else self._base
        if own:
            self.folder = self._base / PEOPLE_FOLDER / check_person_id(own)
            if self.folder.is_symlink() or not self.folder.is_dir():
                raise HomeError(f"there is nobody of the id {own!r} here; see `rhythm people list` and `people add`")
        elif not demonstration and (self._base / PEOPLE_FOLDER).is_dir() and not self.token_file.path.exists():
            raise HomeError(
                f"many people are here: say for whom, such as {PERSON_VARIABLE}=kim; see `rhythm people list`"
            )
        try:
            if not own:  # the folder of somebody who is being removed is not made anew
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.incoming.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise HomeError(f"the data folder cannot be made ({error.strerror}); set {FOLDER_VARIABLE}") from None

    @property
    def database(self) -> str:
        """Path or URL of the database; the demonstration always has its own file, a household one for all."""
        return str(self.folder / "rhythm.db") if self.demonstration else database_of(self._base)

    @property
    def incoming(self) -> Path:
        """The folder of files that were handed in and are not read yet."""
        return self.folder / "incoming"

    def clear_incoming(self) -> None:
        """Removes every file that was handed in and not read yet, and those that were only looked into."""
        for path in self.incoming.rglob("*"):
            if not path.is_dir():
                path.unlink(missing_ok=True)

    @property
    def token_file(self) -> TokenFile:
        """Where the secret that opens the pages is kept."""
        return TokenFile(self.folder)

    def token(self) -> str:
        """The secret that opens the pages; made at the first start, readable by the owner only.

        Nobody of a household gets one so: whose link was shut, or who is being removed, stays shut out.

        Raises:
            HomeError: it cannot be read or written, holds less than a whole token, or is one of a household's and not
                there.
        """
        if not self.is_of_household:
            return self.token_file.token()
        token = self.token_file.found()
        if token is None:
            raise HomeError(f"{self.person_id} has no link at present; see `rhythm people link {self.person_id}`")
        return token

    def open_store(self) -> Store:
        """The database, up to date.

        Raises:
            StoreError: see `rhythm.store.Store.open`.
        """
        return Store.open(self.database)

    def person(self, store: Store) -> PersonStore:
        """Whose home it is, made with careful settings where missing; nobody of a household is made so.

        Raises:
            HomeError: the person of that id is of another household.
            UnknownPersonError: they were removed from theirs.
        """
        if self.is_of_household:
            person = store.person(self.person_id)
            check_mark(person, self.folder.parent)
            return person
        try:
            return store.person(self.person_id)
        except UnknownPersonError:
            return store.create_person(self.person_id, self._first_settings())

    def restore(self, store: Store, source: Path) -> PersonStore:
        """Whose home it is, as an export has them.

        Args:
            store: where to; it must hold nothing of theirs yet.
            source: the folder or zip that `rhythm export` wrote.

        Raises:
            HomeError: there is something of theirs here, or they are of another household.
            ExportError: it is no export, of another version or damaged; nothing was written.
        """
        marked: dict[str, bytes] = {}
        if self.is_of_household:
            self.person(store)
            marked = {FOLDER: new_mark(self.folder.parent)}
        if not is_empty(store, self.person_id):
            raise HomeError("there is something of yours here already; export it, run `rhythm erase`, then restore")
        fit = _without_models if self.is_of_household else _as_they_are
        return restore_person(store, source, self.person_id, fit=fit, secrets=marked, instead=True)

    def _first_settings(self) -> PersonSettings:
        return PersonSettings(zone=local_zone(), demonstration=self.demonstration)


def _as_they_are(settings: PersonSettings) -> PersonSettings:
    return settings


def _without_models(settings: PersonSettings) -> PersonSettings:
    """The network of a service is not a person's own to ask a language model in."""
    return msgspec.structs.replace(settings, model_url="", model_name="")


def database_of(base: Path) -> str:
    """Path or URL of the database of a data folder."""
    return os.environ.get(DATABASE_VARIABLE) or str(base / "rhythm.db")


def local_zone() -> str:
    """IANA name of this machine's zone as far as it says; UTC where it does not."""
    named = os.environ.get("TZ", "").lstrip(":")
    if not named:
        try:
            target = str(Path("/etc/localtime").resolve())
        except OSError:
            target = ""
        named = target.partition("zoneinfo/")[2]
    try:
        return PersonSettings(zone=named or "UTC").zone
    except ValueError:
        return "UTC"
