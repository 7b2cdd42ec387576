"""Play a policy through a batch of weeks and keep what the graders need."""

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.graders import Episodes
from rhythm.life.profiles import People
from rhythm.life.step import anomalies, wellbeing
from rhythm.life.week import Weeks
from rhythm.policy.face import Policy, View
from rhythm.vocab import BELIEF_COUNT, METER_COUNT, WEEK_STEPS


def view_of(weeks: Weeks) -> View:
    """What a policy may see of weeks in progress."""
    if weeks.step == 0:
        off = np.zeros_like(weeks.deltas)
    else:
        off = anomalies(weeks.before, weeks.actions, weeks.step - 1, weeks.last_events, weeks.deltas)
    return View(
        step=weeks.step,
        meters=weeks.meters.copy(),
        events=weeks.events.copy(),
        before=weeks.before.copy(),
        deltas=weeks.deltas.copy(),
        anomalies=off,
        actions=weeks.actions.copy(),
        last_events=weeks.last_events.copy(),
        rewards=weeks.rewards.copy(),
    )


def play(policy: Policy, people: People, seeds: NDArray[np.int64]) -> Episodes:
    """One week of each person under a policy, with perfect meters.

    Args:
        policy: who decides; told who the people are only if it is a told policy.
        people: hidden profile rows, shape (people, 15).
        seeds: episode seeds, shape (people,); they fix the events, the same for every policy.
    """
    weeks = Weeks(people, seeds)
    player = policy.start(seeds, people.copy() if policy.told else None)
    count = len(people)
    played = Episodes(
        people=people,
        meters=np.empty((count, WEEK_STEPS, METER_COUNT)),
        rewards=np.empty((count, WEEK_STEPS)),
        crashes=np.empty((count, WEEK_STEPS), np.int8),
        actions=np.empty((count, WEEK_STEPS), np.int8),
        wellbeing=np.empty((count, WEEK_STEPS)),
        beliefs=np.full((count, WEEK_STEPS, BELIEF_COUNT), np.nan),
        belief_low=np.full((count, WEEK_STEPS, BELIEF_COUNT), np.nan),
        belief_high=np.full((count, WEEK_STEPS, BELIEF_COUNT), np.nan),
    )
    for step in range(WEEK_STEPS):
        choice = player.choose(view_of(weeks))
        weeks.take(choice.actions)
        played.meters[:, step] = weeks.meters
        played.rewards[:, step] = weeks.rewards
        played.crashes[:, step] = weeks.crashes
        played.actions[:, step] = weeks.actions
        played.wellbeing[:, step] = wellbeing(people, weeks.meters)
        if choice.beliefs is not None:
            played.beliefs[:, step] = choice.beliefs
        if choice.belief_low is not None and choice.belief_high is not None:
            played.belief_low[:, step] = choice.belief_low
            played.belief_high[:, step] = choice.belief_high
    return played
