"""Bad input at the in-process faces: typed errors that say what was got and allowed, and the week goes on as it was."""

import copy
import pickle
from collections import UserDict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhythm.life.counter import Stream, scramble_seeds
from rhythm.sim import memory
from rhythm.sim.arguments import as_array, check_seeds, seeds_in_a_row, shown
from rhythm.sim.conditions import Casting
from rhythm.sim.errors import NotEnoughMemoryError
from rhythm.sim.gym_env import WeekEnv
from rhythm.sim.secret import PUBLISHED, Secret, number_of
from rhythm.sim.speed import measure
from rhythm.sim.stated_belief import StatedBelief, read_decision
from rhythm.sim.vector_env import WeekVectorEnv
from rhythm.sim.watched import WatchedWeeks
from rhythm.vocab import (
    Action,
    Belief,
    Decision,
    InvalidValueError,
    MalformedDecisionError,
    RhythmError,
    UnknownNameError,
    parse_decision,
)
from vocab import made

NO_SECRETS: list[Any] = [5, 0, -1, "5", b"5", True, 1.0, object(), Secret, [Secret(5)]]
NO_WINDOWS: list[Any] = [
    3.0,
    0.5,
    True,
    False,
    -1,
    8,
    "3",
    None,
    [3],
    np.float64(3),
    np.array([3]),
    float("nan"),
    10**400,
]
NO_SEEDS: list[Any] = [
    -1,
    2**63,
    2**64,
    10**5_000,
    1.0,
    True,
    "5",
    b"5",
    [5],
    {5},
    np.float64(5),
    np.array(5),
    np.True_,
]


@pytest.mark.parametrize("number", [-1, 2**64, 2**64 + 5, 10**5_000, 1.5, True, "1", None], ids=shown)
def test_a_secret_has_64_bits(number: Any) -> None:
    with pytest.raises(InvalidValueError, match=r"from 0 to 2\*\*64 - 1"):
        Secret(number)


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_secrets_that_differ_draw_different_people(one: int, other: int) -> None:
    """None of them stands for another, least of all for the published one."""
    seeds = np.arange(4)
    same = scramble_seeds(seeds, Stream.PERSON, one) == scramble_seeds(seeds, Stream.PERSON, other)
    assert same.all() if one == other else not same.any()


def test_secrets_at_both_ends_and_of_numpy_are_secrets() -> None:
    for number in (0, 2**64 - 1, np.int64(7), np.uint64(2**64 - 1)):
        secret = Secret(number)  # type: ignore[arg-type]
        assert number_of(secret) == int(number)
        assert type(number_of(secret)) is int


