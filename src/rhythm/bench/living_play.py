"""Weeks of simulated lives through the device channel: who suggests, what reaches them, what is graded.

An assistant here sees what a deployed one sees: what became of its suggestions, what calendar
and watch recorded, readings when they arrive. It may suggest one action in every slot.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rhythm.life.answer_styles import StyleRange, sample_styles
from rhythm.life.living import Lives, Seen
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import belief_targets
from rhythm.vocab import BELIEF_COUNT, WEEK_STEPS

Floats = NDArray[np.float64]

NOTHING: Final = -1
"""Stands for no suggestion."""


class Stated(NamedTuple):
    """What an assistant believes of each person: means and 80 % intervals, each of shape (people, 3)."""

    mean: Floats
    low: Floats
    high: Floats


class Assistant(Protocol):
    """Makes suggestions to a batch of people and learns from what comes back."""

    def suggest(self, lives: Lives) -> NDArray[np.int8]:
        """An action or `NOTHING` for everyone's coming slot, shape (people,); what is hidden in ``lives`` stays so."""
        ...

    def learn(self, offered: NDArray[np.int8], seen: Seen) -> None:
        """Take in what came back."""
        ...

    def beliefs(self) -> Stated | None:
        """What it believes of everyone now; None where it believes nothing."""
        ...

    def timings_ms(self) -> dict[str, list[float]]:
        """Processor time of each decision and each update, by kind, where it was taken."""
        ...


@dataclass(frozen=True)
class Played:
    """Grades of people, week by week.

    Attributes:
        wellbeing: mean over the week, shape (people, weeks).
        errors: absolute error of each belief as the week ends, shape (people, weeks, 3); empty where none was stated.
        covered: whether the 80 % interval holds the truth, same shape.
        accepted: suggestions accepted, as a share of those looked at, shape (people, weeks).
        timings_ms: see `Assistant.timings_ms`.
        constant: absolute error of the belief 0.5 for everyone, shape (people, weeks, 3).
    """

    wellbeing: Floats
    errors: Floats
    covered: Floats
    accepted: Floats
    constant: Floats
    timings_ms: dict[str, list[float]]


def lives_of(seeds: NDArray[np.int64]) -> Lives:
    """People of the peaked population with benchmark styles, who drift."""
    people = sample_people(seeds, Population.PEAKED)
    return Lives(seeds, people, sample_styles(seeds, StyleRange.BENCHMARK))


def play(
    seeds: NDArray[np.int64], weeks: int, assistant: Assistant, on_day: Callable[[], None] | None = None
) -> Played:
    """Live so many weeks with an assistant.

    Args:
        seeds: one for each person, shape (people,).
        weeks: how many.
        assistant: not used before, for that many people.
        on_day: called after each day.
    """
    lives = lives_of(seeds)
    count = len(lives)
    wellbeing, seen, accepted = np.zeros((count, weeks)), np.zeros((count, weeks)), np.zeros((count, weeks))
    errors, covered, constant = [], [], []
    for slot in range(weeks * WEEK_STEPS):
        week = slot // WEEK_STEPS
        offered = assistant.suggest(lives)
        back = lives.offer(offered)
        assistant.learn(offered, back)
        wellbeing[:, week] += lives.wellbeing / WEEK_STEPS
        seen[:, week] += (back.outcomes >= 0) & (back.outcomes <= 2)
        accepted[:, week] += back.outcomes == 0
        if on_day is not None and lives.slot % 4 == 0:
            on_day()
        if lives.slot % WEEK_STEPS != 0:
            continue
        truth = belief_targets(lives.people)
        constant.append(np.abs(truth - 0.5))
        if (stated := assistant.beliefs()) is not None:
            errors.append(np.abs(stated.mean - truth))
            covered.append((stated.low <= truth) & (truth <= stated.high))
    shape = (count, 0, BELIEF_COUNT)
    return Played(
        wellbeing,
        np.stack(errors, axis=1) if errors else np.empty(shape),
        np.stack(covered, axis=1).astype(np.float64) if covered else np.empty(shape),
        accepted / np.maximum(seen, 1.0),
        np.stack(constant, axis=1),
        assistant.timings_ms(),
    )
