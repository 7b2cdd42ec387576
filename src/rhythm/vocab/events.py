"""The random events of a life: what happens to a person without being chosen."""

from enum import IntEnum


class LifeEvent(IntEnum):
    """What happened in a slot; NONE in most of them."""

    NONE = 0
    BAD_NIGHT = 1
    DEADLINE = 2
    CONFLICT = 3
    GOOD_NEWS = 4
    CALL_FROM_A_FRIEND = 5
    MINOR_ILLNESS = 6

    @property
    def label(self) -> str:
        """The words a person reads, lower case; empty for NONE."""
        return "" if self is LifeEvent.NONE else self.name.lower().replace("_", " ")


EVENTS: tuple[LifeEvent, ...] = tuple(LifeEvent)
EVENT_COUNT = len(EVENTS)
