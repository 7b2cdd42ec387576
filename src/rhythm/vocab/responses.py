"""How a person answers a suggestion: five outcomes, never merged."""

from enum import StrEnum

import msgspec

from rhythm.vocab.errors import InvalidValueError


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


class Response(msgspec.Struct, frozen=True, omit_defaults=True):
    """An outcome and, for a rescheduled suggestion, the slot number it was moved to."""

    outcome: Outcome
    moved_to: int | None = None

    def __post_init__(self) -> None:
        if self.moved_to is not None and self.outcome is not Outcome.RESCHEDULED:
            raise InvalidValueError(f"moved_to belongs to a rescheduled suggestion, not to one that was {self.outcome}")
