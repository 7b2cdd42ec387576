"""A personal adapter: what it changes, in its versioned form.

The student's last layer for acceptance gives each action a logit from the hidden state. An
adapter adds to it a matrix of low rank, the same for every person but for a few numbers: what a
person accepts more or less of at all, how far their answers follow what is foreseen, by part of
the day, by action, and along a few directions of the hidden state in which people differ. The
student itself is shared and never changed, so an adapter is a few hundred bytes, and taking one
back is not to use it any more.
"""

from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.vocab import ACTION_COUNT, SLOTS_PER_DAY, SchemaError

ADAPTER_SCHEMA: Final = "rhythm.adapter/1"
ADAPTER_VERSION: Final = "1"
_MOST_BYTES: Final = 64_000
_LARGEST: Final = 20.0
"""No coefficient of an adapter that was fitted is near this."""

Floats = NDArray[np.float64]

GROUPS: Final = ("level", "slope", "parts", "actions", "directions")
"""What coefficients belong to, in their order."""


class Adapter(msgspec.Struct, frozen=True):
    """A correction of the student for one person.

    Attributes:
        schema: `ADAPTER_SCHEMA`.
        base: the student that it belongs to, by name and hash.
        level: added to every logit.
        slope: share of the foreseen logit that is added to it.
        parts: added by part of the day, four numbers.
        actions: added by action, ten numbers.
        directions: factors on the base's directions of the hidden state.
    """

    schema: str
    base: str
    level: float
    slope: float
    parts: tuple[float, ...]
    actions: tuple[float, ...]
    directions: tuple[float, ...]

    @property
    def coefficients(self) -> Floats:
        """All numbers in the order of `features`."""
        return np.array([self.level, self.slope, *self.parts, *self.actions, *self.directions])

    @staticmethod
    def of(base: str, coefficients: Floats) -> "Adapter":
        """An adapter from all its numbers."""
        level, slope, *rest = (float(number) for number in coefficients)
        parts, actions = rest[:SLOTS_PER_DAY], rest[SLOTS_PER_DAY : SLOTS_PER_DAY + ACTION_COUNT]
        directions = rest[SLOTS_PER_DAY + ACTION_COUNT :]
        return Adapter(ADAPTER_SCHEMA, base, level, slope, tuple(parts), tuple(actions), tuple(directions))


def features(
    logits: NDArray[np.float32], hidden: NDArray[np.float32], slots: NDArray[np.int64], actions: NDArray[np.int64],
    directions: Floats,
) -> Floats:  # fmt: skip
    """What an adapter's coefficients multiply.

    Args:
        logits: that the student foresees for each suggestion, shape (n,).
        hidden: its hidden state, shape (n, width).
        slots: slot numbers, shape (n,).
        actions: suggested, shape (n,).
        directions: of the hidden state, shape (count, width).

    Returns:
        Shape (n, 16 + count).
    """
    count = len(logits)
    table = np.zeros((count, 2 + SLOTS_PER_DAY + ACTION_COUNT))
    rows = np.arange(count)
    table[:, 0], table[:, 1] = 1.0, logits
    table[rows, 2 + slots % SLOTS_PER_DAY] = 1.0
    table[rows, 2 + SLOTS_PER_DAY + actions] = 1.0
    return np.concatenate([table, hidden.astype(np.float64) @ directions.T], axis=1)


def pack_adapter(adapter: Adapter) -> bytes:
    """The adapter in its versioned form; `unpack_adapter` gives the same again."""
    return msgspec.msgpack.encode(adapter)


def unpack_adapter(payload: bytes, base: str, directions: int) -> Adapter:
    """The adapter that `pack_adapter` wrote.

    Args:
        payload: its bytes.
        base: name of the student that is served.
        directions: how many directions of the hidden state that student has.

    Raises:
        SchemaError: damaged, of another version, or of another student; it is not to be served.
    """
    if len(payload) > _MOST_BYTES:
        raise SchemaError(f"an adapter has at most {_MOST_BYTES} bytes; got {len(payload)}; fit it again")
    try:
        found: Any = msgspec.msgpack.decode(payload, type=Adapter)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise SchemaError(f"the adapter is damaged ({type(error).__name__}); fit it again") from None
    if found.schema != ADAPTER_SCHEMA:
        raise SchemaError(
            f"the adapter is of {found.schema[:60]!r}; this version reads {ADAPTER_SCHEMA!r}; fit it again"
        )
    if found.base != base:
        raise SchemaError("the adapter belongs to other weights of the student than are served; fit it again")
    lengths = (len(found.parts), len(found.actions), len(found.directions))
    numbers = found.coefficients
    if lengths != (SLOTS_PER_DAY, ACTION_COUNT, directions) or not (np.abs(numbers) <= _LARGEST).all():
        raise SchemaError("the adapter holds numbers that no fitting gives; fit it again")
    return found  # type: ignore[no-any-return]
