"""Who lives in the simulation: ranges, corners, the counter's golden numbers, a person's two forms."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from life.people import people
from rhythm.life.cores import spread
from rhythm.life.counter import GOLDEN, Stream, mix, normals, scramble_seeds, uniforms
from rhythm.life.populations import Population, is_corner, sample_people
from rhythm.life.profiles import ARCHETYPES, Profile, belief_targets, check_people, unit_traits
from rhythm.vocab import InvalidValueError


@given(people(8))
def test_everybody_drawn_can_exist_and_has_a_right_belief_in_range(who: np.ndarray) -> None:
    check_people(who)
    targets = belief_targets(who)
    assert ((targets >= 0.0) & (targets <= 1.0)).all()


@pytest.mark.parametrize("population", Population)
def test_training_never_meets_a_corner_and_the_shifted_condition_meets_nothing_else(population: Population) -> None:
    seeds = np.arange(5_000)
    assert not is_corner(sample_people(seeds, population)).any()
    assert is_corner(sample_people(seeds, population, corners=True)).all()


def test_peaked_people_care_for_less() -> None:
    seeds = np.arange(5_000)
    classic = sample_people(seeds, Population.CLASSIC)[:, :5].max(axis=1).mean()
    peaked = sample_people(seeds, Population.PEAKED)[:, :5].max(axis=1).mean()
    assert peaked > classic + 0.1


def test_traits_are_spread_over_their_ranges() -> None:
    unit = unit_traits(sample_people(np.arange(20_000), Population.CLASSIC))
    np.testing.assert_allclose(unit.mean(axis=0), 0.5, atol=0.01)
    assert (unit.std(axis=0) > 0.26).all()


def test_a_person_depends_on_the_seed_alone_not_on_the_batch() -> None:
    seeds = np.arange(500)
    together = sample_people(seeds, Population.PEAKED)
    for i in (0, 17, 499):
        assert together[i].tobytes() == sample_people(seeds[i : i + 1], Population.PEAKED)[0].tobytes()
    assert together[::-1].tobytes() == sample_people(seeds[::-1], Population.PEAKED).tobytes()


def test_neighbouring_seeds_say_nothing_of_each_other() -> None:
    unit = unit_traits(sample_people(np.arange(20_000), Population.CLASSIC))
    for trait in range(unit.shape[1]):
        assert abs(np.corrcoef(unit[:-1, trait], unit[1:, trait])[0, 1]) < 0.03


def test_a_secret_makes_other_people_of_the_same_seeds() -> None:
    seeds = np.arange(1_000)
    open_unit = unit_traits(sample_people(seeds, Population.CLASSIC))
    kept_unit = unit_traits(sample_people(seeds, Population.CLASSIC, secret=0x5EC2E7))
    assert abs(np.corrcoef(open_unit.ravel(), kept_unit.ravel())[0, 1]) < 0.03


def test_golden_numbers_of_the_counter() -> None:
    """The generator is a format: these numbers may not change within a life model version."""
    # The first number of SplitMix64 from seed 0, as its authors publish it.
    assert int(mix(np.array([GOLDEN]))[0]) == 0xE220A8397B1DCDAF
    keys = scramble_seeds(np.array([0, 1, 10_000]), Stream.PERSON)
    assert keys.tolist() == [0xE8F052B60D5E2BF6, 0xCF544C30BC55FC17, 0x95FF484282F3F62E]
    assert uniforms(keys, 3).tolist() == [0.3559032036391523, 0.21496876692085487, 0.6604391164948673]
    expected = [-0.5898573910415008, 1.1636970718954358, -1.7602119128313594]
    np.testing.assert_allclose(normals(keys, 3), expected, rtol=1e-13)
    assert len({int(scramble_seeds(np.array([7]), stream)[0]) for stream in Stream}) == len(Stream)


@given(people(1))
def test_a_person_survives_row_and_json(who: np.ndarray) -> None:
    person = Profile.from_row(who[0])
    assert person.row.tobytes() == who[0].tobytes()
    assert msgspec.json.decode(msgspec.json.encode(person), type=Profile) == person
    assert person.belief.values == tuple(belief_targets(who)[0])


@given(st.integers(0, 14), st.sampled_from([np.nan, np.inf, -5.0, 5.0]))
def test_people_who_cannot_exist_are_refused(column: int, value: float) -> None:
    row = ARCHETYPES["introvert_morning"].row
    row[column] = value
    with pytest.raises(InvalidValueError):
        Profile.from_row(row)


def test_rows_of_another_width_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="shape"):
        check_people(np.zeros((2, 14)))


@given(st.integers(0, 100_000))
def test_every_row_is_computed_once_on_all_cores(rows: int) -> None:
    times = np.zeros(rows, np.int64)

    def work(start: int, stop: int) -> None:
        times[start:stop] += 1

    spread(work, rows)
    assert (times == 1).all()


def test_an_error_on_another_core_is_raised() -> None:
    def work(start: int, stop: int) -> None:
        if start < 40_000 == stop:
            raise InvalidValueError("row 40,000")

    with pytest.raises(InvalidValueError, match="40,000"):
        spread(work, 40_000)
