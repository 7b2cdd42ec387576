"""What each action is worth over draws of a person: dynamic programming for some of the draws, and their mean."""

from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.outside.people import SPREAD, STEPS

Floats = NDArray[np.float64]

POINTS: Final = 13
"""Of the grid, of habituation and of risk each."""
CONTEXTS: Final = 32
"""Equally likely values that stand for how sure one is of the context."""


@lru_cache(maxsize=8)
def likelier(sigma: float) -> Floats:
    """Equally likely values of max(P, 1 - P), sorted, shape (`CONTEXTS`,).

    Args:
        sigma: standard deviation of what the context is inferred from, above 0.1 (below, the package tells it).
    """
    normal = NormalDist()
    x = 1.0 + sigma * np.array([normal.inv_cdf((i + 0.5) / 4096) for i in range(4096)])
    p = 1.0 / (1.0 + np.exp((1.0 - 2.0 * x) / (2.0 * sigma * sigma)))
    certain: Floats = np.sort(np.maximum(p, 1.0 - p)).reshape(CONTEXTS, -1).mean(axis=1)
    return certain


def action_worths(
    people: Floats, owners: NDArray[np.int64], states: Floats, sigma: float, step: int, chance: float
) -> Floats:
    """Steps walked from now to the end, on average over possible people, by action, shape (4,).

    Each possible person is from the next step on treated as if known: hindsight over who it is.

    Args:
        people: parameters, shape (people, 6).
        owners: whose state each is, not falling, shape (states,).
        states: habituation and risk, shape (states, 2).
        sigma: of the setting.
        step: 0 to 49.
        chance: of context 1.
    """
    from rhythm.bench.outside.values_kernel import worth  # noqa: PLC0415 - compiled

    none, generic, right, wrong = worth(people, owners, states, likelier(sigma), SPREAD, STEPS - step, POINTS)
    zero, one = 1.0 - chance, chance
    return np.array([none, generic, zero * right + one * wrong, one * right + zero * wrong])
