"""The package's dynamics for many people at once, to train learners on that need a million steps.

Only what trains uses this; every number that is reported is played in the package's own environment. A test holds
the two against each other. People who leave, and whose 50 steps are over, are replaced by new ones.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.outside.people import (
    BASE_STEPS,
    LEAVES_AT,
    PARAMETERS,
    SPREAD,
    START,
    STEP_SD,
    STEPS,
    Setting,
    people_at,
)

Floats = NDArray[np.float64]

_TINY: Final = 1e-300


class Twin:
    """People of a setting, side by side.

    Attributes:
        people: parameters, shape (count, 6).
        context: shape (count,).
        habituation, risk, walked, chance: as the package has them, shape (count,).
        step: how many steps each has lived, shape (count,).
    """

    def __init__(self, setting: Setting, count: int, seed: int) -> None:
        self.setting = setting
        self._generator = np.random.default_rng([seed, 5])
        self.people = np.empty((count, len(PARAMETERS)))
        self.context = np.zeros(count, np.int64)
        self.habituation, self.risk, self.walked, self.chance = np.empty((4, count))
        self.step = np.zeros(count, np.int64)
        self.renew(np.ones(count, np.bool_))

    def renew(self, who: NDArray[np.bool_]) -> None:
        """Put new people in the places of some, shape (count,)."""
        units = self._generator.random((int(who.sum()), len(PARAMETERS)))
        self.people[who] = people_at(units, self.setting.factor)
        self.context[who] = 0
        self.habituation[who] = self.risk[who] = self.walked[who] = START
        self.chance[who] = 0.5
        self.step[who] = 0

    def observed(self) -> Floats:
        """What the environments let be seen, shape (count, observations)."""
        columns = {"P": self.chance, "H": self.habituation, "D": self.risk, "S": self.walked}
        return np.column_stack([columns[name] for name in self.setting.observed])

    def act(self, actions: NDArray[np.int64]) -> tuple[Floats, NDArray[np.bool_]]:
        """One step of everyone.

        Args:
            actions: shape (count,).

        Returns:
            Steps walked that count and whether the episode is over, both of shape (count,). Whoever is over
            has to be renewed before the next step.
        """
        habit_decay, habit_gain, risk_decay, risk_gain, generic, tailored = self.people.T
        none, common = actions == 0, actions == 1
        right = actions == 2 + self.context
        h = np.where(none, (1.0 - habit_decay) * self.habituation, np.minimum(1.0, self.habituation + habit_gain))
        d = np.where(none, self.risk, np.minimum(1.0, self.risk + risk_gain))
        d = np.where(common | right, (1.0 - risk_decay) * self.risk, d)
        mean = BASE_STEPS + (1.0 - h) * (generic * common + tailored * right)
        noise = 1.0 + SPREAD * (self._generator.random((2, len(h))) - 0.5)
        self.habituation, self.risk = np.clip(h * noise[0], 0.0, 1.0), np.clip(d * noise[1], 0.0, 1.0)
        walked = self._generator.gamma((mean / STEP_SD) ** 2, STEP_SD**2 / mean)
        self._see_context()
        over = (self.risk >= LEAVES_AT) | (self.step >= STEPS)
        self.walked = np.where(over, 0.0, walked)
        self.step = self.step + 1
        return self.walked, over

    def _see_context(self) -> None:
        sigma = self.setting.sigma
        self.context = self._generator.integers(0, 2, len(self.context))
        x = self.context + sigma * self._generator.standard_normal(len(self.context))
        self.chance = 1.0 / (1.0 + np.exp((1.0 - 2.0 * x) / (2.0 * sigma * sigma)))
