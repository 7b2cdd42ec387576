"""What every policy is: it starts on a batch of people and chooses for all of them, step by step.

One person is a batch of one; `rhythm.policy.single` turns any policy into a function of an
observation and a history.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rhythm.life.profiles import People


@dataclass(frozen=True)
class View:
    """What a policy may see of a batch of people before it chooses; nothing of who they are.

    Attributes:
        step: step of the week to be decided, 0..27.
        meters: levels now, shape (people, 5).
        events: event index of the slot to be decided, shape (people,).
        before: levels before the last step, shape (people, 5); equal to meters at step 0.
        deltas: change of each meter in the last step, shape (people, 5).
        anomalies: deltas minus the neutral person's, shape (people, 5).
        actions: what was done last, shape (people,); -1 at step 0.
        last_events: event of the last step, shape (people,).
        rewards: what the last step paid, shape (people,).
    """

    step: int
    meters: NDArray[np.float64]
    events: NDArray[np.int8]
    before: NDArray[np.float64]
    deltas: NDArray[np.float64]
    anomalies: NDArray[np.float64]
    actions: NDArray[np.int8]
    last_events: NDArray[np.int8]
    rewards: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.meters)


@dataclass(frozen=True)
class Choice:
    """What a policy chose for each person.

    Attributes:
        actions: action indices, shape (people,).
        beliefs: social, morning, work, shape (people, 3); None where it states none.
        belief_low, belief_high: ends of the central 80 % interval of each belief, shape
            (people, 3); None where it gives none.
        propensities: probability with which each action was chosen, shape (people,).
    """

    actions: NDArray[np.int8]
    beliefs: NDArray[np.float64] | None = None
    belief_low: NDArray[np.float64] | None = None
    belief_high: NDArray[np.float64] | None = None
    propensities: NDArray[np.float64] | None = field(default=None)


class Player(Protocol):
    """A policy at work on one batch of people; it may remember."""

    def choose(self, view: View) -> Choice:
        """Choose for everyone; called once for each step, in order."""
        ...


class Policy(Protocol):
    """A way to decide."""

    @property
    def name(self) -> str:
        """The name in the registry and in every table."""
        ...

    @property
    def told(self) -> bool:
        """Whether it is told who the people are (the oracle, and nobody else)."""
        ...

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """A player for a batch.

        Args:
            seeds: one seed for each person, for policies that draw at random.
            people: profile rows, shape (people, 15); given to a told policy only.
        """
        ...
