"""Lives of training people through the device channel, as the student reads them, with what is right of every slot.

Labels come from the simulator itself: the truth for beliefs, each suggestion's own chance of
acceptance (the mean of all answers that the person could have given; whoever is right about
it is right about the answers), and what suggesting it would have brought. No particle is moved,
so thousands of weeks take seconds.
"""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.belief.person_prior import style_range
from rhythm.bench.conditions import check_training_seeds
from rhythm.distill.device_policies import (
    ASKED,
    CHANCE,
    AverageChooser,
    Chooser,
    HeuristicChooser,
    RandomChooser,
    StudentChooser,
    ThompsonChooser,
)
from rhythm.distill.shards import read_arrays, write_arrays
from rhythm.distill.teacher import people_of
from rhythm.life.answer_styles import STYLE_WIDTH, Styles
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.living import Lives
from rhythm.life.profiles import belief_targets
from rhythm.policy.student.device_model import DeviceModel
from rhythm.policy.student.device_news import first_news, news_of
from rhythm.policy.student.device_tokens import DEVICE_TOKEN_WIDTH, NONE, Notes
from rhythm.vocab import ACTION_COUNT, BELIEF_COUNT, WEEK_STEPS, SchemaError

LIVES_SCHEMA: Final = "rhythm.device-lives/1"
HORIZON: Final = WEEK_STEPS
"""Slots over which what a suggestion brings is summed."""
STUDENT_TURNS: Final = 3
"""Turns of a student that was trained before, beside the five of those who learned nothing."""
_BEFORE_WEEKS: Final = 5
"""Half of the batches begin to be read after up to so many weeks that were lived unread."""

Halves = NDArray[np.float16]


@dataclass(frozen=True)
class TaughtLives:
    """Many lives of as many slots; each array has the lives first.

    Attributes:
        seeds: shape (lives,).
        tokens: what is read as each slot begins, shape (lives, slots, DEVICE_TOKEN_WIDTH).
        accepts: chance that a suggestion that is looked at is accepted, shape (lives, slots, 10).
        seen: chance that one is looked at, shape (lives, slots).
        gains: what suggesting it adds to summed wellbeing over `HORIZON` slots, shape (lives, slots, 10).
        beliefs: the right belief, shape (lives, slots, 3).
        suggested, outcomes: what was suggested for each slot and what became of it, -1 for nothing.
    """

    seeds: NDArray[np.int64]
    tokens: Halves
    accepts: Halves
    seen: Halves
    gains: Halves
    beliefs: Halves
    suggested: NDArray[np.int8]
    outcomes: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.seeds)

    @staticmethod
    def blank(seeds: NDArray[np.int64], slots: int) -> "TaughtLives":
        """Nothing lived yet."""
        shape = (len(seeds), slots)
        return TaughtLives(
            seeds,
            np.zeros((*shape, DEVICE_TOKEN_WIDTH), np.float16),
            np.zeros((*shape, ACTION_COUNT), np.float16),
            np.zeros(shape, np.float16),
            np.zeros((*shape, ACTION_COUNT), np.float16),
            np.zeros((*shape, BELIEF_COUNT), np.float16),
            np.full(shape, NONE, np.int8),
            np.full(shape, NONE, np.int8),
        )


def widened_styles(seeds: NDArray[np.int64]) -> Styles:
    """Answering styles from the range that the posterior's own prior has: wider than trained, never the benchmark's."""
    keys = scramble_seeds(np.asarray(seeds), Stream.ANSWERS)
    low, high = style_range()
    rows: Styles = low + uniforms(keys[:, None], np.arange(STYLE_WIDTH)[None, :]) * (high - low)
    return rows


