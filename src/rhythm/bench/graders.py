"""The two graders: v2 as published, for comparison only, and v3, the headline.

Both are pure functions of what was played; neither looks at a policy's name.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life import grade_v2 as v2
from rhythm.life.grade_v2 import GRADER_V2, V2_WEIGHTS
from rhythm.life.profiles import belief_targets
from rhythm.vocab import WEEK_STEPS, Meter

__all__ = [
    "GRADER_V2",
    "GRADER_V3",
    "V2_WEIGHTS",
    "Episodes",
    "belief_errors",
    "captured",
    "grade_v2",
    "steps_to_identify",
    "wellbeing_of_week",
]

GRADER_V3: Final = "v3-1"

IDENTIFIED_WITHIN: Final = 0.10


@dataclass(frozen=True)
class Episodes:
    """What was played, for a batch of people.

    Attributes:
        people: hidden profile rows, shape (people, 15).
        meters: levels after each step, shape (people, 28, 5).
        rewards: shape (people, 28).
        crashes: meters that crashed in each step, shape (people, 28).
        actions: shape (people, 28).
        wellbeing: after each step, shape (people, 28).
        beliefs: stated at each step, shape (people, 28, 3); NaN where none was stated.
        belief_low, belief_high: central 80 % intervals, same shape; NaN where none was given.
    """

    people: NDArray[np.float64]
    meters: NDArray[np.float64]
    rewards: NDArray[np.float64]
    crashes: NDArray[np.int8]
    actions: NDArray[np.int8]
    wellbeing: NDArray[np.float64]
    beliefs: NDArray[np.float64]
    belief_low: NDArray[np.float64]
    belief_high: NDArray[np.float64]


def grade_v2(played: Episodes) -> dict[str, NDArray[np.float64]]:
    """Grade v2 of each person, with its six parts; formulas in `rhythm.life.grade_v2`.

    ``progress`` and ``connection`` are final meters.

    Returns:
        The six parts and their weighted sum ``v2``, each in [0, 1], shape (people,).
    """
    parts = {
        "crash_free": v2.crash_free(played.crashes),
        "progress": played.meters[:, -1, Meter.PROGRESS],
        "connection": played.meters[:, -1, Meter.CONNECTION],
        "adaptation": v2.adaptation(played.rewards),
        "efficiency": v2.efficiency(played.rewards),
        "belief_accuracy": v2.belief_accuracy(played.beliefs, belief_targets(played.people)),
    }
    return {**parts, "v2": v2.weighted_sum(parts)}


def belief_errors(played: Episodes) -> NDArray[np.float64]:
    """Mean absolute belief error at each step, shape (people, 28); NaN where none was stated."""
    errors: NDArray[np.float64] = np.abs(played.beliefs - belief_targets(played.people)[:, None, :]).mean(axis=2)
    return errors


def wellbeing_of_week(played: Episodes) -> NDArray[np.float64]:
    """v3's ground: mean wellbeing over the week, shape (people,)."""
    mean: NDArray[np.float64] = played.wellbeing.mean(axis=1)
    return mean


def steps_to_identify(played: Episodes) -> NDArray[np.float64]:
    """First step from which belief error stays at or below 0.10; 28 where there is none, NaN without beliefs."""
    errors = belief_errors(played)
    wrong = ~(errors <= IDENTIFIED_WITHIN)
    last_wrong = np.where(wrong.any(axis=1), WEEK_STEPS - 1 - wrong[:, ::-1].argmax(axis=1), -1)
    found = (last_wrong + 1).astype(np.float64)
    return np.where(np.isnan(errors).all(axis=1), np.nan, found)


def captured(agent: NDArray[np.float64], average: NDArray[np.float64], oracle: NDArray[np.float64]) -> float:
    """Personalisation captured: (agent - average) / (oracle - average), of means paired by seed.

    0 is one size fits all, 1 knows the person.
    """
    return float((agent.mean() - average.mean()) / (oracle.mean() - average.mean()))
