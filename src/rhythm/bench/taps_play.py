"""Taps until it is known which archetype a simulated person is, by learner.

A tap is an answer: accepted, moved or declined. A suggestion that expired or met somebody who
was not free costs no tap. The archetype is known at the first tap after which the learner's
chance of one archetype is `KNOWN` or more; it is then right or wrong. In the benchmark people
answer with styles drawn from the widest range, wider than that of Rhythm's own prior.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rhythm.life.answer_styles import StyleRange, sample_styles
from rhythm.life.living import Lives, Seen
from rhythm.life.populations import archetype_people

Floats = NDArray[np.float64]

KNOWN: Final = 0.9
"""Chance of one archetype from which on it counts as known."""
MOST_SLOTS: Final = 8 * 28
"""Slots after which a person is given up; their taps so far count as a lower end."""
ANSWERED: Final = 3
"""Outcome positions below this are answers."""


class Learner(Protocol):
    """Asks one person, and says which archetype they seem to be."""

    def suggest(self, slot: int) -> int:
        """The action to suggest for a slot; -1 to leave it out."""
        ...

    def learn(self, offered: NDArray[np.int8], seen: Seen, person: int) -> None:
        """Take in what came back; ``person`` is the row of `Seen` that is about them."""
        ...

    def chances(self) -> Floats:
        """Chance of each archetype, shape (3,), sum 1."""
        ...


@dataclass(frozen=True)
class Taps:
    """What was needed of each person.

    Attributes:
        taps: answers until known, or until given up, shape (people,).
        offers: suggestions made until then, shape (people,).
        slots: slots until then, those that were left out too, shape (people,).
        known: whether it was known before it was given up, shape (people,).
        right: whether what was then thought likeliest was so, shape (people,).
    """

    taps: NDArray[np.int64]
    offers: NDArray[np.int64]
    slots: NDArray[np.int64]
    known: NDArray[np.bool_]
    right: NDArray[np.bool_]


def play_taps(
    seeds: NDArray[np.int64],
    make: Callable[[int], Learner],
    *,
    styles: StyleRange = StyleRange.BENCHMARK,
    on_person: Callable[[], None] | None = None,
) -> Taps:
    """Ask everyone until the learner knows them.

    Args:
        seeds: one for each person, shape (people,); the archetypes take turns.
        make: a learner for a person's seed.
        styles: the range of answering styles.
        on_person: called when a person is done with.
    """
    count = len(seeds)
    _, people = archetype_people(count)
    truth = np.arange(count) % 3
    lives = Lives(seeds, people, sample_styles(seeds, styles), drift=0.0)
    learners: Sequence[Learner] = [make(int(seed)) for seed in seeds]
    taps, offers, slots = np.zeros((3, count), np.int64)
    open_, likeliest = np.ones(count, np.bool_), np.zeros(count, np.int64)
    for slot in range(MOST_SLOTS):
        offered = np.full(count, -1, np.int8)
        asked = np.flatnonzero(open_).tolist()
        for i in asked:
            offered[i] = learners[i].suggest(slot)
        seen = lives.offer(offered)
        offers += offered >= 0
        slots[asked] += 1
        for i in asked:
            learners[i].learn(offered, seen, i)
            if not 0 <= seen.outcomes[i] < ANSWERED:
                continue
            taps[i] += 1
            chances = learners[i].chances()
            likeliest[i] = int(chances.argmax())
            if chances.max() >= KNOWN:
                open_[i] = False
                if on_person is not None:
                    on_person()
        if not open_.any():
            break
    return Taps(taps, offers, slots, ~open_, (likeliest == truth) & ~open_)
