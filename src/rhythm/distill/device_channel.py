"""The device student at play, to be refined: it suggests, and people answer as they answer a deployed assistant.

What the student reads is what a deployed one reads; what stands beside it, who the person is and
where their meters stand, is for the critic alone. Chances of acceptance are held to those that
the student foresaw at first, and so is what the best suggestion adds: choices within a slot hang on
differences only, but which slots of a day are worth a suggestion hangs on that.
"""

from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from rhythm.bench.conditions import check_training_seeds
from rhythm.distill.choices import suggested
from rhythm.distill.device_export import model_of
from rhythm.distill.device_lives import widened_styles
from rhythm.distill.device_network import DeviceOutputs, DeviceStudent
from rhythm.distill.device_training import remembered_weeks, stated
from rhythm.distill.losses import pinball
from rhythm.distill.refining import Lived, Refining
from rhythm.distill.teacher import people_of
from rhythm.life.answer_styles import STYLE_WIDTH
from rhythm.life.counter import uniforms
from rhythm.life.living import Lives
from rhythm.life.profiles import belief_targets
from rhythm.life.traits import PROFILE_WIDTH
from rhythm.policy.student.device_memory import MEMORY_WIDTH
from rhythm.policy.student.device_model import DeviceModel
from rhythm.policy.student.device_news import first_news, news_of
from rhythm.policy.student.device_tokens import DEVICE_TOKEN_WIDTH, DEVICE_TOKENS_VERSION, NONE, Notes
from rhythm.policy.suggest import FLOOR, SETTINGS
from rhythm.vocab import BELIEF_COUNT, METER_COUNT, WEEK_STEPS

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

DEVICE_REFINING: Final = Refining(
    turns=300, people=192, copies=2, weeks=4, long_weeks=8, rate=4e-4, kept_near=0.002, fades=20.0, trust=0.95,
    first_seed=6_000_000,
)  # fmt: skip
"""How the shipped weights were refined."""
TRUTH_WIDTH: Final = PROFILE_WIDTH + STYLE_WIDTH + METER_COUNT + 2 + WEEK_STEPS
"""Numbers that tell the whole state of a life."""
_BEST_WEIGHT: Final = 0.05
_BURDEN_SCALE: Final = 4.0
_EXPOSURE_DAYS: Final = 40.0


class DeviceChannel:
    """See `rhythm.distill.refining.Channel`."""

    name = "device"
    tokens_version = DEVICE_TOKENS_VERSION
    floor = FLOOR
    ends = False

    def told(self, network: DeviceStudent) -> int:
        """See `Channel.told`."""
        return TRUTH_WIDTH + network.shape.width

    def live(self, network: DeviceStudent, seeds: NDArray[np.int64], keys: NDArray[np.uint64], slots: int) -> Lived:
        """See `Channel.live`."""
        return live(model_of(network), seeds, keys, slots)

    def say(self, network: DeviceStudent, tokens: Singles) -> DeviceOutputs:
        """See `Channel.say`."""
        said: DeviceOutputs = network(torch.from_numpy(tokens), torch.from_numpy(remembered_weeks(tokens)))
        return said

    def logits(self, said: DeviceOutputs) -> Tensor:
        """See `Channel.logits`."""
        return said.values / SETTINGS.temperature

    def held(self, said: DeviceOutputs, before: DeviceOutputs, beliefs: Tensor) -> Tensor:
        """See `Channel.held`."""
        accepts = functional.binary_cross_entropy_with_logits(said.accepts, torch.sigmoid(before.accepts))
        best = functional.mse_loss(_best_of(self.logits(said)), _best_of(self.logits(before)))
        return accepts + 2.0 * pinball(stated(said.beliefs), beliefs) + _BEST_WEIGHT * best


def _best_of(logits: Tensor) -> Tensor:
    """The greatest of the logits, moved by all of them together, so that no choice gets likelier by it."""
    middle = logits.mean(dim=-1)
    return (logits.amax(dim=-1) - middle).detach() + middle


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
    count, shape = len(seeds), (len(seeds), slots)
    found = Lived(
        np.empty((*shape, DEVICE_TOKEN_WIDTH), np.float32), np.full(shape, NONE, np.int8), np.empty(shape),
        np.empty((*shape, BELIEF_COUNT), np.float32),
        np.empty((count, slots + 1, TRUTH_WIDTH + model.card.width), np.float32),
    )  # fmt: skip
    notes, memory, news = Notes.blank(count), np.zeros((count, MEMORY_WIDTH), np.float32), first_news(lives)
    for t in range(slots + 1):
        token = notes.token(news)
        _, values, _, hidden, memory = model.run(token, memory)
        found.told[:, t] = np.concatenate([_truth_of(lives), hidden], axis=1)
        if t == slots:
            break
        found.tokens[:, t], found.beliefs[:, t] = token, belief_targets(lives.people)
        offered = suggested(values, uniforms(keys, lives.slot))
        back = lives.offer(offered)
        found.chosen[:, t], found.wellbeing[:, t] = offered, lives.wellbeing
        news = news_of(lives, offered, back)
    return found


def _truth_of(lives: Lives) -> Floats:
    """The state of every life as a slot begins, shape (lives, TRUTH_WIDTH)."""
    step = np.zeros((len(lives), WEEK_STEPS))
    step[:, lives.slot % WEEK_STEPS] = 1.0
    load = np.stack([lives.burden / _BURDEN_SCALE, np.minimum(lives.exposure / _EXPOSURE_DAYS, 2.0)], axis=1)
    return np.concatenate([lives.people, lives.styles, lives.meters, load, step], axis=1)
