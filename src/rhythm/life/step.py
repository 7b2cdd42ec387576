"""The pure step over arrays: one person is an array of one.

Every function checks what it is given and returns new arrays; nothing is changed in place.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.life.counter import Stream, scramble_seeds
from rhythm.life.profiles import People
from rhythm.vocab import (
    ACTION_COUNT,
    EVENT_COUNT,
    METER_COUNT,
    SLOTS_PER_DAY,
    InvalidValueError,
    UnknownNameError,
)
from rhythm.vocab.actions import ACTIONS


class Step(NamedTuple):
    """What one slot did.

    Attributes:
        meters: levels after it, shape (people, 5).
        deltas: change of each meter, shape (people, 5).
        rewards: what it paid, shape (people,).
        crashes: meters that ended below 0.10, shape (people,).
    """

    meters: NDArray[np.float64]
    deltas: NDArray[np.float64]
    rewards: NDArray[np.float64]
    crashes: NDArray[np.int8]


def check_levels(meters: NDArray[np.float64], people: int) -> NDArray[np.float64]:
    """Meter levels of that many people, as a contiguous array of float64.

    Raises:
        InvalidValueError: wrong shape, or a level that is NaN, infinite or outside [0, 1].
    """
    levels = np.ascontiguousarray(meters, dtype=np.float64)
    if levels.shape != (people, METER_COUNT):
        raise InvalidValueError(f"meters have shape (people, {METER_COUNT}) = ({people}, 5); got {levels.shape}")
    if not ((levels >= 0.0) & (levels <= 1.0)).all():
        raise InvalidValueError("a meter is not a number in [0, 1]; check where it comes from")
    return levels


def check_indices(values: object, people: int, kind: str, count: int, names: tuple[str, ...]) -> NDArray[np.int8]:
    """Indices 0..count-1, one for each person, as int8.

    Raises:
        InvalidValueError: wrong shape, or not whole numbers.
        UnknownNameError: an index outside the list.
    """
    indices = np.asarray(values)
    if indices.shape != (people,):
        raise InvalidValueError(f"give one {kind} for each of {people} people; got shape {indices.shape}")
    if indices.dtype.kind not in "iu":
        raise InvalidValueError(f"{kind}s are whole numbers 0 to {count - 1}; got {indices.dtype}")
    wrong = (indices < 0) | (indices >= count)
    if wrong.any():
        raise UnknownNameError(kind, int(indices[wrong][0]), names)
    return np.ascontiguousarray(indices, dtype=np.int8)


def check_actions(actions: object, people: int) -> NDArray[np.int8]:
    """Action indices, one for each person; errors as `check_indices`."""
    return check_indices(actions, people, "action", ACTION_COUNT, tuple(a.name for a in ACTIONS))


def step(people: People, meters: NDArray[np.float64], actions: object, slot: int, events: object) -> Step:
    """One slot of everyone's life.

    Args:
        people: profile rows, shape (people, 15).
        meters: levels before the slot in [0, 1], shape (people, 5).
        actions: action indices, shape (people,).
        slot: part of the day 0..3, or a step of the week or slot number (taken modulo 4).
        events: event indices, shape (people,).

    Raises:
        InvalidValueError, UnknownNameError: see the checks above.
    """
    from rhythm.life import kernel  # noqa: PLC0415 - the compiler is loaded on first use

    count = len(people)
    before = check_levels(meters, count)
    chosen = check_actions(actions, count)
    happening = check_indices(events, count, "event", EVENT_COUNT, tuple(str(i) for i in range(EVENT_COUNT)))
    done = Step(np.empty_like(before), np.empty_like(before), np.empty(count), np.empty(count, np.int8))
    kernel.advance(0, count, np.ascontiguousarray(people), before, chosen, slot % SLOTS_PER_DAY, happening, *done)
    return done


def anomalies(
    before: NDArray[np.float64],
    actions: NDArray[np.int8],
    slot: int,
    events: NDArray[np.int8],
    deltas: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Deltas minus those of the neutral person in the same state, slot and event, shape (people, 5)."""
    from rhythm.life import kernel  # noqa: PLC0415

    neutral = np.empty_like(deltas)
    kernel.neutral_deltas(np.ascontiguousarray(before), actions, slot % SLOTS_PER_DAY, events, neutral)
    return deltas - neutral


def wellbeing(people: People, meters: NDArray[np.float64]) -> NDArray[np.float64]:
    """The person's own weighted geometric mean of the meters (floor 0.02), shape (people,), in [0.02, 1]."""
    from rhythm.life import kernel  # noqa: PLC0415

    out = np.empty(len(people))
    kernel.wellbeing(np.ascontiguousarray(people), np.ascontiguousarray(meters, dtype=np.float64), out)
    return out


def draw_events(seeds: NDArray[np.int64], first_slot: int, count: int, *, secret: int = 0) -> NDArray[np.int8]:
    """The events of a stretch of slots; a pure function of seed and slot number.

    Args:
        seeds: episode seeds, shape (people,).
        first_slot: slot number of the first.
        count: how many slots.
        secret: see `rhythm.life.counter.scramble_seeds`.

    Returns:
        Event indices, shape (people, count).
    """
    from rhythm.life import kernel  # noqa: PLC0415

    keys = scramble_seeds(np.asarray(seeds), Stream.EVENTS, secret)
    events = np.empty((len(keys), count), np.int8)
    kernel.draw_events(keys, first_slot, events)
    return events
