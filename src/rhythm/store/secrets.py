"""Secrets: credentials as their keeper has encrypted them. They are never exported."""

from collections.abc import Callable, Mapping
from datetime import datetime

import msgspec
import sqlalchemy as sa

from rhythm.store.scope import PersonScope, fields_of, values_of
from rhythm.store.tables import secrets


class SecretInfo(msgspec.Struct, frozen=True):
    """That a secret is there, and how old it is."""

    name: str
    created_at: datetime
    updated_at: datetime


class Secrets:
    """A person's secrets: opaque bytes by name."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope

    def put(self, name: str, payload: bytes | Callable[[], bytes]) -> None:
        """Keeps encrypted bytes under that name, in place of what was there.

        Args:
            name: of the secret.
            payload: the bytes, or what gives them once nobody else writes secrets of this person.
        """
        with self._scope.write() as connection:
            keep_secrets(connection, self._scope, {name: payload() if callable(payload) else payload})

    def rewrite(self, anew: Callable[[bytes], bytes | None]) -> None:
        """Replaces every secret by what is made of it, all at once, while nobody else writes them.

        Args:
            anew: gives the new bytes of old ones; None where they stay.
        """
        query = sa.select(secrets.c.name, secrets.c.payload).where(self._scope.mine(secrets))
        with self._scope.write() as connection:
            made = {name: anew(payload) for name, payload in connection.execute(query).all()}
            keep_secrets(connection, self._scope, {name: new for name, new in made.items() if new is not None})

    def get(self, name: str) -> bytes | None:
        """The encrypted bytes; None where there are none."""
        with self._scope.read() as connection:
            found: bytes | None = connection.execute(sa.select(secrets.c.payload).where(self._here(name))).scalar()
            return found

    def delete(self, name: str) -> bool:
        """Takes a secret out; whether there was one."""
        with self._scope.write() as connection:
            return connection.execute(sa.delete(secrets).where(self._here(name))).rowcount > 0

    def all(self) -> tuple[SecretInfo, ...]:
        """Which there are and how old, by name; never what they are."""
        query = fields_of(SecretInfo, secrets).where(self._scope.mine(secrets)).order_by(secrets.c.name)
        with self._scope.read() as connection:
            return self._scope.rows(connection, query, SecretInfo)

    def _here(self, name: str) -> sa.ColumnElement[bool]:
        return sa.and_(self._scope.mine(secrets), secrets.c.name == name)


def keep_secrets(connection: sa.Connection, scope: PersonScope, payloads: Mapping[str, bytes]) -> None:
    """Keeps encrypted bytes of a person within a transaction, in place of what was there under each name."""
    now_at = scope.now()
    for name, payload in payloads.items():
        here = sa.and_(scope.mine(secrets), secrets.c.name == name)
        created_at = connection.execute(sa.select(secrets.c.created_at).where(here)).scalar()
        info = SecretInfo(name, created_at or now_at, now_at)
        scope.upsert(connection, secrets, [{**values_of(info), "payload": payload}])
