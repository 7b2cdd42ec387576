"""People change over weeks: a slow random walk of traits and weights inside their ranges."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.counter import normals
from rhythm.life.profiles import People
from rhythm.life.traits import TRAIT_RANGES, TRAITS
from rhythm.vocab import DAYS_PER_WEEK, METER_COUNT

TRAIT_WALK_PER_WEEK: Final = 0.03
"""Standard deviation of a week's walk of a trait, as a share of its range."""
WEIGHT_WALK_PER_WEEK: Final = 0.08
"""Standard deviation of a week's walk of the logarithm of a weight, before the weights are made to sum to 1."""
_DRAWS_PER_DAY: Final = 16
_LEAST_WEIGHT: Final = 1e-9


def drift_people(people: People, keys: NDArray[np.uint64], day: int, strength: float = 1.0) -> People:
    """The people a day later; traits are reflected at the ends of their ranges.

    Args:
        people: profile rows, shape (people, 15).
        keys: DRIFT keys, shape (people,); the walk is a pure function of key and day.
        day: day number.
        strength: factor on both walks; 0 leaves everyone as they are.

    Returns:
        New profile rows, shape (people, 15).
    """
    if strength == 0.0:
        return people
    daily = strength / np.sqrt(DAYS_PER_WEEK)
    first = day * _DRAWS_PER_DAY
    moved = people.copy()
    for meter in range(METER_COUNT):
        factor = np.exp(WEIGHT_WALK_PER_WEEK * daily * normals(keys, first + meter))
        moved[:, meter] = np.maximum(people[:, meter], _LEAST_WEIGHT) * factor
    moved[:, :METER_COUNT] /= moved[:, :METER_COUNT].sum(axis=1, keepdims=True)
    for place, trait in enumerate(TRAITS):
        low, high = TRAIT_RANGES[trait]
        unit = (people[:, trait] - low) / (high - low)
        unit = unit + TRAIT_WALK_PER_WEEK * daily * normals(keys, first + METER_COUNT + place)
        unit = np.abs(unit)
        unit = np.where(unit > 1.0, 2.0 - unit, unit)
        moved[:, trait] = np.clip(low + unit * (high - low), low, high)
    return moved
