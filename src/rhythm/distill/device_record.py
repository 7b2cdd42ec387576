"""Lives of people nobody was taught with, kept as they reach an assistant: several learners read the same ones."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.answer_styles import Styles
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.habits import Habits
from rhythm.life.living import Lives, Seen
from rhythm.life.profiles import People
from rhythm.policy.student.device_model import DeviceModel
from rhythm.policy.student.device_news import first_news, news_of
from rhythm.policy.student.device_tokens import LOOKED_AT, SlotNews, no_news
from rhythm.vocab import ACTION_COUNT, SLOTS_PER_DAY, WEEK_STEPS

FIRST_EVALUATION_SEED: Final = 1_600_000
OnSlot = Callable[[int], None]


@dataclass(frozen=True)
class Recorded:
    """Weeks of many people under random suggestions.

    Attributes:
        seeds: shape (people,).
        news: what is known as each slot begins, one more than slots lived.
        seen: what came back in each slot.
        suggested: shape (people, slots).
        outcomes: shape (people, slots).
        chances: of accepting it if it is looked at, by somebody told everything, shape (people, slots).
        people: profile rows as each week begins, shape (weeks, people, 15).
        styles: how they answer, shape (people, 17).
        habits: what they do unasked, which does not change.
    """

    seeds: NDArray[np.int64]
    news: list[SlotNews]
    seen: list[Seen]
    suggested: NDArray[np.int8]
    outcomes: NDArray[np.int8]
    chances: NDArray[np.float64]
    people: NDArray[np.float64]
    styles: NDArray[np.float64]
    habits: Habits

    @property
    def looked(self) -> NDArray[np.bool_]:
        """Whether a suggestion was looked at, shape (people, slots)."""
        found: NDArray[np.bool_] = (self.outcomes >= 0) & (self.outcomes < LOOKED_AT)
        return found

    @property
    def accepted(self) -> NDArray[np.bool_]:
        """Whether one was accepted, shape (people, slots)."""
        found: NDArray[np.bool_] = self.outcomes == 0
        return found


@dataclass(frozen=True)
class Heard:
    """What the student said as each slot began.

    Attributes:
        accepts: logit of the chance that the suggestion is accepted if it is looked at, shape (people, slots).
        hidden: shape (people, slots, width).
    """

    accepts: NDArray[np.float32]
    hidden: NDArray[np.float32]


def record(seeds: NDArray[np.int64], people: People, styles: Styles, days: int) -> Recorded:
    """Live with one random suggestion in every slot."""
    from rhythm.distill.device_kernel import fill_truth  # noqa: PLC0415 - the compiler is loaded on first use

    lives, slots = Lives(seeds, people, styles), days * SLOTS_PER_DAY
    table, gains = np.empty((2, len(seeds), ACTION_COUNT))
    looks = np.empty(len(seeds))
    chances, rows = np.empty((len(seeds), slots)), np.arange(len(seeds))
    keys = scramble_seeds(seeds, Stream.POLICY)
    news, seen = [first_news(lives)], []
    suggested, outcomes = np.empty((len(seeds), slots), np.int8), np.empty((len(seeds), slots), np.int8)
    weekly = []
    for t in range(slots):
        if t % WEEK_STEPS == 0:
            weekly.append(lives.people.copy())
        suggested[:, t] = (uniforms(keys, t) * ACTION_COUNT).astype(np.int8)
        fill_truth(
            lives.people, lives.styles, lives.meters, lives.habits.schedule, lives.usual, lives.slot, lives.exposure,
            lives.burden, 1, table, looks, gains,
        )  # fmt: skip
        chances[:, t] = table[rows, suggested[:, t]]
        back = lives.offer(suggested[:, t])
        outcomes[:, t] = back.outcomes
        seen.append(back)
        news.append(news_of(lives, suggested[:, t], back))
    return Recorded(seeds, news, seen, suggested, outcomes, chances, np.stack(weekly), lives.styles, lives.habits)


def heard(model: DeviceModel, lives: Recorded, first: int, stop: int, *, memory: bool = True) -> Heard:
    """Read slots ``first`` to ``stop`` (not included), nothing known of those before.

    Args:
        model: who reads.
        lives: what is read.
        first: slot, a morning.
        stop: slot, not included.
        memory: False for a reader who begins anew in every slot.
    """
    people = len(lives.seeds)
    rows = np.arange(people)
    reader = model.reader(people)
    accepts = np.empty((people, stop - first), np.float32)
    hidden = np.empty((people, stop - first, model.card.width), np.float32)
    for t in range(first, stop):
        news = lives.news[t]
        if t == first or not memory:
            reader = model.reader(people)
            news = no_news(news.slots)._replace(deadline=news.deadline)
        said = reader.read(news)
        accepts[:, t - first] = said.accepts[rows, np.maximum(lives.suggested[:, t], 0)]
        hidden[:, t - first] = said.hidden
    return Heard(accepts, hidden)


def log_losses(logits: NDArray[np.float32] | NDArray[np.float64], accepted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Log loss of each answer, by the logit of the chance that it is a yes; same shape."""
    signed = np.where(accepted, 1.0, -1.0) * logits.astype(np.float64)
    with np.errstate(invalid="ignore"):  # NaN where somebody was not asked
        losses: NDArray[np.float64] = np.logaddexp(0.0, -signed)
    return losses


def personal(losses: NDArray[np.float64], counted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Mean loss of each person over what counts, NaN where nothing does, shape (people,)."""
    count = counted.sum(axis=1)
    total = np.where(counted, losses, 0.0).sum(axis=1)
    means: NDArray[np.float64] = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return means
