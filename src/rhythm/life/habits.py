"""What a person does unasked: working days, habits, and how a week departs from them.

A person's habit is one action for each of the 28 steps of a week, drawn once by a softmax of
what actions are worth to them where their meters usually stand and what people tend to do in
that part of such a day. Where meters stand depends on the habit, so the two are found
together, by living a while and drawing again. In any one slot the person follows the habit
with their `REGULARITY`, else draws anew.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.answer_styles import AnswerStyle, Styles
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.profiles import People
from rhythm.life.step import step
from rhythm.vocab import ACTION_COUNT, DAYS_PER_WEEK, SLOTS_PER_DAY, WEEK_STEPS

HABIT_SHARPNESS: Final = 0.45
"""Logits of a habit for each unit of worth: people live by what suits them, loosely."""
FIRST_TYPICAL: Final = (0.7, 0.4, 0.4, 0.5, 0.4)
"""Where meters are taken to stand before anything was lived."""
FORMING_TURNS: Final = 4
"""How often a habit is lived, and drawn again where that leaves the meters."""
FORMING_WEEKS: Final = 2

KINDS: Final = 6
"""Kinds of slot: working morning and afternoon, free morning and afternoon, evening, night."""

TENDENCIES: Final[NDArray[np.float64]] = np.array(
    # DEEP  ADMIN LEARN SLEEP EXER. MEDIT FAMILY SOCIAL ME   BINGE
    [
        [1.0, 1.3, 0.8, -2.5, -0.5, -1.0, -2.0, -2.5, -1.0, -3.0],
        [0.8, 1.3, 0.8, -2.5, -0.5, -1.0, -2.0, -2.0, -0.8, -3.0],
        [-1.5, -1.0, -0.8, 0.8, 0.5, 0.0, 0.5, -0.5, 0.5, -0.5],
        [-1.5, -1.0, -0.5, -0.5, 0.5, 0.0, 0.8, 0.5, 0.5, 0.0],
        [-2.0, -1.5, -1.0, -1.0, 0.0, 0.0, 0.8, 0.3, 0.8, 0.8],
        [-2.5, -2.5, -2.0, 3.0, -3.0, -1.5, -2.0, -1.5, -1.0, -0.5],
    ]
)
"""Logits of what people tend to do, by kind of slot; ours, not from data."""

WEEKDAY_WORKERS: Final = 0.85
"""Share of people who work Monday to Friday."""
SHIFT_WORKERS: Final = 0.10
"""Share who work five days in a row that begin on another day; the rest have no working days."""
_HABIT_COUNTERS: Final = 64
_WORKING_COUNTER: Final = 128
_VARIATION: Final = 6
"""Offset of the slot's two draws: follow the habit or not, and what else."""


@dataclass(frozen=True)
class Habits:
    """How a batch of people spend their weeks unasked.

    Attributes:
        working: whether each weekday is a working day, shape (people, 7).
        tendencies: chance of each action in each kind of slot, shape (people, 6, 10).
        schedule: the habit of each step of the week, action indices, shape (people, 28).
        regularity: chance of following it in any one slot, shape (people,).
        keys: ANSWERS keys for the draws of slots, shape (people,).
    """

    working: NDArray[np.bool_]
    tendencies: NDArray[np.float64]
    schedule: NDArray[np.int8]
    regularity: NDArray[np.float64]
    keys: NDArray[np.uint64]

    def usual(self, slot: int) -> NDArray[np.int8]:
        """What everyone would do unasked in that slot number; a pure function of seed and slot, shape (people,)."""
        from rhythm.life.answer_kernel import DRAWS_PER_SLOT, SLOT_COUNTERS  # noqa: PLC0415

        first = SLOT_COUNTERS + slot * DRAWS_PER_SLOT + _VARIATION
        place = slot % WEEK_STEPS
        chances = self.tendencies[np.arange(len(self.keys)), slot_kinds(self.working)[:, place]]
        other = _pick(chances, uniforms(self.keys, first + 1))
        follows = uniforms(self.keys, first) < self.regularity
        usual: NDArray[np.int8] = np.where(follows, self.schedule[:, place], other).astype(np.int8)
        return usual

    def chances(self, slot: int) -> NDArray[np.float64]:
        """Chance of each usual action in that slot number, given the habit, shape (people, 10)."""
        place = slot % WEEK_STEPS
        rows = np.arange(len(self.keys))
        kept = self.regularity[:, None]
        mixed: NDArray[np.float64] = (1.0 - kept) * self.tendencies[rows, slot_kinds(self.working)[:, place]]
        mixed[rows, self.schedule[:, place]] += self.regularity
        return mixed


