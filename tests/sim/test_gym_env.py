"""The Gymnasium face: its own checker, episodes, rendering, refusals, and nothing hidden in sight."""

import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import rhythm.sim
from rhythm.life.profiles import ARCHETYPES, belief_targets
from rhythm.sim.conditions import SPLITS, Casting, check_seeds, next_seeds
from rhythm.sim.errors import MissingExtraError, needs_extra
from rhythm.sim.gym_env import WeekEnv
from rhythm.sim.secret import Secret
from rhythm.sim.stated_belief import StatedBelief
from rhythm.vocab import Action, EpisodeOverError, InvalidValueError, MalformedDecisionError, UnknownNameError
from sim.hidden import reachable_numbers

rhythm.sim.register()
SECRET = 0xC0FFEE


@pytest.mark.parametrize(
    "options",
    [{}, {"window": 0}, {"population": "peaked", "condition": "ood", "window": 3}, {"condition": "workaholic_stoic"}],
)
@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_gymnasium_finds_nothing_to_warn_of(options: dict[str, Any], render_mode: str | None) -> None:
    env = gymnasium.make("rhythm/Week-v0", render_mode=render_mode, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


def test_stated_beliefs_keep_the_interface_too() -> None:
    env = StatedBelief(gymnasium.make("rhythm/Week-v0"))
    with warnings.catch_warnings():
        warnings.filterwarnings("error")
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version.*")
        check_env(env, skip_render_check=True)


def test_a_week_has_28_steps_and_then_refuses() -> None:
    env = gymnasium.make("rhythm/Week-v0")
    seen, info = env.reset(seed=3)
    assert info == {}
    for step in range(28):
        assert (seen["step"], seen["day"], seen["slot"], seen["remaining"]) == (step, step // 4, step % 4, 28 - step)
        assert env.observation_space.contains(seen)
        seen, reward, terminated, truncated, info = env.step(step % 10)
        assert seen["last_action"] == step % 10
        assert seen["last_reward"] == reward
        assert (terminated, truncated, info) == (step == 27, False, {})
        filled = min(step + 1, 7)
        assert seen["recent_action"].tolist() == [-1] * (7 - filled) + [
            k % 10 for k in range(step + 1 - filled, step + 1)
        ]
        assert seen["recent_reward"][-1] == reward
        np.testing.assert_array_equal(seen["recent_deltas"][-1], seen["deltas"])
    with pytest.raises(EpisodeOverError):
        env.unwrapped.step(np.int64(0))


def test_weeks_without_a_seed_follow_from_the_last_and_never_meet_an_evaluation_seed() -> None:
    env, again = WeekEnv(), WeekEnv()
    assert env.reset(seed=5)[0]["event"] == again.reset(seed=5)[0]["event"]
    weeks = [(env.reset()[0], again.reset()[0]) for _ in range(20)]
    assert all(one["event"] == other["event"] for one, other in weeks)
    seeds = np.arange(10_000)
    for _ in range(3):
        seeds = next_seeds(seeds)
        assert seeds.min() > max(span.stop for span in SPLITS.values())
        assert len(set(seeds.tolist())) > 9_990


def test_before_the_first_reset_there_is_no_week() -> None:
    with pytest.raises(EpisodeOverError, match="reset"):
        WeekEnv().step(np.int64(0))


@pytest.mark.parametrize("action", [10, -1, np.int64(99), "NAP", 1.5, None, True])
def test_unknown_actions_are_refused_and_cost_nothing(action: object) -> None:
    env = WeekEnv()
    env.reset(seed=1)
    with pytest.raises(UnknownNameError, match="DEEP_WORK"):
        env.step(action)
    assert env.observe().step == 0


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"population": "everyone"}, UnknownNameError),
        ({"condition": "seed-7"}, UnknownNameError),
        ({"window": 8}, InvalidValueError),
        ({"window": -1}, InvalidValueError),
        ({"render_mode": "hologram"}, InvalidValueError),
        ({"render_mode": np.array(["ansi", "ansi"])}, InvalidValueError),
    ],
)
def test_options_that_do_not_exist_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        WeekEnv(**options)


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_seeds_out_of_range_are_refused(seed: int) -> None:
    with pytest.raises(InvalidValueError, match="seed"):
        WeekEnv().reset(seed=seed)


def test_the_week_can_be_read() -> None:
    env = WeekEnv(render_mode="ansi", condition="introvert_morning")
    env.reset(seed=1)
    assert "Monday morning, step 0 of 28." in str(env.render())
    env.step("sleep")
    assert "Last: sleep" in str(env.render())
    for _ in range(27):
        env.step("sleep")
    assert "The week is over." in str(env.render())


