"""The native vector face: the same as as many scalar environments, autoreset, views and copies, refusals."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

import rhythm.sim
from rhythm.sim.conditions import CONDITIONS
from rhythm.sim.secret import Secret
from rhythm.sim.vector_env import WeekVectorEnv
from rhythm.vocab import EpisodeOverError, InvalidValueError, UnknownNameError
from sim.hidden import reachable_numbers

rhythm.sim.register()


def same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert one.keys() == other.keys()
    for name, values in one.items():
        assert values.dtype == other[name].dtype, name
        assert values.shape == other[name].shape, name
        assert np.ascontiguousarray(values).tobytes() == np.ascontiguousarray(other[name]).tobytes(), name


@given(
    st.integers(0, 2**40),
    st.sampled_from(CONDITIONS),
    st.sampled_from(["classic", "peaked"]),
    st.integers(0, 7),
    st.booleans(),
    st.sampled_from([None, Secret(77)]),
)
@settings(max_examples=12)
def test_two_weeks_and_a_bit_equal_as_many_scalar_environments_bit_for_bit(
    seed: int, condition: str, population: str, window: int, copy: bool, secret: Secret | None
) -> None:
    options: Any = {"condition": condition, "population": population, "window": window, "secret": secret}
    native = gymnasium.make_vec("rhythm/Week-v0", num_envs=3, copy=copy, **options)
    assert isinstance(native, WeekVectorEnv)
    sync = gymnasium.make_vec(
        "rhythm/Week-v0",
        num_envs=3,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
        **options,
    )
    assert isinstance(sync, SyncVectorEnv)
    assert native.observation_space == sync.observation_space
    assert native.action_space == sync.action_space
    same(native.reset(seed=seed)[0], sync.reset(seed=seed)[0])
    rng = np.random.default_rng(seed)
    for step in range(60):
        actions = rng.integers(0, 10, 3)
        ours, theirs = native.step(actions), sync.step(actions)
        same(ours[0], theirs[0])
        for mine, yours in zip(ours[1:4], theirs[1:4], strict=True):
            assert mine.tobytes() == yours.tobytes()
        assert ("final_obs" in ours[4]) == ("final_obs" in theirs[4]) == (step % 28 == 27)
        if "final_obs" in ours[4]:
            for name, values in ours[4]["final_obs"].items():
                np.testing.assert_array_equal(values, [last[name] for last in theirs[4]["final_obs"]])
    native.close()
    sync.close()


def test_every_observation_is_in_the_space_with_views_and_with_copies() -> None:
    for copy in (True, False):
        env = gymnasium.make_vec("rhythm/Week-v0", num_envs=4, copy=copy)
        seen, _ = env.reset(seed=1)
        for step in range(30):
            for name, space in env.observation_space.spaces.items():  # type: ignore[attr-defined]
                assert np.ascontiguousarray(seen[name]) in space, name
            seen, *_ = env.step(np.full(4, step % 10))


def test_copies_stay_and_views_move() -> None:
    for copy in (True, False):
        env = WeekVectorEnv(2, copy=copy)
        env.reset(seed=1)
        kept, rewards, *_ = env.step(np.array([3, 0]))
        before = {name: values.copy() for name, values in kept.items()}
        for _ in range(5):
            env.step(np.array([0, 3]))
        assert all(np.array_equal(kept[name], before[name]) for name in kept) is copy
        assert rewards.shape == (2,)


def test_disabled_autoreset_waits() -> None:
    env = gymnasium.make_vec("rhythm/Week-v0", num_envs=2, autoreset="disabled")
    assert env.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    env.reset(seed=[7, 9])  # type: ignore[arg-type]
    for _ in range(27):
        assert not env.step(np.array([3, 3]))[2].any()
    seen, _, terminated, truncated, infos = env.step(np.array([3, 3]))
    assert terminated.all()
    assert not truncated.any()
    assert infos == {}
    assert (seen["step"] == 28).all()
    with pytest.raises(EpisodeOverError):
        env.step(np.array([3, 3]))
    with pytest.raises(InvalidValueError, match="reset_mask"):
        env.reset(options={"reset_mask": np.array([True, False])})
    assert (env.reset(options={"reset_mask": np.array([True, True])})[0]["step"] == 0).all()


@pytest.mark.parametrize(
    ("actions", "error"),
    [
        (np.array([0, 10]), UnknownNameError),
        (np.array([-1, 0]), UnknownNameError),
        (np.array([0]), InvalidValueError),
        (np.array([[0, 1]]), InvalidValueError),
        (np.array([0.0, 1.0]), InvalidValueError),
        (np.array([0.0, np.nan]), InvalidValueError),
        (["SLEEP", "SLEEP"], InvalidValueError),
        (None, InvalidValueError),
    ],
)
def test_actions_that_are_none_are_refused_and_cost_nothing(actions: object, error: type[Exception]) -> None:
    env = WeekVectorEnv(2)
    env.reset(seed=1)
    with pytest.raises(error):
        env.step(actions)
    assert (env.step(np.array([0, 1]))[0]["step"] == 1).all()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"num_envs": 0}, InvalidValueError),
        ({"num_envs": 2, "window": 8}, InvalidValueError),
        ({"num_envs": 2, "autoreset": "next_step"}, UnknownNameError),
        ({"num_envs": 2, "condition": "nowhere"}, UnknownNameError),
    ],
)
def test_options_that_do_not_exist_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        WeekVectorEnv(**options)


@pytest.mark.parametrize("seed", [[1], [1, 2, 3], [-1, 2], [0.5, 1.5], -1])
def test_seeds_of_another_number_or_kind_are_refused(seed: Any) -> None:
    with pytest.raises(InvalidValueError, match="seed"):
        WeekVectorEnv(2).reset(seed=seed)


def test_before_the_first_reset_there_is_no_week() -> None:
    with pytest.raises(EpisodeOverError, match="reset"):
        WeekVectorEnv(2).step(np.array([0, 1]))


def test_no_public_attribute_or_info_holds_the_people() -> None:
    env = WeekVectorEnv(3, secret=Secret(0xC0FFEE), autoreset="same_step")
    seen = [env.reset(seed=1), *(env.step(np.full(3, 3)) for _ in range(30))]
    people = env._watched.weeks.people.ravel().tolist()
    found = reachable_numbers((env, seen))
    assert len(found) > 100
    assert not set(people) & found
    assert float(0xC0FFEE) not in found


def test_memory_is_counted() -> None:
    bare, full = WeekVectorEnv(1000, window=0), WeekVectorEnv(1000)
    for env in (bare, full):
        env.reset(seed=1)
        env.step(np.full(1000, 3))
    assert 250 < bare.bytes_per_person() < 350
    assert 3_000 < full.bytes_per_person() < 3_600
