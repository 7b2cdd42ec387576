"""What a decider sees before it chooses."""

import math

import msgspec

from rhythm.vocab.actions import Action
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.events import LifeEvent
from rhythm.vocab.meters import MeterValues, SensedValues
from rhythm.vocab.slots import WEEK_STEPS, PartOfDay, part_of, weekday_of

WINDOW_STEPS = 7
"""How many past steps an observation carries."""

ZERO_METERS: MeterValues = (0.0, 0.0, 0.0, 0.0, 0.0)


class PastStep(msgspec.Struct, frozen=True):
    """One step that was taken.

    Attributes:
        step: step of the week, 0..27.
        action: what was done.
        reward: what it paid.
        deltas: change of each meter, five values.
        anomalies: each delta minus the delta that the neutral person would have had in
            that state, slot and event.
    """

    step: int
    action: Action
    reward: float
    deltas: MeterValues
    anomalies: MeterValues


class Observation(msgspec.Struct, frozen=True):
    """The state of the week as the decider may see it; nothing of the hidden person.

    Attributes:
        step: step of the week that is to be decided, 0..28 (28 when the week is over).
        meters: levels in [0, 1]; None where a sensed meter is missing.
        deltas: change of each meter in the last step; zero before the first.
        event: what happens in this slot.
        last_action: what was done last, None before the first step.
        last_reward: what it paid, zero before the first step.
        done: the week is over.
        recent: the last seven steps, oldest first.
    """

    step: int
    meters: SensedValues
    deltas: MeterValues = ZERO_METERS
    event: LifeEvent = LifeEvent.NONE
    last_action: Action | None = None
    last_reward: float = 0.0
    done: bool = False
    recent: tuple[PastStep, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.step <= WEEK_STEPS:
            raise InvalidValueError(f"step is {self.step}; a week has steps 0 to {WEEK_STEPS}")
        if len(self.recent) > WINDOW_STEPS:
            raise InvalidValueError(f"recent holds {len(self.recent)} steps; at most {WINDOW_STEPS} are carried")
        for value in self.meters:
            if value is not None and not (math.isfinite(value) and 0.0 <= value <= 1.0):
                raise InvalidValueError("meters: each is a finite number in [0, 1], or None where it is missing")

    @property
    def day(self) -> int:
        """Weekday, 0 for Monday; 0 again when the week is over."""
        return weekday_of(self.step)

    @property
    def slot(self) -> PartOfDay:
        """Part of the day that is to be decided."""
        return part_of(self.step)

    @property
    def remaining(self) -> int:
        """Steps that are left, this one included."""
        return WEEK_STEPS - self.step
