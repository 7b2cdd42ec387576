"""The posterior over a batch of people whose steps are seen exactly.

Every step gives linear equations in the traits and in the weights, so the posterior is the
prior on the plane that they leave: uniform over the box of the traits, Dirichlet over the
simplex of the weights. Draws of it come from `rhythm.belief.exact_traits_kernel` and
`rhythm.belief.exact_weights_kernel`. Stress tolerance: uniform between the bounds that
the steps have left. All of it follows from sums over the steps, so one go and step by step
give the same result, and the random numbers are the same for everybody, so that a person
is drawn alike in every batch.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.life.profiles import belief_targets
from rhythm.life.traits import PROFILE_WIDTH, TRAIT_RANGES, TRAITS, Trait
from rhythm.vocab import ACTION_COUNT, METER_COUNT, SLOTS_PER_DAY

Floats = NDArray[np.float64]

DRAWS = 256
"""Draws that stand for the posterior of one person; fewer leave its mean to luck (decision 0027)."""
RESOLUTION = 0.03
"""Differences in a meter finer than this are not worth finding out."""
ROUNDING = 1e-6
"""An interval is so much wider at each end, since what is known exactly is known up to rounding."""
WEIGHT_MOVES = 6
"""Moves of each draw of the weights."""
TRAIT_SWEEPS = 2
"""Times that each trait of a draw is drawn anew."""
_SEED = 7_000_001
_TOLERANCE = Trait.STRESS_TOLERANCE - METER_COUNT
_PRIOR_PRECISION = 12.0
"""One over the variance of a uniform number."""
_WEIGHT_FLOOR = 1e-10
_TRAIT_FLOOR = 1.0
_CORNERS = 10


class _Numbers(NamedTuple):
    """Random numbers behind the draws; uniform ones are stratified over the draws (one in each equal part)."""

    unit: Floats
    trait_places: Floats
    mixtures: Floats
    directions: Floats
    weight_places: Floats


@lru_cache(maxsize=16)
def _numbers(count: int, seed: int) -> _Numbers:
    generator = np.random.default_rng(seed)

    def stratified(*shape: int) -> Floats:
        parts = generator.permuted(np.broadcast_to(np.arange(count), (*shape, count)), axis=-1)
        spread: Floats = (parts + generator.random((*shape, count))) / count
        return spread

    places = np.stack([stratified(WEIGHT_MOVES), generator.random((WEIGHT_MOVES, count))], axis=-1)
    return _Numbers(
        unit=np.ascontiguousarray(stratified(len(TRAITS)).T),
        trait_places=np.ascontiguousarray(stratified(TRAIT_SWEEPS, len(TRAITS)).swapaxes(1, 2)),
        mixtures=generator.gamma(0.7, size=(count, _CORNERS)) + 1e-9,
        directions=generator.normal(size=(WEIGHT_MOVES, count, METER_COUNT)),
        weight_places=np.ascontiguousarray(places),
    )


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

    def of(self, person: int) -> "ExactPosterior":
        """The posterior of one person of the batch alone."""
        only = slice(person, person + 1)
        return ExactPosterior(
            self.information[only],
            self.evidence[only],
            self.tolerance[only],
            self.weight_information[only],
            self.weight_evidence[only],
        )

    def draws(self, count: int = DRAWS, seed: int = _SEED) -> Floats:
        """People who fit the evidence, shape (people, count, 15), equally likely; other seeds give other draws."""
        from rhythm.belief import exact_traits_kernel, exact_weights_kernel  # noqa: PLC0415

        people = len(self.evidence)
        numbers = _numbers(count, seed)
        # The linear-Gaussian update moves prior draws near the plane (Matheron's rule).
        moved: Any = np.einsum(
            "nij,nqj->nqi", self._covariance(), self.evidence[:, None, :] + _PRIOR_PRECISION * numbers.unit[None]
        )
        values, vectors = np.linalg.eigh(self.information)
        unit = np.empty((people, count, len(TRAITS)))
        exact_traits_kernel.draw_traits(values, vectors, self.evidence, _TRAIT_FLOOR, moved, numbers.trait_places, unit)
        drawn = np.empty((people, count, PROFILE_WIDTH))
        low = np.array([TRAIT_RANGES[t][0] for t in TRAITS])
        high = np.array([TRAIT_RANGES[t][1] for t in TRAITS])
        drawn[:, :, METER_COUNT:] = low + unit * (high - low)
        bounds = self.tolerance[:, :, None]
        share = numbers.unit[:, _TOLERANCE]
        drawn[:, :, Trait.STRESS_TOLERANCE] = bounds[:, 0] + share[None] * (bounds[:, 1] - bounds[:, 0])
        # That the weights sum to one is an equation like the others.
        values, vectors = np.linalg.eigh(self.weight_information + 1.0)
        weights = np.empty((people, count, METER_COUNT))
        exact_weights_kernel.draw_weights(
            values, vectors, self.weight_evidence + 1.0, _WEIGHT_FLOOR, numbers.mixtures, numbers.directions,
            numbers.weight_places, weights,
        )  # fmt: skip
        drawn[:, :, :METER_COUNT] = weights
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
    return middle, np.maximum(low - ROUNDING, 0.0), np.minimum(high + ROUNDING, 1.0)
