"""What belongs to one slot, in the one order in which it is taken in, whatever order it came in."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from rhythm.vocab import Answered, Done, Evidence, Observed, Reading, SelfReport

_RANKS: dict[type[Evidence], int] = {Reading: 0, SelfReport: 1, Observed: 2, Answered: 3, Done: 4}


def order_of(entry: Evidence) -> tuple[int, int, bytes]:
    """Sorts evidence by slot, then kind, then content, so that equal sets give equal sequences."""
    return entry.slot, _RANKS[type(entry)], msgspec.json.encode(entry)


@dataclass
class SlotEvidence:
    """The evidence on one slot, by kind."""

    readings: list[Reading] = field(default_factory=list)
    reports: list[SelfReport] = field(default_factory=list)
    observed: list[Observed] = field(default_factory=list)
    answers: list[Answered] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)

    @staticmethod
    def of(entries: Iterable[Evidence]) -> "SlotEvidence":
        """The entries by kind; give them in the order of `order_of`."""
        found = SlotEvidence()
        for entry in entries:
            if isinstance(entry, Reading):
                found.readings.append(entry)
            elif isinstance(entry, SelfReport):
                found.reports.append(entry)
            elif isinstance(entry, Observed):
                found.observed.append(entry)
            elif isinstance(entry, Answered):
                found.answers.append(entry)
            else:
                found.done.append(entry)
        return found


def reward_of(entry: Observed) -> float:
    """The reward, NaN where none was seen."""
    return math.nan if entry.reward is None else entry.reward
