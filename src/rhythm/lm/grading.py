"""Grades weeks in words again, under either grader: the week is lived anew from its seed.

What a file says of rewards and beliefs is not believed: answers are read again, what
they say is lived by the seed's person, and weeks whose rewards then differ are counted.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench import statistics
from rhythm.bench.graders import GRADER_V2, GRADER_V3, Episodes, belief_errors, grade_v2, grade_week, states_beliefs
from rhythm.bench.play import play
from rhythm.bench.rows import Row
from rhythm.life.populations import Population
from rhythm.lm.answers import FALLBACK, read_answer
from rhythm.lm.episode import begin
from rhythm.lm.trajectories import BadLine, Status, Trajectory, Who, read_file
from rhythm.policy.face import Choice, View
from rhythm.policy.registry import make_policy
from rhythm.vocab import BELIEF_COUNT, WEEK_STEPS, InvalidValueError, MalformedDecisionError

GRADERS: Final = {"v2": GRADER_V2, "v3": GRADER_V3}
BESIDE: Final = ("random", "heuristic", "constant", "average", "planner", "oracle")
"""Policies that play the same weeks."""
_ENOUGH_ALIKE: Final = 1e-6


class Recorded:
    """A policy that does what the answers on record say.

    Attributes:
        unreadable: answers that say nothing readable.
    """

    name, told = "recorded", False

    def __init__(self, weeks: Sequence[Trajectory]) -> None:
        self._actions = np.full((len(weeks), WEEK_STEPS), FALLBACK, np.int8)
        self._beliefs = np.full((len(weeks), WEEK_STEPS, BELIEF_COUNT), np.nan)
        self.unreadable = 0
        for place, week in enumerate(weeks):
            for number, step in enumerate(week.steps):
                try:
                    decision = read_answer(step.text)
                except MalformedDecisionError:
                    self.unreadable += 1
                    continue
                self._actions[place, number] = decision.action
                if decision.belief is not None:
                    self._beliefs[place, number] = decision.belief.values

    def start(self, seeds: NDArray[np.int64], people: NDArray[np.float64] | None = None) -> "Recorded":
        """See `Policy.start`."""
        return self

    def choose(self, view: View) -> Choice:
        """See `Player.choose`."""
        return Choice(self._actions[:, view.step], self._beliefs[:, view.step])


def grade_file(path: Path, grader: str = "v3", beside: Sequence[str] = ()) -> tuple[list[Row], tuple[BadLine, ...]]:
    """Rows with 95 % intervals over seeds, for each population in the file, and the lines that are none.

    Args:
        path: file of trajectories.
        grader: ``v2`` (as published) or ``v3``.
        beside: names of policies that play the same weeks; differences from them are paired by seed.
            With ``average`` and ``oracle`` among them, v3 also tells how much of what knowing the
            person can give was captured.

    Raises:
        InvalidValueError: another grader, no completed week in the file, or weeks of several teachers.
        UnknownNameError: no such policy.
        OSError: the file cannot be read.
    """
    if grader not in GRADERS:
        raise InvalidValueError(f"grader is one of {', '.join(GRADERS)}; got {grader[:20]!r}")
    policies = [make_policy(name) for name in beside]
    contents = read_file(path)
    groups: dict[Who, list[Trajectory]] = {}
    for (who, _), week in contents.weeks.items():
        if week.status is Status.COMPLETED:
            groups.setdefault(who, []).append(week)
    if not groups:
        raise InvalidValueError(f"no completed week among {len(contents.weeks)} in this file; nothing can be graded")
    teachers = sorted({week.teacher for weeks in groups.values() for week in weeks})
    if len(teachers) > 1:
        named = " and of ".join(repr(name[:40]) for name in teachers[:2])
        more = f" and of {len(teachers) - 2} more" if len(teachers) > 2 else ""
        raise InvalidValueError(f"the file holds weeks of {named}{more}; grade each teacher's in a file of its own")
    rows = []
    for who, weeks in groups.items():
        seeds = np.array([week.seed for week in weeks], np.int64)
        people = begin(seeds.tolist(), who).people
        recorded = Recorded(weeks)
        played = play(recorded, people, seeds)
        others = {policy.name: play(policy, people, seeds) for policy in policies}
        where = who.population + ("-corners" if who.corners else "")
        rows += [
            Row(f"{where}/{row.name}", row.value, row.low, row.high, row.n)
            for row in _rows(grader, who, played, others)
        ]
        rows.append(Row(f"{where}/weeks_that_differ", float(_differing(weeks, played))))
        rows.append(Row(f"{where}/unreadable", recorded.unreadable / (len(weeks) * WEEK_STEPS)))
    return rows, contents.bad


def _rows(grader: str, who: Who, played: Episodes, others: dict[str, Episodes]) -> list[Row]:
    headline = "v2" if grader == "v2" else "wellbeing"

    def graded(week: Episodes) -> dict[str, NDArray[np.float64]]:
        return grade_v2(week) if grader == "v2" else grade_week(week, Population(who.population))

    own = graded(played)
    if grader == "v2" and states_beliefs(played):
        own["belief_error"] = belief_errors(played)[:, -1]
    measured = {name: values for name, values in own.items() if grader == "v2" or name not in grade_v2(played)}
    rows = [_row(name, statistics.mean(values)) for name, values in measured.items()]
    scores = {name: graded(week)[headline] for name, week in others.items()}
    for name, values in scores.items():
        rows.append(_row(f"{headline}/{name}", statistics.mean(values)))
        rows.append(_row(f"{headline}_over/{name}", statistics.mean(own[headline] - values)))
    if headline == "wellbeing" and {"average", "oracle"} <= scores.keys():
        average = scores["average"]
        share = statistics.ratio(own[headline] - average, scores["oracle"] - average)
        if share is not None:
            rows.append(_row("captured", share))
    return rows


def _row(name: str, estimate: statistics.Estimate) -> Row:
    return Row(name, estimate.value, estimate.low, estimate.high, estimate.n)


def _differing(weeks: Sequence[Trajectory], played: Episodes) -> int:
    """Weeks whose recorded rewards are not those of the week as it is lived now."""
    told = np.array([[step.reward for step in week.steps] for week in weeks])
    return int((np.abs(told - played.rewards) > _ENOUGH_ALIKE).any(axis=1).sum())
