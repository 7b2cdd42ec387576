"""Conditions: published seeds, wide forms apart from them, a real shift, and a guard for training."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhythm.bench.conditions import (
    CONDITIONS,
    EVALUATION_ONLY,
    ReservedSeedError,
    check_training_seeds,
    find_conditions,
)
from rhythm.life.populations import is_corner
from rhythm.life.profiles import ARCHETYPES, check_people
from rhythm.vocab import InvalidValueError, UnknownNameError


def test_the_published_seeds_are_the_published_ones() -> None:
    assert CONDITIONS["in-distribution"].seeds == range(100)
    assert CONDITIONS["ood"].seeds == range(10_000, 10_050)
    assert len(CONDITIONS["archetypes"].seeds) == 15
    assert all(len(c.seeds) == 2_000 for c in CONDITIONS.values() if c.form in ("wide", "sealed"))


def test_no_two_conditions_share_a_seed() -> None:
    for one, other in combinations(CONDITIONS.values(), 2):
        assert not set(one.seeds) & set(other.seeds), (one.name, other.name)


@pytest.mark.parametrize("name", [n for n in CONDITIONS if not n.startswith("archetypes")])
def test_ood_people_are_corners_and_the_others_never_are(name: str) -> None:
    condition = CONDITIONS[name]
    for population in condition.populations:
        people = check_people(condition.people(population))
        assert len(people) == len(condition.seeds)
        assert is_corner(people).all() if name.startswith("ood") else not is_corner(people).any()


def test_each_archetype_lives_as_many_weeks_as_the_others() -> None:
    people = CONDITIONS["archetypes"].people("everyone")
    for profile in ARCHETYPES.values():
        assert (people == profile.row).all(axis=1).sum() == 5


def test_conditions_are_found_by_name_and_by_group() -> None:
    assert [c.name for c in find_conditions(["all", "sealed"])] == list(CONDITIONS)
    assert not any(c.sealed for c in find_conditions(["all"]))
    assert [c.name for c in find_conditions(["ood", "published"])] == ["in-distribution", "ood", "archetypes"]
    with pytest.raises(UnknownNameError, match="'mars'; choose one of: all, published, wide, sealed, in-distribution"):
        find_conditions(["mars"])
    with pytest.raises(UnknownNameError, match="population of archetypes"):
        CONDITIONS["archetypes"].people("peaked")


@pytest.mark.parametrize("reserved", EVALUATION_ONLY)
def test_training_on_an_evaluation_seed_is_refused(reserved: range) -> None:
    for seed in (reserved.start, reserved.stop - 1):
        with pytest.raises(ReservedSeedError, match=f"seed {seed} is kept for evaluation"):
            check_training_seeds([5_000, seed])


@given(st.lists(st.integers(0, 3_000_000), max_size=30))
def test_the_guard_lets_through_exactly_what_no_condition_uses(seeds: list[int]) -> None:
    taken = {s for c in CONDITIONS.values() for s in c.seeds}
    try:
        passed = check_training_seeds(seeds)
    except ReservedSeedError:
        assert any(s in reserved for s in seeds for reserved in EVALUATION_ONLY)
    else:
        assert passed.tolist() == seeds
        assert not taken & set(seeds)


def test_seeds_are_whole_numbers_from_0() -> None:
    with pytest.raises(InvalidValueError, match="got -3"):
        check_training_seeds(np.array([4_000, -3]))
    with pytest.raises(InvalidValueError, match="got float64"):
        check_training_seeds(np.array([4_000.0]))
