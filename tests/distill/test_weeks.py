"""Taught weeks: the teacher says what it would do, shards are whole or refused, no benchmark seed is taught."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from distill.conftest import FIRST_SEED
from rhythm.bench.conditions import ReservedSeedError
from rhythm.bench.play import play
from rhythm.distill.dataset import Plan, described, make_dataset, read_dataset
from rhythm.distill.teacher import MISTAKES, Lesson, people_of, taught
from rhythm.distill.weeks import TaughtWeeks, read_weeks, write_weeks
from rhythm.life.populations import is_corner
from rhythm.life.profiles import belief_targets
from rhythm.policy.registry import make_policy
from rhythm.policy.simple import HeuristicPolicy
from rhythm.vocab import InvalidValueError, SchemaError


def test_where_nobody_errs_the_weeks_are_the_planners_own(weeks: TaughtWeeks) -> None:
    """The same bits as the benchmark's planner on the same people and events."""
    flawless = weeks.seeds % len(MISTAKES) == 0
    seeds = weeks.seeds[flawless]
    played = play(make_policy("planner"), people_of(seeds), seeds)
    np.testing.assert_array_equal(weeks.done[flawless, 1:], played.actions[:, :-1])
    np.testing.assert_array_equal(weeks.values[flawless].argmax(axis=2), played.actions)


def test_mistakes_are_made_and_the_teacher_is_asked_after_them(weeks: TaughtWeeks) -> None:
    chosen = weeks.values.argmax(axis=2)[:, :-1]
    for kind, share in enumerate(MISTAKES):
        ours = weeks.seeds % len(MISTAKES) == kind
        strayed = (weeks.done[ours, 1:] != chosen[ours]).mean()
        assert abs(strayed - 0.9 * share) < 0.06


def test_whoever_acts_the_teacher_is_asked() -> None:
    seeds = np.arange(FIRST_SEED, FIRST_SEED + 12)
    other = taught(Lesson(seeds, HeuristicPolicy()))
    flawless = seeds % len(MISTAKES) == 0
    acted = play(HeuristicPolicy(), people_of(seeds), seeds).actions
    np.testing.assert_array_equal(other.done[flawless, 1:], acted[flawless, :-1])
    assert (other.values.argmax(axis=2)[flawless] != acted[flawless]).mean() > 0.2


def test_the_people_are_never_corners_and_their_targets_are_theirs(weeks: TaughtWeeks) -> None:
    people = people_of(weeks.seeds)
    assert not is_corner(people).any()
    np.testing.assert_allclose(weeks.targets, belief_targets(people), atol=1e-6)


@pytest.mark.parametrize("seed", [5, 10_001, 20_003, 1_000_500, 1_999_999])
def test_no_benchmark_seed_is_taught(seed: int, tmp_path: Path, weeks: TaughtWeeks) -> None:
    with pytest.raises(ReservedSeedError, match="kept for evaluation"):
        taught(Lesson(np.array([seed])))
    with pytest.raises(ReservedSeedError):
        make_dataset(Plan(seed, 1), tmp_path / "data")
    with pytest.raises(ReservedSeedError):
        write_weeks(tmp_path / "a.npz", replace(weeks, seeds=np.full(len(weeks), seed)))
    assert list(tmp_path.iterdir()) == []


def test_a_shard_is_read_as_it_was_written(tmp_path: Path, weeks: TaughtWeeks) -> None:
    write_weeks(tmp_path / "a.npz", weeks)
    again = read_weeks(tmp_path / "a.npz")
    for name, values in vars(weeks).items():
        np.testing.assert_array_equal(getattr(again, name), values)


@pytest.mark.parametrize("keep", [0, 10, 4000, -30])
def test_a_damaged_shard_is_refused(keep: int, tmp_path: Path, weeks: TaughtWeeks) -> None:
    path = tmp_path / "a.npz"
    write_weeks(path, weeks)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(SchemaError, match="is damaged"):
        read_weeks(path)


def test_weeks_that_cannot_be_are_refused(tmp_path: Path, weeks: TaughtWeeks) -> None:
    broken = weeks.values.copy()
    broken[3, 4, 5] = np.nan
    with pytest.raises(InvalidValueError, match="values of taught weeks hold a number that is not finite"):
        write_weeks(tmp_path / "a.npz", replace(weeks, values=broken))
    with pytest.raises(InvalidValueError, match=r"got float32 of shape \(48, 27, 5\)"):
        write_weeks(tmp_path / "a.npz", replace(weeks, meters=weeks.meters[:, 1:]))


@pytest.mark.slow
def test_a_dataset_goes_on_where_it_was_left(tmp_path: Path) -> None:
    told: list[tuple[str, int]] = []
    make_dataset(Plan(FIRST_SEED, 4, shard=4), tmp_path, workers=1)
    make_dataset(Plan(FIRST_SEED, 6, shard=4), tmp_path, workers=1, on_weeks=lambda label, n: told.append((label, n)))
    assert told == [("kept", 4), ("taught", 4)]
    whole = read_dataset(tmp_path)
    assert len(np.unique(whole.seeds)) == len(whole.seeds) == described(tmp_path)["weeks"]
    for other in (Plan(FIRST_SEED + 4, 4, shard=4), Plan(FIRST_SEED, 4, shard=2)):
        with pytest.raises(InvalidValueError, match="holds taught weeks of another"):
            make_dataset(other, tmp_path)


def test_an_empty_folder_says_how_to_fill_it(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="rhythm distill teach"):
        read_dataset(tmp_path)
