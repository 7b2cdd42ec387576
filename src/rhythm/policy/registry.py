"""Every policy by name."""

from collections.abc import Callable

from rhythm.policy.face import Policy
from rhythm.policy.planner import AveragePolicy, OraclePolicy
from rhythm.policy.simple import ConstantBeliefPolicy, HeuristicPolicy, RandomPolicy
from rhythm.vocab import UnknownNameError

_POLICIES: dict[str, Callable[[], Policy]] = {
    "random": RandomPolicy,
    "heuristic": HeuristicPolicy,
    "constant": lambda: ConstantBeliefPolicy(HeuristicPolicy()),
    "average": AveragePolicy,
    "oracle": OraclePolicy,
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
