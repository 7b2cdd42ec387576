"""What the planner gains from more time: captured against the time of a decision, from a millisecond to a second.

============================  ====================================================================
variant                       how it decides
============================  ====================================================================
``mean-8`` ... ``mean-256``   for the mean of so many draws in every step but the first
``hindsight-16`` ... ``-256`` the first actions of the first steps weighed over so many draws;
                              ``hindsight-64`` is the planner as it is
``longer-hindsight``          as the planner, but with the search that weighs the opening
``more-hindsight``            512 draws and that search
``more-search``               as the planner, with four times its passes over the plan in every step
============================  ====================================================================

Time is processor time of one core for each decision of the first `HINDSIGHT_STEPS` steps, in
which all variants differ and most of the week is decided. All on the same training people,
`peaked`; differences are paired by seed.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.ablations import Redrawn
from rhythm.bench.graders import grade_week
from rhythm.bench.play import play
from rhythm.bench.rows import Row
from rhythm.bench.statistics import Estimate, ratio
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import People
from rhythm.policy.aims import HINDSIGHT, OPENING, Search, Wellbeing
from rhythm.policy.face import Choice, Player, Policy, View
from rhythm.policy.knowledge import HINDSIGHT_DRAWS, HINDSIGHT_STEPS
from rhythm.policy.planner import LATER_SWEEPS, PlanPlayer
from rhythm.policy.registry import make_policy

Floats = NDArray[np.float64]

FIRST_SEED: Final = 2_750_000


@dataclass(frozen=True)
class Effort:
    """How much a planner thinks.

    Attributes:
        hindsight: draws to weigh the actions of the first steps with; 0 where the mean is planned for.
        draws: draws that stand for the posterior.
        search: how thoroughly actions are weighed in hindsight.
        sweeps: more passes over the plan in each step than the planner's.
    """

    hindsight: int = HINDSIGHT_DRAWS
    draws: int = 256
    search: Search = HINDSIGHT
    sweeps: int = 0


EFFORTS: Final[dict[str, Effort]] = {
    "mean-8": Effort(0, draws=8),
    "mean-64": Effort(0, draws=64),
    "mean-256": Effort(0),
    "hindsight-16": Effort(16),
    "hindsight-64": Effort(),
    "hindsight-256": Effort(256),
    "longer-hindsight": Effort(search=OPENING),
    "more-hindsight": Effort(512, draws=512, search=OPENING),
    "more-search": Effort(sweeps=3 * LATER_SWEEPS),
}
"""Variants by name; ``hindsight-64`` is the planner as it is."""
AS_IT_IS: Final = "hindsight-64"


class _Player(PlanPlayer):
    """The planner with another effort, which keeps the time of its first decisions."""

    def __init__(self, count: int, effort: Effort) -> None:
        super().__init__(count, Redrawn(count, effort.draws, effort.hindsight), Wellbeing(effort.search))
        self._sweeps = effort.sweeps
        self.seconds: list[float] = []

    def choose(self, view: View) -> Choice:
        begun = time.thread_time()
        choice = super().choose(view)
        if 0 < view.step < HINDSIGHT_STEPS:  # the first step's values are kept for everyone in its state
            self.seconds.append((time.thread_time() - begun) / len(view))
        return choice

    def _choose_first(self, view: View, people: People) -> None:
        if self._sweeps:
            self._aim.improve(people, view, self._plans, self._sweeps)
        super()._choose_first(view, people)


@dataclass
class EffortPolicy:
    """Plans for wellbeing with an effort; keeps the player that it started last."""

    name: str
    effort: Effort
    told: bool = False
    player: _Player | None = None

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        self.player = _Player(len(seeds), self.effort)
        return self.player


def effort_rows(
    people: int, on_progress: Callable[[str, int], None] = lambda _what, _more: None
) -> tuple[list[Row], dict[str, Any]]:
    """Captured, what that is more than the planner's, and time of a decision, of every variant.

    Args:
        people: how many training people, of the peaked population.
        on_progress: told of each variant that was played.

    Returns:
        Rows, and data for `rhythm.bench.plots.knowing.draw_effort`.
    """
    seeds = FIRST_SEED + np.arange(people, dtype=np.int64)
    profiles = sample_people(seeds, Population.PEAKED)

    def wellbeing(policy: Policy) -> Floats:
        played = grade_week(play(policy, profiles, seeds), Population.PEAKED)["wellbeing"]
        on_progress(policy.name, people)
        return played

    average = wellbeing(make_policy("average"))
    headroom = wellbeing(make_policy("oracle")) - average
    lived: dict[str, Floats] = {}
    taken: dict[str, float] = {}
    for name, effort in EFFORTS.items():
        play(EffortPolicy(name, effort), profiles[:2], seeds[:2])  # compiled before it is timed
        policy = EffortPolicy(name, effort)
        lived[name] = wellbeing(policy)
        assert policy.player is not None
        taken[name] = 1000.0 * float(np.median(policy.player.seconds))
    rows: list[Row] = []
    points: list[dict[str, Any]] = []
    for name, reached in lived.items():
        captured = _row(f"captured/{name}", ratio(reached - average, headroom))
        more = _row(f"captured_over_planner/{name}", ratio(reached - lived[AS_IT_IS], headroom))
        rows += [captured, more, Row(f"decision_ms/{name}", taken[name], n=people * (HINDSIGHT_STEPS - 1))]
        points.append({"name": name, "ms": taken[name], "more": more.value, "low": more.low, "high": more.high})
    as_it_is = ratio(lived[AS_IT_IS] - average, headroom)
    captured_as_it_is = None if as_it_is is None else as_it_is.value
    return rows, {"points": points, "captured": captured_as_it_is, "people": people, "first_seed": FIRST_SEED}


def _row(name: str, estimate: Estimate | None) -> Row:
    if estimate is None:
        return Row(name, None, note="the oracle is not clearly above the average person here")
    return Row(name, estimate.value, estimate.low, estimate.high, estimate.n)
