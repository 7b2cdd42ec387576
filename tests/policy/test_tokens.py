"""Tokens of the perfect channel: a week as it was seen, unknown is marked, people stay apart."""

import numpy as np
import pytest

from rhythm.bench.play import view_of
from rhythm.life.populations import Population, sample_people
from rhythm.life.week import Weeks
from rhythm.policy.student.tokens import PLACES, TOKEN_WIDTH, exact_tokens
from rhythm.vocab import WEEK_STEPS

SEEDS = np.arange(700_000, 700_006)


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


def test_what_this_channel_does_not_tell_is_marked() -> None:
    tokens = exact_tokens(view_of(Weeks(sample_people(SEEDS, Population.PEAKED), SEEDS)))
    for field in ("meter_sds", "meter_ages"):
        assert (tokens[:, PLACES[field]] == 0.0).all()
    for field in ("done", "suggested", "outcome"):
        assert (tokens[:, PLACES[field]][:, -1] == 1.0).all()
        assert (tokens[:, PLACES[field]].sum(axis=1) == 1.0).all()


def test_people_do_not_mix() -> None:
    weeks = Weeks(sample_people(SEEDS, Population.PEAKED), SEEDS)
    weeks.take(np.arange(6))
    alone = Weeks(sample_people(SEEDS[3:4], Population.PEAKED), SEEDS[3:4])
    alone.take(np.array([3]))
    np.testing.assert_array_equal(exact_tokens(view_of(weeks))[3:4], exact_tokens(view_of(alone)))
