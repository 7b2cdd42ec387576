"""Records of what was suggested and what the person answered: written once, never changed."""

import math
from datetime import datetime

import msgspec

from rhythm.vocab.actions import Action
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.meters import Meter, SensedValues
from rhythm.vocab.responses import Outcome, Response


class Alternative(msgspec.Struct, frozen=True, omit_defaults=True):
    """Another action that was weighed for the same slot.

    Attributes:
        action: what.
        value: what the policy thought it worth, in its own unit.
        propensity: the probability with which it would have been chosen.
        reason: one sentence for the person; empty for none.
    """

    action: Action
    value: float | None = None
    propensity: float | None = None
    reason: str = ""


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A suggestion before it is recorded.

    Attributes:
        slot: slot number it is for.
        action: what is suggested.
        reason: the sentence that the person reads.
        propensity: probability with which it was chosen, in (0, 1].
        policy, policy_version: who chose.
        alternatives: what else was weighed.
        meters: levels as they were known then.
        usual: what the person would otherwise have done, where that is known.
    """

    slot: int
    action: Action
    reason: str
    propensity: float
    policy: str
    policy_version: str
    alternatives: tuple[Alternative, ...] = ()
    meters: SensedValues | None = None
    usual: Action | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.propensity) and 0.0 < self.propensity <= 1.0):
            raise InvalidValueError(f"propensity is {self.propensity!r}; it is a probability in (0, 1]")


class Suggestion(Proposal, frozen=True, kw_only=True):
    """A suggestion as it was recorded.

    Attributes:
        number: its number.
        created_at: when it was made.
    """

    number: int
    created_at: datetime


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One event in the life of a suggestion: an outcome, or the undoing of one.

    Attributes:
        number: its number.
        suggestion: number of the suggestion.
        outcome: what became of it; None for an undoing.
        moved_to: slot number a rescheduled one was moved to.
        undoes: number of the answer that this one takes back; None for an outcome.
        at: when the person tapped, or the time ran out.
        recorded_at: when it was written; later than ``at`` for a tap made offline.
        channel: where it came from: ``page``, ``cli``, ``offline``, ``clock``.
        key: the tap's own key; the same key is recorded once.
    """

    number: int
    suggestion: int
    outcome: Outcome | None
    moved_to: int | None
    undoes: int | None
    at: datetime
    recorded_at: datetime
    channel: str
    key: str | None

    @property
    def response(self) -> Response | None:
        """The outcome as the vocabulary has it; None for an undoing."""
        return None if self.outcome is None else Response(self.outcome, self.moved_to)


class Exchange(msgspec.Struct, frozen=True):
    """A suggestion with the answer that holds; None where none does."""

    suggestion: Suggestion
    answer: Answer | None


class ReportedMeter(msgspec.Struct, frozen=True):
    """A meter as the person said it stands.

    Attributes:
        number: its number.
        slot: slot number.
        meter: which meter.
        value: level in [0, 1].
        at: when they said so.
        key: the tap's own key; the same key is recorded once.
    """

    number: int
    slot: int
    meter: Meter
    value: float
    at: datetime
    key: str | None
