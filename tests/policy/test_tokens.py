"""Tokens: both channels fill one form, unknown is marked and never a middling value, people stay apart."""

from typing import Any

import numpy as np
import pytest

from rhythm.bench.play import view_of
from rhythm.life.populations import Population, sample_people
from rhythm.life.week import Weeks
from rhythm.policy.student.tokens import PLACES, TOKEN_WIDTH, Moment, exact_tokens, sensed_tokens
from rhythm.vocab import WEEK_STEPS

SEEDS = np.arange(700_000, 700_006)


def _moment(**changes: Any) -> Moment:
    people = 2
    blank = Moment(
        slot=9,
        events=np.full(people, -1, np.int8),
        meters=np.full((people, 5), np.nan),
        meter_sds=np.full((people, 5), np.nan),
        ages=np.zeros((people, 5), np.int64),
        done=np.full(people, -1, np.int8),
        suggested=np.full(people, -1, np.int8),
        outcomes=np.full(people, -1, np.int8),
    )
    return blank._replace(**changes)


def test_the_fields_fill_a_token_without_gap() -> None:
    covered = np.zeros(TOKEN_WIDTH, int)
    for place in PLACES.values():
        covered[place] += 1
    assert (covered == 1).all()


@pytest.mark.parametrize("step", [0, 1, 13, 27])
def test_a_week_is_read_as_it_was_seen(step: int) -> None:
    weeks = Weeks(sample_people(SEEDS, Population.PEAKED), SEEDS)
    rng = np.random.default_rng(0)
    for _ in range(step):
        weeks.take(rng.integers(0, 10, len(SEEDS)))
    view = view_of(weeks)
    tokens = exact_tokens(view)
    assert tokens.shape == (len(SEEDS), TOKEN_WIDTH)
    np.testing.assert_allclose(tokens[:, PLACES["meters"]], view.meters, atol=1e-6)
    np.testing.assert_array_equal(tokens[:, PLACES["event"]].argmax(axis=1), view.events)
    done = tokens[:, PLACES["done"]].argmax(axis=1)
    np.testing.assert_array_equal(done, view.actions if step else np.full(len(SEEDS), 10))
    assert (tokens[:, PLACES["weekday"]].argmax(axis=1) == step // 4).all()
    assert (tokens[:, PLACES["part_of_day"]].argmax(axis=1) == step % 4).all()
    np.testing.assert_allclose(tokens[:, PLACES["remaining"]], 1.0 - step / WEEK_STEPS, atol=1e-6)


def test_what_is_not_known_is_marked() -> None:
    tokens = sensed_tokens(_moment())
    for field in ("exact", "meters", "meters_known", "meter_sds", "meter_ages", "deltas", "anomalies", "reward"):
        assert (tokens[:, PLACES[field]] == 0.0).all()
    for field in ("event", "done", "suggested", "outcome"):
        assert (tokens[:, PLACES[field]][:, -1] == 1.0).all()
        assert (tokens[:, PLACES[field]].sum(axis=1) == 1.0).all()


def test_a_reading_is_told_with_its_error_and_age() -> None:
    meters, sds, ages = np.full((2, 5), np.nan), np.full((2, 5), np.nan), np.zeros((2, 5), np.int64)
    meters[0, 0], sds[0, 0], ages[0, 0] = 0.6, 0.2, 7
    meters[1, 3], sds[1, 3], ages[1, 3] = 0.1, 0.3, 4000
    tokens = sensed_tokens(_moment(meters=meters, meter_sds=sds, ages=ages))
    np.testing.assert_array_equal(tokens[:, PLACES["meters_known"]], np.isfinite(meters))
    np.testing.assert_allclose(tokens[0, PLACES["meter_ages"]][0], 0.25)
    np.testing.assert_allclose(tokens[1, PLACES["meter_ages"]][3], 1.0)
    np.testing.assert_allclose(tokens[0, PLACES["meter_sds"]][0], 0.2, atol=1e-6)


def test_people_do_not_mix() -> None:
    weeks = Weeks(sample_people(SEEDS, Population.PEAKED), SEEDS)
    weeks.take(np.arange(6))
    alone = Weeks(sample_people(SEEDS[3:4], Population.PEAKED), SEEDS[3:4])
    alone.take(np.array([3]))
    np.testing.assert_array_equal(exact_tokens(view_of(weeks))[3:4], exact_tokens(view_of(alone)))
