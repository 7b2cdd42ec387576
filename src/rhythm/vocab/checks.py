"""What a field of a record may hold.

Records are made by the thousand when a history is replayed, so each check looks first for
the plain type that nearly every value has and takes its time only with the rest.
"""

import sys
from enum import Enum
from numbers import Integral, Rational, Real

from rhythm.vocab.errors import InvalidValueError

FINITE = sys.float_info.max
"""No finite number is further from zero."""

_EXACT = 2**53
"""Up to here every whole number has a float of its own."""


def is_number(value: object, low: float = -FINITE, high: float = FINITE) -> bool:
    """Whether it is a number from low to high: finite, no NaN, no truth value, no text, no fraction."""
    if type(value) is float:
        return low <= value <= high
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    if isinstance(value, Rational):
        return is_whole(value, -_EXACT, _EXACT) and low <= float(value) <= high
    return low <= float(value) <= high


def is_whole(value: object, low: int, high: int) -> bool:
    """Whether it is a whole number from low to high; a truth value is none, nor is 3.0."""
    if type(value) is int:
        return low <= value <= high
    return not isinstance(value, bool) and isinstance(value, Integral) and low <= int(value) <= high


def check_text(value: object, what: str) -> None:
    """Text that can be written as UTF-8.

    Raises:
        InvalidValueError: no text, or half a surrogate pair in it. The message never holds the text.
    """
    if type(value) is str and value.isascii():
        return
    if not isinstance(value, str):
        raise InvalidValueError(f"{what} is text; got {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidValueError(
            f"{what} holds half a surrogate pair at character {error.start}, which no file can hold; replace it"
        ) from None


def check_member(value: object, kind: type[Enum], what: str) -> None:
    """A member of an enumeration, not its bare number or text.

    Raises:
        InvalidValueError: something else.
    """
    if type(value) is not kind:
        allowed = ", ".join(member.name for member in kind)
        raise InvalidValueError(f"{what} is a member of {kind.__name__} ({allowed}); got {type(value).__name__}")
