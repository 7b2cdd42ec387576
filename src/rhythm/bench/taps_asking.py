"""What an answer would tell of the archetype, and whether to ask now or to wait for a slot that tells more.

A tap is an answer, so what counts is what an answer tells, however seldom a slot brings one; and a
tap costs more than an hour, so a slot may be left out.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.belief.particles import Particles
from rhythm.bench.taps_play import ANSWERED
from rhythm.life.answers import outcome_probabilities
from rhythm.policy.suggest import usual_chances
from rhythm.vocab import ACTION_COUNT, SLOTS_PER_DAY

Floats = NDArray[np.float64]

MOST_WAITED: Final = 2 * SLOTS_PER_DAY
"""Slots in a row that are left out at most."""


class Patience:
    """Whether to ask now, or to wait for a slot of the coming day that tells more."""

    def __init__(self) -> None:
        self._waited = 0

    def asks(self, now: Floats, later: Iterable[Floats]) -> int:
        """The action to ask about now; -1 to wait.

        Args:
            now: what asking about each action tells in this slot, shape (10,).
            later: the same of the other slots of the coming day; no more of them are taken than it needs to decide.
        """
        if self._waited < MOST_WAITED and any(one.max() > now.max() for one in later):
            self._waited += 1
            return -1
        self._waited = 0
        return int(now.argmax())


def told_by_answers(draws: Particles) -> Floats:
    """Nats that an answer to a suggestion of each action tells of the archetype, if it comes, shape (10,).

    Args:
        draws: equally likely people as the slot begins.
    """
    said = said_by(draws)
    groups = [said[rows] for rows in draws.origin.groups.values() if rows.stop > rows.start]
    within = sum(len(group) / len(said) * entropy(group.mean(axis=0)) for group in groups)
    told: Floats = entropy(said.mean(axis=0)) - within
    return told


def said_by(draws: Particles) -> Floats:
    """Chance of each answer of every draw where there is one, shape (draws, 10, 3); sums to 1 over the last."""
    count = len(draws.people)
    usual = usual_chances(draws, draws.slot)

    def each(rows: Floats) -> Floats:
        return np.repeat(rows, ACTION_COUNT, axis=0)

    people, styles, meters = each(draws.people), each(draws.styles), each(draws.meters)
    exposure, burden = (np.full(len(people), one) for one in (draws.memory.exposure, draws.memory.burden))
    suggested = np.tile(np.arange(ACTION_COUNT, dtype=np.int8), count)
    joint = np.zeros((len(people), ANSWERED))
    for unasked in np.flatnonzero(usual.max(axis=0) > 0.0).tolist():
        chances = outcome_probabilities(
            people, styles, meters, draws.slot, suggested, np.full(len(people), unasked, np.int8), exposure, burden
        )
        joint += each(usual[:, [unasked]]) * chances[:, :ANSWERED]
    said: Floats = (joint / joint.sum(axis=1, keepdims=True)).reshape(count, ACTION_COUNT, ANSWERED)
    return said


def entropy(chances: Floats) -> Floats:
    """In nats, over the last axis."""
    found: Floats = -(chances * np.log(np.maximum(chances, 1e-12))).sum(axis=-1)
    return found
