"""The teacher at work: weeks of training people in which the planner says what every action is worth.

Whoever acts (the planner itself, the planner with mistakes, or a student), the planner is asked
in every state that comes of it, so that a student learns what to do after its own mistakes too
(DAgger; Ross, Gordon and Bagnell 2011).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.conditions import check_training_seeds
from rhythm.bench.play import view_of
from rhythm.distill.weeks import TaughtWeeks
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import People, belief_targets
from rhythm.life.week import Weeks
from rhythm.policy.aims import Wellbeing
from rhythm.policy.face import Player, Policy, View
from rhythm.policy.knowledge import Learned
from rhythm.policy.planner import PlanPlayer
from rhythm.vocab import ACTION_COUNT, WEEK_STEPS

MISTAKES: Final = (0.0, 0.1, 0.3)
"""Shares of random actions among those who act, in turn over people."""
_PEAKED_OF_THREE: Final = 2


class Teacher(PlanPlayer):
    """The honest planner, whose weighing is overheard."""

    def __init__(self, count: int) -> None:
        super().__init__(count, Learned(count), Wellbeing())

    def redirect(self, step: int, actions: NDArray[np.int8]) -> None:
        """Something else is done in this step than what it chose."""
        self._plans[:, step] = actions


@dataclass(frozen=True)
class Lesson:
    """Whose weeks are played and who acts in them.

    Attributes:
        seeds: training seeds, shape (people,).
        actor: who acts, with mistakes; None for the teacher.
    """

    seeds: NDArray[np.int64]
    actor: Policy | None = None


def people_of(seeds: NDArray[np.int64]) -> People:
    """The people of training seeds: two in three peaked, the others classic; never a corner person."""
    people = sample_people(seeds, Population.CLASSIC)
    peaked = seeds % 3 < _PEAKED_OF_THREE
    people[peaked] = sample_people(seeds[peaked], Population.PEAKED)
    return people


def taught(lesson: Lesson) -> TaughtWeeks:
    """Play the weeks of a lesson.

    Raises:
        ReservedSeedError: a seed belongs to the benchmark.
    """
    seeds = check_training_seeds(lesson.seeds)
    count = len(seeds)
    people = people_of(seeds)
    weeks, teacher = Weeks(people, seeds), Teacher(count)
    actor: Player = lesson.actor.start(seeds) if lesson.actor else teacher
    keys = scramble_seeds(seeds, Stream.POLICY)
    mistaken = np.array(MISTAKES)[seeds % len(MISTAKES)]
    seen: list[tuple[View, NDArray[np.float64]]] = []
    for step in range(WEEK_STEPS):
        view = view_of(weeks)
        wanted = teacher.choose(view).actions
        seen.append((view, teacher.values.copy()))
        actions = wanted if actor is teacher else actor.choose(view).actions.copy()
        wrong = uniforms(keys, 2 * step) < mistaken
        other = (uniforms(keys, 2 * step + 1) * ACTION_COUNT).astype(np.int8)
        actions = np.where(wrong, other, actions).astype(np.int8)
        teacher.redirect(step, actions)
        weeks.take(actions)
    return _recorded(seeds, people, seen)


def _recorded(seeds: NDArray[np.int64], people: People, seen: list[tuple[View, NDArray[np.float64]]]) -> TaughtWeeks:
    views = [view for view, _ in seen]

    def floats(name: str) -> NDArray[np.float32]:
        return np.stack([getattr(view, name) for view in views], axis=1).astype(np.float32)

    return TaughtWeeks(
        seeds=seeds,
        meters=floats("meters"),
        events=np.stack([view.events for view in views], axis=1),
        before=floats("before"),
        deltas=floats("deltas"),
        anomalies=floats("anomalies"),
        done=np.stack([view.actions for view in views], axis=1),
        last_events=np.stack([view.last_events for view in views], axis=1),
        rewards=floats("rewards"),
        values=np.stack([values for _, values in seen], axis=1).astype(np.float32),
        targets=belief_targets(people).astype(np.float32),
    )


def lessons(first_seed: int, weeks: int, batch: int, actor: Policy | None = None) -> Iterator[Lesson]:
    """Lessons of ``batch`` people on seeds in a row."""
    for start in range(first_seed, first_seed + weeks, batch):
        yield Lesson(np.arange(start, min(start + batch, first_seed + weeks)), actor)
