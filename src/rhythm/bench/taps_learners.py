"""Who asks in the benchmark of taps: Rhythm's posterior, and learners that begin without knowing people.

Rhythm asks where the answer would tell most of the archetype and leaves slots out (`rhythm.bench.taps_asking`). The
learners that know nothing of people beforehand cannot foresee that and ask in every slot.

The others learn from answers whether an action in a part of the day is accepted, and are all
read in the same way: `DRAWS` tables of acceptance (ten actions, four parts of the day) are drawn
from what a learner has learned; each is nearest (Euclidean) to one archetype's own table, and the
shares of the archetypes among the draws are the learner's chances. The archetypes' tables are
given to them.
"""

from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.belief import origins
from rhythm.belief.person import PersonPosterior
from rhythm.bench.living_assistants import Kind, evidence_of
from rhythm.bench.living_rows import acceptance
from rhythm.bench.taps_asking import Patience, told_by_answers
from rhythm.bench.taps_play import ANSWERED, Learner
from rhythm.life.counter import Stream, scramble_seeds
from rhythm.life.living import Seen
from rhythm.life.profiles import ARCHETYPES
from rhythm.vocab import ACTION_COUNT, SLOTS_PER_DAY

Floats = NDArray[np.float64]

WEIGHED: Final = 192
"""Draws of the person that Rhythm weighs what to ask with."""
DRAWS: Final = 200
FIRST_EFFORT: Final = 1.0
"""Precision of the linear learners' prior, around coefficients of 0."""
NOISE_SD: Final = 0.5
"""Spread of a yes or no."""
EXPLORATION: Final = 1.0
"""LinUCB: standard deviations of optimism."""
LEAST_SENT, MOST_SENT = 0.1, 0.9
"""Action-centred sampling: limits of the chance of sending its choice."""


def _number(seed: int) -> int:
    return int(scramble_seeds(np.array([seed]), Stream.POLICY)[0] >> np.uint64(2))


class RhythmLearner:
    """The posterior over people near the archetypes."""

    def __init__(self, kind: Kind, *, patient: bool = True) -> None:
        """Begin knowing nothing of the person.

        Args:
            kind: what it learns from.
            patient: leaves slots out; else it asks in every one.
        """
        self._posterior = PersonPosterior(origins.one_of_the_archetypes())
        self._kind, self._patience = kind, Patience() if patient else None
        self._most = np.zeros(SLOTS_PER_DAY)

    def suggest(self, slot: int) -> int:
        """See `Learner.suggest`."""
        now = self._told(slot)
        if self._patience is None:
            return int(now.argmax())
        promising = sorted(range(slot + 1, slot + SLOTS_PER_DAY), key=lambda later: -self._most[later % SLOTS_PER_DAY])
        return self._patience.asks(now, (self._told(later) for later in promising))

    def _told(self, slot: int) -> Floats:
        told = told_by_answers(self._posterior.draws(slot, WEIGHED))
        self._most[slot % SLOTS_PER_DAY] = told.max()
        return told

    def learn(self, offered: NDArray[np.int8], seen: Seen, person: int) -> None:
        """See `Learner.learn`."""
        self._posterior.add(evidence_of(offered, seen, person, self._kind))

    def chances(self) -> Floats:
        """See `Learner.chances`."""
        shares = self._posterior.archetypes()
        return np.array([shares[name] for name in ARCHETYPES])


@cache
def archetype_tables() -> Floats:
    """Share of answered suggestions that each archetype accepts, by action and part of the day, shape (3, 10, 4)."""
    return np.array([acceptance(name) for name in ARCHETYPES])


def nearest(tables: Floats) -> Floats:
    """Shares of the archetypes that tables, shape (n, 10, 4), are nearest to; shape (3,)."""
    away = ((tables[:, None] - archetype_tables()[None]) ** 2).sum(axis=(2, 3))
    return np.bincount(away.argmin(axis=1), minlength=len(ARCHETYPES)) / len(tables)


