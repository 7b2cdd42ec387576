"""Who lives in the simulation: populations, and the corners that training never sees.

Every person is a pure function of an episode's seed. ``classic`` draws the reward weights
from Dirichlet(1.5), ``peaked`` from Dirichlet(0.5), where the person matters. Traits are
uniform over their ranges. A *corner* person has at least four of the ten traits in the
outer tenth of their range; the ordinary sampler excludes them, the corner sampler draws
only them.
"""

from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.counter import Stream, normals, scramble_seeds, uniforms
from rhythm.life.profiles import ARCHETYPES, People, unit_traits
from rhythm.life.traits import PROFILE_WIDTH, TRAIT_RANGES, TRAITS
from rhythm.vocab import METER_COUNT

POPULATION_VERSION: Final = "population-1"
CORNER_TRAITS: Final = 4
CORNER_SHARE: Final = 0.1
_MOST_CORNER_TRAITS: Final = 7
_DRAWS: Final = 64


class Population(StrEnum):
    """How reward weights are drawn."""

    CLASSIC = "classic"
    PEAKED = "peaked"


def is_corner(people: People) -> NDArray[np.bool_]:
    """Whether each person has at least four traits in the outer tenth of their range, shape (people,)."""
    unit = unit_traits(people)
    outer = (unit < CORNER_SHARE) | (unit > 1.0 - CORNER_SHARE)
    found: NDArray[np.bool_] = outer.sum(axis=1) >= CORNER_TRAITS
    return found


def sample_people(
    seeds: NDArray[np.int64], population: Population, *, corners: bool = False, secret: int = 0
) -> People:
    """The hidden person of each seed.

    Args:
        seeds: episode seeds, shape (people,).
        population: how the weights are drawn.
        corners: draw only corner people (the real shift of `ood`) instead of excluding them.
        secret: see `rhythm.life.counter.scramble_seeds`.

    Returns:
        Profile rows, shape (people, 15).
    """
    keys = scramble_seeds(seeds, Stream.PERSON, secret)
    people = np.empty((len(keys), PROFILE_WIDTH))
    people[:, :METER_COUNT] = _weights(keys, population)
    unit = _corner_units(keys) if corners else _ordinary_units(keys)
    low = np.array([TRAIT_RANGES[t][0] for t in TRAITS])
    high = np.array([TRAIT_RANGES[t][1] for t in TRAITS])
    people[:, METER_COUNT:] = low + unit * (high - low)
    return people


def archetype_people(count: int) -> tuple[list[str], People]:
    """Archetypes in turn, ``count`` people: their names and profile rows, shape (count, 15)."""
    names = [list(ARCHETYPES)[kind] for kind in archetype_kinds(np.arange(count))]
    return names, np.array([ARCHETYPES[name].row for name in names])


def archetype_kinds(places: NDArray[np.int64], secret: int = 0) -> NDArray[np.int64]:
    """Which archetype stands at each place of a row of them, as index into `ARCHETYPES`.

    Three places in a row are the three archetypes; a secret shuffles each three, so that a
    place says nothing and there are still as many of each.

    Args:
        places: from 0, shape (people,).
        secret: see `rhythm.life.counter.scramble_seeds`.
    """
    count = len(ARCHETYPES)
    place = places % count
    if not secret:
        return place
    keys = scramble_seeds(places // count, Stream.PERSON, secret)
    order = uniforms(keys[:, None], np.arange(count)[None, :]).argsort(axis=1)
    shuffled: NDArray[np.int64] = order[np.arange(len(places)), place]
    return shuffled


def _weights(keys: NDArray[np.uint64], population: Population) -> NDArray[np.float64]:
    # Gamma(1/2) is half a squared normal and Gamma(3/2) adds an exponential; a Dirichlet
    # draw is a row of gammas over its sum.
    gammas = np.empty((len(keys), METER_COUNT))
    for meter in range(METER_COUNT):
        gammas[:, meter] = 0.5 * normals(keys, meter) ** 2
        if population is Population.CLASSIC:
            gammas[:, meter] -= np.log1p(-uniforms(keys, 2 * METER_COUNT + meter))
    gammas = np.maximum(gammas, 1e-12)
    weights: NDArray[np.float64] = gammas / gammas.sum(axis=1, keepdims=True)
    return weights


def _raw_units(keys: NDArray[np.uint64], attempt: int) -> NDArray[np.float64]:
    counters = _DRAWS * (attempt + 1) + np.arange(len(TRAITS))
    return uniforms(keys[:, None], counters[None, :])


def _ordinary_units(keys: NDArray[np.uint64]) -> NDArray[np.float64]:
    units = _raw_units(keys, 0)
    attempt = 0
    while True:
        outer = (units < CORNER_SHARE) | (units > 1.0 - CORNER_SHARE)
        again = outer.sum(axis=1) >= CORNER_TRAITS
        if not again.any():
            return units
        attempt += 1
        units[again] = _raw_units(keys[again], attempt)


def _corner_units(keys: NDArray[np.uint64]) -> NDArray[np.float64]:
    units = _raw_units(keys, 0)
    picks = uniforms(keys[:, None], (_DRAWS - 16 + np.arange(len(TRAITS)))[None, :])
    spread = _MOST_CORNER_TRAITS - CORNER_TRAITS + 1
    wanted = CORNER_TRAITS + (uniforms(keys, _DRAWS - 1) * spread).astype(np.int64)
    rank = picks.argsort(axis=1).argsort(axis=1)
    pushed = rank < wanted[:, None]
    outer = CORNER_SHARE * 2.0 * np.where(units < 0.5, units, 1.0 - units)
    corner: NDArray[np.float64] = np.where(units < 0.5, outer, 1.0 - outer)
    return np.where(pushed, corner, units)