@pytest.mark.parametrize(
    "text",
    ["9" * 5_000, str(2**64), "-1", "1.5", "1e3", "0x10", "1_000", "hunter2", "\u0663", "\udcff", "1 2", "+5", "none"],
)
def test_a_variable_that_holds_no_secret_is_refused_without_being_shown(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RHYTHM_SECRET", text)
    with pytest.raises(InvalidValueError, match="RHYTHM_SECRET holds no whole number") as caught:
        Secret.from_environment()
    assert text not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("text", "number"), [("0", 0), (" 17\n", 17), ("0" * 30 + "5", 5), (str(2**64 - 1), 2**64 - 1)]
)
def test_a_variable_that_holds_a_secret_is_one(text: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RHYTHM_SECRET", text)
    assert number_of(Secret.from_environment()) == number


def test_a_secret_that_is_copied_or_sent_stays_one_and_does_not_show() -> None:
    secret = Secret(918_273_645)
    for other in (copy.deepcopy(secret), pickle.loads(pickle.dumps(secret))):  # noqa: S301 - our own
        assert number_of(other) == 918_273_645
    for text in (repr(secret), str(secret), f"{secret}", repr([secret]), str(dir(secret))):
        assert "918" not in text


@pytest.mark.parametrize("secret", NO_SECRETS)
def test_what_is_no_secret_is_refused_by_every_face_without_being_shown(secret: Any) -> None:
    for face in (WeekEnv, WeekVectorEnv, lambda secret: Casting(secret=secret)):
        with pytest.raises(InvalidValueError, match="secret is a Secret") as caught:
            face(secret=secret)
        assert "5" not in str(caught.value)
    assert number_of(PUBLISHED) == 0


@pytest.mark.parametrize("window", NO_WINDOWS, ids=shown)
def test_a_window_is_a_whole_number_of_steps(window: Any) -> None:
    for face in (WeekEnv, WeekVectorEnv, lambda window: WatchedWeeks(1, window=window)):
        with pytest.raises(InvalidValueError, match="window of past steps is a whole number from 0 to 7; got "):
            face(window=window)


@pytest.mark.parametrize("window", [0, 3, 7, np.int64(3), np.uint8(7)])
def test_windows_of_numpy_are_windows(window: Any) -> None:
    env = WeekEnv(window=window)
    seen, _ = env.reset(seed=1)
    assert seen in env.observation_space
    assert ("recent_action" in seen) == bool(window)


@pytest.mark.parametrize("seed", NO_SEEDS, ids=shown)
def test_what_is_no_seed_is_refused_and_the_week_goes_on(seed: Any) -> None:
    env = WeekEnv()
    env.reset(seed=3)
    first = env.step(3)[0]
    with pytest.raises(InvalidValueError, match=r"a seed is a whole number from 0 to 2\*\*63 - 1; got "):
        env.reset(seed=seed)
    assert env.step(3)[0]["step"] == first["step"] + 1
    vector = WeekVectorEnv(2)
    vector.reset(seed=3)
    vector.step([3, 3])
    with pytest.raises(InvalidValueError, match="seed"):
        vector.reset(seed=seed)
    assert (vector.step([3, 3])[0]["step"] == 2).all()


@pytest.mark.parametrize("kind", [int, np.int64, np.uint64, np.int8])
def test_a_seed_of_numpy_is_the_same_week(kind: Any) -> None:
    plain, same = WeekEnv(), WeekEnv()
    for env, seed in ((plain, 7), (same, kind(7))):
        env.reset(seed=seed)
    assert plain._watched.weeks.people.tobytes() == same._watched.weeks.people.tobytes()
    assert plain.np_random.integers(2**40) == same.np_random.integers(2**40)
    rows, others = WeekVectorEnv(3), WeekVectorEnv(3)
    rows.reset(seed=7)
    same_seeds: list[Any] = [
        kind(7), [kind(7), kind(8), kind(9)], np.array([7, 8, 9], kind), (7, 8, 9), range(7, 10)
    ]  # fmt: skip
    for seeds in same_seeds:
        others.reset(seed=seeds)
        assert rows._watched.weeks.people.tobytes() == others._watched.weeks.people.tobytes()


@pytest.mark.parametrize(
    "seeds",
    [[1], [1, 2, 3], [[1], [2, 3]], [[1, 2]], [1, None], [1, -2], [1, 2**63], [1, 2**64], [0.5, 1.0], ["1", "2"],
     [True, False], [], [1, [2]], UserDict(), {1: 2, 3: 4}, (seed for seed in (1, 2)), 2**63 - 1],
)  # fmt: skip
def test_seeds_are_one_for_each_person(seeds: Any) -> None:
    env = WeekVectorEnv(2)
    with pytest.raises(InvalidValueError, match="seed"):
        env.reset(seed=seeds)


def test_the_last_seed_is_a_seed() -> None:
    assert seeds_in_a_row(2**63 - 2, 2).tolist() == [2**63 - 2, 2**63 - 1]
    assert check_seeds(np.array([2**63 - 1], np.uint64), 1).tolist() == [2**63 - 1]
    WeekEnv().reset(seed=2**63 - 1)


@pytest.mark.parametrize(
    "mask",
    [np.array([True]), np.array([True] * 3), np.array([[True, True]]), True, None, [True, [True]], "yes", [1, 1],
     np.array([1.0, 1.0]), [True, None], np.array([True, False]), []],
)  # fmt: skip
def test_a_reset_mask_names_everyone(mask: Any) -> None:
    env = WeekVectorEnv(2)
    env.reset(seed=1)
    env.step([3, 3])
    with pytest.raises(InvalidValueError, match="reset_mask"):
        env.reset(options={"reset_mask": mask})
    assert (env.step([3, 3])[0]["step"] == 2).all()


@pytest.mark.parametrize("options", [5, "reset_mask", [("reset_mask", True)]])
def test_options_are_a_mapping(options: Any) -> None:
    with pytest.raises(InvalidValueError, match="options are a mapping"):
        WeekVectorEnv(2).reset(seed=1, options=options)
    everyone = {"reset_mask": np.array([True, True])}
    assert (WeekVectorEnv(2).reset(seed=1, options=everyone)[0]["step"] == 0).all()


@pytest.mark.parametrize(
    "actions",
    [[[1], [2, 3]], [1, [2]], [1, None], [1, "SLEEP"], 3, [], [[1, 2]], [True, False], [1.0, 2.0], [2**70, 1],
     [None] * 2, {1: 2}, "ab", [np.nan, 1]],
)  # fmt: skip
def test_ragged_and_other_actions_are_refused_and_cost_nothing(actions: Any) -> None:
    env = WeekVectorEnv(2)
    env.reset(seed=1)
    with pytest.raises(RhythmError):
        env.step(actions)
    assert (env.step([3, 3])[0]["step"] == 1).all()


@pytest.mark.parametrize("count", [0, -1, 2.0, True, "2", None, 10**16, 10**400], ids=shown)
def test_how_many_people_is_a_whole_number(count: Any) -> None:
    with pytest.raises(InvalidValueError, match="how many people is a whole number from 1"):
        WeekVectorEnv(count)


@pytest.mark.parametrize("window", [0, 7])
def test_too_many_people_are_refused_before_memory_is_taken(window: int) -> None:
    with pytest.raises(NotEnoughMemoryError, match=r"1,000,000,000,000 people .* about [\d,.]+ [TP]B of memory; "):
        WeekVectorEnv(10**12, window=window)
    with pytest.raises(NotEnoughMemoryError, match="measuring 1,000,000,000,000 people"):
        measure(10**12, 1)


def test_the_estimate_of_memory_is_above_what_is_counted() -> None:
    for window in (0, 1, 7):
        env = WeekVectorEnv(500, window=window)
        env.reset(seed=1)
        env.step([3] * 500)
        assert env.bytes_per_person() < memory.needed_bytes(1, window) < 4 * env.bytes_per_person()


def test_memory_that_the_system_does_not_tell_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    told = memory.available_bytes()
    assert told is not None
    assert told > 2**28
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    memory.check_fits(10**18, "a lot")
    monkeypatch.setattr(memory, "available_bytes", lambda: 999_999_999)
    with pytest.raises(NotEnoughMemoryError, match="a lot would take about 1 GB of memory; 1,000 MB are available"):
        memory.check_fits(1_000_000_000, "a lot")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"population": 3}, UnknownNameError),
        ({"population": ["classic"]}, UnknownNameError),
        ({"population": np.array(["classic", "peaked"])}, UnknownNameError),
        ({"condition": None}, UnknownNameError),
        ({"condition": {"ood": 1}}, UnknownNameError),
        ({"condition": np.array(["ood", "archetypes"])}, UnknownNameError),
    ],
)
def test_conditions_and_populations_are_names(options: dict[str, Any], error: type[Exception]) -> None:
    for face in (WeekEnv, WeekVectorEnv):
        with pytest.raises(error):
            face(**options)
    with pytest.raises(UnknownNameError):
        WeekVectorEnv(autoreset=[])  # type: ignore[arg-type]


