"""The two graders: v2 as published, for comparison only, and v3, the headline.

Both are pure functions of what was played; neither looks at a policy's name.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.profiles import belief_targets
from rhythm.vocab import METER_COUNT, WEEK_STEPS, Meter

GRADER_V2: Final = "v2-1"
GRADER_V3: Final = "v3-1"

V2_WEIGHTS: Final[dict[str, float]] = {
    "crash_free": 0.15,
    "progress": 0.20,
    "connection": 0.10,
    "adaptation": 0.25,
    "efficiency": 0.10,
    "belief_accuracy": 0.20,
}
"""The six parts of v2 and their published weights."""

ADAPTATION_SPAN: Final = 3.0
LATE_FLOOR: Final = -2.0
LATE_SPAN: Final = 1.2
EFFICIENCY_FLOOR: Final = -2.4
EFFICIENCY_SPAN: Final = 2.75
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
    """Grade v2 of each person, with its six parts.

    ``crash_free`` is 1 - crashes / 140; ``progress`` and ``connection`` are final meters;
    ``belief_accuracy`` is 1 - the mean absolute error of the last belief, 0 where none was
    stated. ``adaptation`` is 0.5 + (late - early) / 3 limited to [0, 1], where late and
    early are the mean rewards of the two halves, times a gate (late + 2) / 1.2 limited to
    [0, 1]; ``efficiency`` is (mean reward + 2.4) / 2.75 limited to [0, 1]. The scalings of
    the last two are ours: the published source does not state them.

    Returns:
        The six parts and their weighted sum ``v2``, each in [0, 1], shape (people,).
    """
    half = WEEK_STEPS // 2
    early = played.rewards[:, :half].mean(axis=1)
    late = played.rewards[:, half:].mean(axis=1)
    gate = np.clip((late - LATE_FLOOR) / LATE_SPAN, 0.0, 1.0)
    error = belief_errors(played)[:, -1]
    parts = {
        "crash_free": 1.0 - played.crashes.sum(axis=1) / (WEEK_STEPS * METER_COUNT),
        "progress": played.meters[:, -1, Meter.PROGRESS],
        "connection": played.meters[:, -1, Meter.CONNECTION],
        "adaptation": np.clip(0.5 + (late - early) / ADAPTATION_SPAN, 0.0, 1.0) * gate,
        "efficiency": np.clip((played.rewards.mean(axis=1) - EFFICIENCY_FLOOR) / EFFICIENCY_SPAN, 0.0, 1.0),
        "belief_accuracy": np.where(np.isnan(error), 0.0, 1.0 - error),
    }
    total: NDArray[np.float64] = np.sum([V2_WEIGHTS[name] * part for name, part in parts.items()], axis=0)
    return {**parts, "v2": total}


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
