"""Secrets of the person (feed addresses, a model's key), encrypted before they reach the database.

The key comes from the token file, which only its owner can read. So a copy of the database, or one
on a server, gives none of them away; with another token they cannot be read and are asked for again.
"""

import base64
import hashlib
import hmac
from contextlib import suppress

from rhythm.store import PersonStore
from rhythm.vocab.errors import RhythmError


class SecretError(RhythmError):
    """A secret cannot be kept or read here."""


class Keeper:
    """Keeps a person's secrets under a token."""

    def __init__(self, person: PersonStore, token: str) -> None:
        """Take a person and their token.

        Args:
            person: whose.
            token: what the key is made from; empty where secrets cannot be kept.
        """
        self._person = person
        self._token = token

    def put(self, name: str, text: str) -> None:
        """Keeps a secret under that name, in place of what was there.

        Raises:
            SecretError: there is no token here.
        """
        from cryptography.fernet import Fernet  # noqa: PLC0415 - only what has secrets needs it

        self._person.secrets.put(name, Fernet(self._key()).encrypt(text.encode()))

    def get(self, name: str) -> str:
        """The secret of that name.

        Raises:
            SecretError: there is none, or it was kept under another token.
        """
        from cryptography.fernet import Fernet, InvalidToken  # noqa: PLC0415

        kept = self._person.secrets.get(name)
        if kept is None:
            raise SecretError("the address or key is not there any more; give it again")
        try:
            return Fernet(self._key()).decrypt(kept).decode()
        except InvalidToken:
            raise SecretError("the token file has changed since this address or key was given; give it again") from None

    def drop(self, name: str) -> None:
        """Forgets a secret; nothing happens where there is none."""
        self._person.secrets.delete(name)

    def kept_under(self, token: str) -> None:
        """Encrypts every secret of theirs anew, under another token; those that cannot be read here stay as they are.

        Args:
            token: the other one; from then on only a keeper with that one reads them.
        """
        from cryptography.fernet import Fernet  # noqa: PLC0415

        box = Fernet(_key_from(token))
        anew = {}
        for kept in self._person.secrets.all():
            with suppress(SecretError):
                anew[kept.name] = box.encrypt(self.get(kept.name).encode())
        self._person.secrets.put_all(anew)

    def _key(self) -> bytes:
        if not self._token:
            raise SecretError("addresses and keys can only be kept by the running service; start `rhythm up`")
        return _key_from(self._token)


def _key_from(token: str) -> bytes:
    return base64.urlsafe_b64encode(hmac.new(token.encode(), b"secrets", hashlib.sha256).digest())
