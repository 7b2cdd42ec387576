"""Keeps one person's week for its v2 grade: the score of an episode, not of a step."""

import numpy as np

from rhythm.life import grade_v2 as v2
from rhythm.life.profiles import belief_targets
from rhythm.life.week import Weeks
from rhythm.vocab import BELIEF_COUNT, WEEK_STEPS, Belief, EpisodeOverError, Meter


class Gradebook:
    """What the grader needs of one week; knows the hidden person only while it grades."""

    def __init__(self) -> None:
        self._rewards = np.zeros((1, WEEK_STEPS))
        self._crashes = np.zeros((1, WEEK_STEPS), np.int8)
        self._beliefs = np.full((1, WEEK_STEPS, BELIEF_COUNT), np.nan)

    def note(self, weeks: Weeks, belief: Belief | None) -> None:
        """Take down the step that was just lived and the belief that was stated before it."""
        step = weeks.step - 1
        self._rewards[:, step], self._crashes[:, step] = weeks.rewards, weeks.crashes
        if belief is not None:
            self._beliefs[0, step] = belief.values

    def parts(self, weeks: Weeks) -> dict[str, float]:
        """The six parts of the grade, each in [0, 1], in the order of `rhythm.life.grade_v2.V2_WEIGHTS`.

        Raises:
            EpisodeOverError: the week is not over yet.
        """
        if not weeks.done:
            raise EpisodeOverError(f"a week is graded after its {WEEK_STEPS} steps; it is at step {weeks.step}")
        parts = {
            "crash_free": v2.crash_free(self._crashes),
            "progress": weeks.meters[:, Meter.PROGRESS],
            "connection": weeks.meters[:, Meter.CONNECTION],
            "adaptation": v2.adaptation(self._rewards),
            "efficiency": v2.efficiency(self._rewards),
            "belief_accuracy": v2.belief_accuracy(self._beliefs, belief_targets(weeks.people)),
        }
        return {name: float(part[0]) for name, part in parts.items()}


def grade_of(parts: dict[str, float]) -> float:
    """The v2 grade that six parts make, in [0, 1]."""
    return float(v2.weighted_sum({name: np.array([part]) for name, part in parts.items()})[0])
