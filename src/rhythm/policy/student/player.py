"""The student as a policy of the perfect channel."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rhythm.life.profiles import People
from rhythm.policy.face import Choice, Player, View
from rhythm.policy.student.model_file import Model, Reader
from rhythm.policy.student.tokens import exact_tokens


@dataclass(frozen=True)
class StudentPolicy:
    """Does what the student thinks best, and states its belief with its 80 % interval.

    Attributes:
        model: the frozen network.
        name: see `Policy.name`.
    """

    model: Model
    name: str = "student"
    told: bool = False

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        return _StudentPlayer(self.model.reader(len(seeds)))


@dataclass(frozen=True)
class _StudentPlayer:
    reader: Reader

    def choose(self, view: View) -> Choice:
        said = self.reader.read(exact_tokens(view))
        low, middle, high = np.moveaxis(said.beliefs.astype(np.float64), 2, 0)
        return Choice(said.actions.argmax(axis=1).astype(np.int8), middle, low, high)
