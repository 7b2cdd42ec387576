"""Where Rhythm keeps things on this machine: one folder with the database, the token and files to be read."""

import os
import secrets
import tempfile
from pathlib import Path

import platformdirs

from rhythm.store import PersonSettings, PersonStore, Store
from rhythm.store.erase import erase_person
from rhythm.store.restore import restore_person
from rhythm.vocab.errors import RhythmError

FOLDER_VARIABLE = "RHYTHM_HOME"
DATABASE_VARIABLE = "RHYTHM_DATABASE"
PERSON_ID = "me"
"""The one person of a store on somebody's own machine."""
TOKEN_BYTES = 32
TOKEN_CHARS = 43
"""Of a token of that many random bytes, written in base64 without padding."""


class HomeError(RhythmError):
    """The data folder cannot be made, read or written."""


class Home:
    """A data folder; private to its owner.

    Attributes:
        folder: the folder itself.
    """

    def __init__(self, folder: Path | None = None, *, demonstration: bool = False) -> None:
        """Take a folder, and make it where it is missing.

        Args:
            folder: where; `FOLDER_VARIABLE` or the system's place for such data where it is not given.
            demonstration: the invented person's, which is never the real one's.

        Raises:
            HomeError: it cannot be made.
        """
        base = folder or Path(os.environ.get(FOLDER_VARIABLE) or platformdirs.user_data_path("rhythm"))
        self.demonstration = demonstration
        self.folder = base / "demo" if demonstration else base
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.incoming.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise HomeError(f"the data folder cannot be made ({error.strerror}); set {FOLDER_VARIABLE}") from None

    @property
    def database(self) -> str:
        """Path or URL of the database; the demonstration always has its own file."""
        own = str(self.folder / "rhythm.db")
        return own if self.demonstration else os.environ.get(DATABASE_VARIABLE) or own

    @property
    def incoming(self) -> Path:
        """The folder of files that were handed in and are not read yet."""
        return self.folder / "incoming"

    def clear_incoming(self) -> None:
        """Removes every file that was handed in and not read yet, and those that were only looked into."""
        for path in self.incoming.rglob("*"):
            if not path.is_dir():
                path.unlink(missing_ok=True)

    def token(self) -> str:
        """The secret that opens the pages; made at the first start, readable by the owner only.

        Raises:
            HomeError: it cannot be read or written, or holds less than a whole token.
        """
        path = self.folder / "token"
        try:
            if not path.exists():
                _make_token(path)
            token = path.read_bytes().decode("ascii", "replace").strip()
        except OSError as error:
            raise HomeError(f"the token file cannot be used ({error.strerror}); see to it and start again") from None
        if len(token) < TOKEN_CHARS or not (token.isascii() and token.isprintable()):
            raise HomeError(
                f"the token file is damaged; delete the file `{path.name}` in the data folder and start again, "
                "then addresses of calendars, logins and keys are asked for anew"
            )
        return token

    def open_store(self) -> Store:
        """The database, up to date.

        Raises:
            StoreError: see `rhythm.store.Store.open`.
        """
        return Store.open(self.database)

    def person(self, store: Store) -> PersonStore:
        """The one person of this machine, made with careful settings where missing."""
        if any(known.id == PERSON_ID for known in store.people()):
            return store.person(PERSON_ID)
        return store.create_person(PERSON_ID, PersonSettings(zone=local_zone(), demonstration=self.demonstration))

    def restore(self, store: Store, source: Path) -> PersonStore:
        """The one person of this machine as an export has them.

        Args:
            store: where to; it must hold nothing of theirs yet.
            source: the folder or zip that `rhythm export` wrote.

        Raises:
            HomeError: there is something of theirs here.
            ExportError: it is no export, of another version or damaged; nothing was written.
        """
        known = next((one for one in store.people() if one.id == PERSON_ID), None)
        if known is not None and known.last_number:
            raise HomeError("there is something of yours here already; export it, run `rhythm erase`, then restore")
        if known is not None:
            erase_person(store, PERSON_ID)  # an empty record
        try:
            return restore_person(store, source, PERSON_ID)
        finally:
            self.person(store)


def _make_token(path: Path) -> None:
    """Draws a token and keeps it; a file that is there by then stays, and none is there before it is wholly on disk."""
    descriptor, draft = tempfile.mkstemp(prefix="token-", dir=path.parent)  # the owner alone may read it
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(TOKEN_BYTES))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except OSError:
            if not path.exists():  # a file system without links
                Path(draft).rename(path)
    finally:
        Path(draft).unlink(missing_ok=True)


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
