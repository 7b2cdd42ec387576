"""The conditions: which seeds and which people each result of the benchmark is about.

======================  =============================  =======  ==================================
condition               seeds                          people   who
======================  =============================  =======  ==================================
in-distribution         0 to 99                        100      the ordinary sampler (published)
ood                     10,000 to 10,049               50       corners that training never sees
archetypes              20,000 to 20,014               15       the three archetypes, 5 weeks each
in-distribution-wide    1,000,000 to 1,001,999         2,000    as above, for tight intervals
ood-wide                1,100,000 to 1,101,999         2,000    as above
archetypes-wide         1,200,000 to 1,201,999         2,000    as above
in-distribution-sealed  1,300,000 to 1,301,999         2,000    people whom nobody can know
ood-sealed              1,400,000 to 1,401,999         2,000    as above
archetypes-sealed       1,500,000 to 1,501,999         2,000    as above
======================  =============================  =======  ==================================

People and events of the last three are drawn under the results folder's own seal (see
`rhythm.bench.seal`). The others are open: the same for everybody, comparable with what was
published, and open to a policy that carries a table of them.

Each is played on both populations, ``classic`` and ``peaked``; the archetypes are the same
people in both and are played once. Seeds from 1,000,000 to 1,999,999 are kept for evaluation
whether a condition uses them yet or not. Training calls `check_training_seeds`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.populations import Population, archetype_kinds, sample_people
from rhythm.life.profiles import ARCHETYPES, People
from rhythm.vocab import InvalidValueError, RhythmError, UnknownNameError

EVERYONE: Final = "everyone"
"""Stands for the population in conditions whose people are the same in both."""


class ReservedSeedError(RhythmError, ValueError):
    """A seed that belongs to an evaluation condition was about to be trained on."""


@dataclass(frozen=True)
class Condition:
    """A named set of seeds and the sampler of their people.

    Attributes:
        name: as in the table above.
        seeds: episode seeds.
        corners: people from the corners of the trait space instead of the ordinary sampler.
        archetypes: the three archetypes in turn instead of a sampler.
        sealed: people and events are drawn under a seal.
    """

    name: str
    seeds: range
    corners: bool = False
    archetypes: bool = False
    sealed: bool = False

    @property
    def form(self) -> str:
        """``published``, ``wide`` or ``sealed``."""
        return next((form for form in ("wide", "sealed") if self.name.endswith(f"-{form}")), "published")

    @property
    def populations(self) -> tuple[str, ...]:
        """The populations it is played on: both, or ``everyone`` where they do not differ."""
        return (EVERYONE,) if self.archetypes else tuple(p.value for p in Population)

    @property
    def seed_array(self) -> NDArray[np.int64]:
        """The seeds, shape (people,)."""
        return np.arange(self.seeds.start, self.seeds.stop, dtype=np.int64)

    def seal(self, seal: int) -> int:
        """The seal where it is sealed, 0 where it is open."""
        return seal if self.sealed else 0

    @staticmethod
    def graded_as(population: str) -> Population:
        """The population whose grade counts: of people who are the same in both, the one that v3 is of.

        Args:
            population: one of `populations`.
        """
        return Population.PEAKED if population == EVERYONE else Population(population)

    def secret(self, population: str, seal: int) -> int:
        """What its people, events and policies' numbers are drawn under; 0 where it is open.

        Another number for every condition and population under one seal, so that nobody is met
        twice: a policy that remembers somebody by a number finds them nowhere else.
        """
        if not self.sealed:
            return 0
        named = hashlib.blake2b(f"{self.name}/{population}/{seal}".encode(), digest_size=8)
        return int.from_bytes(named.digest(), "little") | 1

    def people(self, population: str, seal: int = 0) -> People:
        """The hidden people, one for each seed, shape (people, 15).

        Args:
            population: one of `populations`.
            seal: the results folder's; does not matter where the condition is open.

        Raises:
            UnknownNameError: the condition is not played on that population.
        """
        secret = self.secret(population, seal)
        if population not in self.populations:
            raise UnknownNameError(f"population of {self.name}", population, self.populations)
        if self.archetypes:
            rows = np.array([person.row for person in ARCHETYPES.values()])
            people: People = rows[archetype_kinds(self.seed_array - self.seeds.start, secret)]
            return people
        return sample_people(self.seed_array, Population(population), corners=self.corners, secret=secret)


CONDITIONS: Final[dict[str, Condition]] = {
    c.name: c
    for c in (
        Condition("in-distribution", range(100)),
        Condition("ood", range(10_000, 10_050), corners=True),
        Condition("archetypes", range(20_000, 20_015), archetypes=True),
        Condition("in-distribution-wide", range(1_000_000, 1_002_000)),
        Condition("ood-wide", range(1_100_000, 1_102_000), corners=True),
        Condition("archetypes-wide", range(1_200_000, 1_202_000), archetypes=True),
        Condition("in-distribution-sealed", range(1_300_000, 1_302_000), sealed=True),
        Condition("ood-sealed", range(1_400_000, 1_402_000), corners=True, sealed=True),
        Condition("archetypes-sealed", range(1_500_000, 1_502_000), archetypes=True, sealed=True),
    )
}
PUBLISHED: Final = ("in-distribution", "ood", "archetypes")
WIDE: Final = tuple(f"{name}-wide" for name in PUBLISHED)
SEALED: Final = tuple(f"{name}-sealed" for name in PUBLISHED)
GROUPS: Final = {"all": (*PUBLISHED, *WIDE), "published": PUBLISHED, "wide": WIDE, "sealed": SEALED}
"""Names that stand for several conditions; ``all`` are the open ones, the same for everybody."""

EVALUATION_ONLY: Final[tuple[range, ...]] = (
    *(CONDITIONS[name].seeds for name in PUBLISHED),
    range(1_000_000, 2_000_000),
)
"""Seeds that nothing may be trained on."""


def find_conditions(names: Sequence[str]) -> list[Condition]:
    """The conditions of those names, in the order of the table, each once.

    Args:
        names: names of conditions, or of a group in `GROUPS`.

    Raises:
        UnknownNameError: a name that is none of these.
    """
    wanted: set[str] = set()
    for name in names:
        if name not in CONDITIONS and name not in GROUPS:
            raise UnknownNameError("condition", name, (*GROUPS, *CONDITIONS))
        wanted.update(GROUPS.get(name, (name,)))
    return [condition for name, condition in CONDITIONS.items() if name in wanted]


def check_training_seeds(seeds: NDArray[np.int64] | Sequence[int] | range) -> NDArray[np.int64]:
    """Seeds that may be trained on, as an array of the same shape.

    Raises:
        ReservedSeedError: one of them belongs to an evaluation condition.
        InvalidValueError: one is negative, or not a whole number.
    """
    found = np.asarray(seeds)
    if found.size and found.dtype.kind not in "iu":
        raise InvalidValueError(f"seeds are whole numbers from 0; got {found.dtype}")
    if (found < 0).any():
        raise InvalidValueError(f"seeds are whole numbers from 0; got {int(found.min())}")
    for reserved in EVALUATION_ONLY:
        taken = found[(found >= reserved.start) & (found < reserved.stop)]
        if taken.size:
            raise ReservedSeedError(
                f"seed {int(taken[0])} is kept for evaluation ({reserved.start} to {reserved.stop - 1}); "
                "train on seeds from 2000000, which no condition uses"
            )
    return found.astype(np.int64)
