"""Playing: what a policy can know, what it may answer, and that the split of people changes nothing."""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rhythm.bench.graders import Episodes, grade_week
from rhythm.bench.play import check_choice, joined, play, policy_seeds
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import People
from rhythm.policy.face import Choice, Player, View
from rhythm.policy.registry import make_policy, policy_names
from rhythm.policy.simple import HeuristicPolicy
from rhythm.vocab import InvalidValueError, UnknownNameError

SEEDS = np.arange(500_000, 500_006)
PEOPLE = sample_people(SEEDS, Population.PEAKED)


def _played_apart(name: str) -> Episodes:
    return joined([play(make_policy(name), PEOPLE[i : i + 2], SEEDS[i : i + 2]) for i in range(0, 6, 2)])


@pytest.mark.parametrize("name", [name for name in policy_names() if name != "rememberer"])
def test_people_played_apart_live_the_same_weeks(name: str) -> None:
    together = play(make_policy(name), PEOPLE, SEEDS)
    apart = _played_apart(name)
    for part in fields(Episodes):
        np.testing.assert_array_equal(getattr(together, part.name), getattr(apart, part.name), err_msg=part.name)


def test_only_a_policy_that_remembers_lives_other_weeks_when_it_meets_people_again() -> None:
    before = play(make_policy("rememberer"), PEOPLE, SEEDS)
    assert (_played_apart("rememberer").meters != before.meters).any()


@dataclass
class _Spy:
    """Keeps everything a policy is given."""

    name: str = "spy"
    told: bool = False
    seen: list[Any] = field(default_factory=list)

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        self.seen += [seeds.copy(), people]
        return self

    def choose(self, view: View) -> Choice:
        self.seen.append(view)
        view.meters[:] = 1.0
        view.actions[:] = 3
        return HeuristicPolicy().start(SEEDS).choose(view)


def test_a_policy_is_not_given_the_person_nor_the_seed_they_are_drawn_from() -> None:
    spy = _Spy()
    play(spy, PEOPLE, SEEDS)
    given, people = spy.seen[:2]
    assert people is None
    assert not np.isin(given, SEEDS).any()
    for population in Population:
        guessed = sample_people(given, population)
        assert not np.isclose(guessed, PEOPLE).all(axis=1).any()


def test_what_a_policy_does_to_its_view_changes_nothing() -> None:
    class _Honest(_Spy):
        def choose(self, view: View) -> Choice:
            return HeuristicPolicy().start(SEEDS).choose(View(**{**vars(view), "meters": np.ones_like(view.meters)}))

    np.testing.assert_array_equal(play(_Spy(), PEOPLE, SEEDS).meters, play(_Honest(), PEOPLE, SEEDS).meters)


def test_policy_seeds_differ_and_do_not_depend_on_the_batch() -> None:
    assert len(set(policy_seeds(np.arange(5_000)).tolist())) == 5_000
    assert (policy_seeds(SEEDS) >= 0).all()
    np.testing.assert_array_equal(policy_seeds(SEEDS)[2:4], policy_seeds(SEEDS[2:4]))


ACTIONS = np.zeros(2, np.int8)
HALF = np.full((2, 3), 0.5)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (Choice(ACTIONS, np.full(3, 0.5)), r"beliefs have shape \(people, 3\) = \(2, 3\); got \(3,\)"),
        (Choice(ACTIONS, HALF + 0.6), r"a belief is a number in \[0, 1\]"),
        (Choice(ACTIONS, HALF * np.inf), r"a belief is a number in \[0, 1\]"),
        (Choice(ACTIONS, np.array([[0.5, np.nan, 0.5]] * 2)), "all three dimensions or in none"),
        (Choice(ACTIONS, HALF, HALF), "an interval has two ends"),
        (Choice(ACTIONS, HALF, HALF, HALF - 0.1), "low end is above its high end"),
        (Choice(ACTIONS, HALF, HALF * -np.inf, HALF * np.inf), r"belief_low: a belief is a number in \[0, 1\]"),
    ],
)
def test_a_belief_that_cannot_be_graded_is_refused(choice: Choice, message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        check_choice(choice, 2)


def test_silence_about_some_people_is_allowed() -> None:
    some = np.array([[0.5, 0.5, 0.5], [np.nan] * 3])
    assert check_choice(Choice(ACTIONS, some, some, some), 2).beliefs is some


def test_an_action_that_is_none_is_refused() -> None:
    class _Wrong(_Spy):
        def choose(self, view: View) -> Choice:
            return Choice(np.full(len(view), 11, np.int8))

    with pytest.raises(UnknownNameError, match="unknown action 11"):
        play(_Wrong(), PEOPLE, SEEDS)


def test_belief_grades_are_there_only_where_beliefs_are() -> None:
    silent = grade_week(play(make_policy("heuristic"), PEOPLE, SEEDS), Population.PEAKED)
    spoken = grade_week(play(make_policy("constant"), PEOPLE, SEEDS), Population.PEAKED)
    assert set(spoken) - set(silent) == {
        "belief_error", "belief_error_step7", "steps_to_identify", "covered", "interval_width", "crps",
        "crps_reference",
    }  # fmt: skip
    np.testing.assert_allclose(spoken["belief_error"], spoken["constant_error"])
    np.testing.assert_allclose(spoken["crps"], spoken["constant_error"])
