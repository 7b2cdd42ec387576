"""The student that is shipped: its weights are read on first use, and the planner stands in where they cannot be.

The environment variable ``RHYTHM_STUDENT`` names other weights, so that a network can be
measured before it is shipped.
"""

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.profiles import People
from rhythm.policy.face import Player, Policy
from rhythm.policy.planner import planner
from rhythm.policy.student.model_file import Model, read_card, read_model
from rhythm.policy.student.player import StudentPolicy
from rhythm.policy.student.weights_file import changed_ns
from rhythm.vocab import RhythmError

WEIGHTS_VARIABLE: Final = "RHYTHM_STUDENT"
SHIPPED: Final = Path(__file__).parent / "weights" / "student.onnx"


def weights_path() -> Path:
    """The file of weights that the student is made of."""
    named = os.environ.get(WEIGHTS_VARIABLE)
    return Path(named) if named else SHIPPED


@lru_cache(maxsize=4)
def _kept(path: Path, _changed_ns: int) -> Model:
    return read_model(path)


def shipped_model() -> Model:
    """The shipped network, read once and shared.

    Raises:
        SchemaError, DamagedModelError: see `read_model`.
    """
    path = weights_path()
    return _kept(path, changed_ns(path))


@dataclass(frozen=True)
class ShippedStudent:
    """The student in the registry; nothing is read before it starts."""

    name: str = "student"
    told: bool = False

    @property
    def version(self) -> str:
        """The beginning of the digest of its weights.

        Raises:
            SchemaError: there is no card, or it is damaged or of another version.
        """
        return read_card(weights_path()).sha256[:16]

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`.

        Raises:
            SchemaError, DamagedModelError: see `read_model`; a benchmark never plays somebody else in its name.
        """
        return StudentPolicy(shipped_model()).start(seeds)


def student_or_planner() -> tuple[Policy, RhythmError | None]:
    """Who serves: the student, or the planner and why the student cannot."""
    try:
        return StudentPolicy(shipped_model()), None
    except RhythmError as error:
        return planner(), error
