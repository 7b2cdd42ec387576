"""What a posterior says, in records: estimates with intervals, influences with sentences, refusals."""

from enum import StrEnum

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.vocab import Evidence, Meter

Floats = NDArray[np.float64]


class Estimate(msgspec.Struct, frozen=True):
    """A number about a person.

    Attributes:
        name: which: a belief dimension or a trait.
        mean: posterior mean.
        low, high: ends of the central 80 % interval.
        prior_low, prior_high: the same before any evidence.
        settled: share of the prior spread that evidence has taken away, 0 to 1.
    """

    name: str
    mean: float
    low: float
    high: float
    prior_low: float
    prior_high: float
    settled: float


class MeterEstimate(msgspec.Struct, frozen=True):
    """A meter as it is thought to stand as a slot begins: mean and standard deviation in [0, 1]."""

    meter: Meter
    mean: float
    sd: float


class Influence(msgspec.Struct, frozen=True):
    """A piece of evidence that moved a belief dimension.

    Attributes:
        entry: the evidence.
        dimension: name of the belief dimension that it moved most.
        shift: by how much its mean moved when the evidence came.
        sentence: the same in words.
    """

    entry: Evidence
    dimension: str
    shift: float
    sentence: str


class RefusalKind(StrEnum):
    """Why a piece of evidence was not taken."""

    FUTURE = "future"
    """It is about a slot that has not begun."""
    TOO_OLD = "too old"
    """It is about a slot further back than the posterior can still go."""
    NO_SLOT = "no slot"
    """Its slot number is below 0."""


class Refusal(msgspec.Struct, frozen=True):
    """A piece of evidence that was refused and changed nothing.

    Attributes:
        entry: the evidence.
        kind: why.
        sentence: why, what is allowed and what to do; never a level.
    """

    entry: Evidence
    kind: RefusalKind
    sentence: str


def weighted_quantiles(values: Floats, weights: Floats, shares: tuple[float, ...]) -> Floats:
    """Quantiles of each column.

    Args:
        values: shape (n, columns).
        weights: not negative, sum 1, shape (n,).
        shares: which quantiles.

    Returns:
        Shape (len(shares), columns).
    """
    order = values.argsort(axis=0, kind="stable")
    ranked = np.take_along_axis(values, order, axis=0)
    middle = np.cumsum(weights[order], axis=0) - 0.5 * weights[order]
    return np.array([[np.interp(q, middle[:, j], ranked[:, j]) for j in range(values.shape[1])] for q in shares])
