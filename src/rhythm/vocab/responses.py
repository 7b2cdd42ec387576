"""How a person answers a suggestion: five outcomes, never merged."""

from enum import StrEnum

import msgspec

from rhythm.vocab.checks import check_member
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.slots import check_slot


class Outcome(StrEnum):
    """What became of a suggestion."""

    ACCEPTED = "accepted"
    RESCHEDULED = "rescheduled"
    """Right action, wrong time."""
    IGNORED = "ignored"
    """Seen and turned down."""
    EXPIRED = "expired"
    """No answer; not a refusal."""
    UNAVAILABLE = "unavailable"
    """Asleep, in a meeting, away: not asked."""


OUTCOMES: tuple[Outcome, ...] = tuple(Outcome)


class Response(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An outcome and, for a rescheduled suggestion, the slot number it was moved to."""

    outcome: Outcome
    moved_to: int | None = None

    def __post_init__(self) -> None:
        check_member(self.outcome, Outcome, "outcome")
        if self.moved_to is None:
            return
        if self.outcome is not Outcome.RESCHEDULED:
            raise InvalidValueError(f"moved_to belongs to a rescheduled suggestion, not to one that was {self.outcome}")
        check_slot(self.moved_to, "moved_to")
