"""The planner as a free teacher: it plays weeks and writes down what it goes by.

The words say only what the planner has: what the last step showed of the person, its posterior
with intervals, and that the action is the first of the best plan it found. Digits are the
posterior's mean at the time, early wrong guesses included: a student that learns from
somebody who reasons well under doubt learns to do so (Bayesian teaching).
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from rhythm.bench.play import policy_seeds, view_of
from rhythm.lm.episode import begin, observation_of
from rhythm.lm.prompt import PROMPT_VERSION, state_text
from rhythm.lm.trajectories import Status, Step, Trajectory, Who
from rhythm.policy.face import Choice
from rhythm.policy.planner import planner
from rhythm.vocab import BELIEF_NAMES, METERS, Action, Belief, Decision, Observation, format_decision, part_of

TEACHER: Final = "planner"
BATCH: Final = 32
"""Weeks that are played side by side."""
LEAST_OFF: Final = 0.01
"""A change nearer than this to most people's says nothing worth a sentence."""
LEAST_MOVED: Final = 0.01
"""A belief that moved less has stayed where it was."""


def teach_weeks(seeds: Sequence[int], who: Who, on_week: Callable[[Trajectory], None]) -> None:
    """Play a week of each seed's person.

    Args:
        seeds: training seeds, or those of an evaluation; nothing is checked here.
        who: which people.
        on_week: called with each week as it is finished.
    """
    for start in range(0, len(seeds), BATCH):
        for week in _batch(seeds[start : start + BATCH], who):
            on_week(week)


def _batch(seeds: Sequence[int], who: Who) -> list[Trajectory]:
    weeks = begin(seeds, who)
    player = planner().start(policy_seeds(np.array(seeds, np.int64)))
    steps: list[list[Step]] = [[] for _ in seeds]
    before: Choice | None = None
    while not weeks.done:
        view = view_of(weeks)
        choice = player.choose(view)
        weeks.take(choice.actions)
        for place, lived in enumerate(steps):
            seen = observation_of(view, place)
            belief = Belief(*_beliefs(choice, place))
            action = Action(int(choice.actions[place]))
            text = format_decision(Decision(action, belief, reasoning(seen, choice, before, place)))
            stated = Belief.from_digits(*(int(digit) for digit in belief.digits.split()))
            lived.append(Step(state_text(seen), text, action, float(weeks.rewards[place]), stated.values))
        before = choice
    return [
        Trajectory(seed, who, TEACHER, PROMPT_VERSION, Status.COMPLETED, tuple(lived))
        for seed, lived in zip(seeds, steps, strict=True)
    ]


def reasoning(seen: Observation, choice: Choice, before: Choice | None, place: int) -> str:
    """What the planner goes by, for one person of a batch.

    Args:
        seen: what is seen now.
        choice: the planner's, with beliefs and their intervals.
        before: its choice one step ago; None at the first.
        place: row of the person.
    """
    action = Action(int(choice.actions[place]))
    if before is None:
        why = f"Over all people, if each then went on as suits them, {action.noun} is worth most."
    else:
        why = f"The best plan I found from here to the end of the week for such a person begins with {action.noun}."
    return " ".join((_shown(seen), _held(choice, before, place), why))


def _shown(seen: Observation) -> str:
    if not seen.recent:
        return "Nothing of this person was seen yet, so I go by people in general."
    past = seen.recent[-1]
    meter = max(METERS, key=lambda m: abs(past.anomalies[m]))
    off = past.anomalies[meter]
    what = f"{past.action.noun.capitalize()} in the {part_of(past.step).label}"
    if abs(off) < LEAST_OFF:
        return f"{what} did about what it does to most people."
    return f"{what} left {meter.label} {abs(off):.2f} {'higher' if off > 0 else 'lower'} than most people's would be."


def _held(choice: Choice, before: Choice | None, place: int) -> str:
    now = _beliefs(choice, place)
    low, high = choice.belief_low, choice.belief_high
    assert low is not None
    assert high is not None
    said = ", ".join(
        f"{name} {value:.2f} ({low[place, i]:.2f} to {high[place, i]:.2f})"
        for i, (name, value) in enumerate(zip(BELIEF_NAMES, now, strict=True))
    )
    if before is None:
        return f"I hold: {said}."
    moved = [value - was for value, was in zip(now, _beliefs(before, place), strict=True)]
    most = max(range(len(moved)), key=lambda i: abs(moved[i]))
    if abs(moved[most]) < LEAST_MOVED:
        return f"I still hold: {said}."
    way = "up" if moved[most] > 0 else "down"
    return f"That moves {BELIEF_NAMES[most]} {way} by {abs(moved[most]):.2f}; I hold: {said}."


def _beliefs(choice: Choice, place: int) -> tuple[float, float, float]:
    assert choice.beliefs is not None
    social, morning, work = choice.beliefs[place].tolist()
    return social, morning, work
