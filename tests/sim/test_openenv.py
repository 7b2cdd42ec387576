"""The OpenEnv face in process: decisions, rewards that sum to the grade, the rubric tree, tasks, refusals."""

import importlib
import json
from typing import Any

import numpy as np
import pytest

from rhythm.life.grade_v2 import V2_WEIGHTS
from rhythm.life.profiles import belief_targets
from rhythm.sim.conditions import SPLITS, Casting
from rhythm.sim.grading import Gradebook, grade_of
from rhythm.sim.secret import Secret
from rhythm.sim.watched import WatchedWeeks
from rhythm.vocab import Action, Belief, EpisodeOverError, InvalidValueError, RhythmError, UnknownNameError

pytestmark = pytest.mark.openenv

openenv = pytest.importorskip("openenv")
oe: Any = importlib.import_module("rhythm.sim.openenv")
pydantic: Any = importlib.import_module("pydantic")


def play(env: Any, decision: str, steps: int = 28) -> list[Any]:
    return [env.step(oe.WeekAction(decision=decision)) for _ in range(steps)]


@pytest.mark.parametrize("split", SPLITS)
def test_the_rewards_of_a_week_sum_to_its_grade(split: str) -> None:
    env = oe.WeekEnvironment()
    env.reset(split=split, index=2)
    rewards = [seen.reward for seen in play(env, "2 9 7 EXERCISE")]
    assert rewards[:-1] == [0.0] * 27
    seeds = np.array([SPLITS[split][2]])
    people = Casting(split).people(seeds)
    lived, book = WatchedWeeks(1), Gradebook()
    lived.start(people, seeds)
    for _ in range(28):
        lived.take(np.array([Action.EXERCISE]))
        book.note(lived.weeks, Belief(2 / 9, 1.0, 7 / 9))
    parts = book.parts(lived.weeks)
    assert sum(rewards) == grade_of(parts)
    error = np.abs(belief_targets(people)[0] - [2 / 9, 1.0, 7 / 9]).mean()
    assert parts["belief_accuracy"] == pytest.approx(1 - error, abs=1e-12)
    assert {name: part.last_score for name, part in env.rubric.named_children()} == parts
    assert env.rubric.last_score == rewards[-1]


def test_the_rubric_is_a_tree_of_six_named_weighted_parts() -> None:
    rubric = oe.WeekRubric()
    assert [name for name, _ in rubric.named_rubrics()] == list(V2_WEIGHTS)
    assert rubric.weights == V2_WEIGHTS
    assert sum(rubric.weights.values()) == pytest.approx(1.0)
    assert rubric.get_rubric("adaptation").last_score is None


def test_a_new_week_forgets_the_old_grade() -> None:
    env = oe.WeekEnvironment()
    env.reset(seed=1)
    play(env, "5 5 5 SLEEP")
    env.reset(seed=1)
    assert all(part.last_score is None for _, part in env.rubric.named_rubrics())
    assert play(env, "5 5 5 SLEEP", 27)[-1].reward == 0.0


def test_the_grade_is_not_to_be_had_before_the_end() -> None:
    lived, book = WatchedWeeks(1), Gradebook()
    lived.start(Casting().people(np.array([1])), np.array([1]))
    with pytest.raises(EpisodeOverError, match="28"):
        book.parts(lived.weeks)


def test_both_forms_of_a_decision_do_the_same() -> None:
    last = []
    for decision in (
        "<reasoning>They love company.</reasoning>\n9 0 3 SOCIALIZE",
        {"belief": [1.0, 0.0, 3 / 9], "action": "socialize"},
        "SOCIALIZE 9 0 3",
    ):
        env = oe.WeekEnvironment()
        env.reset(seed=4)
        last.append([env.step(oe.WeekAction(decision=decision)).model_dump() for _ in range(28)][-1])
    assert last[0] == last[1] == last[2]


@pytest.mark.parametrize(
    "decision",
    ["", "5 5 SLEEP", "5 5 5", "5 5 5 NAP", "10 5 5 SLEEP", "0.5 0.5 0.5 SLEEP", "nan 5 5 SLEEP",
     "<reasoning>I will SLEEP", {"action": "NAP"}, {"belief": [0.5, 0.5], "action": "SLEEP"},
     {"belief": [0.5, 0.5, 1.5], "action": "SLEEP"}, {"belief": [0.5, 0.5, float("nan")], "action": "SLEEP"},
     {"action": "SLEEP", "mood": 3}, {"belief": [0.5, 0.5, 0.5]}, 7, None, ["SLEEP"]],
)  # fmt: skip
def test_malformed_decisions_are_refused_in_words_that_json_can_carry(decision: object) -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        oe.WeekAction(decision=decision)
    json.dumps(caught.value.errors(include_input=False))


