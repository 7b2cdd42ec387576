"""What was sent out to a person, so that nothing is told twice."""

from datetime import datetime

import msgspec
import sqlalchemy as sa

from rhythm.store.scope import PersonScope, fields_of
from rhythm.store.tables import notices


class Notice(msgspec.Struct, frozen=True):
    """That something was told.

    Attributes:
        key: what: the sender's own name for it.
        channel: by which way.
        sent_at: when.
    """

    key: str
    channel: str
    sent_at: datetime


class Notices:
    """A person's notices."""

    def __init__(self, scope: PersonScope) -> None:
        self._scope = scope

    def claim(self, key: str, channel: str) -> bool:
        """Whether this may be sent: true once per key, whichever process asks. Claim first, then send."""
        here = sa.and_(self._scope.mine(notices), notices.c.key == key)
        with self._scope.write() as connection:
            if connection.execute(sa.select(notices.c.key).where(here)).first() is not None:
                return False
            self._scope.insert(connection, notices, Notice(key, channel, self._scope.now()))
            return True

    def release(self, key: str) -> None:
        """Takes a claim back: it was not told after all. Nothing happens where there is none."""
        here = sa.and_(self._scope.mine(notices), notices.c.key == key)
        with self._scope.write() as connection:
            connection.execute(sa.delete(notices).where(here))

    def since(self, at: datetime) -> tuple[Notice, ...]:
        """Those from that instant on, oldest first."""
        query = fields_of(Notice, notices).where(self._scope.mine(notices), notices.c.sent_at >= at)
        with self._scope.read() as connection:
            return self._scope.rows(connection, query.order_by(notices.c.sent_at, notices.c.key), Notice)
