"""The planner: look ahead over the rest of the week under who the person is thought to be.

One search serves every knowledge of the person: the mean person (``average``), the truth
(``oracle``), the truth from some step on (``told-after-3``), a posterior (``planner``);
and two aims: wellbeing, and, in the variants ``...-v2``, grade v2 itself.

Plans are for the posterior's mean, except in the first steps of a week, when little of the
person is known: the mean of many people is nobody, and what suits them best first is little
use to anybody. First actions are therefore weighed in hindsight: worth of each action,
averaged over who it may be, if each then went on as suits them (see decision 0027). Hindsight
takes for granted that the person is known afterwards, so what an action would tell of them is
paid for beside it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rhythm.life.profiles import People
from rhythm.policy.aims import Aim, GradeV2, Wellbeing
from rhythm.policy.face import Choice, Player, View
from rhythm.policy.knowledge import HINDSIGHT_STEPS, Fixed, Knowledge, Learned, ToldAfter
from rhythm.vocab import ACTION_COUNT, WEEK_STEPS, Action, InvalidValueError

FIRST_SWEEPS = 8
LATER_SWEEPS = 2


@dataclass(frozen=True)
class Probing:
    """What finding out about the person is worth.

    Attributes:
        worth: of a nat, in what the aim counts, at the beginning of a week; it falls with what is left of the week.
        steps: in which it is paid for.
    """

    worth: float
    steps: range


PROBING = Probing(0.07, range(1, HINDSIGHT_STEPS))
"""In summed wellbeing; the opening is the same for everybody and needs none."""
PROBING_V2 = Probing(0.012, range(10))
"""In grade v2."""


@dataclass(frozen=True)
class PlanPolicy:
    """A planner with a name, a kind of knowledge and an aim.

    Attributes:
        name: see `Policy.name`.
        know: makes the knowledge from the number of people and, for a told policy, their rows.
        told: see `Policy.told`.
        aim_v2: maximise grade v2 instead of wellbeing.
        probing: pay for finding out.
    """

    name: str
    know: Callable[[int, People | None], Knowledge]
    told: bool = False
    aim_v2: bool = False
    probing: bool = True

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`.

        Raises:
            InvalidValueError: a told policy was not told who the people are.
        """
        if self.told and people is None:
            raise InvalidValueError(f"{self.name} plans for the people themselves; start it with their profile rows")
        count = len(seeds)
        aim: Aim = GradeV2(count) if self.aim_v2 else Wellbeing()
        return PlanPlayer(count, self.know(count, people if self.told else None), aim, probing=self.probing)


class PlanPlayer:
    """Plans for a batch: updates what it knows, improves the same plans as the week unfolds."""

    def __init__(self, count: int, knowledge: Knowledge, aim: Aim, *, probing: bool = True) -> None:
        self._knowledge = knowledge
        self._aim = aim
        paid = PROBING_V2 if isinstance(aim, GradeV2) else PROBING
        self._probing = paid if probing else Probing(0.0, range(0))
        self._values = np.zeros((count, ACTION_COUNT))
        self._plans = np.full((count, WEEK_STEPS), Action.ME_TIME, np.int8)

    @property
    def values(self) -> NDArray[np.float64]:
        """What every action was worth in the last choice, what it tells included, shape (people, 10)."""
        return self._values

    def choose(self, view: View) -> Choice:
        """See `Player.choose`."""
        self._knowledge.update(view)
        sweeps = FIRST_SWEEPS if view.step == 0 else LATER_SWEEPS
        people = self._knowledge.people()
        self._aim.improve(people, view, self._plans, sweeps)
        self._choose_first(view, people)
        beliefs, low, high = self._knowledge.beliefs()
        return Choice(self._plans[:, view.step].copy(), beliefs, low, high)

    def _choose_first(self, view: View, people: People) -> None:
        """Weigh every first action, and what each would tell of the person where that is worth something."""
        values = self._hindsight_values(view)
        if values is None:
            values = self._aim.first_values(people, view, self._plans)
        if view.step in self._probing.steps:
            told = self._knowledge.expected_information(view)
            if told is not None:
                left = (WEEK_STEPS - view.step) / WEEK_STEPS
                values = values + self._probing.worth * left * told
        self._values = values
        self._plans[:, view.step] = values.argmax(axis=1)

    def _hindsight_values(self, view: View) -> NDArray[np.float64] | None:
        """Worth of every first action if the person were known afterwards; None where a mean is planned for."""
        if not isinstance(self._knowledge, Learned):
            return None
        if (anybody := self._knowledge.anybody()) is not None:
            return self._aim.opening_values(anybody, view, self._plans)
        if (each := self._knowledge.uncertain()) is not None:
            return self._aim.hindsight_values(each, view, self._plans)
        return None


def _mean_person(count: int, _people: People | None) -> Knowledge:
    return Fixed.mean_person(count)


def _truth(_count: int, people: People | None) -> Knowledge:
    assert people is not None
    return Fixed(people)


def _posterior(count: int, _people: People | None) -> Knowledge:
    return Learned(count)


def average(*, aim_v2: bool = False) -> PlanPolicy:
    """Plans for the mean person, whoever it is."""
    return PlanPolicy("average-v2" if aim_v2 else "average", _mean_person, aim_v2=aim_v2)


def oracle(*, aim_v2: bool = False) -> PlanPolicy:
    """Told the person: the upper end of what knowing them can give."""
    return PlanPolicy("oracle-v2" if aim_v2 else "oracle", _truth, told=True, aim_v2=aim_v2)


def told_after(steps: int) -> PlanPolicy:
    """The average planner until so many steps were taken, then the oracle."""

    def know(_count: int, people: People | None) -> Knowledge:
        assert people is not None
        return ToldAfter(people, steps)

    return PlanPolicy(f"told-after-{steps}", know, told=True)


def planner(*, aim_v2: bool = False) -> PlanPolicy:
    """Learns the person from every step and plans the rest of the week for who they seem to be."""
    return PlanPolicy("planner-v2" if aim_v2 else "planner", _posterior, aim_v2=aim_v2)
