"""Where the meters of possible people stand when their habits are formed, found as the life model finds it.

A habit is drawn where it leaves the meters, and stays when somebody makes suggestions; so what
a particle would do unasked follows from this place, not from where its meters are now.
"""

import numpy as np
from numpy.typing import NDArray

from rhythm.belief import person_prior as prior
from rhythm.life.counter import uniforms
from rhythm.life.habits import FIRST_TYPICAL, FORMING_TURNS, FORMING_WEEKS, KINDS
from rhythm.life.profiles import People
from rhythm.vocab import ACTION_COUNT, WEEK_STEPS

Floats = NDArray[np.float64]

_SCHEDULE_COUNTERS = 512


def tendencies_of(people: People, typical: Floats) -> Floats:
    """Chance of each action by kind of slot, shape (n, 6, 10); see `rhythm.life.habits.action_tendencies`."""
    from rhythm.belief import draw_kernel  # noqa: PLC0415 - the compiler is loaded on first use

    tendencies = np.empty((len(people), KINDS, ACTION_COUNT))
    draw_kernel.fill_tendencies(np.ascontiguousarray(people), np.ascontiguousarray(typical), tendencies)
    return tendencies


def formed_typical(people: People, patterns: NDArray[np.int8]) -> Floats:
    """Where meters stand on average in the life that a habit makes, one habit drawn for each particle, shape (n, 5)."""
    from rhythm.belief import draw_kernel  # noqa: PLC0415

    count = len(people)
    kinds = prior.pattern_kinds()[patterns]
    units = uniforms(prior.keys(count)[:, None], _SCHEDULE_COUNTERS + np.arange(WEEK_STEPS)[None, :])
    typical = np.tile(np.array(FIRST_TYPICAL), (count, 1))
    rows = np.arange(count)
    for _ in range(FORMING_TURNS - 1):
        tendencies = tendencies_of(people, typical)
        schedule = np.empty((count, WEEK_STEPS), np.int8)
        for step in range(WEEK_STEPS):
            up_to = np.cumsum(tendencies[rows, kinds[:, step]], axis=1)
            schedule[:, step] = np.minimum((units[:, step, None] >= up_to).sum(axis=1), ACTION_COUNT - 1)
        lived = np.empty_like(typical)
        draw_kernel.live_habit(people, typical, schedule, FORMING_WEEKS, lived)
        typical = 0.5 * (typical + lived)
    return typical
