"""Suggestions for a batch of people, drawn from what a student says as a deployed assistant draws them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rhythm.policy.choices import chances_of, drawn
from rhythm.policy.student.device_tokens import NONE
from rhythm.policy.suggest import FLOOR, SETTINGS

Floats = NDArray[np.float64]


def chances_of_suggesting(values: NDArray[Any]) -> Floats:
    """Chance that an assistant who suggests something suggests each action, shape (..., 10).

    Args:
        values: what each suggestion adds, in summed wellbeing, shape (..., 10).
    """
    return chances_of(values.astype(np.float64) / SETTINGS.temperature, FLOOR)


def suggested(values: NDArray[Any], uniform: Floats) -> NDArray[np.int8]:
    """Index of what is suggested to each person, `NONE` where nothing would help, shape (people,).

    Args:
        values: see `chances_of_suggesting`, shape (people, 10).
        uniform: from [0, 1), shape (people,).
    """
    actions = drawn(chances_of_suggesting(values), uniform)
    found: NDArray[np.int8] = np.where(values.max(axis=1) > 0.0, actions, np.int8(NONE))
    return found
