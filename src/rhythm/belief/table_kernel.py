"""Logarithms and wellbeing by table, compiled: exact ones cost too much where thousands of people are weighed.

Linear between 4,096 entries; the error of a logarithm is below 1e-4 above the floor of wellbeing.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rhythm.life import constants as k
from rhythm.life.answer_kernel import KAPPA
from rhythm.life.compiled import Index, inlined
from rhythm.life.kernel import EXPECTED_EVENT, step_person

Floats = NDArray[np.float64]

_TABLE = 4096
_FLOOR = k.WELLBEING_FLOOR
_LOWEST = math.log(_FLOOR)
_EXP_SCALE = _TABLE / -_LOWEST
LOGS: Floats = np.log(np.maximum(np.arange(_TABLE + 2) / _TABLE, 1e-9))
LOGS[: int(_FLOOR * _TABLE) + 1] = _LOWEST
EXPS: Floats = np.exp(_LOWEST + np.arange(_TABLE + 2) / _TABLE * -_LOWEST)


@inlined
def log_level(level: float) -> float:
    """Log of a level in [0, 1], at least that of the floor."""
    place = level * _TABLE
    index = np.uint64(place)
    rest = place - np.float64(index)
    value: float = LOGS[index] + rest * (LOGS[index + np.uint64(1)] - LOGS[index])
    return value


@inlined
def log_wellbeing(people: Floats, i: Index, v: float, c: float, p: float, s: float, n: float) -> float:
    """Log of the wellbeing of person ``i``."""
    total: float = (
        people[i, 0] * log_level(v)
        + people[i, 1] * log_level(c)
        + people[i, 2] * log_level(p)
        + people[i, 3] * log_level(s)
        + people[i, 4] * log_level(n)
    )
    return total


@inlined
def wellbeing(people: Floats, i: Index, v: float, c: float, p: float, s: float, n: float) -> float:
    """Wellbeing of person ``i``, in [0.02, 1]."""
    place = max((log_wellbeing(people, i, v, c, p, s, n) - _LOWEST) * _EXP_SCALE, 0.0)
    index = np.uint64(place)
    rest = place - np.float64(index)
    value: float = EXPS[index] + rest * (EXPS[index + np.uint64(1)] - EXPS[index])
    return value


@inlined
def worth(
    people: Floats, i: Index, v: float, c: float, p: float, s: float, n: float, action: Index, slot: Index
) -> float:
    """`rhythm.life.answer_kernel.worth_after` under what events do on average."""
    d = step_person(people, i, v, c, p, s, n, action, slot, np.uint64(EXPECTED_EVENT))
    return KAPPA * log_wellbeing(people, i, v + d[0], c + d[1], p + d[2], s + d[3], n + d[4])
