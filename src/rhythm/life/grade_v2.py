"""Grade v2, as published: pure functions of a played week, over arrays of people.

It stands here because two sides grade by it that may not know each other: the benchmark, for
comparison with the published tables, and the simulator's OpenEnv face, whose reward it is.
It pays for a bad start and for a constant belief (docs/life-model.md section 4); the
headline grade is v3, in `rhythm.bench.graders`.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rhythm.vocab import METER_COUNT, WEEK_STEPS

Floats = NDArray[np.float64]

GRADER_V2: Final = "v2-1"

V2_WEIGHTS: Final[dict[str, float]] = {
    "crash_free": 0.15,
    "progress": 0.20,
    "connection": 0.10,
    "adaptation": 0.25,
    "efficiency": 0.10,
    "belief_accuracy": 0.20,
}
"""The six parts of v2 and their published weights."""

ADAPTATION_SPAN: Final = 2.4
LATE_FLOOR: Final = -2.0
LATE_SPAN: Final = 1.2
EFFICIENCY_FLOOR: Final = -3.6
EFFICIENCY_SPAN: Final = 3.9


def crash_free(crashes: NDArray[Any]) -> Floats:
    """1 - crashes / 140, from the meters that crashed in each step, shape (people, 28); shape (people,)."""
    share: Floats = 1.0 - crashes.sum(axis=1) / (WEEK_STEPS * METER_COUNT)
    return share


def adaptation(rewards: Floats) -> Floats:
    """How much better the second half of the week went than the first, shape (people,), in [0, 1].

    0.5 + (late - early) / 2.4 limited to [0, 1], where late and early are the mean rewards of
    the two halves, times a gate (late + 2) / 1.2 limited to [0, 1]. The scalings are ours:
    the published source does not state them.

    Args:
        rewards: what each step paid, shape (people, 28).
    """
    half = WEEK_STEPS // 2
    early = rewards[:, :half].mean(axis=1)
    late = rewards[:, half:].mean(axis=1)
    gate = np.clip((late - LATE_FLOOR) / LATE_SPAN, 0.0, 1.0)
    gained: Floats = np.clip(0.5 + (late - early) / ADAPTATION_SPAN, 0.0, 1.0) * gate
    return gained


def efficiency(rewards: Floats) -> Floats:
    """(mean reward + 3.6) / 3.9 limited to [0, 1], shape (people,); the scaling is ours.

    Args:
        rewards: what each step paid, shape (people, 28).
    """
    scaled: Floats = np.clip((rewards.mean(axis=1) - EFFICIENCY_FLOOR) / EFFICIENCY_SPAN, 0.0, 1.0)
    return scaled


def last_beliefs(beliefs: Floats) -> Floats:
    """The last belief that was stated of each person, shape (people, 3); NaN where none ever was.

    Args:
        beliefs: stated at each step, shape (people, steps, 3); NaN where none was stated.
    """
    stated = np.asarray(np.isfinite(beliefs).all(axis=2))
    last = beliefs.shape[1] - 1 - stated[:, ::-1].argmax(axis=1)
    found: Floats = beliefs[np.arange(len(beliefs)), last]
    return np.where(stated.any(axis=1, keepdims=True), found, np.nan)


def belief_accuracy(beliefs: Floats, targets: Floats) -> Floats:
    """1 - the mean absolute error of the last belief that was stated, 0 where none was; shape (people,).

    Args:
        beliefs: stated at each step, shape (people, steps, 3); NaN where none was stated.
        targets: the belief that would be right, shape (people, 3); see `rhythm.life.profiles.belief_targets`.
    """
    error = np.abs(last_beliefs(beliefs) - targets).mean(axis=1)
    return np.where(np.isnan(error), 0.0, 1.0 - error)


def weighted_sum(parts: Mapping[str, Floats]) -> Floats:
    """The grade that six parts make, added in the order of `V2_WEIGHTS`, shape (people,)."""
    total: Floats = np.sum([weight * parts[name] for name, weight in V2_WEIGHTS.items()], axis=0)
    return total
