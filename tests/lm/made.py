"""Observations, evidence and weeks that these tests share."""

from collections.abc import Callable

import numpy as np

from rhythm.bench.play import view_of
from rhythm.life.populations import Population, sample_people
from rhythm.life.week import Weeks
from rhythm.lm.episode import Episode, observation_of
from rhythm.lm.prompt import PROMPT_VERSION
from rhythm.lm.trajectories import Status, Trajectory, Who
from rhythm.vocab import Action, Answered, Done, Evidence, Meter, Observation, Outcome, Response, SelfReport

SEED = 2_000_003


def third_step() -> Observation:
    """What is seen after deep work and company on a Monday."""
    seeds = np.array([SEED], np.int64)
    weeks = Weeks(sample_people(seeds, Population.PEAKED), seeds)
    for action in (Action.DEEP_WORK, Action.SOCIALIZE):
        weeks.take(np.array([action], np.int8))
    return observation_of(view_of(weeks))


def real_days(first_slot: int) -> tuple[Evidence, ...]:
    """Answers, records and a tap, as the assistant has them."""
    return (
        Answered(first_slot, Action.DEEP_WORK, Response(Outcome.IGNORED), meters=(0.7, None, None, 0.5, None)),
        Done(first_slot + 1, Action.EXERCISE),
        Answered(first_slot + 6, Action.MEDITATE, Response(Outcome.ACCEPTED)),
        SelfReport(first_slot + 7, Meter.SERENITY, 0.8),
    )


def lived_week(seed: int, answer: Callable[[Observation], str] | None = None) -> Trajectory:
    """A week of a training person who is told the same in every state, or what ``answer`` says."""
    episode = Episode(seed, Who())
    while not episode.done:
        seen = episode.observation
        episode.answer(answer(seen) if answer else by_the_clock(seen))
    return Trajectory(seed, Who(), "clock", PROMPT_VERSION, Status.COMPLETED, tuple(episode.steps))


def by_the_clock(seen: Observation) -> str:
    """Something that is easy to learn: the same at the same time of every day."""
    return "<reasoning>It is so.</reasoning>\n4 5 4 " + ("LEARN", "EXERCISE", "MEDITATE", "SLEEP")[seen.step % 4]
