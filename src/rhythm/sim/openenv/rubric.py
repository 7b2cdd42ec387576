"""The grader as OpenEnv's rubric tree: grade v2, six named parts and their published weights.

The rubric is 0 until the step that ends the week and the grade then, so that the sum of an
episode's rewards is its grade (trainers add them up). Formulas: `rhythm.life.grade_v2`.
"""

from typing import Any

from rhythm.life.grade_v2 import V2_WEIGHTS
from rhythm.sim.errors import needs_extra
from rhythm.sim.grading import grade_of

with needs_extra("openenv", "openenv"):
    from openenv.core.rubrics import Rubric


class PartRubric(Rubric):  # type: ignore[misc]
    """One part of the grade; its score is set when the week is over."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self._score = 0.0

    def fill(self, score: float) -> None:
        """Take the score of a week that is over, in [0, 1]."""
        self._score = score

    def forward(self, action: Any, observation: Any) -> float:
        """The score of the week, 0 until it is over."""
        return self._score if observation.done else 0.0

    def reset(self) -> None:
        """Forget the last week."""
        self._score, self.last_score = 0.0, None


class WeekRubric(Rubric):  # type: ignore[misc]
    """The weighted sum of the six parts.

    Attributes:
        weights: the weight of each part by name; they sum to 1.
    """

    def __init__(self) -> None:
        super().__init__()
        self.weights = dict(V2_WEIGHTS)
        for name in self.weights:
            setattr(self, name, PartRubric(name))

    def fill(self, parts: dict[str, float]) -> None:
        """Take the parts of a week that is over."""
        for name, score in parts.items():
            getattr(self, name).fill(score)

    def forward(self, action: Any, observation: Any) -> float:
        """The grade of the week in [0, 1], 0 until it is over."""
        parts = {name: float(getattr(self, name)(action, observation)) for name in self.weights}
        return grade_of(parts) if observation.done else 0.0

    def reset(self) -> None:
        """Forget the last week."""
        self.last_score = None
        for part in self.children():
            part.reset()
