"""The planner: look ahead over the rest of the week under who the person is thought to be.

One search serves every knowledge of the person: the mean person (``average``), the truth
(``oracle``), a posterior (``planner``).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rhythm.life.profiles import People, average_person, belief_targets
from rhythm.policy.face import Choice, Player, View
from rhythm.vocab import WEEK_STEPS, Action, InvalidValueError

FIRST_SWEEPS = 6
LATER_SWEEPS = 2


@dataclass(frozen=True)
class AveragePolicy:
    """Plans for the mean person, whoever it is; its belief is the mean person's."""

    name: str = "average"
    told: bool = False

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        return PlanPlayer(np.tile(average_person().row, (len(seeds), 1)))


@dataclass(frozen=True)
class OraclePolicy:
    """Plans for the person as they are: the upper end of what knowing the person can give."""

    name: str = "oracle"
    told: bool = True

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`.

        Raises:
            InvalidValueError: it was not told who the people are.
        """
        if people is None:
            raise InvalidValueError("the oracle plans for the people themselves; start it with their profile rows")
        return PlanPlayer(people)


class PlanPlayer:
    """Plans each week for a given person, and improves the same plan as the week unfolds."""

    def __init__(self, people: People) -> None:
        self._people = np.ascontiguousarray(people)
        self._beliefs = belief_targets(self._people)
        self._plans = np.full((len(people), WEEK_STEPS), Action.ME_TIME, np.int8)
        self._worths = np.empty(len(people))

    def choose(self, view: View) -> Choice:
        """See `Player.choose`."""
        from rhythm.policy import plan_kernel  # noqa: PLC0415 - the compiler is loaded on first use

        sweeps = FIRST_SWEEPS if view.step == 0 else LATER_SWEEPS
        plan_kernel.improve_each(self._people, view.meters, self._plans, view.step, view.events, sweeps, self._worths)
        return Choice(self._plans[:, view.step].copy(), self._beliefs)
