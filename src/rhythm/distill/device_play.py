"""Lives that the device student leads people through, with all that a refinement learns from.

The same seed is the same person with the same luck; lives differ only in what is drawn for them
by their key. What the student reads is what a deployed one reads; what stands beside it, who the
person is and where their meters stand, is for the critic alone.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.conditions import check_training_seeds
from rhythm.distill.device_lives import widened_styles
from rhythm.distill.teacher import people_of
from rhythm.life.answer_styles import STYLE_WIDTH
from rhythm.life.counter import uniforms
from rhythm.life.living import Lives
from rhythm.life.profiles import belief_targets
from rhythm.life.traits import PROFILE_WIDTH
from rhythm.policy.student.device_memory import MEMORY_WIDTH
from rhythm.policy.student.device_model import DeviceModel
from rhythm.policy.student.device_news import first_news, news_of
from rhythm.policy.student.device_tokens import DEVICE_TOKEN_WIDTH, NONE, Notes
from rhythm.policy.suggest import FLOOR, SETTINGS
from rhythm.vocab import ACTION_COUNT, BELIEF_COUNT, METER_COUNT, WEEK_STEPS

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

TRUTH_WIDTH: Final = PROFILE_WIDTH + STYLE_WIDTH + METER_COUNT + 2 + WEEK_STEPS
"""Numbers that tell the whole state of a life."""
_BURDEN_SCALE: Final = 4.0
_EXPOSURE_DAYS: Final = 40.0


class Lived(NamedTuple):
    """Lives under a student; each array has the lives first, and one slot more where the end is told too.

    Attributes:
        tokens: what was read as each slot began, shape (lives, slots, DEVICE_TOKEN_WIDTH).
        chosen: what was suggested, -1 for nothing, shape (lives, slots).
        wellbeing: of each slot, shape (lives, slots).
        beliefs: the right belief, shape (lives, slots, 3).
        hidden: hidden state of the student, shape (lives, slots + 1, width).
        truth: the state of the life, shape (lives, slots + 1, TRUTH_WIDTH).
    """

    tokens: Singles
    chosen: NDArray[np.int8]
    wellbeing: Floats
    beliefs: Singles
    hidden: Singles
    truth: Singles


def chances_of(values: Floats) -> Floats:
    """Chance of choosing each action by its value, as the assistant chooses, shape (..., 10)."""
    odds = np.exp((values - values.max(axis=-1, keepdims=True)) / SETTINGS.temperature)
    chances: Floats = (1.0 - FLOOR) * odds / odds.sum(axis=-1, keepdims=True) + FLOOR / ACTION_COUNT
    return chances


def live(model: DeviceModel, seeds: NDArray[np.int64], keys: NDArray[np.uint64], slots: int) -> Lived:
    """Live so many slots by a student's choices.

    Args:
        model: the student.
        seeds: training seeds, shape (lives,).
        keys: that choices are drawn with, shape (lives,).
        slots: how many.

    Raises:
        ReservedSeedError: a seed belongs to the benchmark.
    """
    check_training_seeds(seeds)
    lives = Lives(seeds, people_of(seeds), widened_styles(seeds))
    count = len(seeds)
    found = Lived(
        np.empty((count, slots, DEVICE_TOKEN_WIDTH), np.float32), np.full((count, slots), NONE, np.int8),
        np.empty((count, slots)), np.empty((count, slots, BELIEF_COUNT), np.float32),
        np.empty((count, slots + 1, model.card.width), np.float32),
        np.empty((count, slots + 1, TRUTH_WIDTH), np.float32),
    )  # fmt: skip
    notes, memory, news = Notes.blank(count), np.zeros((count, MEMORY_WIDTH), np.float32), first_news(lives)
    for t in range(slots + 1):
        token = notes.token(news)
        _, values, _, hidden, memory = model.run(token, memory)
        found.hidden[:, t], found.truth[:, t] = hidden, _truth_of(lives)
        if t == slots:
            break
        found.tokens[:, t], found.beliefs[:, t] = token, belief_targets(lives.people)
        drawn = uniforms(keys, lives.slot)[:, None]
        chosen = (np.cumsum(chances_of(values.astype(np.float64)), axis=1) <= drawn).sum(axis=1)
        chosen = np.minimum(chosen, ACTION_COUNT - 1)
        suggested = np.where(values.max(axis=1) > 0.0, chosen, NONE).astype(np.int8)
        back = lives.offer(suggested)
        found.chosen[:, t], found.wellbeing[:, t] = suggested, lives.wellbeing
        news = news_of(lives, suggested, back)
    return found


def _truth_of(lives: Lives) -> Singles:
    """The state of every life as a slot begins, shape (lives, TRUTH_WIDTH)."""
    step = np.zeros((len(lives), WEEK_STEPS))
    step[:, lives.slot % WEEK_STEPS] = 1.0
    load = np.stack([lives.burden / _BURDEN_SCALE, np.minimum(lives.exposure / _EXPOSURE_DAYS, 2.0)], axis=1)
    return np.concatenate([lives.people, lives.styles, lives.meters, load, step], axis=1).astype(np.float32)
