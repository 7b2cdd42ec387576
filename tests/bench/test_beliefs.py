"""Belief grades: proper, and nothing to gain by silence or by strange intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhythm.bench import beliefs
from rhythm.life.populations import Population
from rhythm.vocab import WEEK_STEPS

unit = st.floats(0.0, 1.0)


def _held(points: np.ndarray) -> beliefs.InForce:
    nothing = np.full_like(points, np.nan)
    return beliefs.in_force(points, nothing, nothing)


def _stated_at(*steps: int, value: float = 0.5) -> np.ndarray:
    points = np.full((1, WEEK_STEPS, 3), np.nan)
    points[:, list(steps)] = value
    return points


def test_a_belief_stays_in_force_until_another_is_stated() -> None:
    points = _stated_at(3, value=0.2)
    points[:, 10] = 0.7
    held = _held(points).point[0, :, 0]
    assert np.isnan(held[:3]).all()
    np.testing.assert_array_equal(held[3:10], 0.2)
    np.testing.assert_array_equal(held[10:], 0.7)


def test_an_interval_goes_with_the_belief_it_was_stated_with() -> None:
    points = _stated_at(0, 5, value=0.5)
    low, high = _stated_at(0, value=0.4), _stated_at(0, value=0.9)
    held = beliefs.in_force(points, low, high)
    assert (held.low[0, 4, 0], held.high[0, 4, 0]) == (0.4, 0.9)
    assert (held.low[0, 5, 0], held.high[0, 5, 0]) == (0.5, 0.5)


def test_before_the_first_belief_the_error_is_the_largest_there_is() -> None:
    error = beliefs.errors(_held(_stated_at(27)), np.full((1, 3), 0.5))
    np.testing.assert_array_equal(error[0, :27], 1.0)
    assert error[0, 27] == 0.0


@given(st.lists(st.none() | unit, min_size=WEEK_STEPS, max_size=WEEK_STEPS), unit)
def test_silence_never_does_better_than_saying_the_same_again(said: list[float | None], truth: float) -> None:
    points = np.array([np.nan if s is None else s for s in said])[None, :, None].repeat(3, axis=2)
    targets = np.full((1, 3), truth)
    silent = beliefs.errors(_held(points), targets)
    spoken = np.where(np.isnan(points), 0.5, points)
    for step in range(1, WEEK_STEPS):
        if np.isnan(points[0, step, 0]):
            spoken[0, step] = spoken[0, step - 1]
    repeated = beliefs.errors(_held(spoken), targets)
    assert (silent >= repeated - 1e-12).all()
    assert beliefs.steps_to_identify(silent)[0] >= beliefs.steps_to_identify(repeated)[0]


def test_steps_to_identify_counts_from_the_last_time_it_was_wrong() -> None:
    error = np.full((4, WEEK_STEPS), 0.05)
    error[1, 4] = 0.5
    error[2, -1] = 0.5
    error[3] = 1.0
    np.testing.assert_array_equal(beliefs.steps_to_identify(error), [0, 5, 28, 28])


def _score(point: float, low: float, high: float, truth: float) -> float:
    return float(beliefs.crps(*(np.array([v]) for v in (point, low, high, truth)))[0])


@given(unit, unit, unit, unit)
def test_the_closed_form_is_the_integral_that_defines_the_score(a: float, b: float, c: float, truth: float) -> None:
    from math import erf  # noqa: PLC0415

    low, point, high = sorted((a, b, c))
    if min(point - low, high - point) < 0.02:
        return
    grid = np.linspace(-6.0, 7.0, 260_001)
    scale = np.where(grid < point, point - low, high - point) / beliefs.Z_90
    coarse = np.linspace(-9.0, 9.0, 20_001)
    table = np.array([0.5 * (1.0 + erf(z / 2**0.5)) for z in coarse])
    forecast = np.interp((grid - point) / scale, coarse, table)
    integral = np.trapezoid((forecast - (grid >= truth)) ** 2, grid)
    assert _score(point, low, high, truth) == pytest.approx(integral, abs=2e-4)


@given(unit, unit)
def test_a_point_forecast_scores_its_absolute_error(point: float, truth: float) -> None:
    assert _score(point, point, point, truth) == pytest.approx(abs(point - truth))


@given(unit, unit, unit, unit)
def test_a_score_is_in_the_unit_interval_and_silence_gets_the_worst(a: float, b: float, c: float, truth: float) -> None:
    low, point, high = sorted((a, b, c))
    assert 0.0 <= _score(point, low, high, truth) <= _score(float("nan"), low, high, truth) == 1.0


def test_neither_wider_nor_narrower_intervals_than_the_truth_gain() -> None:
    truths = np.clip(np.random.default_rng(0).normal(0.5, 0.1, 20_000), 0.0, 1.0)
    half = 0.1 * beliefs.Z_90

    def mean_score(factor: float) -> float:
        ends = np.full_like(truths, 0.5 - half * factor), np.full_like(truths, 0.5 + half * factor)
        return float(beliefs.crps(np.full_like(truths, 0.5), *ends, truths).mean())

    honest = mean_score(1.0)
    assert all(mean_score(factor) > honest + 1e-4 for factor in (0.0, 0.5, 0.8, 1.25, 2.0, 3.9))


@pytest.mark.parametrize("population", list(Population))
def test_the_reference_forecast_covers_its_population(population: Population) -> None:
    point, low, high = beliefs.reference_forecast(population)
    assert ((low < point) & (point < high)).all()
    assert low.min() > 0.05
    assert high.max() < 0.95