@pytest.mark.parametrize("action", [np.array(3), np.int64(3), np.uint8(3), 3, "sleep", Action.SLEEP])
def test_whatever_the_space_holds_is_an_action(action: Any) -> None:
    env = WeekEnv()
    env.reset(seed=1)
    assert env.step(action)[0]["last_action"] == 3


@pytest.mark.parametrize(
    "belief",
    [[1.0, 2.0, 3.0], [1.5, 2, 3], [True, 2, 3], ["1", "2", "3"], "123", b"\x01\x02\x03", {1, 2, 3}, {1: 1, 2: 2, 3: 3},
     [float("inf"), 1, 1], [float("nan"), 1, 1], [1, 2], [1, 2, 3, 4], [[1], [2], [3]], [[1, 2, 3]], [None, 1, 1], 5,
     [10, 1, 1], [-1, 1, 1], [2**70, 1, 1], np.array([1.0, 2.0, 3.0]), np.array([[1, 2, 3]]), np.array(5),
     Belief(1, 1, 1), (digit for digit in (1, 2, 3))],
)  # fmt: skip
def test_digits_are_whole_numbers_in_order(belief: Any) -> None:
    env = StatedBelief(WeekEnv())
    env.reset(seed=1)
    with pytest.raises(MalformedDecisionError):
        env.step({"belief": belief, "action": 3})
    assert env.step("SLEEP")[0]["step"] == 1


@pytest.mark.parametrize(
    "belief", [[1, 2, 3], (1, 2, 3), np.array([1, 2, 3]), np.array([1, 2, 3], np.uint8), [np.int8(1), 2, 3]]
)
def test_digits_of_numpy_are_digits(belief: Any) -> None:
    assert read_decision({"belief": belief, "action": np.int64(3)}) == parse_decision("1 2 3 SLEEP")


@pytest.mark.parametrize("key", ["beleif", "reason", 3, None, "\ud800"])
def test_a_key_that_is_misspelt_is_not_overlooked(key: Any) -> None:
    with pytest.raises(MalformedDecisionError, match="beside belief and action") as caught:
        read_decision({"action": 3, key: [1, 2, 3]})
    str(caught.value).encode()


@given(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
    | st.dictionaries(
        st.sampled_from(["action", "belief", "x"]),
        st.none() | st.integers(-3, 12) | st.floats() | st.text()
        | st.lists(st.integers(-3, 12) | st.floats(), max_size=4),
    )
)  # fmt: skip
def test_anything_is_a_decision_or_malformed(stated: object) -> None:
    try:
        assert isinstance(read_decision(stated), Decision)
    except MalformedDecisionError as error:
        str(error).encode()


@given(made.decisions)
def test_a_decision_is_taken_as_it_is(decision: Decision) -> None:
    assert read_decision(decision) is decision


@pytest.mark.parametrize("env", [None, 3, "rhythm/Week-v0", WeekEnv, WeekVectorEnv(2)])
def test_what_is_no_week_takes_no_stated_beliefs(env: Any) -> None:
    with pytest.raises(InvalidValueError, match="only a WeekEnv takes stated beliefs"):
        StatedBelief(env)


def test_every_sample_of_the_space_is_a_decision() -> None:
    env = StatedBelief(WeekEnv())
    env.action_space.seed(1)
    for _ in range(200):
        assert read_decision(env.action_space.sample()).belief is not None


def test_errors_show_a_huge_value_by_its_size() -> None:
    assert shown(10**5_000) == "a number of 16610 bits"
    assert len(shown("x" * 10_000)) == 60
    with pytest.raises(InvalidValueError, match="no array"):
        as_array([[1], [2, 3]], "actions")
