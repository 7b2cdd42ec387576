"""Bootstrap intervals: right in known cases, paired, the same every time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhythm.bench import statistics
from rhythm.bench.statistics import Resamples
from rhythm.vocab import InvalidValueError


def test_the_interval_of_a_mean_is_that_of_theory() -> None:
    values = np.random.default_rng(1).normal(3.0, 2.0, 2_000)
    found = statistics.mean(values)
    half = 1.96 * values.std() / np.sqrt(2_000)
    assert found.value == pytest.approx(values.mean())
    assert found.low == pytest.approx(values.mean() - half, abs=0.008)
    assert found.high == pytest.approx(values.mean() + half, abs=0.008)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    generator = np.random.default_rng(2)
    covered = 0
    for _ in range(300):
        found = statistics.mean(generator.exponential(1.0, 100))
        covered += found.low <= 1.0 <= found.high
    assert 0.90 <= covered / 300 <= 0.98


def test_a_ratio_of_means_is_resampled_as_a_whole() -> None:
    below = np.random.default_rng(3).uniform(1.0, 5.0, 100)
    found = statistics.ratio(0.5 * below, below)
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))


def test_a_ratio_to_nothing_is_not_given() -> None:
    noise = np.random.default_rng(4).normal(0.0, 1.0, 100)
    assert statistics.ratio(np.ones(100), noise) is None


def test_differences_are_paired_by_seed() -> None:
    person = np.random.default_rng(5).normal(0.0, 10.0, 500)
    one, other = person + 0.1, person
    apart = statistics.mean(one).high - statistics.mean(one).low
    paired = statistics.mean(one - other)
    assert paired.high - paired.low < 1e-9 < apart


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=40), st.sampled_from([0.25, 0.5, 0.75]))
def test_the_quantile_of_a_resample_is_the_quantile_of_its_values(numbers: list[int], share: float) -> None:
    values = np.array(numbers, dtype=np.float64)
    sampler = Resamples(len(values), draws=6)
    drawn = sampler.quantiles(values, share)
    for row, found in zip(sampler._counts, drawn, strict=True):
        assert found == statistics.quantile(np.repeat(values, row), share)


@given(st.integers(1, 60), st.integers(1, 300))
def test_every_resample_draws_as_many_as_there_are(n: int, draws: int) -> None:
    sampler = Resamples(n, draws)
    np.testing.assert_allclose(sampler.means(np.ones(n)), 1.0)
    np.testing.assert_array_equal(sampler.means(np.eye(n)[0]), Resamples(n, draws).means(np.eye(n)[0]))


def test_columns_are_averaged_with_the_same_resamples() -> None:
    values = np.random.default_rng(6).normal(size=(50, 3))
    for column, found in enumerate(statistics.means(values)):
        alone = statistics.mean(values[:, column])
        assert (found.value, found.low, found.high) == pytest.approx((alone.value, alone.low, alone.high))


def test_what_was_not_measured_is_not_averaged() -> None:
    with pytest.raises(InvalidValueError, match="not a finite number"):
        statistics.mean(np.array([1.0, np.nan]))
    with pytest.raises(InvalidValueError, match="of 3 seeds; got values of 2"):
        Resamples(3).means(np.zeros(2))
    with pytest.raises(InvalidValueError, match="at least one"):
        Resamples(0)
