"""Every policy by name."""

from collections.abc import Callable
from functools import partial

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


def policy_names() -> tuple[str, ...]:
    """The names of all policies."""
    return tuple(_POLICIES)


def make_policy(name: str) -> Policy:
    """The policy of that name.

    Raises:
        UnknownNameError: there is none.
    """
    if name not in _POLICIES:
        raise UnknownNameError("policy", name, policy_names())
    return _POLICIES[name]()
