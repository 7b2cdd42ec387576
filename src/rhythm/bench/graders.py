"""The two graders: v2 as published, for comparison only, and v3, the headline.

Both are pure functions of what was played; neither looks at a policy's name.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench import beliefs
from rhythm.life import grade_v2 as v2
from rhythm.life.grade_v2 import GRADER_V2, V2_WEIGHTS
from rhythm.life.populations import Population
from rhythm.life.profiles import belief_targets
from rhythm.vocab import Meter

__all__ = [
    "BELIEF_PARTS",
    "GRADER_V2",
    "GRADER_V3",
    "V2_WEIGHTS",
    "Episodes",
    "belief_errors",
    "captured",
    "grade_beliefs",
    "grade_v2",
    "grade_week",
    "states_beliefs",
    "steps_to_identify",
    "wellbeing_of_week",
]

GRADER_V3: Final = "v3-2"

STEP_7: Final = 7
"""The belief stated at this step has seen seven steps."""

BELIEF_PARTS: Final = (
    "belief_error",
    "belief_error_step7",
    "steps_to_identify",
    "covered",
    "interval_width",
    "crps",
    "crps_reference",
)
"""What `grade_beliefs` measures of each person."""


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
        events: what happened in each step, shape (people, 28).
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
    events: NDArray[np.int8]


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


def states_beliefs(played: Episodes) -> bool:
    """Whether any belief was stated of anybody; where none was there is nothing to grade."""
    return bool(np.isfinite(played.beliefs).all(axis=2).any())


def belief_errors(played: Episodes) -> NDArray[np.float64]:
    """Mean absolute error of the belief in force at each step, shape (people, 28); 1 before the first."""
    held = beliefs.in_force(played.beliefs, played.belief_low, played.belief_high)
    return beliefs.errors(held, belief_targets(played.people))


def steps_to_identify(played: Episodes) -> NDArray[np.float64]:
    """First step from which belief error stays at or below 0.10, shape (people,); 28 where there is none."""
    return beliefs.steps_to_identify(belief_errors(played))


def grade_beliefs(played: Episodes, population: Population) -> dict[str, NDArray[np.float64]]:
    """The belief side of v3 for each person: the seven `BELIEF_PARTS`, shape (people,) each.

    All but ``belief_error_step7`` and ``steps_to_identify`` grade the belief in force at the
    end of the week. ``crps_reference`` is the score of the `reference_forecast`.

    Args:
        played: the weeks.
        population: whose reference forecast the score is set against.
    """
    targets = belief_targets(played.people)
    held = beliefs.in_force(played.beliefs, played.belief_low, played.belief_high)
    error = beliefs.errors(held, targets)
    point, low, high = held.point[:, -1], held.low[:, -1], held.high[:, -1]
    unknown = [np.broadcast_to(part, targets.shape) for part in beliefs.reference_forecast(population)]
    return {
        "belief_error": error[:, -1],
        "belief_error_step7": error[:, STEP_7],
        "steps_to_identify": beliefs.steps_to_identify(error),
        "covered": beliefs.covered(low, high, targets),
        "interval_width": np.nan_to_num(high - low).mean(axis=1),
        "crps": beliefs.crps(point, low, high, targets).mean(axis=1),
        "crps_reference": beliefs.crps(unknown[0], unknown[1], unknown[2], targets).mean(axis=1),
    }


def wellbeing_of_week(played: Episodes) -> NDArray[np.float64]:
    """v3's ground: mean wellbeing over the week, shape (people,)."""
    mean: NDArray[np.float64] = played.wellbeing.mean(axis=1)
    return mean


def grade_week(played: Episodes, population: Population) -> dict[str, NDArray[np.float64]]:
    """Everything that both graders measure of each person, shape (people,) each.

    ``constant_error`` is the error that the belief 0.5, 0.5, 0.5 has; the belief parts are
    there only where the policy states beliefs at all.
    """
    graded = grade_v2(played)
    graded["wellbeing"] = wellbeing_of_week(played)
    graded["constant_error"] = np.abs(belief_targets(played.people) - 0.5).mean(axis=1)
    if states_beliefs(played):
        graded |= grade_beliefs(played, population)
    return graded


def captured(agent: NDArray[np.float64], average: NDArray[np.float64], oracle: NDArray[np.float64]) -> float:
    """Personalisation captured: (agent - average) / (oracle - average), of means paired by seed.

    0 is one size fits all, 1 knows the person.
    """
    return float((agent.mean() - average.mean()) / (oracle.mean() - average.mean()))
