"""How good stated beliefs are: error, skill, coverage, ranked probability score, steps to identify.

Rules that leave nothing to gain by silence or by strange intervals:

- A belief that was stated stays in force until another is stated. Before the first one the
  error is 1, the largest there is, for everyone of whom none was stated yet.
- An interval belongs to the belief it was stated with. A belief without one is a point.
- Coverage alone can be had by an interval over everything for four people in five and none
  for the fifth; so the score is the continuous ranked probability score, which is proper.
"""

import math
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import belief_targets
from rhythm.vocab import WEEK_STEPS

Floats = NDArray[np.float64]

IDENTIFIED_WITHIN: Final = 0.10
WORST: Final = 1.0
"""Error and score where no belief was ever stated."""
Z_90: Final = 1.2815515655446004
"""Standard normal quantile at 0.9: half the width of a central 80 % interval."""
REFERENCE_SEEDS: Final = range(2_000_000, 2_020_000)
"""Seeds of the people from whom the reference forecast is made; no condition uses them."""


class InForce(NamedTuple):
    """The belief in force at each step, shape (people, 28, 3) each; NaN before the first.

    Attributes:
        point: the belief.
        low, high: its central 80 % interval, equal to the point where none was given.
    """

    point: Floats
    low: Floats
    high: Floats


def in_force(beliefs: Floats, low: Floats, high: Floats) -> InForce:
    """Carry stated beliefs and their intervals forward.

    Args:
        beliefs: stated at each step, shape (people, 28, 3); NaN where none was stated.
        low: lower ends of the central 80 % intervals, same shape; NaN where none was given.
        high: upper ends, likewise.
    """
    given = np.isfinite(low) & np.isfinite(high)
    low, high = np.where(given, low, beliefs), np.where(given, high, beliefs)
    stated = np.isfinite(beliefs).all(axis=2)
    steps = np.arange(beliefs.shape[1])
    source = np.maximum.accumulate(np.where(stated, steps, 0), axis=1)
    rows = np.arange(len(beliefs))[:, None]
    return InForce(beliefs[rows, source], low[rows, source], high[rows, source])


def errors(held: InForce, targets: Floats) -> Floats:
    """Mean absolute error over the three dimensions at each step, shape (people, 28), in [0, 1]."""
    error = np.abs(held.point - targets[:, None, :]).mean(axis=2)
    return np.where(np.isnan(error), WORST, error)


def steps_to_identify(error: Floats) -> Floats:
    """First step from which the error stays at or below 0.10, shape (people,); 28 where there is none.

    Args:
        error: as `errors` gives it, shape (people, 28).
    """
    wrong = ~(error <= IDENTIFIED_WITHIN)
    last_wrong = np.where(wrong.any(axis=1), WEEK_STEPS - 1 - wrong[:, ::-1].argmax(axis=1), -1)
    return (last_wrong + 1).astype(np.float64)


def covered(low: Floats, high: Floats, targets: Floats) -> Floats:
    """Share of the three dimensions whose interval holds the truth, shape (people,); NaN covers nothing."""
    inside: Floats = ((low <= targets) & (targets <= high)).mean(axis=1)
    return inside


def _standard_crps(z: Floats) -> Floats:
    """CRPS of a standard normal forecast for |z| (Gneiting and Raftery 2007, equation 21)."""
    phi = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    above = np.vectorize(math.erf, otypes=[np.float64])(z / math.sqrt(2.0))
    score: Floats = z * above + 2.0 * phi - 1.0 / math.sqrt(math.pi)
    return score


_HALF_AT_MEDIAN: Final = 0.5 * (2.0 / math.sqrt(2.0 * math.pi) - 1.0 / math.sqrt(math.pi))
"""Integral of the squared standard normal distribution function below 0."""


def crps(point: Floats, low: Floats, high: Floats, targets: Floats) -> Floats:
    """Continuous ranked probability score of each forecast, in [0, 1]; the smaller the better.

    The forecast is the two-piece normal distribution whose median is the belief and whose
    10 % and 90 % quantiles are the ends of the interval; its score is the integral of
    (F(x) - [x >= truth])^2 (Matheson and Winkler 1976). A point forecast scores its absolute
    error. An interval that does not hold its belief is widened to it.

    Args:
        point: beliefs, of any shape; NaN where none was stated.
        low: lower ends of the intervals, same shape.
        high: upper ends, same shape.
        targets: what would be right, same shape.

    Returns:
        Scores of that shape; 1 where no belief was stated.
    """
    below = np.maximum(point - low, 0.0) / Z_90
    above = np.maximum(high - point, 0.0) / Z_90
    over = targets >= point
    near, far = np.where(over, above, below), np.where(over, below, above)
    distance = np.abs(targets - point)
    wide = near > 1e-9
    z = np.divide(distance, near, out=np.zeros_like(distance), where=wide)
    score = np.where(wide, near * _standard_crps(z), distance) + np.where(wide, far - near, far) * _HALF_AT_MEDIAN
    return np.where(np.isnan(score), WORST, score)


@lru_cache(maxsize=2)
def reference_forecast(population: Population) -> tuple[Floats, Floats, Floats]:
    """What is right to say of somebody of whom nothing is known: median and 80 % interval, shape (3,) each."""
    people = sample_people(np.arange(REFERENCE_SEEDS.start, REFERENCE_SEEDS.stop, dtype=np.int64), population)
    low, point, high = np.quantile(belief_targets(people), [0.1, 0.5, 0.9], axis=0)
    return point, low, high
