"""The people whom one service keeps: each has a folder with a token of their own, all are in one database.

Only a token tells who somebody is, so each person's link, cookie, feed and push key open their own pages and nobody
else's. Whoever is taken out and comes again under the same id has another token.
"""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from rhythm.assist.keeper import Keeper
from rhythm.assist.places import PEOPLE_FOLDER, Home, data_folder, database_of, local_zone
from rhythm.assist.tokens import HomeError, TokenFile
from rhythm.store import PersonSettings, Store
from rhythm.store.erase import erase_person
from rhythm.store.errors import EraseIncompleteError, UnknownPersonError
from rhythm.store.scope import check_person_id
from rhythm.vocab.errors import InvalidValueError


class Household:
    """A data folder of many people.

    Attributes:
        folder: holds a folder for each, named by their id.
        database: path or URL of the database that all are in.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Take a data folder; nothing is made before somebody is added.

        Args:
            folder: see `rhythm.assist.places.data_folder`.
        """
        self._base = data_folder(folder)
        self.folder = self._base / PEOPLE_FOLDER
        self.database = database_of(self._base)

    def ids(self) -> tuple[str, ...]:
        """Everyone's ids, in alphabetical order."""
        if not self.folder.is_dir():
            return ()
        return tuple(sorted(path.name for path in self.folder.iterdir() if _is_id(path.name)))

    def home(self, person_id: str) -> Home:
        """Somebody's folder.

        Raises:
            HomeError: nobody of that id is here.
            InvalidValueError: no id.
        """
        return Home(self._base, person_id=check_person_id(person_id))

    def open_store(self) -> Store:
        """The database of all, up to date.

        Raises:
            StoreError: see `rhythm.store.Store.open`.
        """
        return Store.open(self.database)

    def add(self, store: Store, person_id: str, settings: PersonSettings | None = None) -> Home:
        """Take somebody in.

        Args:
            store: of `open_store`.
            person_id: what they are called in folders and commands.
            settings: theirs; careful ones, with this machine's zone, where none are given.

        Raises:
            HomeError: they are here already, or the folder cannot be made.
            PersonExistsError: the database has somebody of that id, of another folder.
            InvalidValueError: no id.
        """
        own = self.folder / check_person_id(person_id)
        here = f"{person_id!r} is here already; see `rhythm people link`, or choose another id"
        if own.exists():
            raise HomeError(here)
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft = Path(tempfile.mkdtemp(prefix=".new-", dir=self.folder))  # its owner alone may enter it
            TokenFile(draft).token()
        except OSError as error:
            raise HomeError(f"the folder of people cannot be used ({error.strerror})") from None
        try:
            draft.rename(own)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            raise HomeError(here) from None
        try:
            store.create_person(person_id, settings or PersonSettings(zone=local_zone()))
        except BaseException:
            shutil.rmtree(own, ignore_errors=True)
            raise
        return self.home(person_id)

    def link_of(self, person_id: str) -> str:
        """Somebody's token, made anew where its file was deleted.

        Raises:
            HomeError: nobody of that id is here, or their token cannot be read or written.
            InvalidValueError: no id.
        """
        token = self.home(person_id).token()
        self._tell()
        return token

    def new_link(self, store: Store, person_id: str) -> Home:
        """Give somebody another token: all that the old one opened is shut, in running services too.

        What was kept under the old one (addresses, logins) is kept under the new.

        Raises:
            HomeError: nobody of that id is here, or their token cannot be read or written.
            InvalidValueError: no id.
        """
        home = self.home(person_id)
        keeper = Keeper(home.person(store), home.token())
        home.token_file.renew(keeper.kept_under)
        self._tell()
        return home

    def remove(self, store: Store, person_id: str) -> None:
        """Erase everything of somebody, and let them go; their link is shut first.

        Raises:
            HomeError: nobody of that id is here.
            StoreError: the database failed; they are shut out already, remove them again.
            EraseIncompleteError: another process holds old pages of the database; otherwise they are gone.
        """
        home = self.home(person_id)
        home.token_file.shut()
        try:
            with suppress(UnknownPersonError):
                erase_person(store, person_id)
        except EraseIncompleteError:
            shutil.rmtree(home.folder, ignore_errors=True)
            raise
        shutil.rmtree(home.folder, ignore_errors=True)

    def changed_at(self) -> int:
        """When somebody last came, went or got another token, in nanoseconds; 0 where nobody ever did."""
        try:
            return self.folder.stat().st_mtime_ns
        except OSError:
            return 0

    def _tell(self) -> None:
        """A running service looks for tokens again."""
        os.utime(self.folder)

    def token_files(self) -> dict[str, TokenFile]:
        """Where everyone's token is kept, by their id; some may have none."""
        return {person_id: TokenFile(self.folder / person_id) for person_id in self.ids()}


def _is_id(name: str) -> bool:
    try:
        check_person_id(name)
    except InvalidValueError:
        return False
    return True
