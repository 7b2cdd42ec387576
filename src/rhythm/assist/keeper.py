"""Secrets of the person (feed addresses, a model's key), encrypted before they reach the database.

The key comes from the token file, which only its owner can read. So a copy of the database, or one
on a server, gives none of them away; with another token they cannot be read and are asked for again.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from rhythm.store import PersonStore
from rhythm.vocab.errors import RhythmError

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

_BETWEEN: Final = b"\n"


class SecretError(RhythmError):
    """A secret cannot be kept or read here."""


Token = str | Callable[[], str | None]
"""What secrets are encrypted with, or what gives it whenever it is needed, as a token can be renewed meanwhile."""


class Keeper:
    """Keeps a person's secrets under a token.

    What is kept is one encryption, or two while a token is renewed: then the old one reads it and the new one, too, so
    that it can be read whichever of them stands in the token's file when a process ends in between.
    """

    def __init__(self, person: PersonStore, token: Token) -> None:
        """Take a person and their token.

        Args:
            person: whose.
            token: what the key is made from; empty or None where secrets cannot be kept.
        """
        self._person = person
        self._token = token

    def put(self, name: str, text: str) -> None:
        """Keeps a secret under that name, in place of what was there.

        Raises:
            SecretError: there is no token here.
        """
        _box(self._token)  # says so before anything waits
        self._person.secrets.put(name, lambda: _box(self._token).encrypt(text.encode()))

    def get(self, name: str) -> str:
        """The secret of that name.

        Raises:
            SecretError: there is none, or it was kept under another token.
        """
        for _ in range(2):  # once more where a renewal came between the two readings
            box, kept = _box(self._token), self._person.secrets.get(name)
            if kept is None:
                raise SecretError("the address or key is not there any more; give it again")
            found = _opened(box, kept)
            if found is not None:
                return found.decode()
        raise SecretError("the token file has changed since this address or key was given; give it again")

    def drop(self, name: str) -> None:
        """Forgets a secret; nothing happens where there is none."""
        self._person.secrets.delete(name)

    def keep_under_both(self, token: str) -> None:
        """Has another token read every secret, too, all at once; those that cannot be read here stay as they are.

        Args:
            token: the other one.
        """
        mine, other = _box(self._token), _box(token)

        def both(kept: bytes) -> bytes | None:
            text = _opened(mine, kept)
            return None if text is None else _BETWEEN.join((mine.encrypt(text), other.encrypt(text)))

        self._person.secrets.rewrite(both)

    def keep_under_this_alone(self, old_token: str) -> None:
        """Ends a renewal: from then on the old token reads nothing, and this one what was kept meanwhile, too."""
        mine, old = _box(self._token), _box(old_token)

        def alone(kept: bytes) -> bytes | None:
            text = _opened(mine, kept) or _opened(old, kept)
            return None if text is None else mine.encrypt(text)

        self._person.secrets.rewrite(alone)


def _opened(box: "Fernet", kept: bytes) -> bytes | None:
    """What was encrypted, by whichever of its encryptions the box opens; None where it opens none."""
    from cryptography.fernet import InvalidToken  # noqa: PLC0415

    for encryption in kept.split(_BETWEEN):
        with suppress(InvalidToken):
            return box.decrypt(encryption)
    return None


def _box(token: Token) -> "Fernet":
    from cryptography.fernet import Fernet  # noqa: PLC0415 - only what has secrets needs it

    now = token() if callable(token) else token
    if not now:
        raise SecretError("addresses and keys can only be kept by the running service; start `rhythm up`")
    return Fernet(_key_from(now))


def _key_from(token: str) -> bytes:
    return base64.urlsafe_b64encode(hmac.new(token.encode(), b"secrets", hashlib.sha256).digest())