@pytest.mark.parametrize("condition", ["in-distribution", "ood"])
@pytest.mark.parametrize("secret", [0, SECRET])
def test_no_public_attribute_info_or_spec_holds_the_person(condition: str, secret: int) -> None:
    """SLEEP alone is played: what other actions do may equal a trait, and is fair to see."""
    env = gymnasium.make("rhythm/Week-v0", condition=condition, secret=Secret(secret), render_mode="ansi")
    seed = SPLITS[condition].start + 4
    seen = [env.reset(seed=seed), *(env.step(Action.SLEEP) for _ in range(10)), env.render()]
    person = Casting(condition, secret=Secret(secret)).people(np.array([seed]))
    hidden = {*person.ravel().tolist(), *belief_targets(person).ravel().tolist()}
    found = reachable_numbers((env.unwrapped, env.spec, env, seen))
    assert len(found) > 50
    assert not hidden & found
    assert not secret or secret not in found
    assert str(SECRET) not in repr(env.spec)
    assert set(person.ravel().tolist()) <= reachable_numbers(env.unwrapped._watched.weeks.people)  # type: ignore[attr-defined]


def test_with_a_secret_the_seed_says_nothing_of_the_person() -> None:
    seeds = np.arange(100)
    kept = Casting("in-distribution", secret=Secret(SECRET)).people(seeds)
    guessed = Casting("in-distribution").people(seeds)
    errors = np.abs(kept - guessed).mean(axis=0)
    strangers = np.abs(kept - guessed[::-1]).mean(axis=0)
    np.testing.assert_allclose(errors, strangers, rtol=0.35)


def test_a_secret_shuffles_the_archetypes_and_keeps_five_of_each() -> None:
    seeds = np.array(SPLITS["archetypes"])
    plain = Casting("archetypes").people(seeds)
    kept = Casting("archetypes", secret=Secret(SECRET)).people(seeds)
    for person in ARCHETYPES.values():
        assert (plain == person.row).all(axis=1).sum() == (kept == person.row).all(axis=1).sum() == 5
    assert (plain != kept).any()


def test_secrets_are_whole_numbers_and_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "51966" not in repr(Secret(51966))
    for wrong in (-1, 1.5, True, "1"):
        with pytest.raises(InvalidValueError):
            Secret(wrong)  # type: ignore[arg-type]
    monkeypatch.setenv("RHYTHM_SECRET", "hunter2")
    with pytest.raises(InvalidValueError, match="RHYTHM_SECRET") as caught:
        Secret.from_environment()
    assert "hunter2" not in str(caught.value)


def test_the_grade_of_a_stated_belief_is_in_the_last_info_alone() -> None:
    env = StatedBelief(gymnasium.make("rhythm/Week-v0", condition="introvert_morning"))
    target = ARCHETYPES["introvert_morning"].belief
    env.reset(seed=1)
    for step in range(28):
        *_, terminated, _, info = env.step("0 9 2 SLEEP" if step < 27 else "SLEEP")
        assert bool(info) == terminated == (step == 27)
    error = (target.social + (1 - target.morning) + abs(target.work - 2 / 9)) / 3
    assert info["belief_accuracy"] == pytest.approx(1 - error, abs=1e-12)
    assert 0.0 < info["v2"] < 1.0
    env.reset(seed=1)
    for _ in range(28):
        *_, info = env.step({"belief": None, "action": 3})
    assert info["belief_accuracy"] == 0.0


@pytest.mark.parametrize(
    "stated",
    ["5 5 SLEEP", "5 5 12 SLEEP", "0.5 0.5 0.5 SLEEP", "5 5 5 NAP", "", "<reasoning>SLEEP", 3, None, {"action": 10},
     {"belief": [1, 2], "action": 3}, {"belief": [1, 2, 10], "action": 3}, {"belief": "abc", "action": 3}, {}],
)  # fmt: skip
def test_malformed_decisions_are_refused_and_cost_nothing(stated: object) -> None:
    env = StatedBelief(WeekEnv())
    env.reset(seed=1)
    with pytest.raises(MalformedDecisionError):
        env.step(stated)
    assert env.step("5 5 5 SLEEP")[0]["step"] == 1


def test_only_a_week_takes_stated_beliefs() -> None:
    with pytest.raises(InvalidValueError, match="WeekEnv"):
        StatedBelief(gymnasium.make("CartPole-v1"))


def test_a_missing_extra_is_named() -> None:
    with pytest.raises(MissingExtraError, match=r"rhythm\[sim\]"), needs_extra("gymnasium_of_another_name", "sim"):
        __import__("gymnasium_of_another_name")
    code = "import sys; sys.modules['gymnasium'] = None; import rhythm.sim; rhythm.sim.register()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 1
    assert "MissingExtraError: gymnasium is not installed" in done.stderr


def test_the_package_loads_neither_gymnasium_nor_the_compiler() -> None:
    code = "import sys, rhythm.sim; print({'gymnasium', 'numba', 'openenv', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "set()"


def test_seeds_are_whole_numbers() -> None:
    for wrong in ([0.5], [-3], [0, 1]):
        with pytest.raises(InvalidValueError):
            check_seeds(wrong, 1)
