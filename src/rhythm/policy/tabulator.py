"""An adversary with a table of the benchmark: it recognises open seeds and plans as if told.

The table holds, for every seed that is kept for evaluation, the number that a policy is given
for its own draws, and the events of the first days. Who is found in it is looked up, and kept
for as long as the person behaves as the table says; for anybody else it plans as the average
person's planner does.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.life.counter import Stream, scramble_seeds
from rhythm.life.populations import Population, archetype_kinds, sample_people
from rhythm.life.profiles import ARCHETYPES, People, average_person, belief_targets
from rhythm.life.step import draw_events, step
from rhythm.policy.aims import Wellbeing
from rhythm.policy.face import Player, View
from rhythm.policy.knowledge import Floats
from rhythm.policy.planner import PlanPlayer

BLOCKS: Final = (
    (range(100), "ordinary"),
    (range(10_000, 10_050), "corners"),
    (range(20_000, 20_015), "archetypes"),
    (range(1_000_000, 1_002_000), "ordinary"),
    (range(1_100_000, 1_102_000), "corners"),
    (range(1_200_000, 1_202_000), "archetypes"),
    (range(1_300_000, 1_302_000), "ordinary"),
    (range(1_400_000, 1_402_000), "corners"),
    (range(1_500_000, 1_502_000), "archetypes"),
)
"""The benchmark's seeds and who they are, as anybody can read in its documentation."""
EVENT_STEPS: Final = 16
"""Steps whose events name a seed: among 12,000 seeds, few share so many."""
_SAME: Final = 1e-9
_UNKNOWN: Final = -1


class Table(NamedTuple):
    """Everybody in the benchmark.

    Attributes:
        people: profile rows of the population ``peaked``, shape (seeds, 15).
        by_number: place in ``people`` by the number that a policy is given.
        by_events: place by the events of the first `EVENT_STEPS` steps; those that two share are left out.
    """

    people: People
    by_number: dict[int, int]
    by_events: dict[bytes, int]


def _people_of(seeds: NDArray[np.int64], who: str) -> People:
    if who == "archetypes":
        rows: People = np.array([person.row for person in ARCHETYPES.values()])[archetype_kinds(seeds - seeds[0])]
        return rows
    return sample_people(seeds, Population.PEAKED, corners=who == "corners")


@lru_cache(maxsize=1)
def table() -> Table:
    """The table; made once."""
    parts = [(np.arange(block.start, block.stop), who) for block, who in BLOCKS]
    seeds = np.concatenate([block for block, _ in parts])
    numbers = scramble_seeds(seeds, Stream.POLICY) >> np.uint64(1)
    events = [row.tobytes() for row in draw_events(seeds, 0, EVENT_STEPS)]
    by_events: dict[bytes, int] = {}
    for place, row in enumerate(events):
        by_events[row] = _UNKNOWN if row in by_events else place
    return Table(
        np.concatenate([_people_of(block, who) for block, who in parts]),
        {number: place for place, number in enumerate(numbers.tolist())},
        by_events,
    )


class Recalled:
    """Knowledge from the table: the truth of whoever is recognised, the mean person of all others."""

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        by_number = table().by_number
        self._places = np.array([by_number.get(int(number), _UNKNOWN) for number in numbers])
        self._mean = average_person().row
        self._events: list[NDArray[np.int8]] = []

    def update(self, view: View) -> None:
        """Drop whoever does not behave as the table says; look up the events once there are enough."""
        if view.step == 0:
            return
        self._events.append(view.last_events)
        if view.step == EVENT_STEPS:
            rows = np.ascontiguousarray(np.stack(self._events, axis=1))
            for i in np.flatnonzero(self._places == _UNKNOWN):
                self._places[i] = table().by_events.get(rows[i].tobytes(), _UNKNOWN)
        expected = step(self.people(), view.before, view.actions, view.step - 1, view.last_events)
        fits = (np.abs(expected.deltas - view.deltas).max(axis=1) < _SAME) & (
            np.abs(expected.rewards - view.rewards) < _SAME
        )
        self._places[~fits] = _UNKNOWN

    def people(self) -> People:
        """See `Knowledge.people`."""
        known = self._places != _UNKNOWN
        rows: People = np.where(known[:, None], table().people[self._places], self._mean)
        return np.ascontiguousarray(rows)

    def beliefs(self) -> tuple[Floats, Floats | None, Floats | None]:
        """See `Knowledge.beliefs`."""
        return belief_targets(self.people()), None, None

    def expected_information(self, view: View) -> Floats | None:
        """See `Knowledge.expected_information`; it hopes to know already."""
        return None


@dataclass(frozen=True)
class TabulatorPolicy:
    """Looks people up in a table of the benchmark."""

    name: str = "tabulator"
    told: bool = False

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        return PlanPlayer(len(seeds), Recalled(seeds), Wellbeing())
