"""Play an agent in the package's environment: it is handed what the environment observes, and nothing else."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.outside.people import Setting, World, make_world, sample_outside_people

Floats = NDArray[np.float64]


class Agent(Protocol):
    """Somebody who sends messages to one person."""

    def act(self, observed: Floats) -> int:
        """The next action, 0 to 3, after what was observed, in the order of the setting."""
        ...


Made = Callable[[Floats, int], Agent]
"""An agent for one person, made of the parameters (which only who is told them may read) and a seed."""


@dataclass(frozen=True)
class Played:
    """What came of it.

    Attributes:
        returns: steps walked in the episode, shape (people,).
        stayed: steps after which the person had not left, of 50, shape (people,).
    """

    returns: Floats
    stayed: Floats


def play_one(world: World, agent: Agent) -> tuple[float, int]:
    """One episode: steps walked in all, and for how many steps the person stayed."""
    observed, _ = world.reset()
    total, stayed, over = 0.0, 0, False
    while not over:
        observed, reward, over, _, _ = world.step(agent.act(np.array(observed, np.float64)))
        total += float(reward)
        stayed += not over
    return total, stayed


def play_outside(
    make: Made, seeds: NDArray[np.int64], setting: Setting, on_person: Callable[[], None] = lambda: None
) -> Played:
    """Play one episode with everyone.

    Raises:
        MissingOutsideError: the package is not installed.
    """
    people = sample_outside_people(seeds, setting)
    results = []
    for person, seed in zip(people, seeds, strict=True):
        results.append(play_one(make_world(person, int(seed), setting), make(person, int(seed))))
        on_person()
    found = np.array(results, np.float64)
    return Played(found[:, 0], found[:, 1])
