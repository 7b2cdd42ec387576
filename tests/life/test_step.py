"""The pure step: limits, purity, the same bits for one and for many, and typed refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from life.people import choices, happenings, levels, people
from rhythm.life.populations import Population, sample_people
from rhythm.life.step import anomalies, draw_events, step, wellbeing
from rhythm.life.week import Weeks
from rhythm.vocab import EpisodeOverError, InvalidValueError, LifeEvent, UnknownNameError

N = 4


@given(people(N), levels(N), choices(N), st.integers(0, 27), happenings(N))
@settings(max_examples=300)
def test_levels_stay_in_range_and_deltas_are_what_changed(
    who: np.ndarray, before: np.ndarray, actions: np.ndarray, slot: int, events: np.ndarray
) -> None:
    done = step(who, before, actions, slot, events)
    assert ((done.meters >= 0.0) & (done.meters <= 1.0)).all()
    np.testing.assert_allclose(done.meters, before + done.deltas, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(done.crashes, (done.meters < 0.10).sum(axis=1))
    weighted = 15.0 * (who[:, :5] * done.deltas).sum(axis=1) + 0.5 * done.deltas[:, 2] + 0.4 * done.deltas[:, 4]
    np.testing.assert_allclose(done.rewards, weighted - 0.5 * done.crashes, rtol=0, atol=1e-12)


@given(people(N), levels(N), choices(N), st.integers(0, 27), happenings(N))
def test_the_step_changes_nothing_that_it_was_given(
    who: np.ndarray, before: np.ndarray, actions: np.ndarray, slot: int, events: np.ndarray
) -> None:
    given_arrays = (who, before, actions, events)
    copies = [array.copy() for array in given_arrays]
    step(who, before, actions, slot, events)
    for array, copy in zip(given_arrays, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@given(people(N), levels(N), choices(N), st.integers(0, 27), happenings(N))
def test_one_person_and_many_give_the_same_bits(
    who: np.ndarray, before: np.ndarray, actions: np.ndarray, slot: int, events: np.ndarray
) -> None:
    together = step(who, before, actions, slot, events)
    for i in range(N):
        row = slice(i, i + 1)
        alone = step(who[row], before[row], actions[row], slot, events[row])
        for name in together._fields:
            assert getattr(together, name)[row].tobytes() == getattr(alone, name).tobytes()


@given(people(N), levels(N))
def test_wellbeing_is_a_weighted_geometric_mean(who: np.ndarray, meters: np.ndarray) -> None:
    expected = np.exp((who[:, :5] * np.log(np.maximum(meters, 0.02))).sum(axis=1))
    np.testing.assert_allclose(wellbeing(who, meters), expected, rtol=1e-12)


def test_all_cores_and_watched_weeks_give_the_same_bits() -> None:
    count = 20_000
    seeds = np.arange(count) + 5
    who = sample_people(seeds, Population.PEAKED)
    plain, spread, watched = Weeks(who, seeds), Weeks(who, seeds), Weeks(who, seeds)
    seen = (np.zeros(count, np.int8), np.zeros(count), np.zeros((count, 5)), np.zeros((count, 5)))
    watched.write_into(*seen)
    rng = np.random.default_rng(1)
    for _ in range(28):
        actions = rng.integers(0, 10, count)
        plain.take(actions)
        spread.take(actions, all_cores=True)
        watched.take(actions, all_cores=True)
        for other in (spread, watched):
            for name in ("meters", "before", "deltas", "rewards", "crashes", "actions"):
                assert getattr(plain, name).tobytes() == getattr(other, name).tobytes(), name
        off = anomalies(plain.before, plain.actions, plain.step - 1, plain.last_events, plain.deltas)
        assert off.tobytes() == seen[3].tobytes()


def test_weeks_keep_no_hold_on_the_array_of_actions() -> None:
    seeds = np.arange(3)
    weeks = Weeks(sample_people(seeds, Population.CLASSIC), seeds)
    actions = np.array([1, 2, 3], np.int8)
    weeks.take(actions)
    actions[:] = 9
    np.testing.assert_array_equal(weeks.actions, [1, 2, 3])


def test_events_happen_in_a_seventh_of_the_slots_and_are_a_function_of_the_seed() -> None:
    seeds = np.arange(5_000)
    events = draw_events(seeds, 0, 28)
    assert abs((events != LifeEvent.NONE).mean() - 0.14) < 0.005
    shares = np.bincount(events.ravel(), minlength=7) / events.size
    np.testing.assert_allclose(shares, [0.86, 0.025, 0.03, 0.02, 0.025, 0.025, 0.015], atol=0.003)
    np.testing.assert_array_equal(draw_events(seeds[::-1], 3, 5), events[::-1, 3:8])


@pytest.mark.parametrize(
    ("meters", "actions", "events", "error"),
    [
        (np.full((2, 5), np.nan), [0, 0], [0, 0], InvalidValueError),
        (np.full((2, 5), 1.5), [0, 0], [0, 0], InvalidValueError),
        (np.full((2, 4), 0.5), [0, 0], [0, 0], InvalidValueError),
        (np.full((2, 5), 0.5), [0, 10], [0, 0], UnknownNameError),
        (np.full((2, 5), 0.5), [0, -1], [0, 0], UnknownNameError),
        (np.full((2, 5), 0.5), [0], [0, 0], InvalidValueError),
        (np.full((2, 5), 0.5), [0.0, 1.0], [0, 0], InvalidValueError),
        (np.full((2, 5), 0.5), [0, 0], [0, 7], UnknownNameError),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    meters: np.ndarray, actions: list[float], events: list[int], error: type[Exception]
) -> None:
    who = sample_people(np.arange(2), Population.CLASSIC)
    with pytest.raises(error):
        step(who, meters, np.array(actions), 0, np.array(events))


def test_a_week_ends() -> None:
    weeks = Weeks(sample_people(np.arange(1), Population.CLASSIC), [0])
    for _ in range(28):
        weeks.take(np.array([3]))
    assert weeks.done
    with pytest.raises(EpisodeOverError, match="28 steps"):
        weeks.take(np.array([3]))


def test_one_seed_for_each_person() -> None:
    with pytest.raises(InvalidValueError, match="one seed"):
        Weeks(sample_people(np.arange(2), Population.CLASSIC), [0])
