"""One week worked out beforehand for the mean person, and played to everybody.

Played honestly it is the best such week for wellbeing. Played for grade v2 it is the
*sandbagger*: it knows no more of anybody, and starts badly on purpose, because v2 pays for
a second half that is better than the first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life import grade_v2 as v2
from rhythm.life.constants import START_METERS
from rhythm.life.profiles import People, average_person
from rhythm.life.step import step, wellbeing
from rhythm.policy.face import Choice, Player, View
from rhythm.vocab import ACTION_COUNT, WEEK_STEPS, Meter

Floats = NDArray[np.float64]
Plans = NDArray[np.int8]
Objective = Callable[[Plans], Floats]
"""What weeks are worth to the mean person without events: plans of shape (plans, 28) to (plans,)."""

STARTS: Final = 6
"""The search starts from so many random weeks and keeps the best end."""


def mean_wellbeing(plans: Plans) -> Floats:
    """Wellbeing of the mean person over each week, shape (plans,)."""
    people, meters, total = _mean_people(len(plans)), _start(len(plans)), np.zeros(len(plans))
    nothing = np.zeros(len(plans), np.int8)
    for now in range(WEEK_STEPS):
        meters = step(people, meters, plans[:, now], now, nothing).meters
        total += wellbeing(people, meters)
    return total / WEEK_STEPS


def grade_v2_of_actions(plans: Plans) -> Floats:
    """Grade v2 of each week for the mean person, apart from the belief, shape (plans,)."""
    people, meters = _mean_people(len(plans)), _start(len(plans))
    nothing = np.zeros(len(plans), np.int8)
    rewards, crashes = np.empty((len(plans), WEEK_STEPS)), np.empty((len(plans), WEEK_STEPS))
    for now in range(WEEK_STEPS):
        after = step(people, meters, plans[:, now], now, nothing)
        meters, rewards[:, now], crashes[:, now] = after.meters, after.rewards, after.crashes
    return v2.weighted_sum(
        {
            "crash_free": v2.crash_free(crashes),
            "progress": meters[:, Meter.PROGRESS],
            "connection": meters[:, Meter.CONNECTION],
            "adaptation": v2.adaptation(rewards),
            "efficiency": v2.efficiency(rewards),
            "belief_accuracy": np.zeros(len(plans)),
        }
    )


@lru_cache(maxsize=4)
def best_week(objective: Objective, seed: int = 0) -> tuple[int, ...]:
    """The best week that steepest ascent over single changes and swaps of neighbours finds.

    Args:
        objective: what a week is worth.
        seed: of the random weeks that the search starts from.
    """
    generator = np.random.default_rng(seed)
    starts = generator.integers(0, ACTION_COUNT, size=(STARTS, WEEK_STEPS), dtype=np.int8)
    ends = [_climb(objective, start) for start in starts]
    best = max(ends, key=lambda end: end[0])
    return tuple(int(action) for action in best[1])


def _climb(objective: Objective, plan: NDArray[np.int8]) -> tuple[float, NDArray[np.int8]]:
    worth = float(objective(plan[None, :])[0])
    while True:
        candidates = _neighbours(plan)
        worths = objective(candidates)
        best = int(worths.argmax())
        if worths[best] <= worth + 1e-12:
            return worth, plan
        worth, plan = float(worths[best]), candidates[best]


def _neighbours(plan: NDArray[np.int8]) -> Plans:
    changed = np.tile(plan, (WEEK_STEPS * ACTION_COUNT, 1))
    rows = np.arange(len(changed))
    changed[rows, rows // ACTION_COUNT] = rows % ACTION_COUNT
    swapped = np.tile(plan, (WEEK_STEPS - 1, 1))
    rows = np.arange(len(swapped))
    swapped[rows, rows], swapped[rows, rows + 1] = plan[1:], plan[:-1]
    return np.concatenate([changed, swapped])


def _mean_people(count: int) -> People:
    return np.tile(average_person().row, (count, 1))


def _start(count: int) -> Floats:
    return np.tile(np.array(START_METERS), (count, 1))


@dataclass(frozen=True)
class FixedWeekPolicy:
    """Plays the week that is best for the mean person under an objective; states no belief."""

    name: str
    objective: Objective
    told: bool = False

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        return _FixedWeekPlayer(best_week(self.objective))


@dataclass(frozen=True)
class _FixedWeekPlayer:
    week: tuple[int, ...]

    def choose(self, view: View) -> Choice:
        return Choice(np.full(len(view), self.week[view.step], np.int8))
