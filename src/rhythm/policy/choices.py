"""Choosing softly: the chance of each action from how well it scores, and one drawn by it, for a person or a batch."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def chances_of(logits: NDArray[Any], floor: float = 0.0) -> Floats:
    """Chance of each action, or of whatever else is chosen among, shape (..., n).

    Args:
        logits: shape (..., n).
        floor: share of the choice that is uniform over all of them.
    """
    score = logits.astype(np.float64)
    odds = np.exp(score - score.max(axis=-1, keepdims=True))
    chances: Floats = (1.0 - floor) * odds / odds.sum(axis=-1, keepdims=True) + floor / score.shape[-1]
    return chances


def drawn(chances: Floats, uniform: Floats | float) -> NDArray[np.int8]:
    """Index of what is chosen for each person, shape (...).

    Args:
        chances: shape (..., n).
        uniform: from [0, 1), shape (...).
    """
    places = (np.cumsum(chances, axis=-1) <= np.asarray(uniform)[..., None]).sum(axis=-1)
    found: NDArray[np.int8] = np.minimum(places, chances.shape[-1] - 1).astype(np.int8)  # chances may end below 1
    return found
