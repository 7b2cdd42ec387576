"""The planner without its parts, and with more or fewer draws: what each brings, and what it costs.

======================  ==========================================================================
variant                 what is different from ``planner``
======================  ==========================================================================
``planner``             nothing
``mean-opening``        the first action is the mean person's best, not weighed in hindsight
``mean-plan``           so are all others of the first steps
``no-probing``          what an action would tell of the person is not paid for
``point``               one person who fits the evidence instead of draws: no spread, no intervals
``no-rewards``          rewards are not seen, so the weights are not learned
``draws-8``             8 draws stand for the posterior instead of 256
``draws-64``            64 draws do
======================  ==========================================================================

All on the same training people, `peaked`; intervals are paired by seed.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.graders import grade_week
from rhythm.bench.play import play
from rhythm.bench.rows import Row
from rhythm.bench.statistics import Estimate, mean, ratio
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import People
from rhythm.policy.face import Policy, View
from rhythm.policy.knowledge import HINDSIGHT_DRAWS, Learned
from rhythm.policy.planner import PlanPolicy
from rhythm.policy.registry import make_policy
from rhythm.vocab import WEEK_STEPS

Floats = NDArray[np.float64]

FIRST_SEED: Final = 2_700_000


NO_PROBING: Final = "no-probing"


class _MeanOpening(Learned):
    def anybody(self) -> Floats | None:
        return None


class _NoRewards(Learned):
    def update(self, view: View) -> None:
        super().update(replace(view, rewards=np.full(len(view), np.nan)))


class Redrawn(Learned):
    """A posterior with so many draws, so many of them for hindsight."""

    def __init__(self, count: int, draws: int, hindsight: int = HINDSIGHT_DRAWS) -> None:
        self._count = draws
        super().__init__(count, hindsight)
        self._draws = self._posterior.draws(draws)

    def update(self, view: View) -> None:
        """See `Knowledge.update`."""
        super().update(view)
        if view.step:
            self._draws = self._posterior.draws(self._count)


def _learner(make: Callable[[int], Learned]) -> Callable[[int, People | None], Learned]:
    return lambda count, _told: make(count)


VARIANTS: Final[dict[str, Callable[[int, People | None], Learned]]] = {
    "planner": _learner(Learned),
    "mean-opening": _learner(_MeanOpening),
    "mean-plan": _learner(lambda count: _MeanOpening(count, hindsight=0)),
    NO_PROBING: _learner(Learned),
    "point": _learner(lambda count: Redrawn(count, 1)),
    "no-rewards": _learner(_NoRewards),
    "draws-8": _learner(lambda count: Redrawn(count, 8)),
    "draws-64": _learner(lambda count: Redrawn(count, 64)),
}
"""How each variant learns, by name."""


def ablation_rows(people: int, on_progress: Callable[[str, int], None] = lambda _what, _more: None) -> list[Row]:
    """Captured (and what it is less than the planner's), v2, belief errors and time of every variant.

    Args:
        people: how many training people, of the peaked population.
        on_progress: told of each variant that was played.
    """
    seeds = FIRST_SEED + np.arange(people, dtype=np.int64)
    profiles = sample_people(seeds, Population.PEAKED)

    def graded(policy: Policy) -> tuple[dict[str, Floats], float]:
        begun = time.thread_time()
        played = play(policy, profiles, seeds)
        spent = time.thread_time() - begun
        on_progress(policy.name, people)
        return grade_week(played, Population.PEAKED), spent

    play(make_policy("planner"), profiles[:2], seeds[:2])  # compiled before it is timed
    average = graded(make_policy("average"))[0]["wellbeing"]
    headroom = graded(make_policy("oracle"))[0]["wellbeing"] - average
    rows: list[Row] = []
    whole: Floats | None = None
    for name, know in VARIANTS.items():
        found, seconds = graded(PlanPolicy(name, know, probing=name != NO_PROBING))
        whole = found["wellbeing"] if whole is None else whole
        rows += [
            _row(f"captured/{name}", ratio(found["wellbeing"] - average, headroom)),
            _row(f"captured_minus_planner/{name}", ratio(found["wellbeing"] - whole, headroom)),
            _row(f"v2/{name}", mean(found["v2"])),
            _row(f"belief_mae_step7/{name}", mean(found["belief_error_step7"])),
            _row(f"belief_mae/{name}", mean(found["belief_error"])),
            Row(f"decision_ms/{name}", 1000.0 * seconds / (people * WEEK_STEPS), n=people * WEEK_STEPS),
        ]
    return rows


def _row(name: str, estimate: Estimate | None) -> Row:
    if estimate is None:
        return Row(name, None, note="the oracle is not clearly above the average person here")
    return Row(name, estimate.value, estimate.low, estimate.high, estimate.n)
