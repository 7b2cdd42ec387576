"""Means, medians, quantiles and ratios with bootstrap intervals, paired by seed.

One set of resamples serves every number about the same people: a resample draws seeds, and
everything that was measured on a seed goes along. So differences are paired, and a ratio of
means is resampled as a whole (Efron and Tibshirani 1993, percentile intervals).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.vocab import InvalidValueError

DRAWS: Final = 2_000
BOOTSTRAP_SEED: Final = 20_260_101
INTERVAL: Final = (0.025, 0.975)
_CHUNK: Final = 250

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A number from a sample.

    Attributes:
        value: of the sample itself.
        low, high: 95 % interval.
        n: size of the sample.
    """

    value: float
    low: float
    high: float
    n: int


class Resamples:
    """How often each of ``n`` seeds is drawn in each of 2,000 resamples; the same in every process."""

    def __init__(self, n: int, draws: int = DRAWS, seed: int = BOOTSTRAP_SEED) -> None:
        if n < 1 or draws < 1:
            raise InvalidValueError(f"a bootstrap needs at least one seed and one draw; got {n} and {draws}")
        self.n = n
        self.draws = draws
        generator = np.random.default_rng([seed, n])
        self._counts = np.empty((draws, n), np.uint16)
        for start in range(0, draws, _CHUNK):
            rows = min(_CHUNK, draws - start)
            picks = generator.integers(0, n, size=(rows, n)) + n * np.arange(rows)[:, None]
            self._counts[start : start + rows] = np.bincount(picks.ravel(), minlength=rows * n).reshape(rows, n)

    def means(self, values: Floats) -> Floats:
        """Mean of each resample; values of shape (n,) or (n, columns) give (draws,) or (draws, columns)."""
        self._check(values)
        out = np.empty((self.draws, *values.shape[1:]))
        for start in range(0, self.draws, _CHUNK):
            out[start : start + _CHUNK] = self._counts[start : start + _CHUNK].astype(np.float64) @ values / self.n
        return out

    def quantiles(self, values: Floats, share: float) -> Floats:
        """Quantile of each resample (see `quantile`), shape (draws,), of values of shape (n,)."""
        self._check(values)
        order = np.argsort(values, kind="stable")
        out = np.empty(self.draws)
        for start in range(0, self.draws, _CHUNK):
            reached = self._counts[start : start + _CHUNK, order].cumsum(axis=1, dtype=np.int64)
            out[start : start + _CHUNK] = values[order][(reached >= share * self.n).argmax(axis=1)]
        return out

    def _check(self, values: Floats) -> None:
        if len(values) != self.n:
            raise InvalidValueError(f"these resamples are of {self.n} seeds; got values of {len(values)}")
        if not np.isfinite(values).all():
            raise InvalidValueError("a measured value is not a finite number; grade what is missing before averaging")


@lru_cache(maxsize=8)
def resamples(n: int) -> Resamples:
    """The resamples of that many seeds."""
    return Resamples(n)


def quantile(values: Floats, share: float) -> float:
    """The smallest value that at least that share of the values do not exceed."""
    return float(np.quantile(values, share, method="inverted_cdf"))


def _estimate(value: float, drawn: Floats, n: int) -> Estimate:
    low, high = np.quantile(drawn, INTERVAL)
    return Estimate(value, float(low), float(high), n)


def mean(values: Floats) -> Estimate:
    """Mean over seeds, of values of shape (n,)."""
    return _estimate(float(values.mean()), resamples(len(values)).means(values), len(values))


def means(columns: Floats) -> list[Estimate]:
    """Mean over seeds of each column of values of shape (n, columns)."""
    drawn = resamples(len(columns)).means(columns)
    return [_estimate(float(v), drawn[:, i], len(columns)) for i, v in enumerate(columns.mean(axis=0))]


def quantile_estimate(values: Floats, share: float) -> Estimate:
    """Quantile over seeds: 0.5 the median, 0.25 the 25th-percentile person."""
    return _estimate(quantile(values, share), resamples(len(values)).quantiles(values, share), len(values))


def ratio(above: Floats, below: Floats) -> Estimate | None:
    """Ratio of two means over the same seeds, resampled together; values of shape (n,).

    Returns:
        None where the mean below is not clearly of one sign: such a ratio says nothing.
    """
    drawn = resamples(len(above)).means(np.column_stack([above, below]))
    low, high = np.quantile(drawn[:, 1], INTERVAL)
    if low <= 0.0 <= high:
        return None
    return _estimate(float(above.mean() / below.mean()), drawn[:, 0] / drawn[:, 1], len(above))
