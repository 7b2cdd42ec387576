"""The student of the perfect channel at play, to be refined: it decides, in weeks whose meters are seen exactly.

Choices are drawn by its logits and not the likeliest ones, so that others are tried; what is
served goes on doing the likeliest. How far each action is said to fall short is held to what the
student said at first.
"""

from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from rhythm.bench.conditions import check_training_seeds
from rhythm.bench.play import view_of
from rhythm.distill.export import model_of
from rhythm.distill.losses import pinball
from rhythm.distill.network import Outputs, Student
from rhythm.distill.refining import Lived, Refining
from rhythm.distill.teacher import people_of
from rhythm.life.counter import uniforms
from rhythm.life.profiles import belief_targets
from rhythm.life.step import wellbeing
from rhythm.life.traits import PROFILE_WIDTH
from rhythm.life.week import Weeks
from rhythm.policy.choices import chances_of, drawn
from rhythm.policy.student.tokens import TOKEN_WIDTH, TOKENS_VERSION, exact_tokens
from rhythm.vocab import BELIEF_COUNT, EVENT_COUNT, METER_COUNT, WEEK_STEPS

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

EXACT_REFINING: Final = Refining(
    turns=300, people=500, copies=2, weeks=1, long_weeks=1, rate=6e-4, kept_near=0.001, fades=40.0, trust=0.95,
    first_seed=6_200_000,
)  # fmt: skip
"""How the shipped weights were refined."""
_TRUTH_WIDTH: Final = PROFILE_WIDTH + METER_COUNT + EVENT_COUNT + 1 + WEEK_STEPS
_BELIEF_WEIGHT: Final = 10.0
"""As in training (`rhythm.distill.losses.Losses.total`)."""


class ExactChannel:
    """See `rhythm.distill.refining.Channel`."""

    name = "perfect"
    tokens_version = TOKENS_VERSION
    floor = 0.0
    ends = True

    def told(self, network: Student) -> int:
        """See `Channel.told`."""
        return _TRUTH_WIDTH + network.shape.width

    def live(self, network: Student, seeds: NDArray[np.int64], keys: NDArray[np.uint64], slots: int) -> Lived:
        """See `Channel.live`; a life is one week."""
        check_training_seeds(seeds)
        people, count, shape = people_of(seeds), len(seeds), (len(seeds), slots)
        weeks, reader = Weeks(people, seeds), model_of(network).reader(len(seeds))
        found = Lived(
            np.empty((*shape, TOKEN_WIDTH), np.float32), np.empty(shape, np.int8), np.empty(shape),
            np.broadcast_to(belief_targets(people)[:, None], (*shape, BELIEF_COUNT)).astype(np.float32),
            np.zeros((count, slots + 1, self.told(network)), np.float32),
        )  # fmt: skip
        for t in range(slots):
            found.tokens[:, t] = exact_tokens(view_of(weeks))
            said = reader.read(found.tokens[:, t])
            found.told[:, t] = np.concatenate([_truth_of(people, weeks), said.hidden], axis=1)
            found.chosen[:, t] = drawn(chances_of(said.actions), uniforms(keys, t))
            weeks.take(found.chosen[:, t])
            found.wellbeing[:, t] = wellbeing(people, weeks.meters)
        return found

    def say(self, network: Student, tokens: Singles) -> Outputs:
        """See `Channel.say`."""
        said: Outputs = network(torch.from_numpy(tokens))
        return said

    def logits(self, said: Outputs) -> Tensor:
        """See `Channel.logits`."""
        return said.actions

    def held(self, said: Outputs, before: Outputs, beliefs: Tensor) -> Tensor:
        """See `Channel.held`."""
        short = functional.mse_loss(said.values, before.values)
        return 0.5 * short + _BELIEF_WEIGHT * pinball(said.beliefs, beliefs)


def _truth_of(people: Floats, weeks: Weeks) -> Floats:
    """The state of every week as a step begins, shape (people, _TRUTH_WIDTH)."""
    event = np.zeros((len(people), EVENT_COUNT + 1))
    event[np.arange(len(people)), weeks.events] = 1.0  # -1, no event, is the last place
    step = np.zeros((len(people), WEEK_STEPS))
    step[:, weeks.step] = 1.0
    return np.concatenate([people, weeks.meters, event, step], axis=1)
