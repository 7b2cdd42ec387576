"""The belief channel of the Gymnasium environment: say who the person is, then choose.

``StatedBelief(gymnasium.make("rhythm/Week-v0"))`` takes decisions instead of bare actions
and grades the week when it is over.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rhythm.sim.arguments import shown
from rhythm.sim.errors import needs_extra
from rhythm.sim.grading import Gradebook, grade_of
from rhythm.sim.gym_env import WeekEnv
from rhythm.vocab import (
    ACTION_COUNT,
    BELIEF_COUNT,
    Belief,
    Decision,
    InvalidValueError,
    MalformedDecisionError,
    UnknownNameError,
    parse_action,
    parse_decision,
)

with needs_extra("gymnasium", "sim"):
    import gymnasium
    from gymnasium import spaces
    from gymnasium.utils import RecordConstructorArgs

DIGITS = 10


class StatedBelief(gymnasium.Wrapper[dict[str, Any], Any, dict[str, Any], np.int64], RecordConstructorArgs):
    """A week whose decisions state a belief.

    A step takes ``{"belief": three digits 0..9, "action": index}`` (a sample of the action
    space), a `Decision`, or its text line ``S M W ACTION_NAME``. Rewards stay the person's
    own. In the step that ends the week ``info`` holds ``v2`` and its six parts
    (`rhythm.life.grade_v2`); a week in which no belief was stated has belief accuracy 0.

    Args:
        env: a `WeekEnv`, wrapped or not.

    Raises:
        InvalidValueError: another environment.
    """

    def __init__(self, env: gymnasium.Env[dict[str, Any], np.int64]) -> None:
        inner = env.unwrapped if isinstance(env, gymnasium.Env) else env
        if not isinstance(inner, WeekEnv):
            raise InvalidValueError(f"got {type(inner).__name__}; only a WeekEnv takes stated beliefs")
        RecordConstructorArgs.__init__(self)
        gymnasium.Wrapper.__init__(self, env)
        self._week = inner
        self._book = Gradebook()
        self.action_space = spaces.Dict(
            {"belief": spaces.MultiDiscrete([DIGITS] * BELIEF_COUNT), "action": spaces.Discrete(ACTION_COUNT)}
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a week; see `WeekEnv.reset`."""
        self._book = Gradebook()
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Live one slot.

        Raises:
            MalformedDecisionError: neither a decision nor its text nor a sample of the space.
            EpisodeOverError: the week is over, or none was begun.
        """
        decision = read_decision(action)
        seen, reward, terminated, truncated, info = self.env.step(np.int64(decision.action))
        weeks = self._week._watched.weeks  # noqa: SLF001 - the grader is on the hidden side
        self._book.note(weeks, decision.belief)
        if terminated:
            parts = self._book.parts(weeks)
            info = {**info, **parts, "v2": grade_of(parts)}
        return seen, float(reward), terminated, truncated, info


def read_decision(stated: object) -> Decision:
    """The decision that a sample of the action space, a text line or a record states.

    Digits are whole numbers, NumPy's too, in a list, tuple or array; neither text nor truth
    values nor 3.0 are digits.

    Raises:
        MalformedDecisionError: it states none, or more than a belief and an action.
    """
    if isinstance(stated, Decision):
        return stated
    if isinstance(stated, str):
        return parse_decision(stated)
    if not isinstance(stated, Mapping) or "action" not in stated:
        raise MalformedDecisionError(
            f"got {type(stated).__name__}; a decision is a text line `S M W ACTION_NAME`, a Decision, "
            'or {"belief": three digits, "action": index}'
        )
    if unknown := [key for key in stated if key not in ("action", "belief")]:
        raise MalformedDecisionError(f"not a decision: it states {shown(unknown[0])} beside belief and action")
    try:
        return Decision(parse_action(stated["action"]), _belief_of(stated.get("belief")))
    except (UnknownNameError, InvalidValueError) as error:
        raise MalformedDecisionError(f"not a decision: {error}") from None


def _belief_of(digits: object) -> Belief | None:
    if digits is None:
        return None
    if isinstance(digits, np.ndarray):
        digits = digits.tolist()
    if not isinstance(digits, list | tuple) or len(digits) != BELIEF_COUNT:
        raise InvalidValueError(f"a belief is a list of {BELIEF_COUNT} digits; got {type(digits).__name__}")
    return Belief.from_digits(*digits)
