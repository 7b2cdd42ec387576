"""Agents of the outside test-bed that know its model class: Rhythm's, the oracle and the average person's; and chance.

All three are one machinery, draws of the person and values by dynamic programming, and differ in the draws:

=========== =====================================================================
``rhythm``  draws of people in general, which learn the person
``oracle``  the person's own parameters; told these, not the context or a hidden state
``average`` the parameters of the average person
=========== =====================================================================
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.outside.belief import Belief, Seen, anyone
from rhythm.bench.outside.people import ACTIONS, DEFAULTS, STEPS, Setting
from rhythm.bench.outside.play import Agent, Made
from rhythm.bench.outside.values import action_worths

Floats = NDArray[np.float64]

POINT_DRAWS: Final = 64
"""Draws of a person whose parameters are known: they differ in what is hidden."""
WEIGHED: Final = 8
"""Possible people whose values are weighed at each step."""
OPENING: Final = 64
"""Possible people whose values are weighed at the first."""


class ModelAgent:
    """Takes the action that is worth most on average over its draws, each draw's worth in hindsight of who it is."""

    def __init__(self, draws: Floats, setting: Setting, seed: int) -> None:
        self._generator = np.random.default_rng([seed, 3])
        self.belief = Belief(draws, self._generator)
        self._sigma = setting.sigma
        self._at = {name: place for place, name in enumerate(setting.observed)}
        self._step = 0
        self._last = (0, 0.5)

    def act(self, observed: Floats) -> int:
        """See `Agent.act`."""
        if self._step:
            self.belief.update(*self._last, self._seen(observed))
        chance = float(observed[self._at["P"]])
        people, owners, states = self._weighed()
        step = min(self._step, STEPS - 1)
        action = int(action_worths(people, owners, states, self._sigma, step, chance).argmax())
        self._last = action, chance
        self._step += 1
        return action

    def _weighed(self) -> tuple[Floats, NDArray[np.int64], Floats]:
        """The possible people to be weighed now, whose state each is, and the states."""
        belief = self.belief
        if belief.known:
            states = belief.states[belief.pick(min(POINT_DRAWS, len(belief.weights)))]
            return belief.draws[:1], np.zeros(len(states), np.int64), states
        chosen = belief.pick(WEIGHED if self._step else OPENING)
        return belief.draws[chosen], np.arange(len(chosen)), belief.states[chosen]

    def _seen(self, observed: Floats) -> Seen:
        steps = float(observed[self._at["S"]])
        if "H" not in self._at:
            return Seen(steps)
        return Seen(steps, float(observed[self._at["H"]]), float(observed[self._at["D"]]))


class RandomAgent:
    """Any action, all alike."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng([seed, 4])

    def act(self, observed: Floats) -> int:
        """See `Agent.act`."""
        return int(self._generator.integers(ACTIONS))


def rhythm(setting: Setting) -> Made:
    """Rhythm's agent: it is told nothing of the person."""

    def make(_told: Floats, seed: int) -> Agent:
        return ModelAgent(anyone(np.random.default_rng([seed, 2])), setting, seed)

    return make


def oracle(setting: Setting) -> Made:
    """The agent that is told the parameters."""
    return lambda told, seed: ModelAgent(_known(told, setting), setting, seed)


def average(setting: Setting) -> Made:
    """The agent that takes everyone for the average person."""
    return lambda _told, seed: ModelAgent(_known(DEFAULTS, setting), setting, seed)


def chance(_setting: Setting) -> Made:
    """The agent that acts at random."""
    return lambda _told, seed: RandomAgent(seed)


def _known(person: Floats, setting: Setting) -> Floats:
    return np.tile(person, (POINT_DRAWS if setting.hidden else 1, 1))
