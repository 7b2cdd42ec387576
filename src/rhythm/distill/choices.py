"""Choices for a batch of people, drawn by what a student says; in the device channel as a deployed assistant draws."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rhythm.policy.student.device_tokens import NONE
from rhythm.policy.suggest import FLOOR, SETTINGS
from rhythm.vocab import ACTION_COUNT

Floats = NDArray[np.float64]


def chances_of(logits: NDArray[Any], floor: float = 0.0) -> Floats:
    """Chance of each action, shape (..., 10).

    Args:
        logits: shape (..., 10).
        floor: share of the choice that is uniform over the actions.
    """
    score = logits.astype(np.float64)
    odds = np.exp(score - score.max(axis=-1, keepdims=True))
    chances: Floats = (1.0 - floor) * odds / odds.sum(axis=-1, keepdims=True) + floor / ACTION_COUNT
    return chances


def chances_of_suggesting(values: NDArray[Any]) -> Floats:
    """Chance that an assistant who suggests something suggests each action, shape (..., 10).

    Args:
        values: what each suggestion adds, in summed wellbeing, shape (..., 10).
    """
    return chances_of(values.astype(np.float64) / SETTINGS.temperature, FLOOR)


def drawn(chances: Floats, uniform: Floats) -> NDArray[np.int8]:
    """Index of an action for each person, shape (people,).

    Args:
        chances: shape (people, 10).
        uniform: from [0, 1), shape (people,).
    """
    places = (np.cumsum(chances, axis=1) <= uniform[:, None]).sum(axis=1)
    found: NDArray[np.int8] = np.minimum(places, ACTION_COUNT - 1).astype(np.int8)  # chances may end below 1
    return found


def suggested(values: NDArray[Any], uniform: Floats) -> NDArray[np.int8]:
    """Index of what is suggested to each person, `NONE` where nothing would help, shape (people,).

    Args:
        values: see `chances_of_suggesting`, shape (people, 10).
        uniform: from [0, 1), shape (people,).
    """
    actions = drawn(chances_of_suggesting(values), uniform)
    found: NDArray[np.int8] = np.where(values.max(axis=1) > 0.0, actions, np.int8(NONE))
    return found
