"""Column types: instants, days, enumerations, words and JSON, the same on SQLite and PostgreSQL."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from rhythm.vocab.errors import InvalidValueError

EPOCH_AT = datetime(1970, 1, 1, tzinfo=UTC)
_US_PER_SECOND = 1_000_000
_US_PER_DAY = 86_400 * _US_PER_SECOND


def to_micros(at: datetime) -> int:
    """Microseconds since 1970 UTC of an aware datetime, exact.

    Raises:
        InvalidValueError: the datetime has no time zone.
    """
    return many_micros((at,))[0]


def many_micros(instants: Sequence[datetime]) -> list[int]:
    """`to_micros` of each of many.

    Raises:
        InvalidValueError: one of them has no time zone.
    """
    try:
        since = [at - EPOCH_AT for at in instants]
    except TypeError:
        raise InvalidValueError("a naive datetime cannot be stored; give it a time zone") from None
    return [one.days * _US_PER_DAY + one.seconds * _US_PER_SECOND + one.microseconds for one in since]


_FIRST_US, _LAST_US = many_micros((datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)))


def from_micros(micros: int) -> datetime:
    """The instant, in UTC, of microseconds since 1970."""
    return EPOCH_AT + timedelta(microseconds=micros)


def clean_words(text: str) -> str:
    """Text that both databases take: NUL and lone surrogates become the replacement character."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class Instant(TypeDecorator[datetime]):
    """An aware datetime, kept as microseconds since 1970 UTC."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Microseconds of the instant.

        Raises:
            InvalidValueError: it has no time zone, or could not be read back: not in the years 1 to 9999 of UTC.
        """
        if value is None:
            return None
        micros = to_micros(value)
        if not _FIRST_US <= micros <= _LAST_US:
            raise InvalidValueError("an instant outside the years 1 to 9999 cannot be stored")
        return micros

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """The instant, in UTC."""
        return None if value is None else from_micros(value)


class Day(TypeDecorator[date]):
    """A calendar day, kept as ``YYYY-MM-DD``."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: date | None, dialect: Dialect) -> str | None:
        """The ISO form."""
        return None if value is None else value.isoformat()

    def process_result_value(self, value: Any, dialect: Dialect) -> date | None:
        """The day."""
        return None if value is None else date.fromisoformat(value)


class Words(TypeDecorator[str]):
    """Free text from outside, cleaned of what a database refuses."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """The cleaned text."""
        return None if value is None else clean_words(value)


class Member(TypeDecorator[Any]):
    """A member of an enumeration of words, kept as its word."""

    impl: type[sa.types.TypeEngine[Any]] = sa.Text
    cache_ok = True

    def __init__(self, members: type[Enum]) -> None:
        super().__init__()
        self.members = members
        self._of = {member.value: member for member in members}

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """The member's value."""
        return None if value is None else self.members(value).value

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The member."""
        return None if value is None else self._of[value]


class NumberedMember(Member):
    """A member of an enumeration of numbers, kept as its number."""

    impl = sa.Integer
    cache_ok = True


class Json(TypeDecorator[Any]):
    """A record or a plain structure, kept as JSON text and read back as its type."""

    impl = sa.Text
    cache_ok = True

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.kind = kind
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind)

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Its JSON text."""
        return None if value is None else msgspec.json.encode(value).decode()

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The record."""
        return None if value is None else self._decoder.decode(value)
