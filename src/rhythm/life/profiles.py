"""One hidden person, the three archetypes, and the belief that would be right of them."""

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.life.traits import NEUTRAL_TRAITS, PROFILE_WIDTH, TRAIT_RANGES, TRAITS, Trait
from rhythm.vocab import BELIEF_COUNT, METER_COUNT, Belief, InvalidValueError, Meter, MeterValues

People = NDArray[np.float64]
"""Profile rows, shape (people, 15): five weights, then the ten traits in the order of `Trait`."""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """A hidden person: reward weights (sum 1) by meter, and ten traits (see `Trait`)."""

    weights: MeterValues
    social_drain: float
    social_warmth: float
    solo_recharge: float
    chronotype: float
    work_recovery: float
    work_calm: float
    leisure_guilt: float
    stress_tolerance: float
    vitality_decay: float
    event_impact: float

    @property
    def row(self) -> NDArray[np.float64]:
        """The profile row, shape (15,)."""
        return np.array([*self.weights, *(getattr(self, t.name.lower()) for t in TRAITS)], dtype=np.float64)

    @staticmethod
    def from_row(row: NDArray[np.float64]) -> "Profile":
        """The person that a profile row describes.

        Raises:
            InvalidValueError: the row is not a person (see `check_people`).
        """
        check_people(row[None, :])
        weights = tuple(float(w) for w in row[:METER_COUNT])
        traits = {t.name.lower(): float(row[t]) for t in TRAITS}
        return Profile(weights=(weights[0], weights[1], weights[2], weights[3], weights[4]), **traits)

    @property
    def belief(self) -> Belief:
        """The belief that would be right of this person."""
        social, morning, work = belief_targets(self.row[None, :])[0]
        return Belief(float(social), float(morning), float(work))


def check_people(people: People) -> People:
    """Profile rows of people who can exist.

    Raises:
        InvalidValueError: wrong shape, a value that is not finite, weights off the simplex,
            or a trait outside its range.
    """
    if people.ndim != 2 or people.shape[1] != PROFILE_WIDTH:
        raise InvalidValueError(f"profile rows have shape (people, {PROFILE_WIDTH}); got {people.shape}")
    if not np.isfinite(people).all():
        raise InvalidValueError("a profile row holds a value that is not finite")
    weights = people[:, :METER_COUNT]
    if (weights < 0.0).any() or not np.allclose(weights.sum(axis=1), 1.0, atol=1e-9):
        raise InvalidValueError("reward weights are not negative and sum to 1")
    for trait, (low, high) in TRAIT_RANGES.items():
        column = people[:, trait]
        if (column < low - 1e-12).any() or (column > high + 1e-12).any():
            raise InvalidValueError(f"{trait.label} runs from {low} to {high}; a row is outside")
    return people


def unit_traits(people: People) -> NDArray[np.float64]:
    """Traits scaled to [0, 1] over their ranges, shape (people, 10)."""
    low = np.array([TRAIT_RANGES[t][0] for t in TRAITS])
    high = np.array([TRAIT_RANGES[t][1] for t in TRAITS])
    scaled: NDArray[np.float64] = (people[:, METER_COUNT:] - low) / (high - low)
    return scaled


WEIGHT_FULL: Final = 0.4
"""A reward weight of this much or more counts as all one can care."""
TRAIT_SHARES: Final = (0.70, 0.17, 0.13)
"""Shares of the first trait, the second and the weight in the social and work dimensions."""


def belief_targets(people: People) -> NDArray[np.float64]:
    """The belief that would be right of each person.

    Social is the mean of low drain, high warmth and the weight of connection; work that of
    recovery, calm and the weight of progress, in the shares of `TRAIT_SHARES`; morning is
    the chronotype.

    Args:
        people: profile rows, shape (people, 15).

    Returns:
        Social, morning and work in [0, 1], shape (people, 3).
    """
    unit = unit_traits(people)
    caring = np.minimum(people[:, :METER_COUNT] / WEIGHT_FULL, 1.0)

    def column(trait: Trait) -> NDArray[np.float64]:
        scaled: NDArray[np.float64] = unit[:, trait - METER_COUNT]
        return scaled

    first, second, third = TRAIT_SHARES
    targets = np.empty((people.shape[0], BELIEF_COUNT))
    targets[:, 0] = (
        first * (1.0 - column(Trait.SOCIAL_DRAIN))
        + second * column(Trait.SOCIAL_WARMTH)
        + third * caring[:, Meter.CONNECTION]
    )
    targets[:, 1] = column(Trait.CHRONOTYPE)
    targets[:, 2] = (
        first * column(Trait.WORK_RECOVERY) + second * column(Trait.WORK_CALM) + third * caring[:, Meter.PROGRESS]
    )
    return targets


def average_person() -> Profile:
    """The mean person: equal weights and every trait in the middle of its range."""
    traits = {t.name.lower(): (low + high) / 2 for t, (low, high) in TRAIT_RANGES.items()}
    return Profile(weights=(0.2, 0.2, 0.2, 0.2, 0.2), **traits)


def _archetype(weights: MeterValues, **traits: float) -> Profile:
    neutral = {t.name.lower(): v for t, v in NEUTRAL_TRAITS.items()}
    return Profile(weights=weights, **(neutral | traits))


ARCHETYPES: Final[dict[str, Profile]] = {
    "introvert_morning": _archetype(
        (0.20, 0.20, 0.20, 0.30, 0.10),
        social_drain=3.0,
        social_warmth=-0.05,
        solo_recharge=0.07,
        chronotype=0.9,
        work_recovery=0.01,
        work_calm=0.03,
    ),
    "extrovert_night_owl": _archetype(
        (0.10, 0.10, 0.20, 0.15, 0.45),
        social_drain=1.0 - 0.038 / 0.048,
        social_warmth=0.07,
        solo_recharge=-0.02,
        chronotype=-0.9,
        work_recovery=-0.01,
        leisure_guilt=0.01,
    ),
    "workaholic_stoic": _archetype(
        (0.02, 0.01, 0.70, 0.25, 0.02),
        work_recovery=0.06,
        work_calm=0.0772,
        leisure_guilt=0.10,
        stress_tolerance=0.12,
    ),
}
"""The three published archetypes; the anchors that they reproduce are tests."""