def test_malformed_text_is_an_error_of_its_own_type() -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        oe.WeekAction(decision="5 5 5 NAP")
    assert caught.value.errors()[0]["type"] == "malformed_decision"
    assert "DEEP_WORK" in caught.value.errors()[0]["msg"]


def test_a_step_needs_a_week_that_is_not_over() -> None:
    env = oe.WeekEnvironment()
    with pytest.raises(EpisodeOverError, match="reset"):
        play(env, "SLEEP", 1)
    env.reset(seed=1)
    play(env, "SLEEP")
    with pytest.raises(EpisodeOverError, match="over"):
        play(env, "SLEEP", 1)
    assert env.state.step_count == 28


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"seed": -1}, InvalidValueError),
        ({"seed": 2**63}, InvalidValueError),
        ({"seed": 1, "index": 1}, InvalidValueError),
        ({"split": "introvert_morning"}, RhythmError),
        ({"split": "ood", "index": 50}, RhythmError),
        ({"split": "ood", "index": -1}, RhythmError),
        ({"person": "mine"}, InvalidValueError),
    ],
)
def test_weeks_that_do_not_exist_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        oe.WeekEnvironment().reset(**options)


def test_populations_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UnknownNameError):
        oe.WeekEnvironment(population="everyone")


def test_state_counts_steps_and_names_the_episode() -> None:
    env = oe.WeekEnvironment()
    env.reset(seed=1, episode_id="mine")
    play(env, "SLEEP", 3)
    assert env.state.model_dump() == {"episode_id": "mine", "step_count": 3, "done": False}
    env.state.step_count = 99
    assert env.state.step_count == 3
    env.reset(seed=1)
    assert env.state.episode_id not in (None, "mine")


def test_tasks_are_the_published_conditions_and_tell_nothing_else() -> None:
    env = oe.WeekEnvironment()
    counts = {split["name"]: env.num_tasks(split["name"]) for split in env.list_splits()}
    assert counts == {"in-distribution": 100, "ood": 50, "archetypes": 15}
    assert env.get_task("ood", 3) == {"id": "ood-3", "split": "ood", "index": 3}
    assert env.get_task_range("archetypes", 13, 99) == [env.get_task("archetypes", i) for i in (13, 14)]
    assert len(env.list_tasks("in-distribution")) == 100
    with pytest.raises(IndexError):
        env.get_task("ood", 50)
    with pytest.raises(IndexError):
        env.num_tasks("train")


def test_a_task_and_its_seed_are_the_same_week() -> None:
    one, other = oe.WeekEnvironment(), oe.WeekEnvironment()
    assert one.reset(split="ood", index=7) == other.reset(split="ood", seed=10_007)
    assert play(one, "1 1 1 LEARN") == play(other, "1 1 1 LEARN")


def test_a_week_can_be_lived_again_from_its_history_in_one_request() -> None:
    env = oe.WeekEnvironment(secret=Secret(5))
    env.reset(seed=3)
    lines = [f"{k % 10} 5 5 {Action(k % 10).name}" for k in range(28)]
    seen = [env.step(oe.WeekAction(decision=line)) for line in lines]
    for k in (0, 13, 27):
        again = oe.WeekEnvironment(secret=Secret(5))
        assert again.step(oe.WeekAction(decision=lines[k]), seed=3, history=lines[:k]) == seen[k]
    with pytest.raises(InvalidValueError, match="in progress"):
        env.step(oe.WeekAction(decision="SLEEP"), seed=3)
    with pytest.raises(InvalidValueError, match="unknown option"):
        env.step(oe.WeekAction(decision="SLEEP"), sed=3)


def test_weeks_without_a_seed_differ_and_are_no_task() -> None:
    env = oe.WeekEnvironment()
    weeks = set()
    for _ in range(5):
        env.reset()
        weeks.add(play(env, "SLEEP")[-1].model_dump_json())
    assert len(weeks) == 5
