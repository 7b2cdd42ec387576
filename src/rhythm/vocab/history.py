"""History: everything that was learned of one person, in the order in which it came.

The same entries serve simulation and life. A simulated week with perfect meters is a
list of `Observed`; a real person's weeks are `Reading`, `Done`, `Answered`, `SelfReport`.
"""

import math

import msgspec

from rhythm.vocab.actions import Action
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.events import LifeEvent
from rhythm.vocab.meters import Meter, MeterValues, check_meters
from rhythm.vocab.responses import Response


class Observed(msgspec.Struct, frozen=True, tag="observed"):
    """A step seen exactly, as in the simulator: state before, action, what it changed and paid.

    Attributes:
        slot: slot number.
        before: meters before the step, in [0, 1].
        action: what was done.
        event: what happened in the slot.
        deltas: change of each meter.
        reward: what the step paid; None where no reward is seen.
    """

    slot: int
    before: MeterValues
    action: Action
    event: LifeEvent
    deltas: MeterValues
    reward: float | None = None

    def __post_init__(self) -> None:
        check_meters(self.before, "before")
        if not all(math.isfinite(d) and -1.0 <= d <= 1.0 for d in self.deltas):
            raise InvalidValueError("deltas: each change of a meter is a finite number in [-1, 1]")
        if self.reward is not None and not math.isfinite(self.reward):
            raise InvalidValueError("reward is not a finite number")


class Reading(msgspec.Struct, frozen=True, tag="reading"):
    """A meter as a device or the calendar gives it: a level with its uncertainty.

    Attributes:
        slot: slot number the level belongs to; it may have arrived later.
        meter: which meter.
        value: level in [0, 1].
        sd: standard deviation of its error, above 0.
        source: what it was derived from, for the person to read.
    """

    slot: int
    meter: Meter
    value: float
    sd: float
    source: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and 0.0 <= self.value <= 1.0):
            raise InvalidValueError(f"reading of {self.meter.label} is not a number in [0, 1]")
        if not (math.isfinite(self.sd) and self.sd > 0.0):
            raise InvalidValueError(f"reading of {self.meter.label} needs an uncertainty above 0")


class Done(msgspec.Struct, frozen=True, tag="done"):
    """What a slot was spent on, as the calendar or the person says."""

    slot: int
    action: Action
    source: str = ""


class Answered(msgspec.Struct, frozen=True, tag="answered"):
    """A suggestion and what became of it.

    Attributes:
        slot: slot number for which it was made.
        action: what was suggested.
        response: the outcome.
        propensity: probability with which it was chosen, in (0, 1].
        meters: levels at the time as they were known, None where one was missing.
        usual: what the person would otherwise have done, where it is known.
    """

    slot: int
    action: Action
    response: Response
    propensity: float | None = None
    meters: tuple[float | None, float | None, float | None, float | None, float | None] | None = None
    usual: Action | None = None


class SelfReport(msgspec.Struct, frozen=True, tag="self_report"):
    """A meter as the person says it stands, by one tap."""

    slot: int
    meter: Meter
    value: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and 0.0 <= self.value <= 1.0):
            raise InvalidValueError(f"self-report of {self.meter.label} is not a number in [0, 1]")


Evidence = Observed | Reading | Done | Answered | SelfReport
"""Anything that says something of the person."""


class History(msgspec.Struct, frozen=True):
    """Evidence in the order in which it came."""

    entries: tuple[Evidence, ...] = ()

    def add(self, *more: Evidence) -> "History":
        """A history with these entries behind the others."""
        return History(self.entries + more)
