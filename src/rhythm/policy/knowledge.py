"""What a planner knows of the people it plans for: the mean, the truth, the truth later, a posterior."""

from functools import lru_cache
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rhythm.belief.exact import ExactPosterior, beliefs_of
from rhythm.life.profiles import People, average_person, belief_targets
from rhythm.policy.face import View

Floats = NDArray[np.float64]


class Knowledge(Protocol):
    """Who the people of a batch are thought to be, as the week unfolds."""

    def update(self, view: View) -> None:
        """Take in what the last step showed."""
        ...

    def people(self) -> People:
        """The people to plan for, shape (people, 15)."""
        ...

    def beliefs(self) -> tuple[Floats, Floats | None, Floats | None]:
        """Belief to state, and low and high ends of its central 80 % interval where there is one; (people, 3)."""
        ...

    def expected_information(self, view: View) -> Floats | None:
        """What each action would tell of each person, in nats, shape (people, 10); None where nothing is learned."""
        ...


class Fixed:
    """The same people throughout."""

    def __init__(self, people: People) -> None:
        self._people = np.ascontiguousarray(people)

    @staticmethod
    def mean_person(count: int) -> "Fixed":
        """The mean person for everyone."""
        return Fixed(np.tile(average_person().row, (count, 1)))

    def update(self, view: View) -> None:
        """Nothing is learned."""

    def people(self) -> People:
        """See `Knowledge.people`."""
        return self._people

    def beliefs(self) -> tuple[Floats, Floats | None, Floats | None]:
        """See `Knowledge.beliefs`."""
        return belief_targets(self._people), None, None

    def expected_information(self, view: View) -> Floats | None:
        """See `Knowledge.expected_information`."""
        return None


class ToldAfter:
    """The mean person until so many steps were taken, then the truth."""

    def __init__(self, people: People, steps: int) -> None:
        self._now = Fixed.mean_person(len(people))
        self._truth = Fixed(people)
        self._steps = steps

    def update(self, view: View) -> None:
        """See `Knowledge.update`."""
        if view.step >= self._steps:
            self._now = self._truth

    def people(self) -> People:
        """See `Knowledge.people`."""
        return self._now.people()

    def beliefs(self) -> tuple[Floats, Floats | None, Floats | None]:
        """See `Knowledge.beliefs`."""
        return self._now.beliefs()

    def expected_information(self, view: View) -> Floats | None:
        """See `Knowledge.expected_information`."""
        return None


OPENING_DRAWS: Final = 1024
"""Draws of who anybody may be that weigh the opening."""
HINDSIGHT_STEPS: Final = 6
"""Steps at the beginning of a week in which a person is too little known to plan for their mean."""
HINDSIGHT_DRAWS: Final = 64
"""Draws of who each may be that weigh an action in those steps, the first of them apart."""


@lru_cache(maxsize=1)
def _anybody() -> Floats:
    anybody: Floats = ExactPosterior.prior(1).draws(OPENING_DRAWS)[0]
    return anybody


class Learned:
    """A posterior from every step seen; plans are made for its mean, or, while little was seen, in hindsight.

    Args:
        count: people.
        hindsight: draws of who each may be that weigh an action while little was seen; 0 to plan for the mean.
    """

    def __init__(self, count: int, hindsight: int = HINDSIGHT_DRAWS) -> None:
        self._posterior = ExactPosterior.prior(count)
        self._draws = self._posterior.draws()
        self._hindsight = hindsight
        self._step = 0

    def update(self, view: View) -> None:
        """See `Knowledge.update`."""
        if view.step == 0:
            return
        self._step = view.step
        self._posterior.absorb(view.before, view.deltas, view.actions, view.step - 1, view.last_events, view.rewards)
        self._draws = self._posterior.draws()

    def people(self) -> People:
        """See `Knowledge.people`."""
        mean: People = np.ascontiguousarray(self._draws.mean(axis=1))
        return mean

    def beliefs(self) -> tuple[Floats, Floats | None, Floats | None]:
        """See `Knowledge.beliefs`."""
        return beliefs_of(self._draws)

    def expected_information(self, view: View) -> Floats | None:
        """See `Knowledge.expected_information`."""
        return self._posterior.expected_information(self._draws, view.meters, view.step, view.events)

    def anybody(self) -> Floats | None:
        """Draws of who anybody may be, shape (draws, 15), until something was seen; then None."""
        return None if self._step else _anybody()

    def uncertain(self) -> Floats | None:
        """Draws of who each may be, shape (people, draws, 15), while little was seen; then None."""
        if self._step >= HINDSIGHT_STEPS or not self._hindsight:
            return None
        return self._draws[:, :: max(1, self._draws.shape[1] // self._hindsight)]
