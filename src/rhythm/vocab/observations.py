"""What a decider sees before it chooses."""

import msgspec

from rhythm.vocab.actions import Action
from rhythm.vocab.checks import check_member, is_number, is_whole
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.events import LifeEvent
from rhythm.vocab.meters import MeterValues, SensedValues, check_five
from rhythm.vocab.slots import WEEK_STEPS, PartOfDay, part_of, weekday_of

WINDOW_STEPS = 7
"""How many past steps an observation carries."""

ZERO_METERS: MeterValues = (0.0, 0.0, 0.0, 0.0, 0.0)


class PastStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step that was taken.

    Attributes:
        step: step of the week, 0..27.
        action: what was done.
        reward: what it paid.
        deltas: change of each meter, five values.
        anomalies: each delta minus the delta that the neutral person would have had in
            that state, slot and event.

    Raises:
        InvalidValueError: a step outside the week, an action that is none, a reward that is
            not finite, or anything but five deltas in [-1, 1] and five anomalies in [-2, 2].
    """

    step: int
    action: Action
    reward: float
    deltas: MeterValues
    anomalies: MeterValues

    def __post_init__(self) -> None:
        if not is_whole(self.step, 0, WEEK_STEPS - 1):
            raise InvalidValueError(f"a step that was taken is a whole number 0 to {WEEK_STEPS - 1}")
        check_member(self.action, Action, "action")
        _check_reward(self.reward, "reward")
        check_five(self.deltas, "deltas", -1.0, 1.0)
        check_five(self.anomalies, "anomalies", -2.0, 2.0)


class Observation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The state of the week as the decider may see it; nothing of the hidden person.

    Attributes:
        step: step of the week that is to be decided, 0..28 (28 when the week is over).
        meters: levels in [0, 1]; None where a sensed meter is missing.
        deltas: change of each meter in the last step; zero before the first.
        event: what happens in this slot.
        last_action: what was done last, None before the first step.
        last_reward: what it paid, zero before the first step.
        done: the week is over, which it is at step 28 and at no other.
        recent: the last steps, at most seven, oldest first.

    Raises:
        InvalidValueError: a number that is not finite or outside its range, not five meters, a
            past that contradicts the step, or ``done`` that does.
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
        if not is_whole(self.step, 0, WEEK_STEPS):
            got = self.step if isinstance(self.step, int) else type(self.step).__name__
            raise InvalidValueError(f"step is {got}; a week has steps 0 to {WEEK_STEPS}")
        if self.done is not bool(self.step == WEEK_STEPS):
            raise InvalidValueError(
                f"done is {self.done!r} at step {self.step}; a week is over at step {WEEK_STEPS} only"
            )
        check_five(self.meters, "meters", missing=True)
        check_five(self.deltas, "deltas", -1.0, 1.0)
        check_member(self.event, LifeEvent, "event")
        if self.last_action is not None:
            check_member(self.last_action, Action, "last_action")
            if self.step == 0:
                raise InvalidValueError("last_action is given at step 0; nothing was done before the first step")
        _check_reward(self.last_reward, "last_reward")
        self._check_recent()

    def _check_recent(self) -> None:
        recent = self.recent
        if not isinstance(recent, tuple) or not all(isinstance(past, PastStep) for past in recent):
            raise InvalidValueError(f"recent is a tuple of PastStep; got {type(recent).__name__}")
        if len(recent) > WINDOW_STEPS:
            raise InvalidValueError(f"recent holds {len(recent)} steps; at most {WINDOW_STEPS} are carried")
        if any(past.step != step for step, past in enumerate(recent, self.step - len(recent))):
            raise InvalidValueError("recent: the steps do not run, oldest first, up to the one before this")

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


def _check_reward(reward: object, what: str) -> None:
    if not is_number(reward):
        raise InvalidValueError(f"{what} is not a finite number")
