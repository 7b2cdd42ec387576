"""Observations and evidence that the tests of the prompt share."""

import numpy as np

from rhythm.bench.play import view_of
from rhythm.life.populations import Population, sample_people
from rhythm.life.week import Weeks
from rhythm.lm.episode import observation_of
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
