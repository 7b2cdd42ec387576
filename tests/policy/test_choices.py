"""Choosing softly: chances follow scores, no action falls below its share of the floor, draws have those chances."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rhythm.policy.choices import chances_of, drawn
from rhythm.vocab import ACTION_COUNT

SCORES = arrays(np.float64, (3, ACTION_COUNT), elements=st.floats(-1e3, 1e3))


@given(SCORES, st.floats(0.0, 1.0))
def test_chances_are_ordered_as_scores_and_none_is_below_the_floor(scores: np.ndarray, floor: float) -> None:
    chances = chances_of(scores, floor)
    assert np.allclose(chances.sum(axis=1), 1.0)
    assert chances.min() >= floor / ACTION_COUNT
    order = np.argsort(scores, axis=1)
    assert (np.diff(np.take_along_axis(chances, order, axis=1), axis=1) >= 0.0).all()


@given(SCORES, arrays(np.float64, 3, elements=st.floats(0.0, 1.0, exclude_max=True)))
def test_a_person_in_a_batch_draws_what_they_draw_alone(scores: np.ndarray, uniform: np.ndarray) -> None:
    chances = chances_of(scores)
    together = drawn(chances, uniform)
    assert [int(drawn(chances[i], uniform[i])) for i in range(3)] == together.tolist()


def test_draws_have_the_chances_that_are_said() -> None:
    chances = chances_of(np.array([0.0, 1.0, 2.0, -1.0, 0.5, -2.0, 0.0, 0.0, 0.0, 3.0]), floor=0.1)
    uniform = (np.arange(100_000) + 0.5) / 100_000
    counts = np.bincount(drawn(np.tile(chances, (len(uniform), 1)), uniform), minlength=ACTION_COUNT)
    assert np.allclose(counts / len(uniform), chances, atol=1e-5)


def test_chances_that_end_below_one_draw_the_last_action() -> None:
    short = np.full(ACTION_COUNT, (1.0 - 1e-9) / ACTION_COUNT)
    assert drawn(short, np.float64(1.0 - 1e-12)) == ACTION_COUNT - 1
