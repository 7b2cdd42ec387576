"""Bad input at the OpenEnv face, in process: typed errors, and a week in progress is not disturbed."""

import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhythm.vocab import (
    EpisodeOverError,
    InvalidValueError,
    MalformedDecisionError,
    RhythmError,
    UnknownNameError,
    format_decision,
)
from vocab import made

pytestmark = pytest.mark.openenv

openenv = pytest.importorskip("openenv")
oe: Any = importlib.import_module("rhythm.sim.openenv")
pydantic: Any = importlib.import_module("pydantic")


def begun() -> Any:
    env = oe.WeekEnvironment()
    env.reset(seed=1)
    env.step(oe.WeekAction(decision="SLEEP"))
    return env


@pytest.mark.parametrize("secret", [5, 0, "5", True, object()])
def test_what_is_no_secret_is_refused_without_being_shown(secret: Any) -> None:
    with pytest.raises(InvalidValueError, match="secret is a Secret") as caught:
        oe.WeekEnvironment(secret=secret)
    assert "5" not in str(caught.value)
    oe.WeekEnvironment(secret=None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 1.0}, "seed is a whole number"),
        ({"seed": True}, "seed is a whole number"),
        ({"seed": "1"}, "seed is a whole number"),
        ({"seed": [1]}, "seed is a whole number"),
        ({"seed": 10**400}, "seed is a whole number"),
        ({"index": 1.0}, "tasks 0 to 99; got float 1.0"),
        ({"index": True}, "tasks 0 to 99; got bool True"),
        ({"index": "1"}, "tasks 0 to 99; got '1'"),
        ({"index": 10**400}, "tasks 0 to 99; got a number of 1329 bits"),
        ({"split": 3}, "unknown split 3"),
        ({"split": ["ood"]}, "unknown split list"),
        ({"split": None}, "unknown split NoneType"),
        ({"split": "x" * 999}, "unknown split 'xxx"),
        ({"episode_id": 5}, "episode_id is text"),
        ({"episode_id": "\ud800"}, "surrogate"),
        ({"options": {}}, "unknown option 'options'"),
    ],
)
def test_what_reset_does_not_take_is_refused_and_the_week_goes_on(options: dict[str, Any], message: str) -> None:
    env = begun()
    before = env.state
    with pytest.raises(RhythmError, match=message):
        env.reset(**options)
    assert env.state == before
    assert env.step(oe.WeekAction(decision="SLEEP")).step == 2


def test_seeds_and_indices_of_numpy_are_accepted() -> None:
    one, other = oe.WeekEnvironment(), oe.WeekEnvironment()
    assert one.reset(seed=np.int64(10_003)) == other.reset(seed=10_003)
    assert one.reset(split="ood", index=np.int64(3)) == other.reset(split="ood", index=3)


@pytest.mark.parametrize("action", ["SLEEP", {"decision": "SLEEP"}, None, 3])
def test_a_step_takes_a_decision_of_its_own_type(action: Any) -> None:
    env = begun()
    with pytest.raises(InvalidValueError, match="takes a WeekAction"):
        env.step(action)
    assert env.state.step_count == 1


@pytest.mark.parametrize(
    ("history", "error"),
    [
        (["5 5 5 SLEEP", "NAP"], MalformedDecisionError),
        (["SLEEP", None], MalformedDecisionError),
        ([b"SLEEP"], MalformedDecisionError),
        ([{"action": "SLEEP"}], MalformedDecisionError),
        (["<reasoning>\ud800</reasoning>SLEEP"], MalformedDecisionError),
        ("SLEEP", InvalidValueError),
        (None, InvalidValueError),
        (5, InvalidValueError),
        ({"SLEEP"}, InvalidValueError),
        (["SLEEP"] * 28, EpisodeOverError),
        (["SLEEP"] * 10_000, EpisodeOverError),
    ],
)
def test_a_history_is_checked_before_any_of_it_is_lived(history: Any, error: type[Exception]) -> None:
    env = oe.WeekEnvironment()
    with pytest.raises(error):
        env.step(oe.WeekAction(decision="SLEEP"), seed=1, history=history)
    assert env.state.episode_id is None
    assert env.step(oe.WeekAction(decision="SLEEP"), seed=1, history=["SLEEP"]).step == 2


def test_a_history_without_a_week_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="history belongs to a week"):
        begun().step(oe.WeekAction(decision="SLEEP"), history=["SLEEP"])


@given(made.decisions)
def test_the_line_of_any_decision_is_an_action(decision: Any) -> None:
    read = oe.WeekAction(decision=format_decision(decision)).read()
    assert (read.action, read.reason) == (decision.action, decision.reason)


@given(
    st.text()
    | st.dictionaries(st.sampled_from(["action", "belief", "x"]), st.none() | st.text() | st.lists(st.floats()))
)
def test_any_decision_is_read_or_a_validation_error(stated: object) -> None:
    """OpenEnv answers a validation error; any other error would close the session."""
    try:
        oe.WeekAction(decision=stated)
    except pydantic.ValidationError as error:
        error.json(include_input=False)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"event": "EARTHQUAKE"}, UnknownNameError),
        ({"last_action": "NAP"}, UnknownNameError),
        ({"last_action": "\u017fLEEP"}, UnknownNameError),
        ({"meters": {}}, InvalidValueError),
        ({"deltas": {"vitality": 0.1}}, InvalidValueError),
        ({"step": 28}, InvalidValueError),
        ({"step": 5}, InvalidValueError),
        ({"done": True}, InvalidValueError),
        ({"last_reward": float("nan")}, InvalidValueError),
    ],
)
def test_an_observation_from_the_wire_is_checked_when_it_becomes_a_record(
    change: dict[str, Any], error: type[Exception]
) -> None:
    seen = begun().step(oe.WeekAction(decision="SLEEP"))
    assert seen.record().step == 2
    with pytest.raises(error):
        seen.model_copy(update=change).record()
    for extra in ({"mood": 0.5}, {"vitality": 2.0}):
        with pytest.raises(InvalidValueError):
            seen.model_copy(update={"meters": {**seen.meters, **extra}}).record()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"population": "mars"}, UnknownNameError),
        ({"population": 3}, UnknownNameError),
        ({"secret": 5}, InvalidValueError),
        ({"max_sessions": 0}, InvalidValueError),
        ({"max_sessions": 2.0}, InvalidValueError),
        ({"max_sessions": "many"}, InvalidValueError),
        ({"session_timeout_s": 0}, InvalidValueError),
        ({"session_timeout_s": float("nan")}, InvalidValueError),
        ({"session_timeout_s": "long"}, InvalidValueError),
        ({"mode": "training"}, UnknownNameError),
        ({"mode": ""}, UnknownNameError),
        ({"mode": 3}, UnknownNameError),
    ],
)
def test_a_server_that_could_serve_nobody_does_not_start(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        oe.create_week_app(**options)


@pytest.mark.parametrize("end", [1.0, "1", True, 2**64, [1]])
def test_a_range_of_tasks_has_whole_ends(end: Any) -> None:
    env = oe.WeekEnvironment()
    for ends in ((end, None), (None, end)):
        with pytest.raises(InvalidValueError, match="end of a range of tasks"):
            env.get_task_range("ood", *ends)
    assert len(env.get_task_range("ood", -2, None)) == 2
