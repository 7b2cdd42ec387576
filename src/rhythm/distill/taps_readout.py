"""Which archetype a person is, read off the device student's hidden state by a linear readout.

The student has no head for archetypes. The readout is fitted on training people of the three, first where random
actions are suggested, then where it asks for itself what tells most, so that it knows the states that its own
questions lead to (DAgger; Ross, Gordon and Bagnell 2011): without that it seems sure where it is not.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.taps_asking import Patience, entropy
from rhythm.bench.taps_learners import archetype_tables
from rhythm.bench.taps_play import ANSWERED, MOST_SLOTS
from rhythm.distill.device_lives import widened_styles
from rhythm.life.living import Lives, Seen
from rhythm.life.populations import archetype_people
from rhythm.life.profiles import ARCHETYPES
from rhythm.policy.choices import chances_of
from rhythm.policy.student.device_model import DeviceModel
from rhythm.policy.student.device_tokens import SlotNews, no_news
from rhythm.vocab import ACTION_COUNT, SLOTS_PER_DAY

Floats = NDArray[np.float64]
OnRound = Callable[[], None]

READOUT_SEED: Final = 2_970_000
READOUT_PEOPLE: Final = 1200
"""In each round, other people in each."""
ROUNDS: Final = 3
"""One under random suggestions, two under its own questions."""
_KEPT: Final = (*(2 * k + k // 2 % 2 for k in range(20)), *range(40, MOST_SLOTS, 5))
"""Slots whose states are learned from, of all parts of the day; those of a day resemble each other."""
_RIDGE: Final = 1.0 / 800.0
"""For each state that is learned from."""
_TURNS: Final = 120


@dataclass(frozen=True)
class Readout:
    """Chances of the archetypes from the student's hidden state.

    Attributes:
        middle, scale: of each hidden number over training people, shape (width,).
        weights: shape (width + 1, archetypes), the last row added to all.
    """

    middle: Floats
    scale: Floats
    weights: Floats

    def chances(self, hidden: NDArray[np.float32]) -> Floats:
        """Chance of each archetype, shape (n, archetypes), from a hidden state of shape (n, width)."""
        return chances_of(self.table(hidden) @ self.weights)

    def table(self, hidden: NDArray[np.float32]) -> Floats:
        """What the weights multiply, shape (n, width + 1)."""
        rows: Floats = np.column_stack([(hidden - self.middle) / self.scale, np.ones(len(hidden))])
        return rows


class Read(NamedTuple):
    """What was asked of people, and the states that the student was in.

    Attributes:
        hidden: after each slot, shape (people, slots, width).
        answered: whether the slot brought an answer, shape (people, slots).
        kinds: archetypes' positions, shape (people,).
    """

    hidden: NDArray[np.float32]
    answered: NDArray[np.bool_]
    kinds: NDArray[np.int64]


class Asker:
    """The student asking people, all in the same slot, what tells most of their archetypes."""

    def __init__(self, model: DeviceModel, readout: Readout | None, people: int) -> None:
        """Begin with people not met before.

        Args:
            model: the student.
            readout: how chances are read; None for somebody who goes on knowing nothing.
            people: how many.
        """
        self._reader, self._readout = model.reader(people), readout
        self._patience = [Patience() for _ in range(people)]
        self.chances: Floats = np.full((people, len(ARCHETYPES)), 1.0 / len(ARCHETYPES))
        self.read(no_news(np.zeros(people, np.int64)))

    def suggest(self, slot: int) -> NDArray[np.int8]:
        """What tells most, open for all that it is sure of each archetype; -1 to wait, shape (people,)."""
        now, *later = (self._told(one) for one in range(slot, slot + SLOTS_PER_DAY))
        asked = [each.asks(now[i], (one[i] for one in later)) for i, each in enumerate(self._patience)]
        return np.array(asked, np.int8)

    def _told(self, slot: int) -> Floats:
        """Nats that accepting or not tells of the archetype by action, shape (people, 10)."""
        accepted = archetype_tables()[:, :, slot % SLOTS_PER_DAY]
        said = np.stack([accepted, 1.0 - accepted], axis=-1)
        told: Floats = entropy(np.tensordot(self.chances, said, axes=1)) - self.chances @ entropy(said)
        return told

    def read(self, news: SlotNews) -> NDArray[np.float32]:
        """Read what came to be known; the hidden state, shape (people, width)."""
        hidden: NDArray[np.float32] = self._reader.read(news).hidden
        if self._readout is not None:
            self.chances = self._readout.chances(hidden)
        return hidden


def news_of_asking(offered: NDArray[np.int8], seen: Seen, rows: slice) -> SlotNews:
    """What a slot of asking tells of the people in ``rows``: answers, records and readings, no coming event."""
    came = seen.readings
    return no_news(np.full(len(offered[rows]), seen.slot + 1))._replace(
        values=came.values[rows],
        sds=came.sds[rows],
        reading_slots=came.slots[rows],
        done=seen.recorded[rows],
        suggested=offered[rows],
        outcomes=seen.outcomes[rows],
        moved_to=seen.moved_to[rows],
    )


def ask(model: DeviceModel, readout: Readout | None, seeds: NDArray[np.int64], slots: int = MOST_SLOTS) -> Read:
    """Ask training people of the archetypes in turn, in every slot that is not left out.

    Args:
        model: the student.
        readout: what the questions follow; random actions without one.
        seeds: one for each person, shape (people,).
        slots: that are asked in.
    """
    lives = Lives(seeds, archetype_people(len(seeds))[1], widened_styles(seeds), drift=0.0)
    asker, random = Asker(model, readout, len(seeds)), np.random.default_rng(int(seeds[0]))
    hidden, answered = [], []
    for slot in range(slots):
        offered = (
            asker.suggest(slot)
            if readout is not None
            else random.integers(ACTION_COUNT, size=len(seeds), dtype=np.int8)
        )
        seen = lives.offer(offered)
        hidden.append(asker.read(news_of_asking(offered, seen, slice(None))))
        answered.append((seen.outcomes >= 0) & (seen.outcomes < ANSWERED))
    return Read(np.stack(hidden, axis=1), np.stack(answered, axis=1), np.arange(len(seeds)) % len(ARCHETYPES))


def readout_of(
    model: DeviceModel, people: int = READOUT_PEOPLE, slots: int = MOST_SLOTS, on_round: OnRound = lambda: None
) -> Readout:
    """Fit a readout on training people.

    Args:
        model: the student.
        people: how many in each of the `ROUNDS`.
        slots: that each is asked in.
        on_round: called after each round.
    """
    kept = [slot for slot in _KEPT if slot < slots]
    readout: Readout | None = None
    hidden, truth = [], []
    for seeds in np.arange(READOUT_SEED, READOUT_SEED + ROUNDS * people).reshape(ROUNDS, people):
        read = ask(model, readout, seeds, slots)
        hidden.append(read.hidden[:, kept].reshape(-1, read.hidden.shape[2]))
        truth.append(np.repeat(np.eye(len(ARCHETYPES))[read.kinds], len(kept), axis=0))
        readout = fitted(np.concatenate(hidden), np.concatenate(truth))
        on_round()
    assert readout is not None
    return readout


def fitted(hidden: NDArray[np.float32], truth: Floats) -> Readout:
    """Ridge multinomial regression by a bound on its curvature (Boehning 1992), which every step uses.

    Args:
        hidden: shape (n, width).
        truth: 1 for the archetype that it is, shape (n, archetypes).
    """
    kinds = truth.shape[1]
    blank = Readout(hidden.mean(axis=0), hidden.std(axis=0) + 1e-6, np.zeros((hidden.shape[1] + 1, kinds)))
    table, ridge = blank.table(hidden), _RIDGE * len(hidden)
    weights, ahead = np.zeros((2, table.shape[1], kinds))
    inverse = np.linalg.inv(0.5 * table.T @ table + ridge * np.eye(table.shape[1]))
    for turn in range(_TURNS):
        slope = table.T @ (truth - chances_of(table @ ahead)) - ridge * ahead
        moved = ahead + inverse @ slope
        ahead = moved + turn / (turn + 3.0) * (moved - weights)
        weights = moved
    return replace(blank, weights=weights)
