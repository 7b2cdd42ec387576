"""A suggestion that says itself who made it, where one suggester hands a slot on to another."""

import msgspec

from rhythm.policy.suggest import Suggested


class Signed(Suggested, frozen=True):
    """A suggestion with its maker's name.

    Attributes:
        policy: who chose, lower case.
        policy_version: in which version.
    """

    policy: str
    policy_version: str


def signed(one: Suggested, policy: str, version: str) -> Signed:
    """The suggestion, with who made it."""
    return Signed(**msgspec.structs.asdict(one), policy=policy, policy_version=version)
