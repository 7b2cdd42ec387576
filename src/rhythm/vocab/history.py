"""History: everything that was learned of one person, in the order in which it came.

The same entries serve simulation and life. A simulated week with perfect meters is a
list of `Observed`; a real person's weeks are `Reading`, `Done`, `Answered`, `SelfReport`.
"""

import msgspec

from rhythm.vocab.actions import Action
from rhythm.vocab.checks import check_member, check_text, is_number
from rhythm.vocab.decisions import check_propensity
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.events import LifeEvent
from rhythm.vocab.meters import Meter, MeterValues, SensedValues, check_five
from rhythm.vocab.responses import Response
from rhythm.vocab.slots import check_slot


class Observed(msgspec.Struct, frozen=True, tag="observed", forbid_unknown_fields=True):
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
        check_slot(self.slot)
        check_five(self.before, "before")
        check_member(self.action, Action, "action")
        check_member(self.event, LifeEvent, "event")
        check_five(self.deltas, "deltas", -1.0, 1.0)
        if self.reward is not None and not is_number(self.reward):
            raise InvalidValueError("reward is not a finite number")


class Reading(msgspec.Struct, frozen=True, tag="reading", forbid_unknown_fields=True):
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
        check_slot(self.slot)
        check_member(self.meter, Meter, "meter")
        if not is_number(self.value, 0.0, 1.0):
            raise InvalidValueError(f"reading of {self.meter.label} is not a number in [0, 1]")
        if not is_number(self.sd, 0.0) or not self.sd > 0.0:
            raise InvalidValueError(f"reading of {self.meter.label} needs a finite uncertainty above 0")
        check_text(self.source, "source")


class Done(msgspec.Struct, frozen=True, tag="done", forbid_unknown_fields=True):
    """What a slot was spent on, as the calendar or the person says."""

    slot: int
    action: Action
    source: str = ""

    def __post_init__(self) -> None:
        check_slot(self.slot)
        check_member(self.action, Action, "action")
        check_text(self.source, "source")


class Answered(msgspec.Struct, frozen=True, tag="answered", forbid_unknown_fields=True):
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
    meters: SensedValues | None = None
    usual: Action | None = None

    def __post_init__(self) -> None:
        check_slot(self.slot)
        check_member(self.action, Action, "action")
        if not isinstance(self.response, Response):
            raise InvalidValueError(f"response is a Response; got {type(self.response).__name__}")
        check_propensity(self.propensity)
        if self.meters is not None:
            check_five(self.meters, "meters", missing=True)
        if self.usual is not None:
            check_member(self.usual, Action, "usual")


class SelfReport(msgspec.Struct, frozen=True, tag="self_report", forbid_unknown_fields=True):
    """A meter as the person says it stands, by one tap."""

    slot: int
    meter: Meter
    value: float

    def __post_init__(self) -> None:
        check_slot(self.slot)
        check_member(self.meter, Meter, "meter")
        if not is_number(self.value, 0.0, 1.0):
            raise InvalidValueError(f"self-report of {self.meter.label} is not a number in [0, 1]")


Evidence = Observed | Reading | Done | Answered | SelfReport
"""Anything that says something of the person."""

_KINDS = frozenset((Observed, Reading, Done, Answered, SelfReport))


class History(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Evidence in the order in which it came."""

    entries: tuple[Evidence, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.entries, tuple):
            raise InvalidValueError(f"entries are a tuple of evidence; got {type(self.entries).__name__}")
        for entry in self.entries:
            if type(entry) not in _KINDS:
                raise InvalidValueError(f"an entry is evidence of one of five kinds; got {type(entry).__name__}")

    def add(self, *more: Evidence) -> "History":
        """A history with these entries behind the others."""
        return History(self.entries + more)
