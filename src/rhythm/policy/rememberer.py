"""An adversary with a memory: who it met before under the same number it knows from the first step.

It learns as the planner does and keeps, for the life of the process, which traits each number
turned out to have. Where a benchmark hands out a number twice for the same person, as it does
for the two populations of open seeds, it gains.
"""

from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from rhythm.life.profiles import People
from rhythm.policy.aims import Wellbeing
from rhythm.policy.face import Choice, Player, View
from rhythm.policy.knowledge import Floats, Learned
from rhythm.policy.planner import PlanPlayer
from rhythm.vocab import METER_COUNT, WEEK_STEPS

_met: dict[int, NDArray[np.float64]] = {}
_writing = Lock()


class Remembered(Learned):
    """A posterior; of whoever was met before, the traits that they turned out to have."""

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        super().__init__(len(numbers))
        self._old = np.array([int(number) in _met for number in numbers])
        self._rows = np.zeros((len(numbers), super().people().shape[1]))
        for i in np.flatnonzero(self._old):
            self._rows[i] = _met[int(numbers[i])]

    def people(self) -> People:
        """See `Knowledge.people`."""
        rows = super().people().copy()
        rows[self._old, METER_COUNT:] = self._rows[self._old, METER_COUNT:]
        return rows

    def anybody(self) -> Floats | None:
        """See `Learned.anybody`; where somebody is known, nobody's opening is weighed in hindsight."""
        return None if self._old.any() else super().anybody()

    def uncertain(self) -> Floats | None:
        """See `Learned.uncertain`; of whoever is known all draws are alike."""
        draws = super().uncertain()
        if draws is not None and self._old.any():
            draws = draws.copy()
            draws[self._old] = self.people()[self._old, None]
        return draws


@dataclass(frozen=True)
class RemembererPolicy:
    """Plans as the planner does, and remembers."""

    name: str = "rememberer"
    told: bool = False

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        return _RemembererPlayer(seeds, Remembered(seeds))


@dataclass
class _RemembererPlayer:
    numbers: NDArray[np.int64]
    knowledge: Remembered
    inner: PlanPlayer = field(init=False)

    def __post_init__(self) -> None:
        self.inner = PlanPlayer(len(self.numbers), self.knowledge, Wellbeing())

    def choose(self, view: View) -> Choice:
        choice = self.inner.choose(view)
        if view.step == WEEK_STEPS - 1:
            with _writing:
                _met.update(zip(self.numbers.tolist(), self.knowledge.people(), strict=True))
        return choice
