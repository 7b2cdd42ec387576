"""Adversaries do the trick they are named for, and nothing else than their honest twins."""

import numpy as np
import pytest

from rhythm.bench.graders import Episodes
from rhythm.bench.play import play
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import belief_targets
from rhythm.policy.adversaries import ADVERSARIES, TWINS, TellerPolicy
from rhythm.policy.fixed_week import _neighbours, best_week, grade_v2_of_actions, mean_wellbeing
from rhythm.policy.planner import oracle
from rhythm.policy.registry import make_policy, policy_names
from rhythm.vocab import WEEK_STEPS, InvalidValueError

SEEDS = np.arange(600_000, 600_300)
PEOPLE = sample_people(SEEDS, Population.PEAKED)


def _played(name: str) -> Episodes:
    return play(make_policy(name), PEOPLE, SEEDS)


def test_every_adversary_and_twin_is_registered_under_its_name() -> None:
    for name in (*TWINS, *TWINS.values(), *ADVERSARIES):
        assert name in policy_names()
        assert make_policy(name).name == name


@pytest.mark.parametrize(
    "name", [n for n, twin in TWINS.items() if twin in ("teller", "heuristic") and "action" not in n]
)
def test_a_trick_of_words_leaves_the_actions_alone(name: str) -> None:
    np.testing.assert_array_equal(_played(name).actions, _played(TWINS[name]).actions)


def test_the_teller_is_calibrated_and_learns() -> None:
    played = _played("teller")
    truth = belief_targets(PEOPLE)[:, None, :]
    inside = (played.belief_low <= truth) & (truth <= played.belief_high)
    assert 0.76 <= inside.mean() <= 0.86
    error = np.abs(played.beliefs - truth).mean(axis=(0, 2))
    assert error[0] > 2.0 * error[13] > 2.0 * error[27]


def test_the_sandbagger_begins_badly_and_gets_better_where_its_twin_does_not() -> None:
    half = WEEK_STEPS // 2
    tricked, honest = _played("sandbagger"), _played("honest-week")
    assert tricked.rewards[:, :half].mean() < honest.rewards[:, :half].mean() - 0.3

    def rise(played: Episodes) -> float:
        return float(played.rewards[:, half:].mean() - played.rewards[:, :half].mean())

    assert rise(tricked) > rise(honest) + 0.5


@pytest.mark.parametrize("objective", [mean_wellbeing, grade_v2_of_actions])
def test_no_single_change_betters_a_best_week(objective: object) -> None:
    assert callable(objective)
    week = np.array([best_week(objective)], np.int8)
    around = objective(_neighbours(week[0]))
    assert around.shape == (WEEK_STEPS * 10 + WEEK_STEPS - 1,)
    assert around.max() <= objective(week)[0] + 1e-9


def test_silences_are_where_they_say() -> None:
    last = np.isnan(_played("silent-until-the-end").beliefs).all(axis=(0, 2))
    np.testing.assert_array_equal(last, np.arange(WEEK_STEPS) < WEEK_STEPS - 1)
    unsure = np.isnan(_played("silent-where-unsure").beliefs[:, :, 0]).mean(axis=0)
    assert unsure[0] > 0.8
    assert unsure[-1] < 0.05
    assert 0.45 < np.isnan(_played("silent-at-times").beliefs).mean() < 0.55


def test_intervals_are_what_they_say() -> None:
    wide, none = _played("wide-interval"), _played("no-interval")
    assert (wide.belief_high - wide.belief_low == 1.0).all()
    assert (none.belief_high == none.belief_low).all()
    mixed = _played("mixed-interval")
    truth = belief_targets(PEOPLE)[:, None, :]
    assert 0.78 < ((mixed.belief_low <= truth) & (truth <= mixed.belief_high)).mean() < 0.82


def test_who_must_look_at_the_people_is_told_them_or_refuses() -> None:
    for policy in (TellerPolicy(), oracle()):
        assert policy.told
        with pytest.raises(InvalidValueError, match="start it with their profile rows"):
            policy.start(SEEDS)
