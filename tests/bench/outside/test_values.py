"""The outside dynamic programming: right where it can be worked out by hand, and true to what its own policy walks."""

from statistics import NormalDist

import numpy as np
import pytest

from rhythm.bench.outside.people import BASE_STEPS, DEFAULTS, SPREAD, STEPS
from rhythm.bench.outside.values import CONTEXTS, action_worths, likelier

START = np.array([[0.1, 0.1]])
ONE = np.zeros(1, np.int64)


def test_the_last_step_is_worth_what_it_walks() -> None:
    none, generic, zero, one = action_worths(DEFAULTS[None], ONE, START, 0.4, STEPS - 1, 0.8)
    fresh = 1.0 - 0.15
    assert none == pytest.approx(BASE_STEPS)
    assert generic == pytest.approx(BASE_STEPS + fresh * 50.0, rel=1e-3)
    assert zero == pytest.approx(BASE_STEPS + 0.2 * fresh * 200.0, rel=1e-3)
    assert one == pytest.approx(BASE_STEPS + 0.8 * fresh * 200.0, rel=1e-3)


def test_somebody_about_to_leave_is_left_alone() -> None:
    worths = action_worths(DEFAULTS[None], ONE, np.array([[0.1, 0.85]]), 1.0, 0, 0.55)
    assert worths.argmax() in {0, 1}
    later = action_worths(DEFAULTS[None], ONE, np.array([[0.1, 0.85]]), 1.0, STEPS - 1, 0.55)
    assert later.argmax() == 3


def test_both_contexts_are_alike() -> None:
    left = action_worths(DEFAULTS[None], ONE, START, 0.4, 10, 0.3)
    right = action_worths(DEFAULTS[None], ONE, START, 0.4, 10, 0.7)
    np.testing.assert_allclose(left, right[[0, 1, 3, 2]])


def test_the_worth_over_people_is_the_mean_of_theirs() -> None:
    people = np.stack([DEFAULTS, 1.5 * DEFAULTS])
    states = np.array([[0.1, 0.1], [0.4, 0.3]])
    both = action_worths(people, np.arange(2), states, 0.4, 5, 0.6)
    apart = [action_worths(people[i : i + 1], ONE, states[i : i + 1], 0.4, 5, 0.6) for i in range(2)]
    np.testing.assert_allclose(both, np.mean(apart, axis=0))


def test_how_sure_one_is_of_the_context_is_as_often_right() -> None:
    """The mean of max(P, 1 - P) is how often the likelier context is the true one (a normal tail)."""
    for sigma in (0.4, 1.0):
        assert len(likelier(sigma)) == CONTEXTS
        assert likelier(sigma).mean() == pytest.approx(NormalDist().cdf(0.5 / sigma), abs=1e-3)
    assert SPREAD > 0.0
