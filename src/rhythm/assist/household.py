"""The people whom one service keeps: each has a folder with a token of their own, all are in one database.

Only a token tells who somebody is, so each person's link, cookie, feed and push key open their own pages and nobody
else's. Whoever is taken out and comes again under the same id has another token.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from rhythm.assist.keeper import Keeper
from rhythm.assist.marks import FOLDER, is_of, mark_of, new_mark
from rhythm.assist.places import PEOPLE_FOLDER, PERSON_ID, Home, data_folder, database_of, local_zone
from rhythm.assist.tokens import TOKEN, HomeError, TokenFile
from rhythm.store import PersonSettings, Store
from rhythm.store.erase import erase_person, is_empty
from rhythm.store.errors import EraseIncompleteError, PersonExistsError, UnknownPersonError
from rhythm.store.scope import check_person_id
from rhythm.vocab.errors import InvalidValueError

_DRAFT: Final = ".new-"
_LOCK: Final = ".changing.lock"


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
        return tuple(sorted(path.name for path in self.folder.iterdir() if _is_home(path)))

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

        The person stands in the database first, with the word of this folder, and their folder comes at the end with
        their token in it: where that was cut off, adding them again ends it.

        Args:
            store: of `open_store`.
            person_id: what they are called in folders and commands.
            settings: theirs; careful ones, with this machine's zone, where none are given.

        Raises:
            HomeError: they are here already, or the folder cannot be made.
            PersonExistsError: the database has somebody of that id, of another folder.
            InvalidValueError: no id, or that of the one person of a machine.
        """
        own = self.folder / check_person_id(person_id)
        if person_id == PERSON_ID:
            raise InvalidValueError(f"{PERSON_ID!r} is who is alone on a machine; choose another id")
        settings = settings or PersonSettings(zone=local_zone())
        with self._changing():
            if own.exists():
                raise HomeError(f"{person_id!r} is here already; see `rhythm people link`, or choose another id")
            try:
                store.create_person(person_id, settings, {FOLDER: new_mark(self.folder)})
            except PersonExistsError:
                person = store.person(person_id)
                if not is_of(person, self.folder):
                    raise
                if not is_empty(store, person_id):
                    raise HomeError(
                        f"the database has everything of {person_id!r} still, but their folder is gone: "
                        "bring it back from a copy, or choose another id"
                    ) from None
                person.save_settings(settings)
            try:
                draft = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=self.folder))  # its owner alone may enter it
                TokenFile(draft).token()
                draft.rename(own)
            except OSError as error:
                raise HomeError(f"the folder of people cannot be used ({error.strerror})") from None
        return self.home(person_id)

    def link_of(self, person_id: str) -> str:
        """Somebody's token, made anew where its file was deleted.

        Raises:
            HomeError: nobody of that id is here, or their token cannot be read or written.
            InvalidValueError: no id.
        """
        with self._changing():
            return self.home(person_id).token_file.token()

    def new_link(self, store: Store, person_id: str) -> Home:
        """Give somebody another token: all that the old one opened is shut, in running services too.

        What was kept under the old one (addresses, logins) is kept under the new; at each moment between it is read
        under the one that stands in the file.

        Raises:
            HomeError: nobody of that id is here, or their token cannot be read or written.
            InvalidValueError: no id.
        """
        with self._changing():
            home = self.home(person_id)
            for draft in home.folder.glob(f"{TOKEN}-*"):  # of one that was cut off
                draft.unlink(missing_ok=True)
            old = home.token_file.token()
            keeper = Keeper(home.person(store), home.token_file.found)
            home.token_file.renew(keeper.keep_under_both)
            keeper.keep_under_this_alone(old)
            return home

    def remove(self, store: Store, person_id: str) -> None:
        """Erase everything of somebody, and let them go; their link is shut first.

        Raises:
            HomeError: nobody of that id is here, or their folder cannot be taken away.
            StoreError: the database failed; they are shut out already, remove them again.
            EraseIncompleteError: another process holds old pages of the database; otherwise they are gone.
        """
        with self._changing():
            home = self.home(person_id)
            mark_of(self.folder)
            home.token_file.shut()
            left: EraseIncompleteError | None = None
            with suppress(UnknownPersonError, HomeError):  # not in the database any more, or somebody else's by now
                home.person(store)
                try:
                    erase_person(store, person_id)
                except EraseIncompleteError as error:
                    left = error
            shutil.rmtree(home.folder, onerror=_not_gone)
            if left is not None:
                raise left

    def changed_at(self) -> int:
        """When somebody last came, went or got another token, in nanoseconds; 0 where nobody ever did."""
        try:
            return self.folder.stat().st_mtime_ns
        except OSError:
            return 0

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """One change of who is here at a time, whichever process makes it; services look for tokens again after it."""
        with ExitStack() as stack:
            try:
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                lock = stack.enter_context(Path(self.folder, _LOCK).open("w", encoding="ascii"))
                fcntl.flock(lock, fcntl.LOCK_EX)
            except OSError as error:
                raise HomeError(f"the folder of people cannot be used ({error.strerror})") from None
            for draft in self.folder.glob(f"{_DRAFT}*"):  # of one that was cut off
                shutil.rmtree(draft, ignore_errors=True)
            try:
                yield
            finally:
                os.utime(self.folder)

    def token_files(self) -> dict[str, TokenFile]:
        """Where everyone's token is kept, by their id; some may have none."""
        return {person_id: TokenFile(self.folder / person_id) for person_id in self.ids()}


def _is_home(path: Path) -> bool:
    """Whether it is somebody's folder; what is linked to is somebody else's."""
    try:
        check_person_id(path.name)
    except InvalidValueError:
        return False
    return path.is_dir() and not path.is_symlink()


def _not_gone(_function: object, _path: str, error: tuple[type[BaseException], BaseException, object]) -> None:
    if not isinstance(error[1], FileNotFoundError):
        why = getattr(error[1], "strerror", None) or type(error[1]).__name__
        raise HomeError(
            f"everything is erased, but the folder cannot be taken away ({why}); see to it and repeat"
        ) from None
