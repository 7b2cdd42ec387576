"""The belief a decision states first: three dimensions of a person, each in [0, 1]."""

import msgspec

from rhythm.vocab.checks import is_number, is_whole
from rhythm.vocab.errors import InvalidValueError

BELIEF_NAMES = ("social", "morning", "work")
BELIEF_COUNT = len(BELIEF_NAMES)


class Belief(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who the decider thinks the person is.

    Attributes:
        social: 0 is drained by people, 1 lives for them.
        morning: 0 is a night owl, 1 a morning person.
        work: 0 avoids work, 1 is fed by it.
    """

    social: float
    morning: float
    work: float

    def __post_init__(self) -> None:
        for name, value in zip(BELIEF_NAMES, self.values, strict=True):
            if not is_number(value, 0.0, 1.0):
                raise InvalidValueError(f"belief {name} is {_shown(value)}; a belief is a finite number in [0, 1]")

    @property
    def values(self) -> tuple[float, float, float]:
        """Social, morning, work."""
        return self.social, self.morning, self.work

    @property
    def digits(self) -> str:
        """The wire form ``S M W``: each dimension rounded to ninths, 0..9."""
        return " ".join(str(round(v * 9)) for v in self.values)

    @staticmethod
    def from_digits(social: int, morning: int, work: int) -> "Belief":
        """The belief that three digits 0..9 stand for.

        Raises:
            InvalidValueError: a digit that is no whole number 0..9; neither text nor a truth value is one.
        """
        for name, digit in zip(BELIEF_NAMES, (social, morning, work), strict=True):
            if not is_whole(digit, 0, 9):
                raise InvalidValueError(f"belief digit {name} is {_shown(digit)}; digits are whole numbers 0 to 9")
        return Belief(int(social) / 9, int(morning) / 9, int(work) / 9)


def _shown(value: object) -> str:
    """A number as it is, anything else by its type."""
    return repr(value)[:40] if isinstance(value, float) else f"{type(value).__name__} {str(value)[:20]!r}"
