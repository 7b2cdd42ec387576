"""Whose week an episode is: the condition, the population and the seed name the hidden person."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.counter import mix
from rhythm.life.populations import Population, archetype_kinds, sample_people
from rhythm.life.profiles import ARCHETYPES, People
from rhythm.sim.arguments import SEED_LIMIT, check_seeds, secret_or_published
from rhythm.sim.secret import PUBLISHED, Secret, number_of
from rhythm.vocab import UnknownNameError

__all__ = [
    "ALL_ARCHETYPES",
    "CONDITIONS",
    "IN_DISTRIBUTION",
    "OOD",
    "SEED_LIMIT",
    "SPLITS",
    "Casting",
    "check_seeds",
    "drawn_seeds",
    "next_seeds",
]

IN_DISTRIBUTION: Final = "in-distribution"
OOD: Final = "ood"
ALL_ARCHETYPES: Final = "archetypes"

SPLITS: Final[dict[str, range]] = {
    IN_DISTRIBUTION: range(100),
    OOD: range(10_000, 10_050),
    ALL_ARCHETYPES: range(20_000, 20_015),
}
"""The published evaluation conditions and their seeds."""

CONDITIONS: Final = (*SPLITS, *ARCHETYPES)
"""What a face of the simulator can be set to: a published condition, or one archetype by name."""

_FREE_SEEDS: Final = np.uint64(2**32)


@dataclass(frozen=True)
class Casting:
    """How seeds become hidden people.

    Attributes:
        condition: one of `CONDITIONS`; ``ood`` draws only corner people, ``archetypes`` the
            three in turn (in an order that the secret shuffles), a name always that one.
        population: how reward weights are drawn; does not matter for archetypes.
        secret: see `rhythm.sim.secret`.

    Raises:
        UnknownNameError: no such condition or population.
        InvalidValueError: a secret that is none.
    """

    condition: str = IN_DISTRIBUTION
    population: str = Population.CLASSIC
    secret: Secret = PUBLISHED

    def __post_init__(self) -> None:
        secret_or_published(self.secret)
        if not isinstance(self.condition, str) or self.condition not in CONDITIONS:
            raise UnknownNameError("condition", self.condition, CONDITIONS)
        if not isinstance(self.population, str) or self.population not in tuple(Population):
            raise UnknownNameError("population", self.population, tuple(p.value for p in Population))

    def people(self, seeds: NDArray[np.int64]) -> People:
        """The hidden person of each seed, profile rows, shape (people, 15)."""
        if self.condition in ARCHETYPES:
            return np.tile(ARCHETYPES[self.condition].row, (len(seeds), 1))
        if self.condition == ALL_ARCHETYPES:
            rows = np.array([person.row for person in ARCHETYPES.values()])
            places = seeds - SPLITS[ALL_ARCHETYPES].start
            people: People = rows[archetype_kinds(places, number_of(self.secret))]
            return people
        return sample_people(
            seeds, Population(self.population), corners=self.condition == OOD, secret=number_of(self.secret)
        )


def next_seeds(seeds: NDArray[np.int64]) -> NDArray[np.int64]:
    """The seeds of the weeks that follow those of ``seeds`` when no seed is named.

    A scramble of the last one, from 2**32 to 2**53: the same in every face, and never an
    evaluation seed, so that training by repeated reset touches none of them.
    """
    words = mix(mix(seeds.astype(np.uint64)))
    following: NDArray[np.int64] = ((words >> np.uint64(11)) | _FREE_SEEDS).astype(np.int64)
    return following


def drawn_seeds(generator: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Seeds for weeks of which none was named before, shape (people,)."""
    return next_seeds(generator.integers(0, SEED_LIMIT - 1, size=count, dtype=np.int64))
