"""Checks of what callers hand to the faces: a plain value, or a typed error that says what was got."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rhythm.sim.secret import PUBLISHED, Secret
from rhythm.vocab import InvalidValueError
from rhythm.vocab.checks import is_whole

SEED_LIMIT: Final = 2**63
_SHOWN: Final = 60


def shown(value: object) -> str:
    """A value as an error shows it: whole numbers and text as they are, anything else with its type, cut short."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if value.bit_length() <= 64 else f"a number of {value.bit_length()} bits"
    kind = type(value).__name__
    text = repr(value) if isinstance(value, str) else kind
    if isinstance(value, bool | float | np.generic):
        text = f"{kind} {value}"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def whole_number(value: object, what: str, low: int, high: int) -> int:
    """A whole number from low to high, NumPy's included; a truth value is none, nor is 3.0.

    Raises:
        InvalidValueError: something else.
    """
    if not is_whole(value, low, high):
        last = "2**63 - 1" if high == SEED_LIMIT - 1 else str(high)
        raise InvalidValueError(f"{what} is a whole number from {low} to {last}; got {shown(value)}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def as_array(values: object, what: str) -> NDArray[Any]:
    """Values as an array.

    Raises:
        InvalidValueError: they make none, as rows of different lengths do.
    """
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError):
        raise InvalidValueError(f"{what} make no array; give a plain list or array of numbers") from None


def one_seed(seed: object) -> int:
    """The seed of one week.

    Raises:
        InvalidValueError: not a whole number from 0 to 2**63 - 1.
    """
    return whole_number(seed, "a seed", 0, SEED_LIMIT - 1)


def check_seeds(seeds: object, count: int) -> NDArray[np.int64]:
    """One seed for each of that many people, shape (people,).

    Raises:
        InvalidValueError: wrong shape, not whole numbers, or outside 0 to 2**63 - 1.
    """
    found = as_array(seeds, "seeds")
    if found.shape != (count,):
        raise InvalidValueError(f"give one seed for each of {count} people; got shape {found.shape}")
    if found.dtype.kind not in "iu":
        raise InvalidValueError(f"a seed is a whole number from 0 to 2**63 - 1; got {found.dtype}")
    wrong = (found < 0) | (found >= SEED_LIMIT)
    if wrong.any():
        raise InvalidValueError(f"a seed is a whole number from 0 to 2**63 - 1; got {int(found[wrong][0])}")
    return found.astype(np.int64)


def seeds_in_a_row(seed: object, count: int) -> NDArray[np.int64]:
    """One seed for each of that many people: those that are given, or the first of as many in a row.

    Raises:
        InvalidValueError: neither, or one outside 0 to 2**63 - 1.
    """
    if isinstance(seed, list | tuple | range | np.ndarray):
        return check_seeds(seed, count)
    first = one_seed(seed)
    if first + count > SEED_LIMIT:
        raise InvalidValueError(f"the last of {count} seeds from {first} is above 2**63 - 1; begin lower")
    return first + np.arange(count, dtype=np.int64)


def secret_or_published(secret: object) -> Secret:
    """A face's secret; without one that of the published seeds.

    Raises:
        InvalidValueError: something else; the message never shows it.
    """
    if secret is None:
        return PUBLISHED
    if not isinstance(secret, Secret):
        raise InvalidValueError(
            f"secret is a Secret or None; got {type(secret).__name__}. Wrap the number: Secret(...)"
        )
    return secret
