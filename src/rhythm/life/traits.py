"""The hidden person's fourteen degrees of freedom: names, ranges, layout, neutral values.

A person is a row of fifteen numbers: five reward weights on the simplex (four degrees of
freedom), then ten traits. The same row serves one person and arrays of a hundred thousand.
"""

from enum import IntEnum
from typing import Final

from rhythm.vocab import METER_COUNT


class Trait(IntEnum):
    """Column of each trait in a profile row; columns 0..4 are the reward weights by meter."""

    SOCIAL_DRAIN = 5
    """Factor on the vitality that company costs."""
    SOCIAL_WARMTH = 6
    """Serenity that company adds."""
    SOLO_RECHARGE = 7
    """Vitality that time alone adds."""
    CHRONOTYPE = 8
    """-1 is an owl, 1 a lark: how work pays by part of day."""
    WORK_RECOVERY = 9
    """Vitality that work gives back."""
    WORK_CALM = 10
    """Serenity that work adds."""
    LEISURE_GUILT = 11
    """Serenity that binge watching (and half as much, time for oneself) costs."""
    STRESS_TOLERANCE = 12
    """Serenity below which stress drains vitality and cognition."""
    VITALITY_DECAY = 13
    """Vitality lost in every slot."""
    EVENT_IMPACT = 14
    """Factor on what events do."""

    @property
    def label(self) -> str:
        """Lower-case words: ``social drain``."""
        return self.name.lower().replace("_", " ")


TRAITS: Final = tuple(Trait)
PROFILE_WIDTH: Final = METER_COUNT + len(TRAITS)

TRAIT_RANGES: Final[dict[Trait, tuple[float, float]]] = {
    Trait.SOCIAL_DRAIN: (0.2, 3.0),
    Trait.SOCIAL_WARMTH: (-0.06, 0.08),
    Trait.SOLO_RECHARGE: (-0.03, 0.08),
    Trait.CHRONOTYPE: (-1.0, 1.0),
    Trait.WORK_RECOVERY: (-0.02, 0.06),
    Trait.WORK_CALM: (-0.02, 0.08),
    Trait.LEISURE_GUILT: (0.0, 0.12),
    Trait.STRESS_TOLERANCE: (0.10, 0.40),
    Trait.VITALITY_DECAY: (0.004, 0.036),
    Trait.EVENT_IMPACT: (0.5, 1.8),
}
"""Lowest and highest value of each trait."""

NEUTRAL_TRAITS: Final[dict[Trait, float]] = {
    Trait.SOCIAL_DRAIN: 1.0,
    Trait.SOCIAL_WARMTH: 0.0,
    Trait.SOLO_RECHARGE: 0.0,
    Trait.CHRONOTYPE: 0.0,
    Trait.WORK_RECOVERY: 0.0,
    Trait.WORK_CALM: 0.0,
    Trait.LEISURE_GUILT: 0.0,
    Trait.STRESS_TOLERANCE: 0.25,
    Trait.VITALITY_DECAY: 0.012,
    Trait.EVENT_IMPACT: 1.0,
}
"""The neutral person, against whom anomalies are measured."""