def slot_kinds(working: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Kind of each step of the week, 0..5, from the working days, shape (people, 28)."""
    kinds = np.empty((len(working), DAYS_PER_WEEK, SLOTS_PER_DAY), np.int8)
    kinds[:, :, 0] = np.where(working, 0, 2)
    kinds[:, :, 1] = np.where(working, 1, 3)
    kinds[:, :, 2] = 4
    kinds[:, :, 3] = 5
    return kinds.reshape(len(working), WEEK_STEPS)


def action_tendencies(people: People, typical: NDArray[np.float64]) -> NDArray[np.float64]:
    """Chance of each action in each kind of slot, shape (people, 6, 10).

    Args:
        people: profile rows, shape (people, 15).
        typical: where their meters usually stand, shape (people, 5).
    """
    from rhythm.life.answers import action_values  # noqa: PLC0415 - the compiler is loaded on first use

    logits = np.empty((len(people), KINDS, ACTION_COUNT))
    for kind, part in enumerate((0, 1, 0, 1, 2, 3)):
        logits[:, kind] = HABIT_SHARPNESS * action_values(people, typical, part) + TENDENCIES[kind]
    odds = np.exp(logits - logits.max(axis=2, keepdims=True))
    chances: NDArray[np.float64] = odds / odds.sum(axis=2, keepdims=True)
    return chances


def working_days(seeds: NDArray[np.int64], *, secret: int = 0) -> NDArray[np.bool_]:
    """Whether each weekday is a working day, shape (people, 7)."""
    keys = scramble_seeds(np.asarray(seeds), Stream.ANSWERS, secret)
    share = uniforms(keys, _WORKING_COUNTER)
    begins = 1 + (uniforms(keys, _WORKING_COUNTER + 1) * (DAYS_PER_WEEK - 1)).astype(np.int64)
    begins = np.where(share < WEEKDAY_WORKERS, 0, begins)
    days = (np.arange(DAYS_PER_WEEK)[None, :] - begins[:, None]) % DAYS_PER_WEEK
    working: NDArray[np.bool_] = (days < 5) & (share < WEEKDAY_WORKERS + SHIFT_WORKERS)[:, None]
    return working


def sample_habits(seeds: NDArray[np.int64], people: People, styles: Styles, *, secret: int = 0) -> Habits:
    """The habits of each seed's person; a pure function of seed, profile and style.

    Args:
        seeds: episode seeds, shape (people,).
        people: profile rows, shape (people, 15).
        styles: style rows, shape (people, 17).
        secret: see `rhythm.life.counter.scramble_seeds`.
    """
    keys = scramble_seeds(np.asarray(seeds), Stream.ANSWERS, secret)
    working = working_days(seeds, secret=secret)
    kinds = slot_kinds(working)
    rows = np.arange(len(keys))
    schedule = np.empty((len(keys), WEEK_STEPS), np.int8)
    typical = np.tile(np.array(FIRST_TYPICAL), (len(keys), 1))
    for turn in range(FORMING_TURNS):
        tendencies = action_tendencies(people, typical)
        for step_of_week in range(WEEK_STEPS):
            chances = tendencies[rows, kinds[:, step_of_week]]
            schedule[:, step_of_week] = _pick(chances, uniforms(keys, _HABIT_COUNTERS + step_of_week))
        if turn + 1 < FORMING_TURNS:
            typical = 0.5 * (typical + _lived(people, schedule, typical))
    return Habits(working, tendencies, schedule, styles[:, AnswerStyle.REGULARITY].copy(), keys)


def _lived(people: People, schedule: NDArray[np.int8], meters: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean levels over the last of some weeks of a schedule without events, shape (people, 5)."""
    quiet = np.zeros(len(people), np.int8)
    total = np.zeros_like(meters)
    for slot in range(FORMING_WEEKS * WEEK_STEPS):
        meters = step(people, meters, schedule[:, slot % WEEK_STEPS], slot, quiet).meters
        if slot >= (FORMING_WEEKS - 1) * WEEK_STEPS:
            total += meters
    mean: NDArray[np.float64] = total / WEEK_STEPS
    return mean


def _pick(chances: NDArray[np.float64], units: NDArray[np.float64]) -> NDArray[np.int8]:
    up_to = np.cumsum(chances, axis=1)
    picked: NDArray[np.int8] = np.minimum((units[:, None] >= up_to).sum(axis=1), ACTION_COUNT - 1).astype(np.int8)
    return picked
