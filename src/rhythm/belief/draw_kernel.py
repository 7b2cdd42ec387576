"""What is drawn and worked out for every particle again and again, compiled: normal numbers, habits' tendencies."""

import math

import numpy as np
from numpy.typing import NDArray

from rhythm.belief.table_kernel import worth
from rhythm.life import counter
from rhythm.life.answer_kernel import uniform_at
from rhythm.life.compiled import inlined, kernel
from rhythm.life.habits import HABIT_SHARPNESS, TENDENCIES
from rhythm.life.kernel import step_person
from rhythm.vocab import LifeEvent

Floats = NDArray[np.float64]
_mix = inlined(counter.mix)
_ACTIONS, _PARTS, _KINDS = 10, 4, 6
QUIET = int(LifeEvent.NONE)
_PART_OF_KIND = np.array([0, 1, 0, 1, 2, 3])


@kernel
def fill_normals(keys: NDArray[np.uint64], first: int, drawn: Floats) -> None:
    """Standard normal numbers (Box and Muller 1958), two columns from each pair of counters.

    Args:
        keys: one for each row, shape (n,).
        first: counters from here on belong to these draws, as many as there are columns.
        drawn: filled, shape (n, columns); columns are even in number.
    """
    for i in range(drawn.shape[0]):
        base = _mix(keys[i])
        for j in range(0, drawn.shape[1], 2):
            radius = math.sqrt(-2.0 * math.log1p(-uniform_at(base, first + j)))
            angle = 2.0 * math.pi * uniform_at(base, first + j + 1)
            drawn[i, j] = radius * math.cos(angle)
            drawn[i, j + 1] = radius * math.sin(angle)


@kernel
def fill_tendencies(people: Floats, typical: Floats, tendencies: Floats) -> None:
    """`rhythm.life.habits.action_tendencies` by table; fills ``tendencies``, shape (n, 6, 10)."""
    worths = np.empty((_PARTS, _ACTIONS))
    for row in range(people.shape[0]):
        i = np.uint64(row)
        v, c, p, s, n = typical[i, 0], typical[i, 1], typical[i, 2], typical[i, 3], typical[i, 4]
        for part in range(_PARTS):
            for action in range(_ACTIONS):
                worths[part, action] = worth(people, i, v, c, p, s, n, np.uint64(action), np.uint64(part))
        for kind in range(_KINDS):
            part = _PART_OF_KIND[kind]
            top = -1e9
            for action in range(_ACTIONS):
                logit = HABIT_SHARPNESS * worths[part, action] + TENDENCIES[kind, action]
                tendencies[i, kind, action] = logit
                top = max(top, logit)
            total = 0.0
            for action in range(_ACTIONS):
                odds = math.exp(tendencies[i, kind, action] - top)
                tendencies[i, kind, action] = odds
                total += odds
            for action in range(_ACTIONS):
                tendencies[i, kind, action] /= total


@kernel
def live_habit(people: Floats, meters: Floats, schedule: NDArray[np.int8], weeks: int, mean: Floats) -> None:
    """Live a habit without events; fills ``mean``, shape (n, 5), with the levels of the last week, on average.

    Args:
        people, meters: shapes (n, 15), (n, 5); meters as the first week begins.
        schedule: the habit of each step of the week, shape (n, 28).
        weeks: how long.
    """
    steps = schedule.shape[1]
    for row in range(people.shape[0]):
        i = np.uint64(row)
        v, c, p, s, n = meters[i, 0], meters[i, 1], meters[i, 2], meters[i, 3], meters[i, 4]
        mean[i] = 0.0
        for t in range(weeks * steps):
            d = step_person(
                people, i, v, c, p, s, n, np.uint64(schedule[i, t % steps]), np.uint64(t & 3), np.uint64(QUIET)
            )  # fmt: skip
            v, c, p, s, n = v + d[0], c + d[1], p + d[2], s + d[3], n + d[4]
            if t >= (weeks - 1) * steps:
                mean[i, 0] += v / steps
                mean[i, 1] += c / steps
                mean[i, 2] += p / steps
                mean[i, 3] += s / steps
                mean[i, 4] += n / steps
