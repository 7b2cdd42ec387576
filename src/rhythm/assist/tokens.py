"""The token that opens somebody's pages: a file in their folder, made once, renewed and shut on purpose."""

import os
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from rhythm.vocab.errors import RhythmError

TOKEN_BYTES = 32
TOKEN_CHARS = 43
"""Of a token of that many random bytes, written in base64 without padding."""
TOKEN = "token"  # noqa: S105 - the name of its file


class HomeError(RhythmError):
    """The data folder cannot be made, read or written."""


class TokenFile:
    """The file that holds a token; readable by its owner only, wholly on disk or not there.

    Attributes:
        path: of the file.
    """

    def __init__(self, folder: Path, name: str = TOKEN) -> None:
        self.path = folder / name

    def token(self) -> str:
        """The token; made where there is none yet.

        Raises:
            HomeError: it cannot be read or written, or holds less than a whole token.
        """
        token = self.found()
        if token is None:
            try:
                self._make()
            except OSError as error:
                raise _unusable(error) from None
            token = self.found()
        if token is None:
            raise HomeError("the token was taken away while it was made; start again")
        return token

    def found(self) -> str | None:
        """The token; None where there is none yet.

        Raises:
            HomeError: it cannot be read, or holds less than a whole token.
        """
        try:
            token = self.path.read_bytes().decode("ascii", "replace").strip()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unusable(error) from None
        if len(token) < TOKEN_CHARS or not (token.isascii() and token.isprintable()):
            raise HomeError(
                f"the token file is damaged; delete the file `{self.path.name}` in the data folder and start again, "
                "then addresses of calendars, logins and keys are asked for anew"
            )
        return token

    def renew(self, on_drawn: Callable[[str], None] = lambda _token: None) -> str:
        """Another token in place of the one there; what the old one opened is shut.

        Args:
            on_drawn: called with the new token before it takes the old one's place.

        Raises:
            HomeError: it cannot be written.
        """
        token = _drawn()
        try:
            draft = self._drafted(token)
        except OSError as error:
            raise _unusable(error) from None
        try:
            on_drawn(token)
            draft.replace(self.path)
        except OSError as error:
            raise _unusable(error) from None
        finally:
            draft.unlink(missing_ok=True)
        return token

    def shut(self) -> None:
        """Takes the token away: what it opened is shut."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise _unusable(error) from None

    def stamp(self) -> tuple[int, int] | None:
        """Something that differs once the token was made, renewed or shut; None where there is none."""
        try:
            kept = self.path.stat()
        except OSError:
            return None
        return kept.st_mtime_ns, kept.st_ino

    def _make(self) -> None:
        """Draws a token and keeps it; a file that is there by then stays."""
        draft = self._drafted(_drawn())
        try:
            os.link(draft, self.path)
        except OSError:
            if not self.path.exists():  # a file system without links
                draft.rename(self.path)
        finally:
            draft.unlink(missing_ok=True)

    def _drafted(self, token: str) -> Path:
        """A token wholly on disk, beside the file that it is for."""
        descriptor, name = tempfile.mkstemp(
            prefix=f"{self.path.name}-", dir=self.path.parent
        )  # the owner alone may read it
        draft = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(token)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        return draft


def _drawn() -> str:
    return secrets.token_urlsafe(TOKEN_BYTES)


def _unusable(error: OSError) -> HomeError:
    return HomeError(f"the token file cannot be used ({error.strerror}); see to it and start again")
