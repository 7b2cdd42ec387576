"""The same seeds and decisions are the same weeks, bit for bit, in every face and in another process."""

import subprocess
import sys
from pathlib import Path

import pytest

from rhythm.bench import conditions as bench
from rhythm.sim.conditions import SPLITS, Casting
from sim import lives

WEEKS = [("in-distribution", [0, 1, 99]), ("ood", [10_000, 10_049]), ("archetypes", [20_000, 20_001, 20_002])]


@pytest.mark.parametrize(("condition", "seeds"), WEEKS)
def test_every_face_in_process_lives_the_same_week(condition: str, seeds: list[int]) -> None:
    expected = [lives.by_pure_step(seed, condition) for seed in seeds]
    assert len(set(expected)) == len(seeds)
    assert lives.by_batch(seeds, condition, all_cores=False) == expected
    assert lives.by_batch(seeds, condition, all_cores=True) == expected
    assert [lives.by_gymnasium(seed, condition) for seed in seeds] == expected
    assert lives.by_vector(seeds, condition, copy=True) == expected
    assert lives.by_vector(seeds, condition, copy=False) == expected


def test_another_process_lives_the_same_week() -> None:
    command = [sys.executable, str(Path(lives.__file__)), "7", "ood"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == lives.by_pure_step(7, "ood")


@pytest.mark.openenv
@pytest.mark.parametrize(("condition", "seeds"), WEEKS)
def test_the_openenv_environment_lives_the_same_week_through_json(condition: str, seeds: list[int]) -> None:
    from rhythm.sim.openenv import WeekAction, WeekEnvironment, WeekObservation  # noqa: PLC0415
    from rhythm.vocab import Action  # noqa: PLC0415

    env = WeekEnvironment()
    for seed in seeds:
        env.reset(seed=seed, split=condition)
        records = []
        for action in lives.decisions(seed):
            sent = env.step(WeekAction(decision=f"1 2 3 {Action(action).name}")).model_dump_json()
            records.append(WeekObservation.model_validate_json(sent).record())
        assert lives.by_records(records) == lives.by_pure_step(seed, condition)


def test_the_benchmark_and_the_faces_mean_the_same_people_by_a_condition() -> None:
    for name, seeds in SPLITS.items():
        condition = bench.CONDITIONS[name]
        assert condition.seeds == seeds
        for population in condition.populations:
            mine = Casting(name, "classic" if population == bench.EVERYONE else population)
            assert mine.people(condition.seed_array).tobytes() == condition.people(population).tobytes()
