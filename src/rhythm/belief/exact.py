"""The posterior over a batch of people whose steps are seen exactly.

Traits: uniform over their ranges before, linear equations after, so the posterior draws
are the prior's, moved by the linear-Gaussian update with the prior's covariance
(Matheron's rule; Wilson et al. 2021, *Pathwise conditioning of Gaussian processes*) and
held in their ranges. Stress tolerance: uniform between the bounds that the steps have
left. Weights: draws from the prior near the seen equations, weighted by how near they
are and moved onto them (regression adjustment; Beaumont, Zhang and Balding 2002). All of
it follows from sums over the steps, so one go and step by step give the same result.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import belief_targets, unit_traits
from rhythm.life.traits import PROFILE_WIDTH, TRAIT_RANGES, TRAITS, Trait
from rhythm.vocab import ACTION_COUNT, METER_COUNT, SLOTS_PER_DAY

Floats = NDArray[np.float64]

POOL = 1024
"""Prior draws of the weights that are tried against the evidence."""
DRAWS = 64
"""Draws that stand for the posterior of one person."""
RESOLUTION = 0.03
"""Differences in a meter finer than this are not worth finding out."""
_POOL_SEED = 7_000_001
_NEAREST = 48
_TOLERANCE = Trait.STRESS_TOLERANCE - METER_COUNT
_PRIOR_PRECISION = 12.0
_RANK_FLOOR = 1e-7


@cache
def _pool() -> Floats:
    """Prior draws, half from each population, shape (POOL, 15)."""
    seeds = _POOL_SEED + np.arange(POOL // 2)
    halves = [sample_people(seeds, population) for population in Population]
    return np.stack(halves, axis=1).reshape(POOL, PROFILE_WIDTH)


@dataclass
class ExactPosterior:
    """Sums of evidence on a batch of people.

    Attributes:
        information, evidence: of the traits in units of their ranges, shapes (people, 10, 10), (people, 10).
        tolerance: bounds of the stress tolerance, shape (people, 2).
        weight_information, weight_evidence: shapes (people, 5, 5), (people, 5).
    """

    information: Floats
    evidence: Floats
    tolerance: Floats
    weight_information: Floats
    weight_evidence: Floats

    @staticmethod
    def prior(people: int) -> "ExactPosterior":
        """Nothing seen yet."""
        count = len(TRAITS)
        return ExactPosterior(
            np.zeros((people, count, count)),
            np.zeros((people, count)),
            np.tile(np.array(TRAIT_RANGES[Trait.STRESS_TOLERANCE]), (people, 1)),
            np.zeros((people, METER_COUNT, METER_COUNT)),
            np.zeros((people, METER_COUNT)),
        )

    def absorb(
        self,
        before: Floats,
        deltas: Floats,
        actions: NDArray[np.int8],
        slot: int,
        events: NDArray[np.int8],
        rewards: Floats,
    ) -> None:
        """Take in a step of everyone; see `rhythm.belief.exact_kernel.absorb` for shapes."""
        from rhythm.belief import exact_kernel  # noqa: PLC0415 - the compiler is loaded on first use

        exact_kernel.absorb(
            before, deltas, actions, slot % SLOTS_PER_DAY, events, rewards, self.trait_means(), self.information,
            self.evidence, self.tolerance, self.weight_information, self.weight_evidence,
        )  # fmt: skip

    def _covariance(self) -> Floats:
        prior = _PRIOR_PRECISION * np.eye(len(TRAITS))
        inverse: Any = np.linalg.inv(prior + self.information)
        covariance: Floats = inverse
        return covariance

    def trait_means(self) -> Floats:
        """Means of the traits in units of their ranges, shape (people, 10)."""
        prior = np.full(len(TRAITS), 0.5 * _PRIOR_PRECISION)
        means: Any = np.einsum("nij,nj->ni", self._covariance(), self.evidence + prior)
        limited: Floats = means.clip(0.0, 1.0)
        return limited

    def draws(self, count: int = DRAWS) -> Floats:
        """People who fit the evidence, shape (people, count, 15), equally likely."""
        people = len(self.evidence)
        drawn = np.empty((people, count, PROFILE_WIDTH))
        pool = _pool()[:count]
        start = _PRIOR_PRECISION * unit_traits(pool)
        moved: Any = np.einsum("nij,nqj->nqi", self._covariance(), self.evidence[:, None, :] + start[None])
        unit = moved.clip(0.0, 1.0)
        low = np.array([TRAIT_RANGES[t][0] for t in TRAITS])
        high = np.array([TRAIT_RANGES[t][1] for t in TRAITS])
        drawn[:, :, METER_COUNT:] = low + unit * (high - low)
        share = unit_traits(pool)[:, _TOLERANCE]
        bounds = self.tolerance[:, :, None]
        drawn[:, :, Trait.STRESS_TOLERANCE] = bounds[:, 0] + share[None] * (bounds[:, 1] - bounds[:, 0])
        drawn[:, :, :METER_COUNT] = self._weight_draws(count)
        return drawn

    def expected_information(
        self, draws: Floats, meters: Floats, slot: int, events: NDArray[np.int8], resolution: float = RESOLUTION
    ) -> Floats:
        """What each action would tell of each person, in nats, shape (people, 10).

        Args:
            draws: of this posterior, shape (people, count, 15).
            meters: shape (people, 5).
            slot: part of the day, or a step.
            events: shape (people,).
            resolution: see `rhythm.belief.exact_kernel.expected_information`.
        """
        from rhythm.belief import exact_kernel  # noqa: PLC0415

        mean = np.ascontiguousarray(draws.mean(axis=1))
        spread = draws[:, :, :METER_COUNT] - mean[:, None, :METER_COUNT]
        weight_covariance = np.ascontiguousarray(np.einsum("nqi,nqj->nij", spread, spread) / draws.shape[1])
        told = np.empty((len(meters), ACTION_COUNT))
        exact_kernel.expected_information(
            mean, meters, slot % SLOTS_PER_DAY, events, self._covariance(), weight_covariance, resolution, told
        )
        return told

    def _weight_draws(self, count: int) -> Floats:
        values, vectors = np.linalg.eigh(self.weight_information)
        known: Any = values > _RANK_FLOOR
        # Coordinates along the directions that the evidence fixes; the others count as met.
        projected = np.einsum("nij,ni->nj", vectors, self.weight_evidence)
        target = np.where(known, projected / np.where(known, values, 1.0), 0.0)
        pool = _pool()[:, :METER_COUNT]
        along = np.einsum("qi,nij->nqj", pool, vectors)
        off = np.where(known[:, None, :], along - target[:, None, :], 0.0)
        moved = pool[None] - np.einsum("nqj,nij->nqi", off, vectors)
        distance = np.sqrt((off**2).sum(axis=2))
        beyond = np.maximum(-moved, 0.0).sum(axis=2)
        width = np.maximum(np.partition(distance + 10.0 * beyond, _NEAREST, axis=1)[:, _NEAREST], 1e-9)
        score = (distance + 10.0 * beyond) / width[:, None]
        weight = np.exp(-0.5 * score**2 * known.any(axis=1)[:, None])
        edges = np.cumsum(weight, axis=1)
        edges /= edges[:, -1:]
        keys = scramble_seeds(np.array([_POOL_SEED]), Stream.PERSON)
        offset = float(uniforms(keys, 0)[0])
        places = (np.arange(count) + offset) / count
        picked = np.stack([np.searchsorted(row, places).clip(max=POOL - 1) for row in edges])
        chosen = np.maximum(np.take_along_axis(moved, picked[:, :, None], axis=1), 1e-9)
        normed: Floats = chosen / chosen.sum(axis=2, keepdims=True)
        return normed


def beliefs_of(draws: Floats) -> tuple[Floats, Floats, Floats]:
    """Median and central 80 % interval of each belief dimension.

    Args:
        draws: shape (people, count, 15).

    Returns:
        Median, low and high, each of shape (people, 3).
    """
    people, count, width = draws.shape
    targets = belief_targets(draws.reshape(-1, width)).reshape(people, count, -1)
    low, middle, high = np.quantile(targets, [0.1, 0.5, 0.9], axis=1)
    return middle, low, high