class BetaBernoulli:
    """A beta distribution for each action and part of the day; asks by Thompson sampling."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(_number(seed))
        self._counts = np.ones((2, ACTION_COUNT, SLOTS_PER_DAY))

    def suggest(self, slot: int) -> int:
        """See `Learner.suggest`."""
        yes, no = self._counts[:, :, slot % SLOTS_PER_DAY]
        return int(self._random.beta(yes, no).argmax())

    def learn(self, offered: NDArray[np.int8], seen: Seen, person: int) -> None:
        """See `Learner.learn`."""
        outcome = int(seen.outcomes[person])
        if 0 <= outcome < ANSWERED:
            self._counts[int(outcome != 0), offered[person], seen.slot % SLOTS_PER_DAY] += 1.0

    def chances(self) -> Floats:
        """See `Learner.chances`."""
        return nearest(self._random.beta(self._counts[0], self._counts[1], size=(DRAWS, ACTION_COUNT, SLOTS_PER_DAY)))


def _features() -> Floats:
    """Each action, and each action in each part of the day: rows by action and part, shape (10, 4, 50)."""
    rows = np.zeros((ACTION_COUNT, SLOTS_PER_DAY, ACTION_COUNT * (1 + SLOTS_PER_DAY)))
    for action in range(ACTION_COUNT):
        for part in range(SLOTS_PER_DAY):
            rows[action, part, action] = 1.0
            rows[action, part, ACTION_COUNT + action * SLOTS_PER_DAY + part] = 1.0
    return rows


FEATURES: Final = _features()


class _Linear:
    """Ridge regression of acceptance on `FEATURES`."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(_number(seed))
        self._covariance = np.eye(FEATURES.shape[2]) / FIRST_EFFORT
        self._summed = np.zeros(FEATURES.shape[2])

    @property
    def _mean(self) -> Floats:
        return self._covariance @ self._summed

    def _count(self, row: Floats, weight: float, value: float) -> None:
        """Add an observation; the covariance by the formula of Sherman and Morrison (1950)."""
        moved = self._covariance @ row
        self._covariance -= weight * np.outer(moved, moved) / (1.0 + weight * row @ moved)
        self._summed += value * row

    def _drawn(self, count: int) -> Floats:
        root = np.linalg.cholesky(self._covariance + 1e-9 * np.eye(len(self._summed)))
        noise = self._random.standard_normal((count, len(self._summed)))
        return self._mean + NOISE_SD * noise @ root.T

    def chances(self) -> Floats:
        """See `Learner.chances`."""
        return nearest(np.einsum("apf,nf->nap", FEATURES, self._drawn(DRAWS)))


class ActionCentred(_Linear):
    """Action-centred Thompson sampling (Greenewald et al. 2017): whether to send is drawn too, and corrected for."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._sent, self._row = 0.5, FEATURES[0, 0]

    def suggest(self, slot: int) -> int:
        """See `Learner.suggest`; -1 where its choice is not sent."""
        rows = FEATURES[:, slot % SLOTS_PER_DAY]
        action = int((rows @ self._drawn(1)[0]).argmax())
        self._row = rows[action]
        spread = NOISE_SD * float(np.sqrt(self._row @ self._covariance @ self._row))
        likely = 0.5 * (1.0 + np.tanh(0.8 * float(self._row @ self._mean) / spread))
        self._sent = float(np.clip(likely, LEAST_SENT, MOST_SENT))
        return action if self._random.random() < self._sent else -1

    def learn(self, offered: NDArray[np.int8], seen: Seen, person: int) -> None:
        """See `Learner.learn`."""
        outcome = int(seen.outcomes[person])
        if outcome >= ANSWERED:
            return
        sent, accepted = float(offered[person] >= 0), float(outcome == 0)
        self._count(self._row, self._sent * (1.0 - self._sent), (sent - self._sent) * accepted)


class LinUcb(_Linear):
    """LinUCB (Li et al. 2010): asks what may be accepted most, within the uncertainty."""

    def suggest(self, slot: int) -> int:
        """See `Learner.suggest`."""
        rows = FEATURES[:, slot % SLOTS_PER_DAY]
        spread = np.sqrt(np.einsum("af,fg,ag->a", rows, self._covariance, rows))
        return int((rows @ self._mean + EXPLORATION * NOISE_SD * spread).argmax())

    def learn(self, offered: NDArray[np.int8], seen: Seen, person: int) -> None:
        """See `Learner.learn`."""
        outcome = int(seen.outcomes[person])
        if 0 <= outcome < ANSWERED:
            self._count(FEATURES[offered[person], seen.slot % SLOTS_PER_DAY], 1.0, float(outcome == 0))


LEARNERS: Final[dict[str, Callable[[int], Learner]]] = {
    "rhythm": lambda _: RhythmLearner(Kind()),
    "at-once": lambda _: RhythmLearner(Kind(), patient=False),
    "no-device": lambda _: RhythmLearner(Kind(records=False, readings=False)),
    "beta-bernoulli": BetaBernoulli,
    "action-centred": ActionCentred,
    "linucb": LinUcb,
}
"""Learners by name. ``rhythm`` has records and readings too, as the assistant; ``no-device`` answers alone."""
