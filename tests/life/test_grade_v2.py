"""The v2 formulas: each part at values whose grade can be worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rhythm.life import grade_v2 as v2
from rhythm.vocab import WEEK_STEPS


def test_the_six_weights_sum_to_one() -> None:
    assert sum(v2.V2_WEIGHTS.values()) == pytest.approx(1.0, abs=1e-12)


def test_crash_free_counts_meters_not_steps() -> None:
    crashes = np.zeros((3, WEEK_STEPS), np.int8)
    crashes[1, :7] = 2
    crashes[2] = 5
    np.testing.assert_allclose(v2.crash_free(crashes), [1.0, 0.9, 0.0], atol=1e-12)


def test_adaptation_is_gated_by_the_quality_of_the_second_half() -> None:
    good = v2.LATE_FLOOR + v2.LATE_SPAN
    flat = np.full((1, WEEK_STEPS), good)
    rising = np.repeat([[good, good + v2.ADAPTATION_SPAN / 2]], 14, axis=1)
    falling = np.repeat([[good + v2.ADAPTATION_SPAN / 4, good]], 14, axis=1)
    recovering = np.repeat([[v2.LATE_FLOOR - 5.0, v2.LATE_FLOOR]], 14, axis=1)
    halfway = np.full((1, WEEK_STEPS), v2.LATE_FLOOR + v2.LATE_SPAN / 2)
    for rewards, expected in ((flat, 0.5), (rising, 1.0), (falling, 0.25), (recovering, 0.0), (halfway, 0.25)):
        assert v2.adaptation(rewards) == pytest.approx(expected)


def test_efficiency_runs_from_its_floor_over_its_span() -> None:
    shares = np.array([[-1.0], [0.0], [0.5], [1.0], [3.0]])
    rewards = (v2.EFFICIENCY_FLOOR + shares * v2.EFFICIENCY_SPAN).repeat(WEEK_STEPS, axis=1)
    np.testing.assert_allclose(v2.efficiency(rewards), [0.0, 0.0, 0.5, 1.0, 1.0], atol=1e-12)


def test_the_last_belief_that_was_stated_counts() -> None:
    beliefs = np.full((3, WEEK_STEPS, 3), np.nan)
    beliefs[0, 3] = 0.2
    beliefs[0, 9] = [0.4, 0.6, 0.5]
    beliefs[1, -1] = 0.5
    np.testing.assert_array_equal(v2.last_beliefs(beliefs)[0], [0.4, 0.6, 0.5])
    targets = np.array([[0.5, 0.5, 0.5], [1.0, 0.0, 0.5], [0.5, 0.5, 0.5]])
    np.testing.assert_allclose(v2.belief_accuracy(beliefs, targets), [1 - 0.2 / 3, 1 - 1.0 / 3, 0.0], atol=1e-12)


@given(
    hnp.arrays(np.float64, (4, WEEK_STEPS), elements=st.floats(-20, 20)),
    hnp.arrays(np.int8, (4, WEEK_STEPS), elements=st.integers(0, 5)),
    hnp.arrays(np.float64, (4, WEEK_STEPS, 3), elements=st.just(np.nan) | st.floats(0, 1)),
)
def test_the_grade_and_its_parts_stay_in_the_unit_interval(
    rewards: np.ndarray, crashes: np.ndarray, beliefs: np.ndarray
) -> None:
    parts = {
        "crash_free": v2.crash_free(crashes),
        "progress": np.full(4, 0.3),
        "connection": np.full(4, 0.6),
        "adaptation": v2.adaptation(rewards),
        "efficiency": v2.efficiency(rewards),
        "belief_accuracy": v2.belief_accuracy(beliefs, np.full((4, 3), 0.25)),
    }
    total = v2.weighted_sum(parts)
    for values in (*parts.values(), total):
        assert ((values >= 0.0) & (values <= 1.0 + 1e-12)).all()