class Suggesters:
    """A different assistant for each life, in turn."""

    def __init__(self, seeds: NDArray[np.int64], more: tuple[Chooser, ...] = ()) -> None:
        """Seat them.

        Args:
            seeds: of the lives.
            more: further ones, such as a student.
        """
        self._thompson = ThompsonChooser(len(seeds))
        anybody: tuple[Chooser, ...] = (RandomChooser(), RandomChooser(), HeuristicChooser(), AverageChooser())
        self._choosers = (*anybody, self._thompson, *more)
        self._turn = seeds % len(self._choosers)
        self._asked = np.array(ASKED)[seeds // len(self._choosers) % len(ASKED)]
        self._random = np.random.default_rng(seeds)

    def suggest(self, slot: int, notes: Notes) -> NDArray[np.int8]:
        """Action indices, -1 for nothing, shape (people,)."""
        people = len(self._turn)
        table = np.stack([chooser.choose(slot, notes, self._random) for chooser in self._choosers])
        chosen = table[self._turn, np.arange(people)]
        anything = self._random.integers(0, ACTION_COUNT, people)
        chosen = np.where(self._random.random(people) < CHANCE, anything, chosen)
        suggested: NDArray[np.int8] = np.where(self._random.random(people) < self._asked, chosen, NONE).astype(np.int8)
        return suggested

    def learn(self, slot: int, suggested: NDArray[np.int8], outcomes: NDArray[np.int8]) -> None:
        """Take in answers."""
        self._thompson.learn(slot, suggested, outcomes)


def lived(seeds: NDArray[np.int64], slots: int, student: DeviceModel | None = None) -> TaughtLives:
    """Live so many slots with every kind of assistant.

    Args:
        seeds: training seeds of one batch, shape (lives,).
        slots: to be read, a whole number of days.
        student: one more assistant, for `STUDENT_TURNS` in eight of the lives.

    Raises:
        ReservedSeedError: a seed belongs to the benchmark.
    """
    from rhythm.distill.device_kernel import fill_truth  # noqa: PLC0415 - the compiler is loaded on first use

    seeds = check_training_seeds(seeds)
    lives = Lives(seeds, people_of(seeds), widened_styles(seeds))
    own = StudentChooser(student, len(seeds)) if student else None
    suggesters = Suggesters(seeds, (own,) * STUDENT_TURNS if own else ())
    first = int(np.random.default_rng(seeds).integers(-_BEFORE_WEEKS * 7, _BEFORE_WEEKS * 7 + 1))
    before, taught = max(first, 0) * 4, TaughtLives.blank(seeds, slots)
    notes, news = Notes.blank(len(seeds)), first_news(lives)
    accepts, gains = np.empty((2, len(seeds), ACTION_COUNT))
    seen = np.empty(len(seeds))
    for t in range(-before, slots):
        if t == 0:  # reading begins here
            notes, news = Notes.blank(len(seeds)), first_news(lives)
            if own:
                own.forget()
        token = notes.token(news)
        if own:
            own.read(news)
        suggested = suggesters.suggest(lives.slot, notes)
        if t >= 0:
            fill_truth(
                lives.people, lives.styles, lives.meters, lives.habits.schedule, lives.usual, lives.slot,
                lives.exposure, lives.burden, HORIZON, accepts, seen, gains,
            )  # fmt: skip
            taught.tokens[:, t], taught.accepts[:, t] = token, accepts
            taught.seen[:, t], taught.gains[:, t] = seen, gains
            taught.beliefs[:, t], taught.suggested[:, t] = belief_targets(lives.people), suggested
        over = lives.slot
        back = lives.offer(suggested)
        if t >= 0:
            taught.outcomes[:, t] = back.outcomes
        suggesters.learn(over, suggested, back.outcomes)
        news = news_of(lives, suggested, back)
    return taught


def write_lives(path: Path, lives: TaughtLives) -> None:
    """Write a shard, whole or not at all."""
    write_arrays(path, LIVES_SCHEMA, vars(lives))


def read_lives(*paths: Path) -> TaughtLives:
    """The lives in shards.

    Raises:
        SchemaError: there is none, or one is damaged or of another schema version.
        ReservedSeedError: a seed belongs to the benchmark.
    """
    if not paths:
        raise SchemaError("no taught lives there; make some with `rhythm student teach`")
    parts = [_read(path) for path in paths]
    return TaughtLives(**{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(TaughtLives)})


def _read(path: Path) -> TaughtLives:
    lives = TaughtLives(**read_arrays(path, LIVES_SCHEMA, [f.name for f in fields(TaughtLives)]))
    check_training_seeds(lives.seeds)
    if lives.tokens.shape[2:] != (DEVICE_TOKEN_WIDTH,):
        raise SchemaError(f"{path.name} holds tokens of another version; remove it and make it again")
    return lives
