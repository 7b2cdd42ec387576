"""What each layer of the reward pays for, by examples, and that none can be had by what the others forbid."""

import numpy as np
import pytest

from rhythm.bench.play import play
from rhythm.lm import rewards
from rhythm.lm.episode import begin
from rhythm.lm.rewards import LAYERS, Situation, truth_of
from rhythm.lm.trajectories import Who
from rhythm.policy.registry import make_policy
from rhythm.vocab import ACTIONS, Action, Belief, InvalidValueError

SEED = 2_000_003
M, E, L = int(Action.MEDITATE), int(Action.EXERCISE), int(Action.LEARN)
TWO_CYCLE = (M, E, M, E, M)


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        ("4 4 4 MEDITATE", (), {"format": 1.0, "legal": 0.5, "repetition": 0.0, "exploration": 0.2}),
        ("MEDITATE 4 4 4", (), {"format": 1.0, "legal": 0.5}),
        ("<reasoning>So.</reasoning>\n4 4 4 SLEEP", (), {"format": 1.0, "legal": 0.5}),
        ("MEDITATE", (), {"format": -2.0, "legal": 0.5, "belief": -0.5}),
        ("<reasoning>SLEEP would be", (), {"format": -2.0, "legal": -1.0, "environment": -3.0, "belief": -0.5}),
        ("<reasoning>LEARN would be", TWO_CYCLE, {"exploration": 0.0, "repetition": 0.0}),
        ("", (), {"format": -2.0, "legal": -1.0, "environment": -3.0, "belief": -0.5}),
        ("4 4 4 SLEEP\n5 5 5 LEARN", (), {"format": -2.0, "legal": -1.0, "environment": -3.0}),
        ("4 4 4 NAP", (), {"format": -2.0, "legal": -1.0, "environment": -3.0}),
        ("4 4 4 EXERCISE", TWO_CYCLE, {"repetition": -0.4, "exploration": 0.0}),
        ("4 4 4 LEARN", TWO_CYCLE, {"repetition": 0.0, "exploration": 0.2}),
        ("4 4 4 LEARN", (L, L, L, L, L), {"repetition": -0.4, "exploration": 0.0}),
        ("4 4 4 EXERCISE", TWO_CYCLE[1:], {"repetition": 0.0}),
        ("4 4 4 SLEEP", (0, 1, 2, 4, 5, 6), {"exploration": 0.0}),
    ],
)  # fmt: skip
def test_examples(text: str, before: tuple[int, ...], expected: dict[str, float]) -> None:
    situation = Situation(SEED, Who(), before)
    assert {name: LAYERS[name](situation, text) for name in expected} == expected


def test_the_environment_pays_most_for_what_is_best_for_this_person_and_less_the_worse_it_is() -> None:
    for before in ((), (M, L, E), tuple(range(10)) * 2):
        situation = Situation(SEED, Who("classic"), before)
        worth = truth_of(situation).worth
        paid = [rewards.environment_reward(situation, f"4 4 4 {action.name}") for action in ACTIONS]
        assert paid[worth.index(max(worth))] == max(paid) == 1.0
        assert min(paid) >= -1.0
        assert sorted(paid) == [paid[i] for i in sorted(range(10), key=worth.__getitem__)]


def test_what_the_environment_pays_most_is_what_who_knows_the_person_does() -> None:
    who, seeds = Who(), np.array([SEED])
    weeks = begin([SEED], who)
    lived = play(make_policy("oracle"), weeks.people, seeds)
    for step in range(0, 28, 9):
        best = int(lived.actions[0, step])
        situation = Situation(SEED, who, tuple(int(a) for a in lived.actions[0, :step]))
        assert rewards.environment_reward(situation, f"4 4 4 {ACTIONS[best].name}") > 0.8


def test_a_belief_is_paid_by_its_nearness_and_a_constant_one_earns_about_nothing() -> None:
    earned = []
    for seed in range(SEED, SEED + 40):
        situation = Situation(seed, Who(), ())
        truth = truth_of(situation).belief
        near = Belief(*truth).digits
        far = Belief(*(0.0 if value > 0.5 else 1.0 for value in truth)).digits
        assert rewards.belief_reward(situation, f"{near} LEARN") > 0.35
        assert rewards.belief_reward(situation, f"{far} LEARN") == -0.5
        earned.append(rewards.belief_reward(situation, "5 5 5 LEARN"))
    assert abs(sum(earned) / len(earned)) < 0.15


def test_a_history_that_no_week_has_is_refused() -> None:
    for actions in ((10,), (-1,), (0,) * 28):
        with pytest.raises(InvalidValueError):
            Situation(SEED, Who(), actions)
