"""Every policy by name."""

from collections.abc import Callable
from functools import partial
from importlib import import_module

from rhythm.policy.adversaries import ADVERSARIES
from rhythm.policy.face import Policy
from rhythm.policy.planner import average, oracle, planner, told_after
from rhythm.policy.simple import ConstantBeliefPolicy, HeuristicPolicy, RandomPolicy
from rhythm.policy.student.shipped import ShippedStudent
from rhythm.vocab import UnknownNameError

_POLICIES: dict[str, Callable[[], Policy]] = {
    "random": RandomPolicy,
    "heuristic": HeuristicPolicy,
    "constant": lambda: ConstantBeliefPolicy(HeuristicPolicy()),
    "average": average,
    "student": ShippedStudent,
    "planner": planner,
    "oracle": oracle,
    **{f"told-after-{steps}": partial(told_after, steps) for steps in (1, 2, 3, 5, 7)},
    "average-v2": partial(average, aim_v2=True),
    "planner-v2": partial(planner, aim_v2=True),
    "oracle-v2": partial(oracle, aim_v2=True),
    **ADVERSARIES,
}

_ELSEWHERE: dict[str, tuple[str, str]] = {"lm": ("rhythm.lm.player", "from_environment")}
"""Policies that need an extra, or a model that somebody names: module and function, imported when asked for."""


def policy_names() -> tuple[str, ...]:
    """The names of all policies that can be played wherever Rhythm is."""
    return tuple(_POLICIES)


def make_policy(name: str) -> Policy:
    """The policy of that name: one of `policy_names`, or ``lm``, the language model that ``RHYTHM_LM`` names.

    Raises:
        UnknownNameError: there is none.
        RhythmError: ``lm`` was asked for and there is no such model, or the extra ``lm`` is not installed.
    """
    if name in _ELSEWHERE:
        module, maker = _ELSEWHERE[name]
        made: Policy = getattr(import_module(module), maker)()
        return made
    if name not in _POLICIES:
        raise UnknownNameError("policy", name, (*policy_names(), *_ELSEWHERE))
    return _POLICIES[name]()
