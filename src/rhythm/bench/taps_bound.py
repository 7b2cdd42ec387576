"""What taps can tell at best: a learner that is told everything of a person but which archetype they are.

It knows the person's answering style and where their meters stand, and of what they would do
unasked as much as `Told` says. Its chances are exact (Bayes' rule over the three profiles with
the life model's own chances of answers), and it asks what tells most, in every slot. No learner that
asks in every slot and has to guess meters and habits can be expected to need fewer taps for the same certainty.
"""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from rhythm.belief.habit_forming import formed_typical
from rhythm.bench.taps_asking import entropy
from rhythm.bench.taps_play import ANSWERED, KNOWN, MOST_SLOTS, Taps
from rhythm.life.answer_styles import StyleRange, sample_styles
from rhythm.life.answers import outcome_probabilities
from rhythm.life.habits import action_tendencies, slot_kinds
from rhythm.life.living import Lives
from rhythm.life.populations import archetype_people
from rhythm.vocab import ACTION_COUNT, WEEK_STEPS

Floats = NDArray[np.float64]

ARCHETYPE_COUNT = 3
_LIVES = 200
"""Habits drawn for each archetype to find where its meters usually stand."""


class Told(StrEnum):
    """How much the learner is told of what the person would do unasked."""

    USUAL = "told-usual"
    """What they would do in this very slot."""
    SCHEDULE = "told-schedule"
    """The habit of every step of the week, and how often it is followed."""
    TENDENCIES = "told-meters"
    """Nothing but how people of each archetype tend to spend such a slot."""


def best_taps(seeds: NDArray[np.int64], told: Told, *, styles: StyleRange = StyleRange.BENCHMARK) -> Taps:
    """Ask everyone until the learner knows them; see `rhythm.bench.taps_play.play_taps`.

    Args:
        seeds: one for each person, shape (people,); the archetypes take turns.
        told: what the learner is told of habits.
        styles: the range of answering styles.
    """
    count = len(seeds)
    _, people = archetype_people(count)
    truth = np.arange(count) % ARCHETYPE_COUNT
    lives = Lives(seeds, people, sample_styles(seeds, styles), drift=0.0)
    tendencies = _tendencies(people[:ARCHETYPE_COUNT])
    kinds = slot_kinds(lives.habits.working)
    logs = np.zeros((count, ARCHETYPE_COUNT))
    taps, offers = np.zeros((2, count), np.int64)
    open_, likeliest = np.ones(count, np.bool_), np.zeros(count, np.int64)
    for slot in range(MOST_SLOTS):
        if told is Told.USUAL:
            usual = np.repeat(np.eye(ACTION_COUNT)[lives.usual][:, None], ARCHETYPE_COUNT, axis=1)
        elif told is Told.SCHEDULE:
            usual = np.repeat(lives.habits.chances(slot)[:, None], ARCHETYPE_COUNT, axis=1)
        else:
            usual = tendencies[:, kinds[:, slot % WEEK_STEPS]].transpose(1, 0, 2)
        said = _said(lives, people[:ARCHETYPE_COUNT], usual)
        offered = np.where(open_, _most_telling(said, _shares(logs)), -1).astype(np.int8)
        outcomes = lives.offer(offered).outcomes
        offers[open_] += 1
        answered = np.flatnonzero(open_ & (outcomes >= 0) & (outcomes < ANSWERED))
        taps[answered] += 1
        logs[answered] += np.log(said[offered[answered], answered, :, outcomes[answered]])
        shares = _shares(logs)
        likeliest[answered] = shares[answered].argmax(axis=1)
        open_[answered[shares[answered].max(axis=1) >= KNOWN]] = False
        if not open_.any():
            break
    return Taps(taps, offers, offers, ~open_, (likeliest == truth) & ~open_)


def _tendencies(archetypes: Floats) -> Floats:
    """Chance of each action in each kind of slot, where their meters usually stand, shape (3, 6, 10)."""
    alike = [np.repeat(row[None], _LIVES, axis=0) for row in archetypes]
    typical = [formed_typical(rows, np.zeros(_LIVES, np.int8)).mean(axis=0) for rows in alike]
    return action_tendencies(archetypes, np.stack(typical))


def _said(lives: Lives, archetypes: Floats, usual: Floats) -> Floats:
    """Chance of each answer that was given, by action and archetype, shape (10, people, 3, 3); sums to 1 over the last.

    Args:
        lives: everyone as they are; their true profiles are not used.
        archetypes: profile rows, shape (3, 15).
        usual: chance of what each would do unasked, shape (people, 3, 10).
    """
    count = len(lives)
    profiles = np.tile(archetypes, (count, 1))

    def each(values: Floats) -> Floats:
        return np.repeat(values, ARCHETYPE_COUNT, axis=0)

    joint = np.zeros((ACTION_COUNT, count, ARCHETYPE_COUNT, ANSWERED))
    for unasked in range(ACTION_COUNT):
        if not usual[:, :, unasked].any():
            continue
        for action in range(ACTION_COUNT):
            chances = outcome_probabilities(
                profiles, each(lives.styles), each(lives.meters), lives.slot,
                suggested=np.full(len(profiles), action, np.int8), usual=np.full(len(profiles), unasked, np.int8),
                exposure=each(lives.exposure), burden=each(lives.burden),
            )  # fmt: skip
            joint[action] += usual[:, :, unasked, None] * chances.reshape(count, ARCHETYPE_COUNT, -1)[..., :ANSWERED]
    said: Floats = joint / joint.sum(axis=-1, keepdims=True)
    return said


def _shares(logs: Floats) -> Floats:
    odds = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares: Floats = odds / odds.sum(axis=1, keepdims=True)
    return shares


def _most_telling(said: Floats, shares: Floats) -> NDArray[np.int64]:
    """The action whose answer tells most of the archetype, shape (people,)."""
    left = np.einsum("anko,nk->ano", said, shares)
    told = entropy(left) - np.einsum("ank,nk->an", entropy(said), shares)
    best: NDArray[np.int64] = told.argmax(axis=0)
    return best
