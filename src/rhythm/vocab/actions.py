"""The ten actions, always legal: what a person can do with a slot."""

import operator
from enum import IntEnum, StrEnum
from typing import SupportsIndex

from rhythm.vocab.errors import UnknownNameError


class ActionGroup(StrEnum):
    """What an action is for."""

    WORK = "work"
    RECOVERY = "recovery"
    SOCIAL = "social"
    LEISURE = "leisure"


class Action(IntEnum):
    """The actions in their fixed order; the value is the index into every table of ten."""

    DEEP_WORK = 0
    ADMIN_WORK = 1
    LEARN = 2
    SLEEP = 3
    EXERCISE = 4
    MEDITATE = 5
    FAMILY_TIME = 6
    SOCIALIZE = 7
    ME_TIME = 8
    BINGE_WATCH = 9

    @property
    def label(self) -> str:
        """The words a person reads, lower case: ``deep work``."""
        return self.name.lower().replace("_", " ")

    @property
    def noun(self) -> str:
        """What it is called within a sentence, lower case: ``meditation`` where the label is ``meditate``."""
        return _NOUNS.get(self, self.label)

    @property
    def group(self) -> ActionGroup:
        """What the action is for."""
        return _GROUPS[self]


_GROUPS: dict[Action, ActionGroup] = {
    Action.DEEP_WORK: ActionGroup.WORK,
    Action.ADMIN_WORK: ActionGroup.WORK,
    Action.LEARN: ActionGroup.WORK,
    Action.SLEEP: ActionGroup.RECOVERY,
    Action.EXERCISE: ActionGroup.RECOVERY,
    Action.MEDITATE: ActionGroup.RECOVERY,
    Action.FAMILY_TIME: ActionGroup.SOCIAL,
    Action.SOCIALIZE: ActionGroup.SOCIAL,
    Action.ME_TIME: ActionGroup.LEISURE,
    Action.BINGE_WATCH: ActionGroup.LEISURE,
}

_NOUNS: dict[Action, str] = {
    Action.LEARN: "learning",
    Action.MEDITATE: "meditation",
    Action.SOCIALIZE: "socializing",
    Action.ME_TIME: "time for yourself",
    Action.BINGE_WATCH: "watching series",
}
"""Where the label is a verb or a shorthand."""

ACTIONS: tuple[Action, ...] = tuple(Action)
ACTION_COUNT = len(ACTIONS)


def parse_action(name: object) -> Action:
    """The action of that name (any letter case, spaces or hyphens allowed) or index 0..9.

    An index is any whole number, NumPy's included; a truth value is none. Names are ASCII: a
    letter that only becomes one in upper case is another letter.

    Raises:
        UnknownNameError: there is no such action.
    """
    if isinstance(name, Action):
        return name
    if isinstance(name, str):
        key = name.strip()
        key = key.upper().replace(" ", "_").replace("-", "_") if key.isascii() else ""
        if key in Action.__members__:
            return Action[key]
    elif isinstance(name, SupportsIndex) and not isinstance(name, bool):
        index = _index_of(name)
        if 0 <= index < ACTION_COUNT:
            return Action(index)
    raise UnknownNameError("action", name, tuple(a.name for a in ACTIONS))


def _index_of(number: SupportsIndex) -> int:
    """A whole number as a plain one; -1 where it only looks like one, as an array of several does."""
    try:
        return operator.index(number)
    except TypeError:
        return -1
