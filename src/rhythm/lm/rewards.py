"""What an answer earns when a model is refined: four layers, and two that keep it from going round in circles.

=============  ==============================================================  ==================
layer          what is rewarded                                                from, to
=============  ==============================================================  ==================
format         a readable line with a belief; nothing less                     -2 or 1
legal          some readable action                                            -1 or 0.5
environment    what the week is worth after it, lived again from its seed      -1 to 1; -3 unreadable
belief         how near the belief is to the person                            -0.5 to 0.5
repetition     not the sixth of a row of at most two kinds of action           -0.4 or 0
exploration    something not tried yet, until six kinds were                   0 or 0.2
=============  ==============================================================  ==================

A belief of 0.5 throughout errs by about 0.2 and earns nothing. The environment's layer says
how far the action falls short of the best one for this very person: to train on, since it
knows the person, and never to decide by.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.bench.play import view_of
from rhythm.life.profiles import belief_targets
from rhythm.lm.answers import read_answer
from rhythm.lm.episode import begin
from rhythm.lm.trajectories import Who
from rhythm.policy.aims import Wellbeing
from rhythm.policy.planner import FIRST_SWEEPS
from rhythm.vocab import (
    ACTION_COUNT,
    BELIEF_COUNT,
    WEEK_STEPS,
    Action,
    Decision,
    InvalidValueError,
    MalformedDecisionError,
)

FORMAT, LEGAL, UNREADABLE = (1.0, -2.0), (0.5, -1.0), -3.0
BELIEF_MOST, BELIEF_SLOPE = 0.5, 2.5
"""Reward of a right belief, and what each unit of mean error takes from it, down to the negative of it."""
SHORT_OF_BEST: Final = 0.15
"""Summed wellbeing by which an action falls short of the best where it earns 0; twice that earns -1."""
ROW, FEW, REPETITION, KINDS, EXPLORATION = 6, 2, -0.4, 6, 0.2


class Situation(msgspec.Struct, frozen=True):
    """A state of somebody's week, by how it came about.

    Attributes:
        seed: of the person and the events.
        who: which people.
        actions: what was done in the steps before, oldest first, fewer than 28.
    """

    seed: int
    who: Who
    actions: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.actions) >= WEEK_STEPS or not all(0 <= action < ACTION_COUNT for action in self.actions):
            raise InvalidValueError(f"a week has {WEEK_STEPS} steps of {ACTION_COUNT} actions; this is a state of none")


class Truth(msgspec.Struct, frozen=True):
    """What is so in a situation: the person's right belief, and the worth of each of the ten actions."""

    belief: tuple[float, ...]
    worth: tuple[float, ...]


@lru_cache(maxsize=4096)
def truth_of(situation: Situation) -> Truth:
    """Live the week again up to its state, and plan on from each action for this very person."""
    weeks = begin([situation.seed], situation.who)
    for action in situation.actions:
        weeks.take(np.array([action], np.int8))
    view, aim = view_of(weeks), Wellbeing()
    plans: NDArray[np.int8] = np.full((1, WEEK_STEPS), Action.ME_TIME, np.int8)
    aim.improve(weeks.people, view, plans, FIRST_SWEEPS)
    worth = aim.first_values(weeks.people, view, plans)[0]
    return Truth(tuple(belief_targets(weeks.people)[0].tolist()), tuple(worth.tolist()))


def _read(text: str) -> Decision | None:
    try:
        return read_answer(text)
    except MalformedDecisionError:
        return None


def format_reward(_: Situation, text: str) -> float:
    """Whether the text holds the whole answer, its belief included."""
    found = _read(text)
    return FORMAT[0] if found is not None and found.belief is not None else FORMAT[1]


def legal_reward(_: Situation, text: str) -> float:
    """Whether the text says what to do."""
    return LEGAL[0] if _read(text) is not None else LEGAL[1]


def environment_reward(situation: Situation, text: str) -> float:
    """How near the action comes to the best one for the person, to the end of the week."""
    found = _read(text)
    if found is None:
        return UNREADABLE
    worth = truth_of(situation).worth
    return max(-1.0, 1.0 - (max(worth) - worth[found.action]) / SHORT_OF_BEST)


def belief_reward(situation: Situation, text: str) -> float:
    """How near the belief comes to the person; none stated is as bad as the worst."""
    found = _read(text)
    if found is None or found.belief is None:
        return -BELIEF_MOST
    truth = truth_of(situation).belief
    error = sum(abs(a - b) for a, b in zip(found.belief.values, truth, strict=True)) / BELIEF_COUNT
    return max(-BELIEF_MOST, BELIEF_MOST - BELIEF_SLOPE * error)


def repetition_reward(situation: Situation, text: str) -> float:
    """Against rows of six with at most two kinds of action in them."""
    found = _read(text)
    before = situation.actions[1 - ROW :]
    if found is None or len(before) < ROW - 1:
        return 0.0
    return REPETITION if len({*before, int(found.action)}) <= FEW else 0.0


def exploration_reward(situation: Situation, text: str) -> float:
    """For what was not tried yet, while fewer than six kinds were."""
    found = _read(text)
    tried = set(situation.actions)
    return EXPLORATION if found is not None and len(tried) < KINDS and int(found.action) not in tried else 0.0


Layer = Callable[[Situation, str], float]

LAYERS: Final[dict[str, Layer]] = {
    "format": format_reward,
    "legal": legal_reward,
    "environment": environment_reward,
    "belief": belief_reward,
    "repetition": repetition_reward,
    "exploration": exploration_reward,
}
"""Every layer by name; a reward is their sum."""
