"""Refine what the device student suggests by playing: group-relative policy optimisation of its value head alone.

Copies of the same people live the same weeks and differ only in what is drawn for them. A
suggestion counts by how much better its copy fared in the slots after it than the other copies
did (group-relative advantages: Shao et al. 2024), so who a person is, and what happens to them
anyhow, cancels. The step is held near the network that it starts from by the divergence of
their choices. Hidden states, acceptance and beliefs stay as they were trained, so what is
learned cannot be paid for by worse beliefs.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.conditions import check_training_seeds
from rhythm.distill.device_lives import widened_styles
from rhythm.distill.teacher import people_of
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.living import Lives
from rhythm.policy.student.device_model import DeviceModel
from rhythm.policy.student.device_news import first_news, news_of
from rhythm.policy.suggest import FLOOR, SETTINGS
from rhythm.vocab import ACTION_COUNT, WEEK_STEPS

Floats = NDArray[np.float64]
OnTurn = Callable[[str, int], None]

_LEAST_SD: Final = 1e-3
_MEMORY: Final = (0.9, 0.99)
"""Of Adam (Kingma and Ba 2015)."""


@dataclass(frozen=True)
class Head:
    """The value head: what suggesting each action is worth, from the hidden state.

    Attributes:
        weight: shape (width, 10).
        bias: shape (10,).
    """

    weight: Floats
    bias: Floats

    def values(self, hidden: NDArray[np.float32] | Floats) -> Floats:
        """Shape (..., 10)."""
        found: Floats = hidden.astype(np.float64) @ self.weight + self.bias
        return found


@dataclass(frozen=True)
class Refining:
    """How to refine.

    Attributes:
        turns: batches of lives to learn from.
        people: different ones in each.
        copies: of each.
        weeks: that are lived.
        rate: of a step, in the size of a weight.
        kept_near: nats of summed advantage that a nat of divergence from the first network costs.
        fades: slots after which what follows a suggestion counts 1 / e of it.
        first_seed: of the people, who are training people.
    """

    turns: int = 60
    people: int = 48
    copies: int = 8
    weeks: int = 4
    rate: float = 2e-4
    kept_near: float = 0.05
    fades: float = 14.0
    first_seed: int = 6_000_000


class Lived(NamedTuple):
    """Lives under a head; each array has the slots first.

    Attributes:
        hidden: shape (slots, lives, width).
        chosen: what was suggested, -1 for nothing, shape (slots, lives).
        wellbeing: shape (slots, lives).
    """

    hidden: NDArray[np.float32]
    chosen: NDArray[np.int8]
    wellbeing: Floats


def chances_of(values: Floats) -> Floats:
    """Chance of choosing each action by its value, as the assistant chooses, shape (..., 10)."""
    return (1.0 - FLOOR) * softly(values) + FLOOR / ACTION_COUNT


def softly(values: Floats) -> Floats:
    """The part of the choice that follows the values, shape (..., 10)."""
    odds = np.exp((values - values.max(axis=-1, keepdims=True)) / SETTINGS.temperature)
    chances: Floats = odds / odds.sum(axis=-1, keepdims=True)
    return chances


def live(model: DeviceModel, head: Head, seeds: NDArray[np.int64], keys: NDArray[np.uint64], slots: int) -> Lived:
    """Live under a head: the same seed is the same person with the same luck, whatever is drawn for them by their key.

    Args:
        model: the frozen network.
        head: its value head.
        seeds: training seeds, shape (lives,).
        keys: that choices are drawn with, shape (lives,).
        slots: how many.

    Raises:
        ReservedSeedError: a seed belongs to the benchmark.
    """
    check_training_seeds(seeds)
    lives = Lives(seeds, people_of(seeds), widened_styles(seeds))
    reader, news = model.reader(len(seeds)), first_news(lives)
    hidden = np.empty((slots, len(seeds), model.card.width), np.float32)
    chosen, wellbeing = np.empty((slots, len(seeds)), np.int8), np.empty((slots, len(seeds)))
    for t in range(slots):
        hidden[t] = reader.read(news).hidden
        values = head.values(hidden[t])
        drawn = (np.cumsum(chances_of(values), axis=1) <= uniforms(keys, lives.slot)[:, None]).sum(axis=1)
        drawn = np.minimum(drawn, ACTION_COUNT - 1)
        chosen[t] = np.where(values.max(axis=1) > 0.0, drawn, -1)
        back = lives.offer(chosen[t])
        wellbeing[t] = lives.wellbeing
        news = news_of(lives, chosen[t], back)
    return Lived(hidden, chosen, wellbeing)


def advantages(wellbeing: Floats, copies: int, fades: float) -> Floats:
    """How much better each life fared after each slot than its copies, in their standard deviations.

    Args:
        wellbeing: shape (slots, lives), the copies of a person side by side.
        copies: of each person.
        fades: see `Refining`.

    Returns:
        Shape (slots, lives), mean 0 over the copies.
    """
    kept, after = float(np.exp(-1.0 / fades)), np.zeros_like(wellbeing)
    following = np.zeros(wellbeing.shape[1])
    for t in reversed(range(len(wellbeing))):
        following = wellbeing[t] + kept * following
        after[t] = following
    groups = after.reshape(len(after), -1, copies)
    apart = groups - groups.mean(axis=2, keepdims=True)
    spread = np.sqrt((apart**2).mean(axis=(0, 2), keepdims=True)) + _LEAST_SD
    found: Floats = (apart / spread).reshape(after.shape)
    return found


def slope_of(lived: Lived, gained: Floats, head: Head, first: Head, kept_near: float) -> tuple[Floats, Floats]:
    """Slope of mean advantage less divergence from the first head, for weight and bias; 0 where all were silent."""
    asked = lived.chosen >= 0
    hidden, chosen = lived.hidden[asked].astype(np.float64), lived.chosen[asked].astype(np.int64)
    soft, before = softly(head.values(hidden)), softly(first.values(hidden))
    rows = np.arange(len(chosen))
    mixed = (1.0 - FLOOR) * soft[rows, chosen] + FLOOR / ACTION_COUNT
    followed = (1.0 - FLOOR) * soft[rows, chosen] / mixed  # a choice by chance says nothing of the values
    one = np.zeros_like(soft)
    one[rows, chosen] = 1.0
    pull = (gained[asked] * followed)[:, None] * (one - soft)
    ratio = np.log(soft + 1e-12) - np.log(before + 1e-12)
    away = soft * (ratio - (soft * ratio).sum(axis=1, keepdims=True))
    each = (pull - kept_near * away) / SETTINGS.temperature / max(1, len(chosen))
    return hidden.T @ each, each.sum(axis=0)


def refine(model: DeviceModel, first: Head, how: Refining, on_turn: OnTurn = lambda _l, _n: None) -> Head:
    """The head after all turns.

    Args:
        model: the frozen network.
        first: the head that it begins with.
        how: see `Refining`.
        on_turn: told of every turn.
    """
    head, slots = first, how.weeks * WEEK_STEPS
    moments = [np.zeros((2, *part.shape)) for part in (first.weight, first.bias)]
    for turn in range(how.turns):
        begin = how.first_seed + turn * how.people
        seeds = np.repeat(np.arange(begin, begin + how.people), how.copies)
        keys = scramble_seeds(np.arange(len(seeds)) + turn * len(seeds), Stream.POLICY)
        lived = live(model, head, seeds, keys, slots)
        gained = advantages(lived.wellbeing, how.copies, how.fades)
        steps = []
        for moment, slope in zip(moments, slope_of(lived, gained, head, first, how.kept_near), strict=True):
            moment[0] = _MEMORY[0] * moment[0] + (1.0 - _MEMORY[0]) * slope
            moment[1] = _MEMORY[1] * moment[1] + (1.0 - _MEMORY[1]) * slope**2
            mean, square = (moment[i] / (1.0 - _MEMORY[i] ** (turn + 1)) for i in (0, 1))
            steps.append(how.rate * mean / (np.sqrt(square) + 1e-8))
        head = replace(head, weight=head.weight + steps[0], bias=head.bias + steps[1])
        on_turn("refining", 1)
    return head
